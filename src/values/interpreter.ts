import { type Abstract, join, other, textOf, textsOf } from "./abstract-value.js";
import { evaluate, followCall } from "./evaluation.js";
import { follows, nothing, type Output, oneOf, repeated } from "./output.js";
import { bind, blockIn, branchOf, changesOlder, type Frame, type Program, step, TooMuch } from "./program.js";
import { elementOf, use } from "./reader.js";
import type { TemplateNode } from "./template-tree.js";

type Branch = Extract<TemplateNode, { kind: "if" | "with" | "range" }>;

const deepestCall = 80;

/** Follows a template with the given object as its dot, notes what it reads, and gives what it may print. Throws TooMuch. */
export function runTemplate(program: Program, body: readonly TemplateNode[], dot: Abstract, depth = 0): Output {
  if (depth > deepestCall) throw new TooMuch("templates include each other too deeply");
  const variables = { own: new Map([["$", dot]]), outer: undefined, level: 0 };
  return runBlock({ program, dot, variables, level: 0, depth, run: runTemplate }, body);
}

function runBlock(frame: Frame, body: readonly TemplateNode[]): Output {
  const block = blockIn(frame);
  let output: Output = nothing;
  for (const node of body) output = follows(output, runNode(block, node));
  return output;
}

function runNode(frame: Frame, node: TemplateNode): Output {
  const { program } = frame;
  step(program);
  if (node.kind === "text") return [node.text];
  if (node.kind === "jump") return nothing;
  if (node.kind === "template") {
    return followCall(frame, textOf(node.name), undefined, node.pipeline === undefined ? other : evaluate(frame, node.pipeline));
  }
  if (node.kind === "print") {
    const value = evaluate(frame, node.pipeline);
    if (node.pipeline.variables.length > 0) {
      bind(frame, node.pipeline, [value]);
      return nothing;
    }
    use(program, value, "whole");
    return textsOf(value);
  }
  // Variables of the condition are seen in both branches.
  const branch = branchOf(frame);
  const value = evaluate(branch, node.pipeline);
  const body = node.kind === "range" ? runLoop(branch, node, value) : runCondition(branch, node, value);
  return oneOf(body, runBlock({ ...branch, level: frame.level + 1 }, node.otherwise));
}

function runCondition(frame: Frame, node: Branch, value: Abstract): Output {
  use(frame.program, value, "emptiness");
  bind(frame, node.pipeline, [value]);
  return runBlock({ ...frame, level: frame.level + 1, dot: node.kind === "with" ? value : frame.dot }, node.body);
}

function runLoop(frame: Frame, node: Branch, value: Abstract): Output {
  const { program } = frame;
  const { variables } = node.pipeline;
  use(program, value, "keys");
  if (value.kind === "list" && value.items !== undefined && !leavesLoop(node.body)) {
    let output: Output = nothing;
    for (const item of value.items) {
      bind(frame, node.pipeline, variables.length > 1 ? [other, item] : [item]);
      output = follows(output, runBlock({ ...frame, dot: item }, node.body));
    }
    return output;
  }
  const element = elementOf(program, value);
  bind(frame, node.pipeline, variables.length > 1 ? [keysIn(value), element] : [element]);
  // What one turn changes the next one may see.
  for (let turn = 0; ; turn++) {
    const { assignments } = program;
    let output: Output;
    const changed = changesOlder(program, () => {
      output = runBlock({ ...frame, dot: element, level: frame.level + 1 }, node.body);
    });
    if (turn === 3 || (!changed && program.assignments === assignments)) return repeated(output);
  }
}

/** Whether a loop may end, or go on to its next turn, in the middle. */
function leavesLoop(body: readonly TemplateNode[]): boolean {
  return body.some((node) => node.kind === "jump" || ("body" in node && (leavesLoop(node.body) || leavesLoop(node.otherwise))));
}

/** The keys that a loop sees. */
function keysIn(value: Abstract): Abstract {
  if (value.kind !== "dict" || value.layers.length > 0 || value.rest.kind !== "other") return other;
  return join(...[...value.entries.keys()].map(textOf));
}
