import { type Document, isAlias, isScalar, type LineCounter, type Node, type Pair, parseDocument, visit } from "yaml";
import { type Repaired, repair } from "./repair.js";
import { keyText, yaml11 } from "./yaml-1-1.js";

/** Why a text is not YAML that helm could use, and where in it (offset). */
export class YamlRefusal extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const repairs = new WeakMap<Document, Repaired>();

/**
 * The syntax tree of one document, with its lines entered into `lines`; throws YamlRefusal. What only helm takes is read too, and its
 * nodes have the ranges of the text as it was written.
 */
export function readSyntax(text: string, lines?: LineCounter): Document.Parsed {
  try {
    const document = parseDocument(text, lines === undefined ? yaml11 : { ...yaml11, lineCounter: lines });
    const error = document.errors[0];
    if (error === undefined) return document;
    const repaired = readRepaired(text);
    if (repaired !== undefined) {
      if (lines !== undefined) lines.lineStarts = lineStarts(text);
      return repaired;
    }
    throw new YamlRefusal(lowerFirst(error.message), error.pos[0]);
  } catch (error) {
    if (error instanceof RangeError) throw new YamlRefusal("it is nested too deep", 0);
    throw error;
  }
}

function readRepaired(text: string): Document.Parsed | undefined {
  const repaired = repair(text);
  if (repaired === undefined) return undefined;
  const document = parseDocument(repaired.text, yaml11);
  if (document.errors.length > 0) return undefined;
  visit(document, {
    Node(_, node) {
      const [start, value, end] = node.range ?? [0, 0, 0];
      node.range = [repaired.original(start), repaired.original(value), repaired.original(end)];
    },
  });
  repairs.set(document, repaired);
  return document;
}

/** Offsets of the lines of a text; the parser loses count of them when it refuses the text. */
export function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

/** The text that a document was read from when that had to be repaired; it has the same lines. */
export function repairedText(document: Document): string | undefined {
  return repairs.get(document)?.text;
}

/** Whether a pair is the merge key `<<`. */
export function isMerge(pair: Pair<unknown, unknown>): boolean {
  return isScalar(pair.key) && pair.key.source === "<<" && pair.key.type === "PLAIN";
}

/** The JSON key of a pair; throws YamlRefusal where go-yaml would refuse the key. */
export function keyOf(pair: Pair<unknown, unknown>, document: Document): string {
  const key = isAlias(pair.key) ? pair.key.resolve(document) : pair.key;
  if (isScalar(key) && key.value !== null) return keyText(key.value, key.source ?? "");
  throw new YamlRefusal("a mapping key is no plain value", startOf(pair.key));
}

/** Offset at which a node of the syntax tree starts; 0 when it has no place of its own. */
export function startOf(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
