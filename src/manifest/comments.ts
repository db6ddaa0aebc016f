import { Lexer } from "yaml";
import { locateKey } from "./locate.js";
import type { Segment } from "./place.js";
import { repairedText } from "./syntax.js";
import { syntaxOf } from "./syntaxes.js";
import type { Manifest } from "./types.js";

/** A YAML comment: its text without `#`, and its 1-based line in the render. */
export interface Comment {
  readonly text: string;
  readonly line: number;
}

const known = new WeakMap<Manifest, readonly Comment[]>();
/** What the lexer puts before the source of a plain or block scalar. */
const scalarMark = "\x1f";
const marks = new Set([scalarMark, "\x02", "\x18", "\ufeff"]);

/** Comments beside a field: on the lines right above its key, and on the lines of its value. Empty when the field is not rendered. */
export function commentsNear(manifest: Manifest, path: readonly Segment[]): readonly Comment[] {
  if (!manifest.text.includes("#")) return [];
  const key = locateKey(manifest, path);
  if (!key.exact) return [];
  const lines = manifest.text.split("\n");
  const index = key.line - manifest.startLine;
  let first = index;
  while (first > 0 && isComment(lines[first - 1])) first--;
  let last = index;
  // The value goes on as long as lines are indented deeper than the key; what is flow style ends where its mapping does.
  while (last + 1 < lines.length && isDeeper(lines[last + 1], key.column - 1)) last++;
  return commentsOf(manifest).filter(({ line }) => line >= manifest.startLine + first && line <= manifest.startLine + last);
}

function isComment(line: string | undefined): boolean {
  return line !== undefined && /^\s*#/.test(line);
}

function isDeeper(line: string | undefined, indent: number): boolean {
  if (line === undefined) return false;
  return line.trim() === "" || line.search(/\S/) > indent;
}

function commentsOf(manifest: Manifest): readonly Comment[] {
  const found = known.get(manifest) ?? readComments(manifest);
  known.set(manifest, found);
  return found;
}

function readComments(manifest: Manifest): readonly Comment[] {
  const comments: Comment[] = [];
  let line = manifest.startLine;
  let previous = "";
  const document = syntaxOf(manifest)?.document;
  const text = document === undefined ? undefined : repairedText(document);
  for (const token of new Lexer().lex(text ?? manifest.text)) {
    if (!marks.has(token)) {
      if (token.startsWith("#") && previous !== scalarMark) comments.push({ text: token.slice(1).trim(), line });
      line += token.split("\n").length - 1;
    }
    previous = token;
  }
  return Object.freeze(comments);
}
