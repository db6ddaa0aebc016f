import { locateKey } from "../manifest/locate.js";
import type { Segment } from "../manifest/place.js";
import { isMapping } from "../manifest/tree.js";
import type { Manifest, Manifests } from "../manifest/types.js";
import { withoutMarks } from "./mark.js";

/** A document of the plain render beside its marked twin. */
export interface Twins {
  readonly plain: Manifest;
  /** Lines of the marked document. */
  readonly lines: readonly string[];
  /** Index in `lines` of a field's key; undefined when the field is not rendered. `at` is an object of the document. */
  lineOf(at: Manifest, path: readonly Segment[]): number | undefined;
}

/** Finds the marked twin of a document of the plain render. */
export interface Alignment {
  /** The twin, or in one sentence why there is none that is certain. */
  twinsOf(document: number): Twins | string;
}

/** Pairs the documents of a plain and a marked render by template and order; two are twins when they have the same lines or the same keys. */
export function alignRenders(plain: Manifests, marked: Manifests): Alignment {
  const ours = bySource(plain);
  const theirs = bySource(marked);
  const known = new Map<number, Twins | string>();
  return {
    twinsOf(document) {
      const found = known.get(document) ?? find(document);
      known.set(document, found);
      return found;
    },
  };

  function find(document: number): Twins | string {
    for (const [source, documents] of ours) {
      const index = documents.findIndex(([manifest]) => manifest?.document === document);
      if (index === -1) continue;
      const twins = theirs.get(source) ?? [];
      if (twins.length !== documents.length)
        return `${source} rendered ${twins.length} documents with marks and ${documents.length} without`;
      return match(documents[index] ?? [], twins[index] ?? []) ?? `${source} rendered other keys with marks than without`;
    }
    return "the document is not in the render";
  }
}

/** The objects of each document, in order, by template. */
function bySource(manifests: Manifests): ReadonlyMap<string, readonly (readonly Manifest[])[]> {
  const found = new Map<string, Map<number, Manifest[]>>();
  for (const manifest of manifests.all) {
    const documents = found.get(manifest.source ?? "") ?? new Map<number, Manifest[]>();
    found.set(manifest.source ?? "", documents);
    const objects = documents.get(manifest.document);
    if (objects === undefined) documents.set(manifest.document, [manifest]);
    else objects.push(manifest);
  }
  return new Map([...found].map(([source, documents]) => [source, [...documents.values()]]));
}

function match(plain: readonly Manifest[], marked: readonly Manifest[]): Twins | undefined {
  const [first] = plain;
  const [twin] = marked;
  if (first === undefined || twin === undefined || plain.length !== marked.length) return undefined;
  if (plain.some(({ kind }, index) => kind !== marked[index]?.kind)) return undefined;
  const lines = twin.text.split("\n");
  const places = matchLines(first.text.split("\n"), lines);
  if (places !== undefined) return { plain: first, lines, lineOf: (at, path) => places[keyLine(at, path) ?? -1] };
  if (plain.some(({ body }, index) => !hasSameKeys(body, marked[index]?.body, false))) return undefined;
  return {
    plain: first,
    lines,
    lineOf: (at, path) => {
      const other = marked[plain.findIndex((manifest) => manifest.at.object.item === at.at.object.item)];
      return other === undefined ? undefined : keyLine(other, path);
    },
  };
}

/** 0-based line of a field's key within the document's text. */
function keyLine(manifest: Manifest, path: readonly Segment[]): number | undefined {
  const { line, exact } = locateKey(manifest, path);
  return exact ? line - manifest.startLine : undefined;
}

/** For each plain line the index of the marked line that is the same but for values; undefined when the lines do not correspond. Blank lines do not count. */
function matchLines(plain: readonly string[], marked: readonly string[]): readonly number[] | undefined {
  const places: number[] = [];
  let at = 0;
  for (const [index, line] of plain.entries()) {
    if (line.trim() === "") continue;
    while (at < marked.length && withoutMarks(marked[at] ?? "").trim() === "") at++;
    if (!isSameLine(line, withoutMarks(marked[at] ?? ""))) return undefined;
    places[index] = at++;
  }
  while (at < marked.length && withoutMarks(marked[at] ?? "").trim() === "") at++;
  return at === marked.length ? places : undefined;
}

function isSameLine(a: string, b: string): boolean {
  return a.trimEnd() === b.trimEnd() || beginningOf(a) === beginningOf(b);
}

/** Indentation, dashes and key of a rendered line. */
function beginningOf(line: string): string {
  return /^[ \t]*(?:- +)*(?:(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#:][^\s:]*):(?=\s|$))?/.exec(line)?.[0] ?? "";
}

/** Whether two values have the same keys and list lengths; below annotations the keys that name checksums may differ. */
function hasSameKeys(a: unknown, b: unknown, isAnnotation: boolean): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => hasSameKeys(item, b[index], false));
  if (!isMapping(a)) return b !== undefined && !isMapping(b) && !Array.isArray(b) && (a === null) === (b === null);
  if (!isMapping(b)) return false;
  const counts = (record: Readonly<Record<string, unknown>>) =>
    Object.keys(record).filter((key) => !(isAnnotation && key.includes("checksum")));
  const keys = counts(a);
  if (keys.length !== counts(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && hasSameKeys(a[key], b[key], key === "annotations"));
}
