import type { Doc } from "./document.js";
import { isUnder } from "./expand.js";
import type { Head } from "./head.js";
import { Place, type Segment } from "./place.js";
import { newlines } from "./split.js";
import { isMapping } from "./tree.js";
import type { Manifest, Mapping } from "./types.js";
import { hasPlainlyUniqueKeys } from "./unique.js";

const empty: Mapping = Object.freeze(Object.create(null));

/** The manifest of one object of a document; `item` is its ordinal in a list of objects. */
export function createManifest(doc: Doc, head: Head, prefix: readonly Segment[], item: number | undefined): Manifest {
  const object = { document: doc.index, kind: head.kind, name: head.name, ...(item === undefined ? {} : { item }) };
  const at = new Place(Object.freeze(object));
  let duplicates: Manifest["duplicateKeys"] | undefined;
  const manifest: Manifest = {
    document: doc.index,
    ...head,
    source: doc.source,
    text: doc.text,
    startLine: doc.startLine,
    at,
    ...(prefix.length === 0 ? {} : { prefix }),
    get body() {
      return bodyAt(doc.tree().root, prefix);
    },
    get annotations() {
      return strings(manifest.body, "annotations");
    },
    get labels() {
      return strings(manifest.body, "labels");
    },
    get hooks() {
      const events = manifest.annotations["helm.sh/hook"] ?? "";
      return events
        .split(",")
        .map((event) => event.trim().toLowerCase())
        .filter((event) => event !== "");
    },
    get duplicateKeys() {
      duplicates ??= Object.freeze(listDuplicates(doc, at, prefix));
      return duplicates;
    },
  };
  return Object.freeze(manifest);
}

function bodyAt(root: unknown, prefix: readonly Segment[]): Mapping {
  let value = root;
  for (const segment of prefix) {
    if (typeof segment === "string") value = isMapping(value) ? value[segment] : undefined;
    else value = Array.isArray(value) ? value[segment.index] : undefined;
  }
  return isMapping(value) ? value : empty;
}

function strings(body: Mapping, field: "annotations" | "labels"): Readonly<Record<string, string>> {
  const metadata = body["metadata"];
  const values = isMapping(metadata) ? metadata[field] : undefined;
  if (!isMapping(values)) return empty as Readonly<Record<string, string>>;
  const entries: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(values)) if (typeof value === "string") entries[key] = value;
  return Object.freeze(entries);
}

function listDuplicates(doc: Doc, at: Place, prefix: readonly Segment[]): Manifest["duplicateKeys"] {
  if (prefix.length === 0 && !doc.isRead() && hasPlainlyUniqueKeys(doc.text)) return [];
  const inside = doc.tree().duplicates.filter(({ path }) => isUnder(path, prefix));
  return inside.map(({ path, key, offset }) => ({
    at: new Place(at.object, path.slice(prefix.length)),
    key,
    line: doc.startLine + newlines(doc.text, 0, offset),
  }));
}
