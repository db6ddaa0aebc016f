import { sortComplaints } from "../config/complaints.js";
import type { Config, FactName, InvariantConfig, Origin } from "../config/types.js";
import { type Complaint, ConfigError } from "../errors.js";
import type { Problem } from "../findings.js";
import type { AnyRule, Context } from "../rule.js";
import { isIn, matchesSubject } from "../subject.js";
import { type Clock, startClock } from "./clock.js";
import { compile, faultOf, type Program } from "./engine.js";
import { parseField, type Step } from "./field.js";
import { type Ground, groundOf, kindMeant, literalKind } from "./scope.js";
import { type Subject, subjectOf } from "./subject.js";
import { notesOf, type Piece, readMessage, type Shown, sayMessage, shownIn, termsOf } from "./terms.js";

/** An invariant with its expressions compiled. */
interface Compiled {
  readonly config: InvariantConfig;
  readonly when: Program | undefined;
  readonly require: Program;
  readonly ground: Ground;
  readonly at: readonly Step[] | undefined;
  readonly message: readonly Piece[];
  readonly shown: readonly Shown[];
}

/** Milliseconds for one evaluation, and for all of a run. */
const eachMay = 1_000;
const allMay = 30_000;

/** The invariants of a config as rules. Throws ConfigError with the first fault of every expression, at its place in the config. */
export function compileInvariants(config: Config): readonly AnyRule[] {
  const complaints: Complaint[] = [];
  const compiled = config.invariants.flatMap((invariant, index) => compileOne(invariant, `invariants[${index}]`, complaints) ?? []);
  if (complaints.length > 0) throw new ConfigError("an invariant is wrong", sortComplaints(complaints));
  const clock = startClock(eachMay, allMay);
  return compiled.map((invariant) => ruleOf(invariant, clock));
}

function compileOne(config: InvariantConfig, path: string, complaints: Complaint[]): Compiled | undefined {
  const before = complaints.length;
  const complain = (part: "of" | "when" | "require" | "at", offset: number, message: string) =>
    complaints.push({ ...placeIn(config, part, offset), message: `${path}.${part}: ${message}` });
  const read = (part: "when" | "require", text: string | undefined): Program | undefined => {
    if (text === undefined) return undefined;
    const program = compile(text);
    if (!("run" in program)) complain(part, program.offset, program.message);
    else if (program.type !== "bool" && program.type !== "dyn") complain(part, 0, `gives ${program.type}, expected true or false`);
    else return checkKinds(program, (offset, message) => complain(part, offset, message));
    return undefined;
  };
  const when = read("when", config.when);
  const require = read("require", config.require);
  const kind = literalKind(config);
  const meant = kind === undefined ? undefined : kindMeant(kind);
  if (meant !== undefined) complain("of", 0, `there is no kind "${kind}", did you mean "${meant}"?`);
  const at = config.at === undefined ? undefined : parseField(config.at);
  if (typeof at === "number") complain("at", at, "expected a field such as spec.replicas or containers[web].image");
  if (require === undefined || complaints.length > before) return undefined;
  const programs = when === undefined ? [require] : [when, require];
  const ground = groundOf(config.of, programs);
  if ("clash" in ground) {
    complain(ground.in === when ? "when" : "require", ground.offset, ground.clash);
    return undefined;
  }
  if (ground.scope === "environment" && at !== undefined) {
    complain("at", 0, 'has no object to be a field of, expected "of" beside it');
    return undefined;
  }
  const message = readMessage(config.message);
  const shown = shownIn(programs.flatMap(({ references }) => references));
  return { config, when, require, ground, at: typeof at === "number" ? undefined : at, message, shown };
}

function checkKinds(program: Program, complain: (offset: number, message: string) => void): Program {
  for (const { kind, start } of program.kinds) {
    const meant = kindMeant(kind);
    if (meant !== undefined) complain(start, `there is no kind "${kind}", did you mean "${meant}"?`);
  }
  return program;
}

function placeIn(config: InvariantConfig, part: "of" | "when" | "require" | "at", offset: number): Origin {
  return config.position?.(part, offset) ?? config.origin;
}

function ruleOf(compiled: Compiled, clock: Clock): AnyRule {
  const { config, ground } = compiled;
  const of = config.of ?? "*";
  const facts = compiled.shown.flatMap(({ reference: { root, path } }) =>
    root === "facts" ? [String(path[0] ?? "")] : root === "nodes" ? [root] : [],
  );
  const shared = {
    id: config.id,
    summary: config.message,
    severity: config.severity ?? "error",
    category: "own",
    facts: [...new Set(facts)].filter((name): name is FactName => name !== ""),
  } as const;
  const applies = (context: Context) => isIn(config.in, context.environment.name);
  switch (ground.scope) {
    case "container":
      return {
        ...shared,
        scope: "container",
        *check(container, context) {
          const { kind, name } = container.workload;
          // An init container is looked at only when it is named.
          if (container.role === "init" && !/\/.*\//.test(of)) return;
          if (applies(context) && matchesSubject(of, kind, name, container.name))
            yield* judge(compiled, subjectOf({ container }, context), context, clock);
        },
      };
    case "workload":
      return {
        ...shared,
        scope: "workload",
        *check(workload, context) {
          if (applies(context) && matchesSubject(of, workload.kind, workload.name))
            yield* judge(compiled, subjectOf({ workload }, context), context, clock);
        },
      };
    case "manifest":
      return {
        ...shared,
        scope: "manifest",
        ...(ground.kinds && { kinds: ground.kinds }),
        *check(manifest, context) {
          if (applies(context) && matchesSubject(of, manifest.kind, manifest.name))
            yield* judge(compiled, subjectOf({ manifest }, context), context, clock);
        },
      };
    case "environment":
      return {
        ...shared,
        scope: "environment",
        *check(_, context) {
          if (applies(context)) yield* judge(compiled, subjectOf({}, context), context, clock);
        },
      };
  }
}

/** `when`, then `require`. What cannot be evaluated is a failure, never a pass; an undeclared fact is a question. */
function* judge(compiled: Compiled, subject: Subject, context: Context, clock: Clock): Iterable<Problem> {
  const { config } = compiled;
  for (const [part, program] of [
    ["when", compiled.when],
    ["require", compiled.require],
  ] as const) {
    if (program === undefined) continue;
    const outcome = evaluate(program, subject, clock);
    if ("fault" in outcome) {
      const { fact, message, offset, hint } = outcome.fault;
      if (fact !== undefined) return context.ask(fact as FactName);
      yield {
        failure: true,
        origin: placeIn(config, part, offset),
        message: `could not evaluate "${part}" for "${subject.label}": ${message}${hint}`,
      };
      return;
    }
    if (part === "when" && !outcome.holds) return;
    if (part === "require") context.judged();
    if (outcome.holds) continue;
    const terms = termsOf(compiled.shown, subject);
    const at = (compiled.at && subject.fieldAt(compiled.at)) ?? subject.at;
    yield {
      ...(at === undefined ? { origin: config.origin } : { at }),
      message: sayMessage(compiled.message, subject),
      ...(config.hint !== undefined && { hint: config.hint }),
      because: terms,
      notes: notesOf(terms, compiled.shown, subject),
    };
  }
}

type Outcome =
  | { readonly holds: boolean }
  | { readonly fault: { readonly message: string; readonly offset: number; readonly hint: string; readonly fact?: string } };

function evaluate(program: Program, subject: Subject, clock: Clock): Outcome {
  try {
    prepare(program, subject);
    const value = clock.within(() => program.run(subject.inputs));
    if (typeof value === "boolean") return { holds: value };
    return { fault: { message: "the result is neither true nor false", offset: 0, hint: "" } };
  } catch (error) {
    const fault = faultOf(error, program.text);
    return { fault: { ...fault, hint: guardOf(fault.variable, fault.message) } };
  }
}

/** How to say what holds when a variable is absent; of one that is merely not told there is nothing to say in CEL. */
function guardOf(variable: string | undefined, message: string): string {
  return variable !== undefined && message.endsWith("is not set")
    ? `; write "${variable}" in env && …, or env[?"${variable}"].orValue("…")`
    : "";
}

/** Reads what the expression needs before the clock runs: parsing large documents is not the expression's time. */
function prepare(program: Program, { inputs }: Subject): void {
  for (const { kind } of program.kinds) for (const manifest of inputs.rendered.manifests.ofKind(kind)) void manifest.body;
  for (const { root } of program.references) inputs.variables.get(root);
}
