import Range from "semver/classes/range.js";
import compare from "semver/functions/compare.js";
import parse from "semver/functions/parse.js";

/** -1, 0 or 1 by the precedence of two semver tags, pre-releases included (leading `v` allowed); undefined when one is no semver. */
export function compareTags(a: string, b: string): number | undefined {
  const left = parse(withoutVariant(a), { loose: true });
  const right = parse(withoutVariant(b), { loose: true });
  return left === null || right === null ? undefined : compare(left, right);
}

/** `1.9.3-alpine3.20` is 1.9.3 on another base image, and no pre-release of it. */
function withoutVariant(tag: string): string {
  return tag.replace(
    /^(v?\d+\.\d+\.\d+)-(?:alpine|slim|debian|bookworm|bullseye|buster|trixie|ubuntu|jammy|noble|focal|ubi\d*|jre|jdk|distroless|scratch|rootless|nonroot|r\d+$|linux|amd64|arm64|musl)[\w.-]*$/i,
    "$1",
  );
}

/** Whether a text is a semver version such as `v3.0.0-ci.8400`. */
export function isVersion(text: string): boolean {
  return parse(text, { loose: true }) !== null;
}

/** Whether a text is a version condition such as `>=3.0.0-ci.8900 <4`. */
export function isCondition(text: string): boolean {
  return rangeOf(text) !== undefined;
}

/** Whether a tag meets a condition (`>=3.0.0-ci.8900`, comma or blank = and, `||` = or), in semver's total order with pre-releases included; undefined when either is unreadable. */
export function satisfies(tag: string, condition: string): boolean | undefined {
  const version = parse(withoutVariant(tag), { loose: true });
  const range = rangeOf(condition);
  return version === null || range === undefined ? undefined : range.test(version);
}

function rangeOf(condition: string): Range | undefined {
  if (condition.trim() === "") return undefined;
  try {
    return new Range(condition.replaceAll(",", " "), { includePrerelease: true, loose: true });
  } catch {
    return undefined;
  }
}

/** A Kubernetes version in three parts, `1.31` -> `1.31.0`, without a leading `v`; undefined when it is none. */
export function normalizeKubeVersion(text: string): string | undefined {
  const match = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?((?:[-+][0-9A-Za-z.+-]+)?)$/.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch = "0", suffix = ""] = match;
  return `${major}.${minor}.${patch}${suffix}`;
}
