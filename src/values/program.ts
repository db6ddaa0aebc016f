import { type Abstract, join, keyOf, other } from "./abstract-value.js";
import type { Library } from "./library.js";
import type { Output } from "./output.js";
import { createReadTree } from "./read-tree.js";
import type { Reader } from "./reader.js";
import type { Pipeline, TemplateNode } from "./template-tree.js";

/** Templates being followed, and what was found so far. */
export interface Program extends Reader, Pick<Library, "templates" | "snippets" | "isComplete" | "hasUnknownFiles"> {
  /** Calls that were followed already, or are being followed, with what they print. */
  readonly followed: Map<string, Output>;
  /** How often a variable got another value. */
  assignments: number;
  steps: number;
}

/** A program that has read nothing yet. */
export function createProgram({ templates, snippets, isComplete, hasUnknownFiles }: Library): Program {
  const reader = { reads: createReadTree(), born: 0, oldestChanged: Number.POSITIVE_INFINITY };
  return { ...reader, templates, snippets, isComplete, hasUnknownFiles, followed: new Map(), assignments: 0, steps: 0 };
}

/** Where a template is while it is followed. */
export interface Frame {
  readonly program: Program;
  readonly dot: Abstract;
  readonly variables: Scope;
  /** How many conditions and loops stand around, none of them decided. */
  readonly level: number;
  readonly depth: number;
  /** Follows another template. */
  readonly run: (program: Program, body: readonly TemplateNode[], dot: Abstract, depth: number) => Output;
}

interface Scope {
  readonly own: Map<string, Abstract>;
  readonly outer: Scope | undefined;
  readonly level: number;
}

/** The templates go too deep, or on too long, to be followed. */
export class TooMuch extends Error {}

const mostSteps = 5_000_000;

/** Counts what is done. Throws TooMuch. */
export function step(program: Program): void {
  if (++program.steps > mostSteps) throw new TooMuch("the templates are too large to be followed");
}

/** A block of its own: what is declared in it ends with it. */
export function blockIn(frame: Frame): Frame {
  return { ...frame, variables: { own: new Map(), outer: frame.variables, level: frame.level } };
}

/** The place of a condition or loop; its variables are seen in it alone. */
export const branchOf = blockIn;

/** Gives the variables of a pipeline their values. What is surely assigned replaces what was there; else it may be either. */
export function bind({ program, variables, level }: Frame, pipeline: Pipeline, values: readonly Abstract[]): void {
  for (const [index, name] of pipeline.variables.entries()) {
    const value = values[index] ?? other;
    if (!pipeline.assigns) {
      variables.own.set(name, value);
      continue;
    }
    const scope = scopeOf(variables, name);
    if (scope === undefined) continue;
    const before = scope.own.get(name) ?? other;
    const after = scope.level === level ? value : join(before, value);
    if (keyOf(before) !== keyOf(after) || keyOf(after) === undefined) program.assignments++;
    scope.own.set(name, after);
  }
}

/** The value of a variable. */
export function variableIn(frame: Frame, name: string): Abstract {
  return scopeOf(frame.variables, name)?.own.get(name) ?? other;
}

function scopeOf(scope: Scope | undefined, name: string): Scope | undefined {
  return scope === undefined || scope.own.has(name) ? scope : scopeOf(scope.outer, name);
}

/** Runs a part of a template, and tells whether it changed a mapping that was there before. */
export function changesOlder(program: Program, run: () => void): boolean {
  const { born, oldestChanged } = program;
  program.oldestChanged = Number.POSITIVE_INFINITY;
  run();
  const changed = program.oldestChanged <= born;
  program.oldestChanged = Math.min(program.oldestChanged, oldestChanged);
  return changed;
}
