import { type Abstract, join, keyOf, other, textOf, textsOf } from "./abstract-value.js";
import type { ValuePath } from "./read-tree.js";
import { childOf, elementOf, type Reader, use } from "./reader.js";
import { callFunction } from "./template-functions.js";
import type { Operand, Pipeline, TemplateNode } from "./template-tree.js";

/** Everything that templates can call on, and what was found so far. */
export interface Program extends Reader {
  /** Bodies by name: `define`s, several of one name when charts clash, and files as helm names them. */
  readonly templates: ReadonlyMap<string, readonly (readonly TemplateNode[])[]>;
  /** Templates that stand in values, strings and files, for `tpl`. */
  readonly snippets: readonly (readonly TemplateNode[])[];
  /** Calls that were followed already, or are being followed. */
  readonly followed: Set<string>;
  /** How often a variable got another value. */
  assignments: number;
  steps: number;
}

/** The templates go too deep, or on too long, to be followed. */
export class TooMuch extends Error {}

const mostSteps = 5_000_000;
const deepestCall = 80;

interface Frame {
  readonly program: Program;
  readonly dot: Abstract;
  readonly variables: Scope;
  readonly depth: number;
}

interface Scope {
  readonly own: Map<string, Abstract>;
  readonly outer: Scope | undefined;
}

/** Follows a template with the given object as its dot, and notes what it reads. Throws TooMuch. */
export function runTemplate(program: Program, body: readonly TemplateNode[], dot: Abstract, depth = 0): void {
  if (depth > deepestCall) throw new TooMuch("templates include each other too deeply");
  runBlock({ program, dot, variables: { own: new Map([["$", dot]]), outer: undefined }, depth }, body);
}

function runBlock(frame: Frame, body: readonly TemplateNode[], inside: Partial<Frame> = {}): void {
  const outer = inside.variables ?? frame.variables;
  const block = { ...frame, ...inside, variables: { own: new Map<string, Abstract>(), outer } };
  for (const node of body) runNode(block, node);
}

function runNode(frame: Frame, node: TemplateNode): void {
  const { program } = frame;
  if (++program.steps > mostSteps) throw new TooMuch("the templates are too large");
  if (node.kind === "print") {
    const value = evaluate(frame, node.pipeline);
    if (node.pipeline.variables.length > 0) bind(frame, node.pipeline, [value]);
    else use(program, value, "whole");
    return;
  }
  if (node.kind === "template") {
    followCall(frame, textOf(node.name), [], node.pipeline === undefined ? other : evaluate(frame, node.pipeline));
    return;
  }
  // Variables of the condition are seen in both branches.
  const branch = { ...frame, variables: { own: new Map<string, Abstract>(), outer: frame.variables } };
  const value = evaluate(branch, node.pipeline);
  if (node.kind === "range") runLoop(branch, node, value);
  else {
    use(program, value, "emptiness");
    bind(branch, node.pipeline, [value]);
    runBlock(branch, node.body, node.kind === "with" ? { dot: value } : {});
  }
  runBlock(branch, node.otherwise);
}

function runLoop(frame: Frame, node: Extract<TemplateNode, { kind: "if" | "with" | "range" }>, value: Abstract): void {
  const { program } = frame;
  use(program, value, "keys");
  const element = elementOf(program, value);
  bind(frame, node.pipeline, node.pipeline.variables.length > 1 ? [keysIn(value), element] : [element]);
  // What one turn changes the next one may see.
  for (let turn = 0; turn < 4; turn++) {
    const { assignments } = program;
    const changed = changesOlder(program, () => runBlock(frame, node.body, { dot: element }));
    if (!changed && program.assignments === assignments) return;
  }
}

/** Runs a part of a template, and tells whether it changed a mapping that was there before. */
function changesOlder(program: Program, run: () => void): boolean {
  const { born, oldestChanged } = program;
  program.oldestChanged = Number.POSITIVE_INFINITY;
  run();
  const changed = program.oldestChanged <= born;
  program.oldestChanged = Math.min(program.oldestChanged, oldestChanged);
  return changed;
}

/** The keys that a loop sees. */
function keysIn(value: Abstract): Abstract {
  if (value.kind !== "dict" || value.layers.length > 0 || value.rest.kind !== "other") return other;
  return join(...[...value.entries.keys()].map(textOf));
}

function bind({ program, variables }: Frame, pipeline: Pipeline, values: readonly Abstract[]): void {
  for (const [index, name] of pipeline.variables.entries()) {
    const value = values[index] ?? other;
    if (!pipeline.assigns) {
      variables.own.set(name, value);
      continue;
    }
    const scope = scopeOf(variables, name);
    const before = scope?.own.get(name) ?? other;
    const after = join(before, value);
    if (keyOf(before) !== keyOf(after) || keyOf(after) === undefined) program.assignments++;
    scope?.own.set(name, after);
  }
}

function scopeOf(scope: Scope | undefined, name: string): Scope | undefined {
  if (scope === undefined || scope.own.has(name)) return scope;
  return scopeOf(scope.outer, name);
}

function evaluate(frame: Frame, pipeline: Pipeline): Abstract {
  let value: Abstract | undefined;
  for (const command of pipeline.commands) value = evaluateCommand(frame, command, value === undefined ? [] : [value]);
  return value ?? other;
}

function evaluateCommand(frame: Frame, [head, ...operands]: readonly Operand[], piped: readonly Abstract[]): Abstract {
  const { program } = frame;
  if (++program.steps > mostSteps) throw new TooMuch("the templates are too large");
  if (head === undefined) return other;
  if (head.kind !== "function") {
    const value = evaluateOperand(frame, head);
    const args = [...operands.map((operand) => evaluateOperand(frame, operand)), ...piped];
    if (args.length === 0) return value;
    // A method such as .Files.Get; what it is given it uses.
    for (const arg of args) use(program, arg, "whole");
    return other;
  }
  const args = [...operands.map((operand) => evaluateOperand(frame, operand)), ...piped];
  const result = callBy(frame, head.text, operands, args);
  return fieldsOf(frame, result, head.fields);
}

function callBy(frame: Frame, name: string, operands: readonly Operand[], args: readonly Abstract[]): Abstract {
  if (name === "include") return followCall(frame, args[0] ?? other, operands.slice(0, 1), args[1] ?? other);
  if (name === "tpl") return followSnippets(frame, args[0] ?? other, args[1] ?? other);
  return callFunction(frame.program, name, args);
}

function evaluateOperand(frame: Frame, operand: Operand): Abstract {
  return fieldsOf(frame, baseOf(frame, operand), operand.fields);
}

function baseOf(frame: Frame, operand: Operand): Abstract {
  if (operand.kind === "dot") return frame.dot;
  if (operand.kind === "group") {
    const value = evaluate(frame, operand.pipeline);
    bind(frame, operand.pipeline, [value]);
    return value;
  }
  if (operand.kind === "variable") return scopeOf(frame.variables, operand.text)?.own.get(operand.text) ?? other;
  if (operand.kind === "string" || operand.kind === "number") return textOf(operand.text);
  // A function without arguments, such as `dict` or `list`.
  return operand.kind === "function" ? callBy(frame, operand.text, [], []) : other;
}

function fieldsOf({ program }: Frame, value: Abstract, fields: readonly string[]): Abstract {
  return fields.reduce((inner, field) => childOf(program, inner, field), value);
}

/** Follows an include. Where the name cannot be told, all templates that it can be are followed; where there is none, the argument counts as used. */
function followCall(frame: Frame, name: Abstract, spelled: readonly Operand[], dot: Abstract): Abstract {
  const { program } = frame;
  const names = textsOf(name);
  if (names === undefined) use(program, name, "whole");
  const candidates = names ?? namesLike([...program.templates.keys()], spelled[0]).filter((each) => mayGetRoot(each, dot));
  if (candidates.length === 0) use(program, dot, "whole");
  for (const candidate of candidates) {
    const bodies = program.templates.get(candidate);
    if (bodies === undefined) use(program, dot, "whole");
    else follow(frame, `include ${candidate}`, bodies, dot);
  }
  return other;
}

/** What the names of the files of a chart begin with. */
export function fileBase(base: ValuePath): string {
  return `/${base.map((key) => `${key}/`).join("")}`;
}

/** Whether a name may be meant for an object: the files of a chart are included with the root of that chart. */
function mayGetRoot(name: string, dot: Abstract): boolean {
  return !name.startsWith("/") || dot.kind !== "root" || name.startsWith(`${fileBase(dot.base)}templates/`);
}

/** Names that hold the fixed parts of `printf "a.%s" …` or `print … "/b.yaml"`; all of them when the name is made in another way. */
function namesLike(names: readonly string[], operand: Operand | undefined): readonly string[] {
  const commands = operand?.kind === "group" ? operand.pipeline.commands : [];
  const [head, ...parts] = commands[0] ?? [];
  if (commands.length !== 1 || head?.kind !== "function" || (head.text !== "print" && head.text !== "printf")) return names;
  const fragments = parts.flatMap((part) => (part.kind === "string" ? part.text.split(/%[-+# 0-9.]*[a-zA-Z%]/) : []));
  return names.filter((name) => fragments.every((fragment) => name.includes(fragment)));
}

/** Follows `tpl`: the text may be any template that stands in the values. */
function followSnippets(frame: Frame, text: Abstract, dot: Abstract): Abstract {
  use(frame.program, text, "whole");
  follow(frame, "tpl", frame.program.snippets, dot);
  return other;
}

function follow({ program, depth }: Frame, what: string, bodies: readonly (readonly TemplateNode[])[], dot: Abstract): void {
  const key = keyOf(dot);
  const call = `${what} ${key}`;
  if (key !== undefined && program.followed.has(call)) return;
  program.followed.add(call);
  const changed = changesOlder(program, () => {
    for (const body of bodies) runTemplate(program, body, dot, depth + 1);
  });
  // A template that changes what it is given has to do so to the next one as well.
  if (changed) program.followed.delete(call);
}
