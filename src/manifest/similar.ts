import type { Document, Scalar } from "yaml";
import { perText, textMap } from "./per-text.js";
import type { Segment } from "./place.js";
import { endOfLine, newlines } from "./split.js";
import { readSyntax, repairedText } from "./syntax.js";
import { buildTree, type Tree } from "./tree.js";
import { resolvePlain } from "./yaml-1-1.js";

/** A scalar that stands on one line: `start` and `end` are offsets of what is written, quotes included. */
interface Spot {
  readonly start: number;
  readonly end: number;
  readonly type: "PLAIN" | "QUOTE_DOUBLE" | "QUOTE_SINGLE";
  readonly path: readonly Segment[];
}

interface Known {
  readonly text: string;
  readonly tree: Tree;
  /** In the order of the text; none when a change of one scalar may mean more than that. */
  readonly spots: readonly Spot[];
}

/** Documents to compare with. */
const most = 2_000;
const byShape = new Map<string, Known>();

/**
 * Reads one document; throws YamlRefusal. Environments of one chart share most of their documents, and others differ in a word or two:
 * those are read by exchanging these words in the tree of the one that was read before. Trees are frozen, so that they can be shared.
 */
export const readTree: (text: string) => Tree = perText((text) => {
  const shape = shapeOf(text);
  const like = byShape.get(shape);
  return (like && exchange(like, text)) ?? readWhole(text, shape);
});

/** Documents of one template have the same first line, which names it, and mostly as many lines. */
function shapeOf(text: string): string {
  return `${newlines(text, 0, text.length)} ${text.slice(0, endOfLine(text, 0))}`;
}

/** Syntax trees of the documents that were read last: who points at a field of them needs no other. They take fifty times the memory of the text. */
const mostRecent = 256 * 1024;
const recent = textMap<Document.Parsed>(mostRecent);

/** The syntax tree of a text, when it was among the last to be read; not to be changed. */
export function recentSyntax(text: string): Document.Parsed | undefined {
  return recent.get(text);
}

function readWhole(text: string, shape: string): Tree {
  const document = readSyntax(text);
  if (text.length <= mostRecent) recent.set(text, document);
  const spots: Spot[] = [];
  let shared = repairedText(document) !== undefined;
  const tree = buildTree(document, (node, path) => {
    const spot = node === undefined ? undefined : spotOf(node, text, path);
    if (node === undefined) shared = true;
    else if (spot !== undefined) spots.push(spot);
  });
  const plain = !shared && tree.duplicates.length === 0 && isBare(document);
  if (byShape.size >= most) byShape.clear();
  byShape.set(shape, { text, tree, spots: plain ? spots : [] });
  return tree;
}

/** Without directives, and with nothing after its end. */
function isBare(document: Document.Parsed): boolean {
  return document.directives?.yaml.explicit !== true && document.warnings.length === 0;
}

function spotOf(node: Scalar, text: string, path: readonly Segment[]): Spot | undefined {
  const { type, range, tag } = node;
  if ((type !== "PLAIN" && type !== "QUOTE_DOUBLE" && type !== "QUOTE_SINGLE") || !range || tag !== undefined) return undefined;
  const [start, end] = range;
  if (start === end || text.slice(start, end).includes("\n")) return undefined;
  return { start, end, type, path: [...path] };
}

/** The tree of a text that differs from a known one in words only; undefined when that cannot be told for certain. */
function exchange({ text: old, tree, spots }: Known, text: string): Tree | undefined {
  let { root } = tree;
  let shift = 0;
  let next = 0;
  for (let at = 0; at <= old.length; ) {
    const end = endOfLine(old, at);
    const newEnd = endOfLine(text, at + shift);
    const line = old.slice(at, end);
    const newLine = text.slice(at + shift, newEnd);
    if (line !== newLine) {
      while (next < spots.length && (spots[next] as Spot).start < at) next++;
      const spot = spots[next];
      // a second value on the line, as in {a: 1, b: 2}, is not looked for
      if (spot === undefined || spot.end > end || (spots[next + 1]?.start ?? end) < end) return undefined;
      const value = exchangedValue(spot, line, newLine, at);
      if (value === undefined) return undefined;
      root = replaced(root, spot.path, value.value);
    }
    shift += newLine.length - line.length;
    at = end + 1;
  }
  return { root, duplicates: [] };
}

/** Words that cannot be anything but a plain scalar: no colon ends one, no sign begins the first. */
const plainWords = /^(?=[A-Za-z0-9/])[\w./@+-](?:[\w./:@+-]*[\w./@+-])?(?: [\w./@+-](?:[\w./:@+-]*[\w./@+-])?)*$/;

/** What now stands in a spot, when all else of its line is as before and the new word cannot mean more than itself. */
function exchangedValue(spot: Spot, line: string, newLine: string, at: number): { readonly value: unknown } | undefined {
  const before = line.slice(0, spot.start - at);
  const after = line.slice(spot.end - at);
  if (!newLine.startsWith(before) || !newLine.endsWith(after) || newLine.length < before.length + after.length) return undefined;
  const word = newLine.slice(before.length, newLine.length - after.length);
  if (spot.type === "PLAIN") {
    if (!plainWords.test(word)) return undefined;
    const value = resolvePlain(word);
    return typeof value === "number" && !Number.isFinite(value) ? undefined : { value };
  }
  const quote = spot.type === "QUOTE_DOUBLE" ? '"' : "'";
  const inside = word.slice(1, -1);
  const isPlainText = word.length > 1 && word.startsWith(quote) && word.endsWith(quote) && /^[\x20-\x7e]*$/.test(inside);
  return isPlainText && !inside.includes(quote) && !inside.includes("\\") ? { value: inside } : undefined;
}

function replaced(value: unknown, path: readonly Segment[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by;
  if (typeof first === "string") {
    const map = Object.assign(Object.create(null), value) as Record<string, unknown>;
    map[first] = replaced(map[first], rest, by);
    return Object.freeze(map);
  }
  return Object.freeze((value as readonly unknown[]).map((item, index) => (index === first.index ? replaced(item, rest, by) : item)));
}
