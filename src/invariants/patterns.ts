import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { NoValue } from "./quantities.js";

/** What the engine hands to a macro: the checker and the evaluator have more members than these. */
interface Checker {
  check(node: ASTNode, context: unknown): { readonly name: string; readonly kind: string };
  getType(name: string): unknown;
  createError(code: string, message: string, node: ASTNode): Error;
}
interface Evaluator {
  run(node: ASTNode, context: unknown): unknown;
}
interface Macro {
  readonly receiver: ASTNode;
  readonly pattern: ASTNode;
  compiled?: RE2JS;
}

const longestText = 262_144;

/**
 * Adds `matches` and `find`, evaluated by RE2 in linear time. The engine's own `matches` uses JavaScript's backtracking expressions and refuses to
 * be replaced, but a macro of that name on any receiver takes every call of it: at parse time, whatever the receiver is.
 */
export function addPatterns(environment: Environment): void {
  addMacro(environment, "list.matches(ast): bool", "bool", (compiled, text) => compiled.matcher(text).find());
  addMacro(environment, "list.find(ast): string", "string", (compiled, text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? (matcher.group() ?? "") : "";
  });
}

function addMacro(environment: Environment, signature: string, type: string, apply: (compiled: RE2JS, text: string) => unknown): void {
  const name = /\.(\w+)\(/.exec(signature)?.[1] ?? "";
  const expand = ({ args, receiver }: { readonly args: readonly ASTNode[]; readonly receiver: ASTNode }) => ({
    receiver,
    pattern: args[0],
    typeCheck(checker: Checker, macro: Macro, context: unknown): unknown {
      const of = checker.check(macro.receiver, context);
      if (of.name !== "string" && of.kind !== "dyn") {
        throw checker.createError("no_text", `${name}() is asked of a ${of.name}, expected a string`, macro.receiver);
      }
      const { pattern } = macro;
      if (pattern.op !== "value" || typeof pattern.args !== "string") {
        throw checker.createError("no_literal", `the pattern of ${name}() is computed, expected a literal string`, pattern);
      }
      macro.compiled = compile(pattern.args, (reason) => checker.createError("bad_pattern", reason, pattern));
      return checker.getType(type);
    },
    evaluate(evaluator: Evaluator, macro: Macro, context: unknown): unknown {
      const text = evaluator.run(macro.receiver, context);
      if (typeof text !== "string") throw new NoValue(`${name}() was asked of what is no string`);
      if (text.length > longestText)
        throw new NoValue(`${name}() was asked of a text of ${text.length} characters, expected at most ${longestText}`);
      if (macro.compiled === undefined) throw new NoValue(`${name}() has no pattern`);
      return apply(macro.compiled, text);
    },
  });
  environment.registerFunction(signature, expand, { async: false });
}

function compile(pattern: string, refusal: (reason: string) => Error): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "").replaceAll("`", '"') : String(error);
    throw refusal(`the pattern is no RE2 expression: ${reason}`);
  }
}
