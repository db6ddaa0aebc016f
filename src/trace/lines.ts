import type { Action, Pairing } from "./actions.js";

/** Stands for an action that prints, in the shape of a line. */
export const printed = "\u0001";

/** A line of a template; lines that share an action are one. Offsets are in UTF-16 units. */
export interface TemplateLine {
  /** The line without what prints nothing, and with `printed` for each action that prints. */
  readonly shape: string;
  /** For each character of `shape` its offset in the text. */
  readonly offsets: readonly number[];
  /** Index of its first action, and of the first action behind it. */
  readonly actions: readonly [from: number, to: number];
  /** Whether a named template starts or ends on it. */
  readonly isBoundary: boolean;
  /** Whether it is inside of a named template. */
  readonly isNamed: boolean;
}

/** Splits a template into its lines. */
export function splitLines(text: string, actions: readonly Action[], pairing: Pairing): readonly TemplateLine[] {
  const lines: TemplateLine[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let next = 0;
  let depth = 0;
  while (at < text.length) {
    const first = next;
    let shape = "";
    const offsets: number[] = [];
    let isBoundary = false;
    for (;;) {
      const action = actions[next];
      const newline = text.indexOf("\n", at);
      const lineEnd = newline === -1 ? text.length : newline;
      const end = action !== undefined && action.start < lineEnd ? action.start : lineEnd;
      for (let offset = at; offset < end; offset++) offsets.push(offset);
      shape += text.slice(at, end);
      at = end;
      if (action === undefined || end !== action.start) break;
      if (action.kind === "output") {
        shape += printed;
        offsets.push(action.start);
      }
      const isEnd = action.kind === "end" && actions[pairing.starts.get(next) ?? 0]?.kind === "define";
      if (action.kind === "define" || isEnd) isBoundary = true;
      if (action.kind === "define") depth++;
      if (isEnd) depth--;
      at = action.end;
      next++;
    }
    at++;
    if (shape.endsWith("\r")) shape = shape.slice(0, -1);
    lines.push({ shape, offsets, actions: [first, next], isBoundary, isNamed: depth > 0 });
  }
  return lines;
}

/** What a line of YAML begins: a mapping key or a list element, with what stands behind it. */
export interface Beginning {
  /** Columns (0-based) that the value's next lines must be deeper than. */
  readonly indent: number;
  /** Index in the shape where the value starts. */
  readonly valueAt: number;
  readonly value: string;
}

const keyText = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*!|>%@`{}[\],:?-](?:[^\s:]|:(?!\s|$)| (?=[^\s#:]))*/.source;
const keyLine = new RegExp(`^( *)((?:- +)*)(${keyText}) *:(?:\\s+|$)`);
const elementLine = /^( *)((?:- +)*-)(?:\s+|$)/;

/** The key or list element that a line begins; undefined when it begins none. */
export function beginningOf(shape: string): Beginning | undefined {
  const key = keyLine.exec(shape);
  if (key !== null) {
    const indent = (key[1]?.length ?? 0) + (key[2]?.length ?? 0);
    return { indent, valueAt: key[0].length, value: shape.slice(key[0].length).trimEnd() };
  }
  const element = elementLine.exec(shape);
  if (element === null) return undefined;
  const indent = (element[1]?.length ?? 0) + (element[2]?.length ?? 0) - 1;
  return { indent, valueAt: element[0].length, value: shape.slice(element[0].length).trimEnd() };
}

/** How a value goes on behind its line. */
export type Rest =
  | { readonly kind: "none" | "plain" | "empty" }
  | { readonly kind: "block" }
  | { readonly kind: "quoted"; readonly quote: string }
  | { readonly kind: "flow"; readonly depth: number }
  /** Something that is better left alone. */
  | { readonly kind: "odd" };

const blockHeader = /^[|>](?:[+-]?[1-9]?|[1-9][+-])(?:\s+#.*)?$/;
const properties = /^(?:[&!][^\s,[\]{}]*(?:\s+|$))+/;

/** How a value goes on behind its line; `plain` may go on, or not. */
export function restOf(written: string): Rest {
  const value = written.replace(properties, "");
  const first = value[0];
  if (first === undefined || first === "#") return { kind: "empty" };
  if (first === "|" || first === ">") return { kind: blockHeader.test(value.replace(printed, "").trimEnd()) ? "block" : "odd" };
  if (first === '"' || first === "'") {
    const end = closeQuote(value, 1, first);
    if (end === undefined) return { kind: "quoted", quote: first };
    return { kind: /^(?:\s+#.*|\s*)$/.test(value.slice(end)) ? "none" : "odd" };
  }
  if (first === "[" || first === "{") {
    const depth = flowDepth(value, 0);
    return depth === 0 ? { kind: "none" } : { kind: "flow", depth };
  }
  return { kind: "plain" };
}

/** Index behind the quote that closes a scalar; undefined when it is on a later line. */
export function closeQuote(text: string, from: number, quote: string): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++;
    else if (text[at] === quote) {
      if (quote === '"' || text[at + 1] !== "'") return at + 1;
      at++;
    }
  }
  return undefined;
}

/** How many brackets are open behind a line of a flow collection in which `depth` were open; never below 0. */
export function flowDepth(text: string, depth: number): number {
  let open = depth;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"' || char === "'") {
      const before = text[at - 1] ?? " ";
      if (!/[\s[{,:]/.test(before)) continue;
      at = (closeQuote(text, at + 1, char) ?? text.length) - 1;
    } else if (char === "[" || char === "{") open++;
    else if (char === "]" || char === "}") open--;
    else if (char === "#" && /\s/.test(text[at - 1] ?? " ")) break;
  }
  return Math.max(0, open);
}

/** Gives the 1-based line of an offset; offsets must not go down from call to call. */
export function lineNumbers(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (offset) => {
    for (; next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) line++;
    return line;
  };
}
