import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { suggest } from "../config/complaints.js";
import type { Environment as Rendered } from "../model/types.js";
import { matchesName } from "../subject.js";
import { type CelFault, explainFault, explainRefusal } from "./faults.js";
import { hostsIn } from "./hosts.js";
import { KnownEnv } from "./known-env.js";
import { addPatterns } from "./patterns.js";
import { addQuantities } from "./quantities.js";
import { type Reads, readsOf, unknownField } from "./references.js";
import { toCel } from "./values.js";
import { type RecordName, recordClasses, recordFields, variables } from "./variables.js";

/** A compiled expression. */
export interface Program extends Reads {
  readonly text: string;
  /** The static type of its result: `bool`, `int`, `dyn`, … */
  readonly type: string;
  /** Its value. Throws what `faultOf` explains. */
  run(inputs: Inputs): unknown;
}

/** What an expression reads while it runs: its variables by name, and the render for `objects()`. */
export interface Inputs {
  readonly variables: ReadonlyMap<string, unknown>;
  readonly rendered: Rendered;
}

const longest = 4_096;
const limits = { maxAstNodes: 2_000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };
let engine: { readonly environment: Environment; readonly functions: readonly string[] } | undefined;
let rendered: Rendered | undefined;

/** Compiles and checks an expression; gives the first fault with its offset when it is wrong. */
export function compile(text: string): Program | CelFault {
  if (text.length > longest) return { message: `has ${text.length} characters, expected at most ${longest}`, offset: 0 };
  engine ??= startEngine();
  let parsed: ParseResult;
  try {
    parsed = engine.environment.parse(text);
  } catch (error) {
    return explainRefusal(error, engine.functions);
  }
  const reads = readsOf(parsed.ast);
  for (const reference of reads.references) {
    const wrong = unknownField(reference);
    if (wrong === undefined) continue;
    return { message: `"${wrong.of}" has no field "${wrong.field}"${suggest(wrong.field, wrong.known)}`, offset: wrong.offset };
  }
  const checked = parsed.check();
  if (!checked.valid) return explainRefusal(checked.error, engine.functions);
  return {
    ...reads,
    text,
    type: checked.type ?? "dyn",
    run(inputs) {
      rendered = inputs.rendered;
      return parsed(inputs.variables as Map<string, unknown>);
    },
  };
}

export { explainFault as faultOf };

function startEngine(): NonNullable<typeof engine> {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits });
  // A record may have fields of the records that stand after it.
  for (const name of (Object.keys(recordFields) as RecordName[]).reverse()) {
    environment.registerType(name, { ctor: recordClasses[name], fields: { ...recordFields[name] } });
  }
  environment.registerType("Env", KnownEnv);
  environment.registerOperator("string in Env: bool", (name: string, env: KnownEnv) => env.has(name));
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, { async: false });
  add("Env.names(): list<string>", (env: KnownEnv) => env.names());
  add("Env.renderedNames(): list<string>", (env: KnownEnv) => env.renderedNames());
  add("objects(string): list<map<string, dyn>>", (kind: string) => objects(kind, "*"));
  add("objects(string, string): list<map<string, dyn>>", objects);
  add("hosts(string): list<string>", hostsIn);
  addArithmetic(environment);
  addQuantities(environment);
  addPatterns(environment);
  for (const [name, { type }] of Object.entries(variables)) environment.registerVariable(name, type);
  return { environment, functions: [...new Set(environment.getDefinitions().functions.map(({ name }) => name))] };
}

/** A manifest writes 2 and 2.5 alike: `int` and `double` may be mixed. */
function addArithmetic(environment: Environment): void {
  const operators = {
    "+": (a: number, b: number) => a + b,
    "-": (a: number, b: number) => a - b,
    "*": (a: number, b: number) => a * b,
    "/": (a: number, b: number) => a / b,
  } as const;
  for (const [operator, apply] of Object.entries(operators)) {
    for (const [left, right] of [
      ["double", "int"],
      ["int", "double"],
    ] as const) {
      environment.registerOperator(`${left} ${operator} ${right}: double`, (a: number | bigint, b: number | bigint) =>
        apply(Number(a), Number(b)),
      );
    }
  }
}

/** Bodies of the objects of one kind in the environment that is being judged, by a glob of their names. */
function objects(kind: string, name: string): unknown[] {
  const found = rendered?.manifests.ofKind(kind) ?? [];
  return found.filter((manifest) => matchesName(name, manifest.name)).map(({ body }) => toCel(body));
}
