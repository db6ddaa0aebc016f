import { readFileSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from "yaml";
import type { Complaint } from "../errors.js";
import { characterOffsets } from "./scalar-position.js";
import type { Origin } from "./types.js";

/** Keys and 0-based indexes from the root of a YAML text. */
export type Path = readonly (string | number)[];

/** A YAML text with its positions. `value` is undefined when it cannot be read; `faults` are then why. */
export interface Source {
  /** The file as messages show it: relative to the working directory when inside of it, else as given. */
  readonly file: string;
  readonly value: unknown;
  readonly faults: readonly Complaint[];
  /** Where the value at a path begins, else its nearest ancestor that is written. */
  at(path: Path): Origin;
  /** Where the key at a path stands; the value's own position for list elements. */
  keyAt(path: Path): Origin;
  /** A scalar as it is written, without quotes; undefined for anything else. */
  written(path: Path): string | undefined;
  /** Where a character of the scalar at a path stands, by its 0-based offset in the value; the value's own position for anything else. */
  within(path: Path, offset: number): Origin;
}

const maxBytes = 5 * 1024 * 1024;
const maxAliases = 1000;
const tooDeep = "is nested too deeply to be read";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a folder, expected a YAML file",
};

/** A path relative to the working directory when it is inside of it, else as given. */
export function displayPath(file: string): string {
  const inside = relative(process.cwd(), resolve(file));
  const outside = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return outside ? file : inside.split(sep).join("/");
}

/** The text of a YAML file of up to 5 MB in UTF-8, or the one complaint about it. */
export function readText(file: string): { readonly text: string } | { readonly fault: Complaint } {
  const shown = displayPath(file);
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) return { fault: { file: shown, message: "is a folder, expected a YAML file" } };
    if (!stat.isFile() && !stat.isFIFO()) return { fault: { file: shown, message: "is no regular file, expected a YAML file" } };
    if (stat.size > maxBytes) {
      return { fault: { file: shown, message: `has ${stat.size} bytes, expected at most 5 MB (${maxBytes} bytes)` } };
    }
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { fault: { file: shown, message: "is not UTF-8, expected a YAML file" } };
    return { fault: { file: shown, message: reasons[code] ?? `cannot be read: ${code || String(error)}` } };
  }
}

/** Reads a YAML 1.2 text. Nothing is thrown: what is wrong stands in `faults`. `lineOffset` is added to every line. */
export function parseSource(text: string, file: string, lineOffset = 0): Source {
  const lines = new LineCounter();
  const shown = displayPath(file);
  const position = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return { file: shown, line: Math.max(line, 1) + lineOffset, column: Math.max(col, 1) };
  };
  try {
    const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: "error" });
    const faults = [...doc.errors, ...doc.warnings].map((error) => ({
      ...position(error.pos[0]),
      message: explain(error.code, error.message, text, error.pos[0]),
    }));
    // A key that stands twice leaves the rest of the file readable; any other fault does not.
    if (doc.errors.some((error) => error.code !== "DUPLICATE_KEY")) return unreadable(shown, lineOffset, faults);
    const { keys, aliases } = nodeFaults(doc, position);
    if (aliases.length > 0) return unreadable(shown, lineOffset, [...faults, ...keys, ...aliases]);
    return { file: shown, value: doc.toJS({ maxAliasCount: maxAliases }), faults: [...faults, ...keys], ...finderOf(doc, text, position) };
  } catch (error) {
    const message = error instanceof RangeError ? tooDeep : unfold(error);
    return unreadable(shown, lineOffset, [{ ...position(0), message }]);
  }
}

function unfold(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/alias count/i.test(text)) return `aliases unfold to more than ${maxAliases} values, expected fewer`;
  return text;
}

function unreadable(file: string, lineOffset: number, faults: readonly Complaint[]): Source {
  const start = { file, line: 1 + lineOffset, column: 1 };
  return { file, value: undefined, faults, at: () => start, keyAt: () => start, written: () => undefined, within: () => start };
}

function explain(code: string, message: string, text: string, offset: number): string {
  if (code === "DUPLICATE_KEY") {
    const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^:\n,}]+)/.exec(text.slice(offset))?.[0].trim() ?? "";
    return `key ${/^["']/.test(key) ? key : `"${key}"`} stands twice in one map, expected once`;
  }
  if (/call stack/i.test(message)) return tooDeep;
  if (code === "MULTIPLE_DOCS") return "a second document begins, expected one";
  const plain = message.replace(/\s+/g, " ").replace(/[.:]\s*$/, "");
  return `invalid YAML: ${plain.charAt(0).toLowerCase()}${plain.slice(1)}`;
}

type Finder = Pick<Source, "at" | "keyAt" | "written" | "within">;

function finderOf(doc: Document, text: string, position: (offset: number) => Origin): Finder {
  const descend = (path: Path): { key?: unknown; node: unknown; found: boolean } => {
    let node: unknown = follow(doc, doc.contents);
    let key: unknown;
    for (const segment of path) {
      const pair = isMap(node) ? pairOf(doc, node.items, String(segment)) : undefined;
      const next = isSeq(node) ? node.items[Number(segment)] : pair?.value;
      if (next === undefined || next === null) return { key: pair?.key ?? key, node: pair === undefined ? node : pair.key, found: false };
      key = pair?.key;
      node = follow(doc, next);
    }
    return { key, node, found: true };
  };
  const startOf = (node: unknown): Origin => position(rangeOf(node)?.[0] ?? 0);
  return {
    at: (path) => startOf(descend(path).node),
    keyAt: (path) => {
      const { key, node } = descend(path);
      return startOf(key ?? node);
    },
    written: (path) => {
      const { node, found } = descend(path);
      return found && isScalar(node) ? node.source : undefined;
    },
    within: (path, offset) => {
      const { node, found } = descend(path);
      if (!found || !isScalar(node)) return startOf(node);
      const offsets = characterOffsets(text, node);
      return position(offsets[Math.min(Math.max(offset, 0), offsets.length - 1)] ?? 0);
    },
  };
}

function rangeOf(node: unknown): readonly number[] | undefined {
  if (typeof node !== "object" || node === null || !("range" in node)) return undefined;
  return Array.isArray(node.range) ? node.range : undefined;
}

function follow(doc: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(doc) : node;
}

function keyText(key: unknown): string {
  if (!isScalar(key)) return String(key);
  return typeof key.value === "symbol" ? (key.source ?? "") : String(key.value ?? "");
}

function pairOf(doc: Document, pairs: readonly Pair[], name: string): Pair | undefined {
  const own = pairs.find((pair) => keyText(pair.key) === name);
  if (own !== undefined) return own;
  for (const pair of pairs) {
    if (keyText(pair.key) !== "<<") continue;
    const merged = follow(doc, pair.value);
    for (const source of isSeq(merged) ? merged.items : [merged]) {
      const map = follow(doc, source);
      const found = isMap(map) ? pairOf(doc, map.items, name) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** `__proto__` is never a key of ours, not even in maps with free names; an alias needs an anchor that ends before it. */
function nodeFaults(doc: Document, position: (offset: number) => Origin): { readonly keys: Complaint[]; readonly aliases: Complaint[] } {
  const keys: Complaint[] = [];
  const aliases: Complaint[] = [];
  const walk = (node: unknown): void => {
    const start = rangeOf(node)?.[0] ?? 0;
    if (isAlias(node)) {
      const target = rangeOf(node.resolve(doc));
      if (target === undefined) aliases.push({ ...position(start), message: `alias *${node.source} has no anchor before it` });
      else if ((target[2] ?? 0) > start)
        aliases.push({ ...position(start), message: `alias *${node.source} stands inside its own anchor` });
    }
    if (isSeq(node)) node.items.forEach(walk);
    if (!isMap(node)) return;
    for (const pair of node.items) {
      if (keyText(pair.key) === "__proto__") keys.push({ ...position(rangeOf(pair.key)?.[0] ?? 0), message: 'unknown key "__proto__"' });
      walk(pair.value);
    }
  };
  walk(doc.contents);
  return { keys, aliases };
}
