import { type Piece, readPieces, TemplateSyntaxError, type Token } from "./template-syntax.js";

/** A thing that a command is made of; `fields` are the names behind it, as in `$x.a.b` and `(…).a`. */
export type Operand =
  | { readonly kind: "dot" | "nil"; readonly fields: readonly string[] }
  | { readonly kind: "variable" | "function" | "string" | "number"; readonly text: string; readonly fields: readonly string[] }
  | { readonly kind: "group"; readonly pipeline: Pipeline; readonly fields: readonly string[] };

/** `$a, $b := command | command`; each command is a list of operands. */
export interface Pipeline {
  readonly variables: readonly string[];
  /** `=` and not `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly (readonly Operand[])[];
}

/** A part of a template. */
export type TemplateNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly pipeline: Pipeline }
  | {
      readonly kind: "if" | "with" | "range";
      readonly pipeline: Pipeline;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    }
  /** `break` or `continue`. */
  | { readonly kind: "jump" }
  | { readonly kind: "template"; readonly name: string; readonly pipeline: Pipeline | undefined };

/** A template file, with the templates that it defines by name. */
export interface TemplateTree {
  readonly body: readonly TemplateNode[];
  readonly defines: readonly { readonly name: string; readonly body: readonly TemplateNode[] }[];
  /** The text of every string in an action. */
  readonly strings: readonly string[];
}

/** Reads a Go template. Throws TemplateSyntaxError. */
export function parseTemplate(text: string): TemplateTree {
  const cursor: Cursor = { pieces: readPieces(text), next: 0, defines: [] };
  const { nodes, stop } = readBlock(cursor);
  if (stop !== undefined) throw unexpected(cursor, stop.word);
  const tokens = cursor.pieces.flatMap((piece) => ("tokens" in piece ? piece.tokens : []));
  const strings = tokens.flatMap(({ kind, text: value }) => (kind === "string" ? [value] : []));
  return { body: nodes, defines: cursor.defines, strings };
}

/** Walks over the pieces, one block at a time. */
interface Cursor {
  readonly pieces: readonly Piece[];
  next: number;
  readonly defines: { readonly name: string; readonly body: readonly TemplateNode[] }[];
}

/** Nodes up to `else`, `end` or the end of the file; `stop` is what ended them, with what stands behind it. */
interface Block {
  readonly nodes: readonly TemplateNode[];
  readonly stop: { readonly word: string; readonly rest: readonly Token[] } | undefined;
}

function readBlock(cursor: Cursor): Block {
  const nodes: TemplateNode[] = [];
  for (;;) {
    const piece = cursor.pieces[cursor.next++];
    if (piece === undefined) return { nodes, stop: undefined };
    if ("text" in piece) {
      nodes.push({ kind: "text", text: piece.text });
      continue;
    }
    const [first, ...rest] = piece.tokens;
    const keyword = first?.kind === "word" ? first.text : "";
    if (keyword === "end" || keyword === "else") return { nodes, stop: { word: keyword, rest } };
    nodes.push(...readNode(cursor, keyword, rest, piece.tokens));
  }
}

function readNode(cursor: Cursor, keyword: string, rest: readonly Token[], all: readonly Token[]): readonly TemplateNode[] {
  if (keyword === "if" || keyword === "with" || keyword === "range") return [readBranch(cursor, keyword, rest)];
  if (keyword === "define" || keyword === "block") {
    const name = nameOf(rest);
    cursor.defines.push({ name, body: readClosed(cursor) });
    return keyword === "define" ? [] : [{ kind: "template", name, pipeline: optionalPipeline(rest.slice(1)) }];
  }
  if (keyword === "template") return [{ kind: "template", name: nameOf(rest), pipeline: optionalPipeline(rest.slice(1)) }];
  if ((keyword === "break" || keyword === "continue") && rest.length === 0) return [{ kind: "jump" }];
  return [{ kind: "print", pipeline: wholePipeline(all) }];
}

function readBranch(cursor: Cursor, kind: "if" | "with" | "range", tokens: readonly Token[]): TemplateNode {
  const pipeline = wholePipeline(tokens);
  const { nodes: body, stop } = readBlock(cursor);
  if (stop?.word === "end") return { kind, pipeline, body, otherwise: [] };
  const [next, ...condition] = stop?.rest ?? [];
  if (stop === undefined) throw unexpected(cursor, "end of the file");
  if (next === undefined) return { kind, pipeline, body, otherwise: readClosed(cursor) };
  if (next.kind !== "word" || (next.text !== "if" && next.text !== "with")) throw unexpected(cursor, next.text);
  return { kind, pipeline, body, otherwise: [readBranch(cursor, next.text, condition)] };
}

function readClosed(cursor: Cursor): readonly TemplateNode[] {
  const { nodes, stop } = readBlock(cursor);
  if (stop?.word !== "end") throw unexpected(cursor, stop?.word ?? "end of the file");
  return nodes;
}

function unexpected({ pieces, next }: Cursor, what: string): TemplateSyntaxError {
  const lines = pieces.slice(0, next).flatMap((piece) => ("line" in piece ? [piece.line] : []));
  return new TemplateSyntaxError(`line ${lines.at(-1) ?? 1}: unexpected "${what}"`);
}

function nameOf([first]: readonly Token[]): string {
  if (first?.kind !== "string") throw new TemplateSyntaxError("a template without a name");
  return first.text;
}

function optionalPipeline(tokens: readonly Token[]): Pipeline | undefined {
  return tokens.length === 0 ? undefined : wholePipeline(tokens);
}

function wholePipeline(tokens: readonly Token[]): Pipeline {
  const { pipeline, end } = readPipeline(tokens, 0);
  if (end < tokens.length) throw new TemplateSyntaxError('unexpected ")"');
  return pipeline;
}

/** A pipeline up to the closing parenthesis of its group, or to the end. */
function readPipeline(tokens: readonly Token[], from: number): { readonly pipeline: Pipeline; readonly end: number } {
  const variables: string[] = [];
  let at = from;
  while (tokens[at]?.kind === "variable") {
    variables.push(tokens[at]?.text ?? "");
    if (!isPunctuation(tokens[++at], ",")) break;
    at++;
  }
  const assigns = isPunctuation(tokens[at], "=");
  if (variables.length > 0 && (assigns || isPunctuation(tokens[at], ":="))) {
    const { commands, end } = readCommands(tokens, at + 1);
    return { pipeline: { variables, assigns, commands }, end };
  }
  const { commands, end } = readCommands(tokens, from);
  return { pipeline: { variables: [], assigns: false, commands }, end };
}

function isPunctuation(token: Token | undefined, text: string): boolean {
  return token?.kind === "punctuation" && token.text === text;
}

/** Commands up to the closing parenthesis of their group, or to the end. */
function readCommands(
  tokens: readonly Token[],
  from: number,
): { readonly commands: readonly (readonly Operand[])[]; readonly end: number } {
  const commands: Operand[][] = [[]];
  let at = from;
  for (; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || isPunctuation(token, ")")) break;
    if (isPunctuation(token, "|")) {
      commands.push([]);
      continue;
    }
    const { operand, end } = readOperand(token, tokens, at);
    commands.at(-1)?.push(operand);
    at = end - 1;
  }
  return { commands, end: at };
}

function readOperand(token: Token, tokens: readonly Token[], at: number): { readonly operand: Operand; readonly end: number } {
  const { kind, text } = token;
  if (isPunctuation(token, "(")) {
    const { pipeline, end } = readPipeline(tokens, at + 1);
    if (!isPunctuation(tokens[end], ")")) throw new TemplateSyntaxError("a parenthesis is not closed");
    const tail = fieldsFrom(tokens, end + 1);
    return { operand: { kind: "group", pipeline, fields: tail.fields }, end: tail.end };
  }
  if (kind === "punctuation") throw new TemplateSyntaxError(`unexpected "${text}"`);
  const { fields, end } = fieldsFrom(tokens, kind === "field" ? at : at + 1, kind === "field");
  if (kind === "field" || kind === "dot") return { operand: { kind: "dot", fields }, end };
  if (kind === "word" && text === "nil") return { operand: { kind: "nil", fields }, end };
  if (kind === "word" && (text === "true" || text === "false")) return { operand: { kind: "number", text, fields }, end };
  return { operand: { kind: kind === "word" ? "function" : kind, text, fields }, end };
}

/** The fields that follow without white space. */
function fieldsFrom(tokens: readonly Token[], from: number, first = false): { readonly fields: readonly string[]; readonly end: number } {
  const fields: string[] = [];
  let at = from;
  for (; tokens[at]?.kind === "field" && (!tokens[at]?.spaced || (first && at === from)); at++) fields.push(tokens[at]?.text ?? "");
  return { fields, end: at };
}
