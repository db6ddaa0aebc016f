import { type Doc, openDocument } from "./document.js";
import { findObjects, headOf, isListKind } from "./expand.js";
import { createManifest } from "./manifest.js";
import type { Place } from "./place.js";
import { splitDocuments } from "./split.js";
import type { Manifest, ManifestFault, Manifests } from "./types.js";

/**
 * Splits a render of helm, or a manifest file, into objects. Splitting happens at once, a document is parsed when its body is asked for;
 * what cannot be read becomes a fault. Never throws.
 */
export function parseManifests(text: string, options: { readonly file?: string } = {}): Manifests {
  const faults: ManifestFault[] = [];
  const docs = splitDocuments(text).map((piece, index) => openDocument(piece, index, faults, options.file));
  const listed = new Map<Doc, readonly Manifest[]>();
  const kinds = new Map<string, readonly Manifest[]>();
  let all: readonly Manifest[] | undefined;
  return {
    get all() {
      all ??= Object.freeze(docs.flatMap(manifestsOf));
      return all;
    },
    ofKind(kind) {
      const known = kinds.get(kind);
      if (known !== undefined) return known;
      const found = docs.filter((doc) => mayHold(doc, kind) && isReadable(doc)).flatMap(manifestsOf);
      const objects = Object.freeze(found.filter((manifest) => manifest.kind === kind));
      kinds.set(kind, objects);
      return objects;
    },
    get faults() {
      return Object.freeze(faults.toSorted((a, b) => a.line - b.line));
    },
  };

  function manifestsOf(doc: Doc): readonly Manifest[] {
    const known = listed.get(doc) ?? listManifests(doc);
    listed.set(doc, known);
    return known;
  }
}

const byDocument = new WeakMap<Manifests, ReadonlyMap<number, readonly Manifest[]>>();

/** The manifest that a place is in. */
export function manifestOf(manifests: Manifests, at: Place): Manifest | undefined {
  const { document, item } = at.object;
  const known = byDocument.get(manifests) ?? groupByDocument(manifests.all);
  byDocument.set(manifests, known);
  return known.get(document)?.find((manifest) => manifest.at.object.item === item);
}

function groupByDocument(all: readonly Manifest[]): ReadonlyMap<number, readonly Manifest[]> {
  const groups = new Map<number, Manifest[]>();
  for (const manifest of all) {
    const group = groups.get(manifest.document);
    if (group === undefined) groups.set(manifest.document, [manifest]);
    else group.push(manifest);
  }
  return groups;
}

function mayHold(doc: Doc, kind: string): boolean {
  if (doc.head !== undefined && !isListKind(doc.head.kind)) return doc.head.kind === kind;
  // An escape can hide a kind; the items of a typed list may leave it out.
  return doc.text.includes(kind) || doc.text.includes("\\");
}

function isReadable(doc: Doc): boolean {
  doc.tree();
  return !doc.broken();
}

function listManifests(doc: Doc): readonly Manifest[] {
  if (doc.head !== undefined && !isListKind(doc.head.kind)) return [createManifest(doc, doc.head, [], undefined)];
  return findObjects(doc).map((object, item) =>
    createManifest(doc, headOf(object), object.prefix, object.prefix.length === 0 ? undefined : item),
  );
}
