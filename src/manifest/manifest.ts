import type { Doc } from "./document.js";
import { isUnder } from "./expand.js";
import { type Head, metadataText } from "./head.js";
import { perText } from "./per-text.js";
import { Place, type Segment } from "./place.js";
import { readTree } from "./similar.js";
import { newlines } from "./split.js";
import { YamlRefusal } from "./syntax.js";
import { isMapping } from "./tree.js";
import type { Manifest, Mapping } from "./types.js";
import { hasPlainlyUniqueKeys } from "./unique.js";

const isPlainlyUnique = perText(hasPlainlyUniqueKeys);

const empty: Mapping = Object.freeze(Object.create(null));

/** The manifest of one object of a document; `item` is its ordinal in a list of objects. */
export function createManifest(doc: Doc, head: Head, prefix: readonly Segment[], item: number | undefined): Manifest {
  const object = { document: doc.index, kind: head.kind, name: head.name, ...(item === undefined ? {} : { item }) };
  const at = new Place(Object.freeze(object));
  let metadata: Mapping | undefined;
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
    get metadata() {
      metadata ??= doc.isRead() || doc.head === undefined || prefix.length > 0 ? undefined : readAlone(doc.text);
      return metadata ?? mappingAt(manifest.body, "metadata");
    },
    get annotations() {
      return strings(manifest.metadata, "annotations");
    },
    get labels() {
      return strings(manifest.metadata, "labels");
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

function mappingAt(body: Mapping, key: string): Mapping {
  const value = body[key];
  return isMapping(value) ? value : empty;
}

/** The metadata without the rest of the document; undefined when it cannot be read without that. */
function readAlone(text: string): Mapping | undefined {
  try {
    const { root } = readTree(metadataText(text));
    return isMapping(root) && isMapping(root["metadata"]) ? root["metadata"] : undefined;
  } catch (error) {
    if (error instanceof YamlRefusal) return undefined;
    throw error;
  }
}

function strings(metadata: Mapping, field: "annotations" | "labels"): Readonly<Record<string, string>> {
  const entries: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(mappingAt(metadata, field))) if (typeof value === "string") entries[key] = value;
  return Object.freeze(entries);
}

function listDuplicates(doc: Doc, at: Place, prefix: readonly Segment[]): Manifest["duplicateKeys"] {
  if (prefix.length === 0 && !doc.isRead() && isPlainlyUnique(doc.text)) return [];
  const inside = doc.tree().duplicates.filter(({ path }) => isUnder(path, prefix));
  return inside.map(({ path, key, offset }) => ({
    at: new Place(at.object, path.slice(prefix.length)),
    key,
    line: doc.startLine + newlines(doc.text, 0, offset),
  }));
}
