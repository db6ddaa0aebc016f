import type { Image } from "./types.js";

/** Takes an image reference apart: `registry:5000/repo:tag@sha256:…`. A colon before the last slash belongs to the registry. */
export function parseImage(text: string): Image {
  const at = text.indexOf("@");
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  return Object.freeze({
    text,
    repository: colon < 0 ? named : named.slice(0, colon),
    tag: tag === "" ? undefined : tag,
    digest: digest === "" ? undefined : digest,
  });
}
