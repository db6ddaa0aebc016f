import { suggest } from "../config/complaints.js";
import { OutOfTime } from "./clock.js";
import { NotTold } from "./known-env.js";
import { NoValue } from "./quantities.js";
import { TooLarge } from "./values.js";
import { variables } from "./variables.js";

/** What is wrong with an expression, or why it cannot be evaluated, and where in its text (0-based offset). */
export interface CelFault {
  readonly message: string;
  readonly offset: number;
  /** A fact that was not declared: a question, not a fault. */
  readonly fact?: string;
  /** The variable of which the render does not tell. */
  readonly variable?: string;
}

/** The members that the engine's three kinds of errors share. */
interface EngineError {
  readonly code: string;
  readonly summary: string;
  readonly node: unknown;
  readonly range: { readonly start: number; readonly end: number } | undefined;
}

const types: Readonly<Record<string, string>> = {
  EOF: "the end",
  IDENTIFIER: "a name",
  RPAREN: '")"',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
};

/** Why an expression does not compile. */
export function explainRefusal(error: unknown, functions: readonly string[]): CelFault {
  if (!isEngineError(error)) return { message: error instanceof Error ? error.message : String(error), offset: 0 };
  const offset = error.range?.start ?? 0;
  const { code, summary } = error;
  const quoted = /'([^']*)'/.exec(summary)?.[1] ?? "";
  if (code === "unknown_variable") {
    const name = summary.replace("Unknown variable: ", "");
    return { message: `unknown variable "${name}"${suggest(name, Object.keys(variables))}`, offset };
  }
  if (code === "reserved_identifier") {
    const name = summary.replace("Reserved identifier: ", "");
    const instead = name === "namespace" ? ', expected "release.namespace" or "workload.namespace"' : "";
    return { message: `"${name}" is reserved in CEL${instead}`, offset };
  }
  if (code === "no_matching_overload") {
    const name = /^(?:.*\.)?(\w+)\(/.exec(quoted)?.[1] ?? quoted;
    if (functions.includes(name)) return { message: `no function fits ${quoted}`, offset };
    const near = suggest(name, functions);
    return { message: `unknown function "${name}"${near.startsWith(", did you mean") ? near : ""}`, offset };
  }
  if (code === "no_such_overload") return { message: `${summary.replace("no such overload: ", "there is no operator for ")}`, offset };
  if (code === "unexpected_token") return { message: `unexpected ${token(summary.replace("Unexpected token: ", ""))}`, offset };
  if (code === "unexpected_character") {
    const character = quoted || summary.replace("Unexpected character: ", "");
    return { message: `unexpected "${character}"${character === "=" ? ', did you mean "=="?' : ""}`, offset };
  }
  if (code === "expected_token") {
    const [, wanted = "", found = ""] = /^Expected (\w+), got (\w+)$/.exec(summary) ?? [];
    return { message: `expected ${token(wanted)}, found ${token(found)}`, offset };
  }
  return { message: plain(summary), offset };
}

/** Why an evaluation has no answer. Values of the data are never repeated: they may be secret. */
export function explainFault(error: unknown, text: string): CelFault {
  if (error instanceof NotTold) {
    const at = text.indexOf(error.variable);
    return { message: error.message, offset: Math.max(at, 0), variable: error.variable };
  }
  if (error instanceof OutOfTime || error instanceof TooLarge || error instanceof NoValue) return { message: error.message, offset: 0 };
  if (error instanceof RangeError) return { message: "needs more memory than it may have", offset: 0 };
  if (!isEngineError(error)) return { message: error instanceof Error ? error.message : String(error), offset: 0 };
  const offset = error.range?.start ?? 0;
  const { code, summary } = error;
  const fact = missingFact(error);
  if (fact !== undefined) return { message: `the fact "${fact}" is not declared`, offset, fact };
  if (code === "unknown_variable")
    return { message: `${summary.replace("Unknown variable: ", "")} is not known: the config names none`, offset };
  if (code === "no_such_key") {
    const key = summary.replace("No such key: ", "");
    if (pathOf(error.node)?.root === "env")
      return { message: `${text.includes(key) ? key : "the variable"} is not set`, offset, variable: key };
    return { message: text.includes(key) ? `there is no "${key}" here` : "there is no such key here", offset };
  }
  if (code === "no_such_overload")
    return { message: summary.replace("no such overload: ", "there is no operator for ").replace(/dyn<(\w+)>/g, "$1"), offset };
  if (code === "no_matching_overload") return { message: `no function fits ${/'([^']*)'/.exec(summary)?.[1] ?? ""}`, offset };
  if (code === "numeric_overflow") return { message: "the number is too large for CEL", offset };
  if (code === "bool_conversion_error") return { message: "bool() was given what is neither true nor false", offset };
  if (code === "invalid_duration") return { message: "duration() was given what is no Go duration", offset };
  return { message: plain(summary), offset };
}

/** The fact whose absence is the error: `facts.boot`, `facts.endpoints["/health"].latency`; `nodes`, which the config may leave out. */
function missingFact({ code, summary, node }: EngineError): string | undefined {
  if (code === "unknown_variable") return summary === "Unknown variable: nodes" ? "nodes" : undefined;
  const path = code === "no_such_key" ? pathOf(node) : undefined;
  return path?.root === "facts" && typeof path.first === "string" ? path.first : undefined;
}

/** The variable that a field access begins with, and its first field. */
function pathOf(node: unknown): { readonly root: unknown; readonly first: unknown } | undefined {
  let current = node as { readonly op?: string; readonly args?: unknown } | undefined;
  let first: unknown;
  while (current !== undefined && current.op !== "id") {
    if (current.op !== "." && current.op !== "[]") return undefined;
    const [left, right] = current.args as [typeof current, unknown];
    first = typeof right === "string" ? right : (right as { readonly args?: unknown }).args;
    current = left;
  }
  return current && { root: current.args, first };
}

function token(name: string): string {
  return types[name] ?? name.toLowerCase();
}

function plain(summary: string): string {
  const text = summary.replaceAll("'", '"').replace(/\.$/, "");
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function isEngineError(error: unknown): error is EngineError {
  return error instanceof Error && "code" in error && "summary" in error && "range" in error;
}
