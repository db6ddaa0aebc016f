import { type Abstract, join, keyOf, other, textOf, textsOf } from "./abstract-value.js";
import { fileBase } from "./library.js";
import { combinations, type Output, oneOf } from "./output.js";
import { bind, changesOlder, type Frame, step, variableIn } from "./program.js";
import { childOf, use } from "./reader.js";
import { callFunction } from "./template-functions.js";
import type { Operand, Pipeline, TemplateNode } from "./template-tree.js";
import { foldText, isFoldable } from "./text-functions.js";

/** The value of a pipeline. */
export function evaluate(frame: Frame, pipeline: Pipeline): Abstract {
  let value: Abstract | undefined;
  for (const command of pipeline.commands) value = evaluateCommand(frame, command, value === undefined ? [] : [value]);
  return value ?? other;
}

function evaluateCommand(frame: Frame, [head, ...operands]: readonly Operand[], piped: readonly Abstract[]): Abstract {
  const { program } = frame;
  step(program);
  if (head === undefined) return other;
  const args = () => [...operands.map((operand) => evaluateOperand(frame, operand)), ...piped];
  if (head.kind === "function") return fieldsOf(frame, callBy(frame, head.text, operands[0], args()), head.fields);
  const value = evaluateOperand(frame, head);
  const given = args();
  if (given.length === 0) return value;
  // A method such as .Files.Get; what it is given it uses.
  for (const arg of given) use(program, arg, "whole");
  return other;
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
  if (operand.kind === "variable") return variableIn(frame, operand.text);
  if (operand.kind === "string" || operand.kind === "number") return textOf(operand.text);
  // A function without arguments, such as `dict` or `list`.
  return operand.kind === "function" ? callBy(frame, operand.text, undefined, []) : other;
}

function fieldsOf({ program }: Frame, value: Abstract, fields: readonly string[]): Abstract {
  return fields.reduce((inner, field) => childOf(program, inner, field), value);
}

function callBy(frame: Frame, name: string, spelled: Operand | undefined, args: readonly Abstract[]): Abstract {
  if (name === "include") return valueFrom(followCall(frame, args[0] ?? other, spelled, args[1] ?? other));
  if (name === "tpl") {
    use(frame.program, args[0] ?? other, "whole");
    if (frame.program.hasUnknownFiles) use(frame.program, args[1] ?? other, "perhaps");
    follow(frame, "tpl", frame.program.snippets, args[1] ?? other);
    return other;
  }
  const known = isFoldable(name) ? combinations(args.map(textsOf)) : undefined;
  const folded = known?.map((texts) => foldText(name, texts));
  if (folded === undefined || folded.includes(undefined)) return callFunction(frame.program, name, args);
  return valueFrom(folded.flatMap((text) => text ?? []));
}

function valueFrom(output: Output): Abstract {
  return output === undefined ? other : join(...output.map(textOf));
}

/** Follows an include. Where the name cannot be told, all templates that it can be are followed. Gives what may be printed. */
export function followCall(frame: Frame, name: Abstract, spelled: Operand | undefined, dot: Abstract): Output {
  const { program } = frame;
  const names = textsOf(name);
  if (names === undefined) use(program, name, "whole");
  const candidates = names ?? namesLike([...program.templates.keys()], spelled).filter((each) => mayGetRoot(each, dot));
  const outputs = candidates.map((candidate) => {
    const bodies = program.templates.get(candidate);
    if (bodies !== undefined) return follow(frame, `include ${candidate}`, bodies, dot);
    // Helm refuses a template that nothing defines; what one does that we were not given nobody knows.
    if (!program.isComplete) use(program, dot, "whole");
    return undefined;
  });
  if (candidates.length === 0 && !program.isComplete) use(program, dot, "whole");
  return names === undefined ? undefined : oneOf(...outputs);
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

function follow(frame: Frame, what: string, bodies: readonly (readonly TemplateNode[])[], dot: Abstract): Output {
  const { program, depth } = frame;
  const key = keyOf(dot);
  const call = `${what} ${key}`;
  if (key !== undefined && program.followed.has(call)) return program.followed.get(call);
  program.followed.set(call, undefined);
  let output: Output = [];
  const changed = changesOlder(program, () => {
    for (const body of bodies) output = oneOf(output, frame.run(program, body, dot, depth + 1));
  });
  // A template that changes what it is given has to do so to the next one as well.
  if (changed) program.followed.delete(call);
  else program.followed.set(call, output);
  return output;
}
