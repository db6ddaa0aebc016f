import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair } from "yaml";
import { isMerge, keyOf, readSyntax, YamlRefusal } from "../manifest/syntax.js";
import { buildTree } from "../manifest/tree.js";
import type { Range } from "../manifest/types.js";
import type { ValuePath } from "./bindings.js";

/** A values file with the positions of what it sets. */
export interface ValuesFile {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  /** What it says, as JSON would have it. */
  readonly root: unknown;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** What a values file says about a path. `range` is that of a scalar on one line, else that of the key; `key` is where the last key of the path (or its list element) is written. */
export type Found =
  | { readonly state: "set"; readonly value: unknown; readonly range: Range; readonly key: Range; readonly node: unknown }
  /** An ancestor is no mapping, so whatever was below it before is gone. */
  | { readonly state: "replaced"; readonly depth: number; readonly key: Range }
  /** The ancestor of length `depth` is set; undefined when not even the first key is. */
  | { readonly state: "absent"; readonly depth: number; readonly key: Range | undefined };

/** A values file of several documents, or one that cannot be read as YAML, gives undefined. */
export function readValuesFile(file: string, text: string): ValuesFile | undefined {
  const known = files.get(file);
  if (known?.text === text) return known;
  const read = parseValuesFile(file, text);
  if (read !== undefined && text.length < mostKept) files.set(file, read);
  return read;
}

/** Environments share the values of the chart, and several stages read them. */
const files = new Map<string, ValuesFile>();
/** Characters; larger files are read anew. */
const mostKept = 1024 * 1024;

function parseValuesFile(file: string, text: string): ValuesFile | undefined {
  try {
    const lines = new LineCounter();
    const document = readSyntax(text, lines);
    return { file, text, document, lines, root: buildTree(document).root };
  } catch (error) {
    if (error instanceof YamlRefusal) return undefined;
    throw error;
  }
}

/** Looks a path up; an alias gives the place where its anchor's value is written. */
export function findValue(values: ValuesFile, path: ValuePath): Found {
  let node: unknown = values.document.contents;
  let value = values.root;
  let key: Range | undefined;
  for (const [depth, step] of path.entries()) {
    node = resolve(node, values.document);
    const next = typeof step === "number" ? elementOf(node, step) : childOf(node, step, values.document);
    if (next === undefined) {
      const isOpen = typeof step === "string" && (isMap(node) || node === null || (isScalar(node) && node.value === null));
      if (!isOpen && key !== undefined && depth > 0 && !isMap(node)) return { state: "replaced", depth, key };
      return { state: "absent", depth, key };
    }
    node = next.value;
    value = isContainer(value) ? (value as Record<string | number, unknown>)[step] : undefined;
    key = rangeOf(values, next.key);
  }
  const target = resolve(node, values.document);
  const written = isScalar(target) ? scalarRange(values, target) : undefined;
  const whole = key ?? { line: 1, column: 1, endLine: 1, endColumn: 2 };
  return { state: "set", value, range: written ?? whole, key: whole, node: target };
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

interface Child {
  readonly key: unknown;
  readonly value: unknown;
}

function elementOf(node: unknown, index: number): Child | undefined {
  const value = isSeq(node) ? node.items[index] : undefined;
  return value === undefined ? undefined : { key: isMap(value) && value.items[0] !== undefined ? value.items[0].key : value, value };
}

function childOf(node: unknown, key: string, document: Document.Parsed): Child | undefined {
  if (!isMap(node)) return undefined;
  for (const pair of node.items.toReversed()) {
    if (isMerge(pair)) {
      const merged = mergedChild(pair, key, document);
      if (merged !== undefined) return merged;
    } else if (nameOf(pair, document) === key) return { key: pair.key, value: pair.value };
  }
  return undefined;
}

function mergedChild(pair: Pair<unknown, unknown>, key: string, document: Document.Parsed): Child | undefined {
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

/** The range of a scalar that is written on one line; undefined of one that is not written, or goes on. */
function scalarRange(values: ValuesFile, node: Node): Range | undefined {
  const [start, end] = node.range ?? [0, 0];
  if (end <= start || (isScalar(node) && (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED"))) return undefined;
  return values.text.slice(start, end).includes("\n") ? undefined : between(values, start, end);
}

function rangeOf(values: ValuesFile, node: unknown): Range | undefined {
  const range = (node as Node | null | undefined)?.range;
  if (range === undefined || range === null) return undefined;
  const [start, end] = range;
  const lineEnd = values.text.slice(start, end).search(/\r?\n/);
  return between(values, start, lineEnd === -1 ? end : start + lineEnd);
}

/** From one offset to another on the same line. */
export function between({ lines }: ValuesFile, start: number, end: number): Range {
  const { line, col } = lines.linePos(start);
  return { line, column: col, endLine: line, endColumn: col + Math.max(1, end - start) };
}
