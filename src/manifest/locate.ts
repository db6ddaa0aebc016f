import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import type { Segment } from "./place.js";
import { endOfLine } from "./split.js";
import { isMerge, keyOf, startOf, YamlRefusal } from "./syntax.js";
import { type Syntax, syntaxOf } from "./syntaxes.js";
import type { Manifest, Range } from "./types.js";

export { excerptLines } from "./excerpt.js";

/** A range and whether the field itself was found; when not, it is the key of the nearest ancestor that was. */
export type Located = Range & { readonly exact: boolean };

/** The pair or the list element that a walk along a path reached last. */
interface Reached {
  readonly key: Node | undefined;
  readonly value: unknown;
}

/**
 * The range of a field's value in the whole render (1-based): of a scalar on one line the scalar, else the key. An absent field gives the
 * key of its nearest ancestor and `exact: false`. An empty path gives the object's kind.
 */
export function locate(manifest: Manifest, path: readonly Segment[]): Located {
  return locateBy(manifest, path, false);
}

/** The range of a field's key; of a list element that is a mapping its first key. Absent fields as in `locate`. */
export function locateKey(manifest: Manifest, path: readonly Segment[]): Located {
  return locateBy(manifest, path, true);
}

function locateBy(manifest: Manifest, path: readonly Segment[], byKey: boolean): Located {
  const syntax = syntaxOf(manifest);
  if (syntax === undefined) return { line: manifest.startLine, column: 1, endLine: manifest.startLine, endColumn: 1, exact: false };
  const prefix = manifest.prefix ?? [];
  const field = walk(syntax.document, [...prefix, ...path]);
  // The object itself, and a field of it whose parents are all absent, are shown by the object's kind.
  const onObject = field.depth <= prefix.length;
  const reached: Reached = onObject ? walk(syntax.document, [...prefix, "kind"]) : field;
  const value = byKey || !(field.exact || onObject) ? undefined : singleLine(reached.value, syntax);
  return { ...rangeOf(manifest, syntax, value ?? reached.key ?? firstKey(reached.value) ?? reached.value), exact: field.exact };
}

function walk(document: Document.Parsed, path: readonly Segment[]): Reached & { readonly exact: boolean; readonly depth: number } {
  let reached: Reached = { key: undefined, value: document.contents };
  for (const [depth, segment] of path.entries()) {
    const parent = resolve(reached.value, document);
    const next = typeof segment === "string" ? childOf(parent, segment, document) : elementOf(parent, segment.index);
    if (next === undefined) return { ...reached, exact: false, depth };
    reached = next;
  }
  return { ...reached, exact: true, depth: path.length };
}

function elementOf(parent: unknown, index: number): Reached | undefined {
  const element = isSeq(parent) ? parent.items[index] : undefined;
  return element === undefined ? undefined : { key: firstKey(element), value: element };
}

/** The pair that decides about a key: the last that names it, itself or by a merge key. */
function childOf(parent: unknown, key: string, document: Document.Parsed): Reached | undefined {
  if (!isMap(parent)) return undefined;
  for (const pair of parent.items.toReversed()) {
    if (isMerge(pair)) {
      const merged = mergedChild(pair, key, document);
      if (merged !== undefined) return merged;
      continue;
    }
    if (nameOf(pair, document) === key) return { key: pair.key as Node, value: pair.value };
  }
  return undefined;
}

function mergedChild(pair: Pair<unknown, unknown>, key: string, document: Document.Parsed): Reached | undefined {
  const source = resolve(pair.value, document);
  for (const from of isSeq(source) ? source.items : [source]) {
    const child = childOf(resolve(from, document), key, document);
    if (child !== undefined) return child;
  }
  return undefined;
}

function nameOf(pair: Pair<unknown, unknown>, document: Document.Parsed): string | undefined {
  try {
    return keyOf(pair, document);
  } catch (error) {
    if (error instanceof YamlRefusal) return undefined;
    throw error;
  }
}

function resolve(node: unknown, document: Document.Parsed): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function firstKey(node: unknown): Node | undefined {
  if (isSeq(node)) return firstKey(node.items[0]);
  if (!isMap(node)) return isScalar(node) || isAlias(node) ? (node as Node) : undefined;
  return (node as YAMLMap<Node>).items[0]?.key;
}

/** The node when it is a scalar or an alias that is written, and on one line. */
function singleLine(node: unknown, { lines }: Syntax): Scalar | Node | undefined {
  if (!isScalar(node) && !isAlias(node)) return undefined;
  const [start, end] = (node as Node).range ?? [0, 0];
  return end > start && lines.linePos(start).line === lines.linePos(end - 1).line && !isBlockScalar(node) ? (node as Node) : undefined;
}

function isBlockScalar(node: unknown): boolean {
  return isScalar(node) && (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED");
}

function rangeOf(manifest: Manifest, { lines }: Syntax, node: unknown): Range {
  const start = startOf(node);
  // Whoever shows a range shows one line, so what goes on below is cut.
  const lineEnd = manifest.text.slice(0, endOfLine(manifest.text, start)).trimEnd().length;
  const end = Math.max(start, Math.min((node as Node | null | undefined)?.range?.[1] ?? start, lineEnd));
  const { line, col } = lines.linePos(start);
  const renderLine = manifest.startLine + line - 1;
  return { line: renderLine, column: col, endLine: renderLine, endColumn: col + end - start };
}
