import type { Doc } from "./document.js";
import type { Head } from "./head.js";
import { Place, type Segment } from "./place.js";
import { newlines } from "./split.js";
import { isMapping } from "./tree.js";
import type { Mapping } from "./types.js";

/** An object of a document: the body, and for lists where it stands in the document. */
export interface Found {
  readonly body: Mapping;
  readonly prefix: readonly Segment[];
  /** Kind and apiVersion for items of typed lists, which may leave their own out. */
  readonly kind: string;
  readonly apiVersion: string;
}

/** The objects of a parsed document: one, or the items of a list of objects; what is no object becomes a fault. */
export function findObjects(doc: Doc): readonly Found[] {
  const { root } = doc.tree();
  if (root === null || root === undefined) return [];
  if (!isMapping(root)) {
    doc.fault(`the document is a ${Array.isArray(root) ? "list" : typeof root}, expected a mapping (a Kubernetes object)`);
    return [];
  }
  const found = [...expand(doc, { body: root, prefix: [], kind: "", apiVersion: "" })];
  if (typeof root["kind"] === "string" && isListKind(root["kind"]) && found.every(({ prefix }) => prefix.length > 0))
    reportListKeys(doc, found);
  return found;
}

/** Whether a kind names a list of objects, such as `List` or `RoleList`. */
export function isListKind(kind: string): boolean {
  return kind.endsWith("List");
}

/** The objects that a mapping stands for: itself, or the items of a list of objects. */
function* expand(doc: Doc, object: Found): Generator<Found> {
  const { kind, apiVersion, name } = headOf(object);
  if (kind === "") {
    doc.fault(
      object.prefix.length === 0
        ? "the document has no kind"
        : `${new Place({ document: 0, kind, name: "" }, object.prefix).field} has no kind`,
    );
    return;
  }
  const { items } = object.body;
  const isList =
    isListKind(kind) && Array.isArray(items) && (kind === "List" || items.every((item) => isMapping(item) && isMapping(item["metadata"])));
  if (!isList) {
    if (kind === "List") return;
    if (apiVersion === "") doc.fault(`${kind}${name === "" ? "" : ` "${name}"`} has no apiVersion`);
    yield object;
    return;
  }
  for (const [index, body] of items.entries()) {
    const prefix = Object.freeze([...object.prefix, "items", Object.freeze({ index })]);
    if (isMapping(body)) yield* expand(doc, { body, prefix, kind: kind.slice(0, -"List".length), apiVersion });
    else doc.fault(`items[${index}] of the list is no mapping, expected a Kubernetes object`);
  }
}

/** Keys that stand twice in a list itself belong to none of its objects, and may hide some. */
function reportListKeys(doc: Doc, found: readonly Found[]): void {
  for (const { path, key, offset } of doc.tree().duplicates) {
    if (found.some(({ prefix }) => isUnder(path, prefix))) continue;
    doc.fault(`key "${key}" stands twice in the list of objects, only the last one counts`, doc.startLine + newlines(doc.text, 0, offset));
  }
}

/** What identifies an object, read from its body. */
export function headOf(object: Found): Head {
  const metadata = isMapping(object.body["metadata"]) ? object.body["metadata"] : undefined;
  const generated = scalarText(metadata?.["generateName"]);
  const kind = scalarText(object.body["kind"]);
  return {
    kind: kind ?? object.kind,
    // The API machinery takes the version from the list only for items that leave out the kind too.
    apiVersion: scalarText(object.body["apiVersion"]) ?? (kind === undefined ? object.apiVersion : ""),
    name: scalarText(metadata?.["name"]) ?? (generated === undefined ? "" : `${generated}*`),
    namespace: scalarText(metadata?.["namespace"]),
  };
}

/** Whether a path is that of the prefix or below it; names of list elements do not count. */
export function isUnder(path: readonly Segment[], prefix: readonly Segment[]): boolean {
  return prefix.every((segment, i) => sameSegment(segment, path[i]));
}

function sameSegment(a: Segment, b: Segment | undefined): boolean {
  if (typeof a === "string" || typeof b === "string" || b === undefined) return a === b;
  return a.index === b.index;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
