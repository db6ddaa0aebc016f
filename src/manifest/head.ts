import { resolvePlain } from "./yaml-1-1.js";

/** What identifies an object. */
export interface Head {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

const topLine = /(?:^|\n)(?:(["']?)(apiVersion|kind|metadata|<<)\1[ \t]*:|[?&!*{[])([^\n]*)/g;
const simpleValue = /^[ \t]+(?:"([\w./-]+)"|'([\w./-]+)'|([\w./-]+))[ \t]*(?:[ \t]#.*)?\r?$/;
const topKey = /^(["']?)[\w./-]+\1[ \t]*:(?=\s|$)/;
const nothing = /^[ \t]*(?:#.*)?\r?$/;

/**
 * Reads the head of an object off its text, without a parser; undefined when the text is not laid out so plainly that this is certain
 * (flow style, an indented document, merge keys, keys that stand twice, values on several lines).
 */
export function readHead(text: string, content: number): Head | undefined {
  if (!/^[A-Za-z"']/.test(text[content] ?? "")) return undefined;
  const found = new Map<string, { readonly rest: string; readonly end: number }>();
  for (const match of text.matchAll(topLine)) {
    const key = match[2];
    if (key === undefined || key === "<<" || found.has(key)) return undefined;
    found.set(key, { rest: match[3] ?? "", end: match.index + match[0].length });
  }
  const kind = valueAt(text, found.get("kind"));
  const apiVersion = valueAt(text, found.get("apiVersion"));
  const metadata = found.get("metadata");
  if (kind === undefined || apiVersion === undefined || metadata === undefined || !nothing.test(metadata.rest)) return undefined;
  const names = readMetadata(text, metadata.end + 1);
  return names === undefined ? undefined : { apiVersion, kind, ...names };
}

/**
 * The metadata of an object whose head could be read, as a document of its own. What goes on beyond its lines, or refers to what stands elsewhere,
 * makes it unreadable.
 */
export function metadataText(text: string): string {
  const start = /(?:^|\n)(["']?)metadata\1[ \t]*:[^\n]*/.exec(text);
  if (start === null) return "";
  const from = start.index + start[0].length + 1;
  const end = /^[^\s#]/gm;
  end.lastIndex = from;
  return `metadata:\n${text.slice(from, end.exec(text)?.index ?? text.length)}`;
}

function valueAt(text: string, at: { readonly rest: string; readonly end: number } | undefined): string | undefined {
  if (at === undefined) return undefined;
  const match = simpleValue.exec(at.rest);
  const value = match?.[1] ?? match?.[2] ?? match?.[3];
  if (value === undefined || goesOn(text, at.end, 0)) return undefined;
  return match?.[3] === undefined || typeof resolvePlain(value) === "string" ? value : undefined;
}

/** Whether the next line that holds anything is indented deeper than `indent`, and so may belong to the value before it. */
function goesOn(text: string, from: number, indent: number): boolean {
  const next = /[^\s]/g;
  next.lastIndex = from;
  const at = next.exec(text)?.index;
  return at !== undefined && at - text.lastIndexOf("\n", at) - 1 > indent;
}

/** Whether a quoted value of the line may go on in the next one, which then is no line of its own. */
function opensQuote(line: string): boolean {
  return /["']/.test(line) && /(?:^|[\s,:[{])["']/.test(line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g, ""));
}

function readMetadata(text: string, from: number): Pick<Head, "name" | "namespace"> | undefined {
  const found = new Map<string, string>();
  let indent = 0;
  for (let at = from, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf("\n", at);
    if (end === -1) end = text.length;
    const line = text.slice(at, end);
    if (nothing.test(line)) continue;
    const depth = line.length - line.trimStart().length;
    // A quoted value may go on at the start of a line.
    if (depth === 0 && !topKey.test(line)) return undefined;
    if (depth === 0) break;
    if (line.slice(0, depth).includes("\t") || opensQuote(line)) return undefined;
    if (indent === 0) indent = depth;
    if (depth < indent) return undefined;
    if (depth > indent) continue;
    const match = /^(["']?)([\w./-]+)\1[ \t]*:(?=\s|$)(.*)$/s.exec(line.trimStart());
    // A list may stand as deep as the key that it belongs to.
    if (match === null && /^- /.test(line.trimStart())) continue;
    const key = match?.[2];
    if (key === undefined) return undefined;
    if (key !== "name" && key !== "namespace" && key !== "generateName") continue;
    const value = match?.[3]?.match(simpleValue);
    const word = value?.[1] ?? value?.[2] ?? value?.[3];
    if (word === undefined || found.has(key) || goesOn(text, end, indent)) return undefined;
    if (value?.[3] !== undefined && typeof resolvePlain(word) !== "string") return undefined;
    found.set(key, word);
  }
  const generated = found.get("generateName");
  return { name: found.get("name") ?? (generated === undefined ? "" : `${generated}*`), namespace: found.get("namespace") };
}
