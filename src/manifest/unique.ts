import { endOfLine } from "./split.js";
import { resolvePlain } from "./yaml-1-1.js";

/** A mapping that is open at the line being read. */
interface OpenMapping {
  readonly indent: number;
  readonly keys: Set<string>;
}

const plainKey = /([A-Za-z$][\w./$-]*|"[\w./$ -]+"|'[\w./$ -]+')[ \t]*:(?=[ \t\r\n]|$)/y;
const blockHeader = /^[|>](?:[+-]?|[+-]?[1-9]|[1-9][+-])(?:[ \t]+#.*)?$/;
const nothing = /^(?:#.*)?$/;
const quoted = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*'/y;
/** An inline list whose elements are plain or quoted words. */
const inlineList = /^\[(?:[^[\]{}"'&*!#:]|"[^"\\]*"|'[^']*')*\][ \t]*(?:[ \t]#.*)?$/;
const inlineMapping = /^\{([^[\]{}"'&*!#?|>]*)\}[ \t]*(?:[ \t]#.*)?$/;
const plainStart = /^[^\s&*!|>%@`"'{}[\],#?-]|^-(?=[^\s-])/;

/**
 * Proves from the text alone that no mapping of a document has a key twice. False means only that this simple reader is not sure: the
 * document has duplicate keys, or is written in a way that needs the parser. It is 50 times faster, and CustomResourceDefinitions are large.
 */
export function hasPlainlyUniqueKeys(text: string): boolean {
  const open: OpenMapping[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at);
    const next = readLine(text, at, end, open);
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

/** Reads one line and all that goes on below it; gives where the next line starts, or undefined when unsure. */
function readLine(text: string, from: number, end: number, open: OpenMapping[]): number | undefined {
  let at = from;
  while (text[at] === " ") at++;
  if (nothing.test(text.slice(at, end).trim())) return end + 1;
  if (text[at] === "\t") return undefined;
  let dash: number | undefined;
  while (text[at] === "-" && text[at + 1] === " ") {
    dash = at - from;
    closeDeeper(open, dash);
    at++;
    while (text[at] === " ") at++;
  }
  // A lone dash has its element on the next lines, in a mapping or list of its own.
  if (text[at] === "-" && /^-\s*$/.test(text.slice(at, end))) {
    closeDeeper(open, at - from);
    return end + 1;
  }
  plainKey.lastIndex = at;
  const key = plainKey.exec(text)?.[1];
  if (key === undefined) return dash === undefined ? undefined : skipValue(text, at, end, dash);
  const indent = at - from;
  if (!enter(open, indent, key)) return undefined;
  return skipValue(text, plainKey.lastIndex, end, indent);
}

function closeDeeper(open: OpenMapping[], indent: number): void {
  while ((open.at(-1)?.indent ?? -1) > indent) open.pop();
}

function enter(open: OpenMapping[], indent: number, written: string): boolean {
  const isQuoted = /^["']/.test(written);
  const key = isQuoted ? written.slice(1, -1) : written;
  // `on` and `true` are one key.
  if (!isQuoted && typeof resolvePlain(key) !== "string") return false;
  closeDeeper(open, indent);
  let mapping = open.at(-1);
  if (mapping === undefined || mapping.indent < indent) {
    mapping = { indent, keys: new Set() };
    open.push(mapping);
  }
  if (mapping.keys.has(key)) return false;
  mapping.keys.add(key);
  return true;
}

/** Where the line after a value starts; the value begins somewhere on the line, and its later lines are deeper than `indent`. */
function skipValue(text: string, from: number, end: number, indent: number): number | undefined {
  const value = text.slice(from, end).trim();
  if (nothing.test(value)) return end + 1;
  if (/^["']/.test(value)) return skipQuoted(text, text.indexOf(value.charAt(0), from));
  if (/^[|>]/.test(value)) return blockHeader.test(value) ? skipDeeper(text, end + 1, indent) : undefined;
  if (inlineList.test(value)) return end + 1;
  const inner = inlineMapping.exec(value)?.[1];
  if (inner !== undefined) return isUniqueInline(inner) ? end + 1 : undefined;
  // A colon inside would make it a key that this reader does not know.
  if (!plainStart.test(value) || /:(?:\s|$)/.test(value.replace(/\s#.*$/, ""))) return undefined;
  return skipDeeper(text, end + 1, indent);
}

function isUniqueInline(inner: string): boolean {
  const keys = inner.split(",").map((part) => /^\s*([A-Za-z$][\w./$-]*)\s*:(?:\s|$)/.exec(part)?.[1] ?? "");
  if (inner.trim() === "") return true;
  return keys.every((key) => key !== "" && typeof resolvePlain(key) === "string") && new Set(keys).size === keys.length;
}

function skipQuoted(text: string, from: number): number | undefined {
  quoted.lastIndex = from;
  if (!quoted.test(text)) return undefined;
  const close = quoted.lastIndex;
  const end = endOfLine(text, close);
  return /^(?:[ \t]+#.*|\s*)$/.test(text.slice(close, end).trimEnd()) ? end + 1 : undefined;
}

function skipDeeper(text: string, from: number, indent: number): number {
  let at = from;
  while (at < text.length) {
    const end = endOfLine(text, at);
    let start = at;
    while (text[start] === " ") start++;
    const isBlank = start >= end || text.slice(start, end).trim() === "";
    if (!isBlank && start - at <= indent) break;
    at = end + 1;
  }
  return at;
}
