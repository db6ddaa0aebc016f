/** A token of a Go template action. `spaced` = white space stands before it, which parts `.a .b` from `.a.b`. */
export interface Token {
  readonly kind: "word" | "field" | "dot" | "variable" | "string" | "number" | "punctuation";
  /** Of a string the value, of a field the name without its dot, of a variable the name with its `$`. */
  readonly text: string;
  readonly spaced: boolean;
}

/** A template in pieces: plain text as it is printed, `{{-` and `-}}` applied, and actions. `line` is 1-based. */
export type Piece = { readonly text: string } | { readonly tokens: readonly Token[]; readonly line: number };

/** A template that Go could not read, or that we cannot. */
export class TemplateSyntaxError extends Error {}

const word = /[\p{L}_][\p{L}\p{N}_]*/uy;
const number = /[+-]?[0-9][0-9A-Za-z_.+-]*/y;
const space = /[ \t\r\n]+/y;
const comment = /\{\{(?:-[ \t\r\n]+)?\/\*[\s\S]*?\*\/(?:[ \t\r\n]+-)?\}\}/y;

/** The pieces of a template in order; comments and empty texts are left out. Throws TemplateSyntaxError for an action that is not closed or holds what is no token. */
export function readPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    const trimsStart = at > 0 && /[ \t\r\n]-\}\}$/.test(text.slice(Math.max(at - 4, 0), at));
    const trimsEnd = open >= 0 && /^\{\{-[ \t\r\n]/.test(text.slice(open, open + 4));
    const plain = trimmed(open < 0 ? text.slice(at) : text.slice(at, open), trimsStart, trimsEnd);
    if (plain !== "") pieces.push({ text: plain });
    if (open < 0) break;
    for (let i = at; i < open; i++) if (text.charCodeAt(i) === 10) line++;
    const skipped = match(comment, text, open);
    const { tokens, end } =
      skipped === undefined ? readTokens(text, trimsEnd ? open + 3 : open + 2) : { tokens: [], end: open + skipped.length };
    if (tokens.length > 0) pieces.push({ tokens, line });
    for (let i = open; i < end; i++) if (text.charCodeAt(i) === 10) line++;
    at = end;
  }
  return pieces;
}

function trimmed(text: string, start: boolean, end: boolean): string {
  const from = start ? text.replace(/^[ \t\r\n]+/, "") : text;
  return end ? from.replace(/[ \t\r\n]+$/, "") : from;
}

function readTokens(text: string, from: number): { readonly tokens: readonly Token[]; readonly end: number } {
  const tokens: Token[] = [];
  let at = from;
  let spaced = true;
  while (at < text.length) {
    const blank = match(space, text, at);
    if (blank !== undefined) {
      at += blank.length;
      spaced = true;
      if (text.startsWith("-}}", at)) return { tokens, end: at + 3 };
      continue;
    }
    if (text.startsWith("}}", at)) return { tokens, end: at + 2 };
    const { token, end } = readToken(text, at, spaced);
    tokens.push(token);
    at = end;
    spaced = false;
  }
  throw new TemplateSyntaxError("an action is not closed");
}

function readToken(text: string, at: number, spaced: boolean): { readonly token: Token; readonly end: number } {
  const char = text.charAt(at);
  const made = (kind: Token["kind"], value: string, length: number) => ({ token: { kind, text: value, spaced }, end: at + length });
  if (char === '"') {
    const source = quoted(text, at, '"');
    return made("string", unescaped(source.slice(1, -1)), source.length);
  }
  if (char === "`") {
    const end = text.indexOf("`", at + 1);
    if (end < 0) throw new TemplateSyntaxError("a raw string is not closed");
    return made("string", text.slice(at + 1, end), end + 1 - at);
  }
  if (char === "'") {
    const source = quoted(text, at, "'");
    return made("number", source, source.length);
  }
  if (char === "$") {
    const name = match(word, text, at + 1) ?? "";
    return made("variable", `$${name}`, 1 + name.length);
  }
  if (char === ".") {
    const name = match(word, text, at + 1);
    if (name !== undefined) return made("field", name, 1 + name.length);
    const digits = match(number, text, at + 1);
    return digits === undefined ? made("dot", ".", 1) : made("number", `.${digits}`, 1 + digits.length);
  }
  if (text.startsWith(":=", at)) return made("punctuation", ":=", 2);
  if ("()|,=".includes(char)) return made("punctuation", char, 1);
  const name = match(word, text, at);
  if (name !== undefined) return made("word", name, name.length);
  const digits = match(number, text, at);
  if (digits !== undefined) return made("number", digits, digits.length);
  throw new TemplateSyntaxError(`unexpected ${JSON.stringify(char)} in an action`);
}

function quoted(text: string, at: number, quote: string): string {
  for (let i = at + 1; i < text.length && text[i] !== "\n"; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === quote) return text.slice(at, i + 1);
  }
  throw new TemplateSyntaxError("a string is not closed");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** The text of an interpreted Go string. */
function unescaped(source: string): string {
  return source.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]))/g,
    (_, x, u, long, octal, other) => {
      const hex = x ?? u ?? long;
      if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return codePoint(Number.parseInt(octal, 8));
      return escapes[other] ?? other;
    },
  );
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
