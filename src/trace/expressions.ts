/** A value in an action: where it starts, and the keys that are read from it. */
export interface Term {
  readonly base: "dot" | "variable" | "word" | "text" | "pipe";
  /** Name of the variable or function, or the literal. */
  readonly name: string;
  readonly pipe?: Pipe;
  readonly keys: readonly string[];
}

/** Commands of one action; each gets the result of the one before as its last argument. */
export type Pipe = readonly (readonly Term[])[];

/** One `{{ … }}` of a template; lines are 1-based. */
export interface Action {
  readonly line: number;
  readonly endLine: number;
  /** `if`, `else`, `with`, `range`, `define`, `block`, `template`, `end`; empty for an action that prints. */
  readonly keyword: string;
  /** Variables that it sets. */
  readonly sets: readonly string[];
  readonly pipe: Pipe;
}

const keywords = new Set(["if", "else", "with", "range", "define", "block", "template", "end", "break", "continue"]);
const token =
  /\s+|("(?:[^"\\]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)*')|(\$\w*)|(\.[A-Za-z_]\w*)|([A-Za-z_]\w*)|([+-]?\d[\w.]*)|(:=|[=,()|.])|./gsy;

/** The actions of a template in their order; comments are left out. What is no template syntax gives actions without terms, never an error. */
export function readActions(text: string): readonly Action[] {
  const actions: Action[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", at)) {
    const end = endOfAction(text, at);
    line += newlines(text, counted, at);
    counted = at;
    const body = text
      .slice(at + 2, end - 2)
      .replace(/^-(?=\s)/, " ")
      .replace(/(?<=\s)-$/, " ");
    const endLine = line + newlines(text, at, end);
    if (!/^\s*\/\*/.test(body)) actions.push({ line, endLine, ...readBody(body) });
    at = end;
  }
  return actions;
}

/** Offset behind the `}}` that closes the action at `at`. */
function endOfAction(text: string, at: number): number {
  const comment = /^\{\{-?\s*\/\*/.exec(text.slice(at, at + 64));
  if (comment !== null) {
    const close = text.indexOf("*/", at + comment[0].length);
    const end = close === -1 ? -1 : text.indexOf("}}", close);
    return end === -1 ? text.length : end + 2;
  }
  const part = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|\}\}/g;
  part.lastIndex = at + 2;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    if (match[0] === "}}") return match.index + 2;
  }
  return text.length;
}

interface Token {
  readonly kind: "text" | "variable" | "key" | "word" | "number" | "sign";
  readonly text: string;
  /** Whether it follows the one before without white space. */
  readonly joined: boolean;
}

function readBody(body: string): Pick<Action, "keyword" | "sets" | "pipe"> {
  const tokens = tokensOf(body);
  let at = 0;
  let keyword = "";
  const first = tokens[0];
  if (first?.kind === "word" && keywords.has(first.text)) {
    keyword = first.text;
    at = 1;
    const second = tokens[1];
    // `else if x`, `else with x`
    if (keyword === "else" && second?.kind === "word" && keywords.has(second.text)) at = 2;
  }
  const sets: string[] = [];
  const sign = tokens.findIndex(({ kind, text }) => kind === "sign" && (text === ":=" || text === "="));
  if (sign !== -1 && tokens.slice(at, sign).every(({ kind, text }) => kind === "variable" || text === ",")) {
    sets.push(...tokens.slice(at, sign).flatMap(({ kind, text }) => (kind === "variable" ? [text] : [])));
    at = sign + 1;
  }
  return { keyword, sets, pipe: readPipe({ tokens, at }) };
}

function tokensOf(body: string): readonly Token[] {
  const tokens: Token[] = [];
  let joined = false;
  for (const match of body.matchAll(token)) {
    const [all, text, variable, key, word, number, sign] = match;
    if (text !== undefined) tokens.push({ kind: "text", text: unquote(text), joined });
    else if (variable !== undefined) tokens.push({ kind: "variable", text: variable, joined });
    else if (key !== undefined) tokens.push({ kind: "key", text: key.slice(1), joined });
    else if (word !== undefined) tokens.push({ kind: "word", text: word, joined });
    else if (number !== undefined) tokens.push({ kind: "number", text: number, joined });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign, joined });
    joined = /\S/.test(all);
  }
  return tokens;
}

function unquote(text: string): string {
  return text.startsWith("`") ? text.slice(1, -1) : text.slice(1, -1).replace(/\\(.)/g, "$1");
}

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
}

/** Reads up to the closing parenthesis or the end. */
function readPipe(cursor: Cursor): Pipe {
  const pipe: Term[][] = [[]];
  for (let next = cursor.tokens[cursor.at]; next !== undefined; next = cursor.tokens[cursor.at]) {
    cursor.at++;
    if (next.text === ")" && next.kind === "sign") break;
    if (next.text === "|" && next.kind === "sign") {
      pipe.push([]);
      continue;
    }
    const term = termOf(next, cursor);
    if (term !== undefined) pipe.at(-1)?.push({ ...term, keys: [...term.keys, ...keysAfter(cursor)] });
  }
  return pipe;
}

function termOf({ kind, text }: Token, cursor: Cursor): Term | undefined {
  if (kind === "text" || kind === "number") return { base: "text", name: text, keys: [] };
  if (kind === "variable") return { base: "variable", name: text, keys: [] };
  if (kind === "key") return { base: "dot", name: "", keys: [text] };
  if (kind === "word") return { base: "word", name: text, keys: [] };
  if (text === ".") return { base: "dot", name: "", keys: [] };
  return text === "(" ? { base: "pipe", name: "", pipe: readPipe(cursor), keys: [] } : undefined;
}

function keysAfter(cursor: Cursor): readonly string[] {
  const keys: string[] = [];
  for (let next = cursor.tokens[cursor.at]; next?.kind === "key" && next.joined; next = cursor.tokens[cursor.at]) {
    keys.push(next.text);
    cursor.at++;
  }
  return keys;
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** `template "name" .` is `include "name" .` */
export function asInclude(pipe: Pipe): Pipe {
  return [[{ base: "word", name: "include", keys: [] }, ...(pipe[0] ?? [])], ...pipe.slice(1)];
}
