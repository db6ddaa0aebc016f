/**
 * What an action does to the text: `output` prints, `silent` prints nothing (assignments, comments), `open` starts a branch or loop that
 * `else` splits and `end` closes, `define` starts a named template.
 */
export type ActionKind = "output" | "silent" | "open" | "else" | "end" | "define";

/** One `{{ … }}` of a template. Offsets are in UTF-16 units, `end` is behind the closing braces. */
export interface Action {
  readonly start: number;
  readonly end: number;
  readonly kind: ActionKind;
  /** The first word: `if`, `include`, `$x`, `.Values.a`. */
  readonly word: string;
  /** What stands between the braces and their dashes. */
  readonly body: string;
  /** Whether white space before and behind is cut. */
  readonly trimLeft: boolean;
  readonly trimRight: boolean;
}

/** Which actions belong together, by index. */
export interface Pairing {
  /** Of an `open`, `define` or `else`: its `end`. */
  readonly ends: ReadonlyMap<number, number>;
  /** Of an `open`: its branches behind the first one. */
  readonly branches: ReadonlyMap<number, readonly number[]>;
  /** Of an `end`: what it closes. */
  readonly starts: ReadonlyMap<number, number>;
}

const closing = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|\}\}/g;
const commentEnd = /\*\/(?:\s-)?\}\}/g;
const openWords = new Set(["if", "with", "range"]);
const assignment = /^\$\w*(?:\s*,\s*\$\w+)?\s*:?=/;

/** The actions of a template in their order; undefined when the text is no template that Go could read. */
export function readActions(text: string): readonly Action[] | undefined {
  const actions: Action[] = [];
  for (let start = text.indexOf("{{"); start !== -1; ) {
    const action = readAction(text, start);
    if (action === undefined) return undefined;
    actions.push(action);
    start = text.indexOf("{{", action.end);
  }
  return actions;
}

function readAction(text: string, start: number): Action | undefined {
  const trimLeft = text[start + 2] === "-" && /\s/.test(text[start + 3] ?? "");
  const from = start + (trimLeft ? 3 : 2);
  const end = endOf(text, from);
  if (end === undefined) return undefined;
  const trimRight = text[end - 3] === "-" && /\s/.test(text[end - 4] ?? "") && end - 3 > from;
  const body = text.slice(from, end - (trimRight ? 3 : 2)).trim();
  const word = /^(?:[A-Za-z]\w*|[^\s(|]+)/.exec(body)?.[0] ?? "";
  return { start, end, kind: kindOf(word, body), word, body, trimLeft, trimRight };
}

function endOf(text: string, from: number): number | undefined {
  const first = text.slice(from, from + 1000).search(/\S/);
  if (first !== -1 && text.startsWith("/*", from + first)) {
    commentEnd.lastIndex = from + first + 2;
    return commentEnd.test(text) ? commentEnd.lastIndex : undefined;
  }
  closing.lastIndex = from;
  for (let match = closing.exec(text); match !== null; match = closing.exec(text)) if (match[0] === "}}") return closing.lastIndex;
  return undefined;
}

function kindOf(word: string, body: string): ActionKind {
  if (openWords.has(word)) return "open";
  if (word === "define" || word === "block") return "define";
  if (word === "else" || word === "end") return word;
  if (word === "break" || word === "continue" || body.startsWith("/*") || assignment.test(body)) return "silent";
  return "output";
}

/** Pairs what opens with what closes; undefined when they do not match. */
export function pairActions(actions: readonly Action[]): Pairing | undefined {
  const ends = new Map<number, number>();
  const branches = new Map<number, number[]>();
  const starts = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind }] of actions.entries()) {
    if (kind === "open" || kind === "define") {
      open.push(index);
      branches.set(index, []);
    }
    if (kind !== "else" && kind !== "end") continue;
    const opener = open.at(-1);
    if (opener === undefined) return undefined;
    if (kind === "else") {
      branches.get(opener)?.push(index);
      continue;
    }
    open.pop();
    starts.set(index, opener);
    for (const part of [opener, ...(branches.get(opener) ?? [])]) ends.set(part, index);
  }
  return open.length === 0 ? { ends, branches, starts } : undefined;
}

/** The words of an action's last pipeline step; strings are left out. */
function lastStep(body: string): readonly string[] {
  const bare = body.replace(/"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'/g, "_");
  let depth = 0;
  let start = 0;
  for (let at = 0; at < bare.length; at++) {
    if (bare[at] === "(") depth++;
    if (bare[at] === ")") depth--;
    if (bare[at] === "|" && depth === 0) start = at + 1;
  }
  return bare.slice(start).trim().split(/\s+/);
}

/** Whether what an action prints always begins with a line break. */
export function startsLine(action: Action): boolean {
  return action.kind === "output" && lastStep(action.body)[0] === "nindent";
}

/** Whether an action prints indented lines. */
export function isIndenting(action: Action): boolean {
  const [last] = lastStep(action.body);
  return action.kind === "output" && (last === "nindent" || last === "indent");
}

/** By how many columns an action indents what it prints; undefined when that is not written as a number. */
export function indentation(action: Action): number | undefined {
  const columns = isIndenting(action) ? lastStep(action.body)[1] : undefined;
  return columns !== undefined && /^\d{1,3}$/.test(columns) ? Number(columns) : undefined;
}
