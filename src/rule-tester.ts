import { type Case, readCase, runCase, type Want } from "./cases.js";
import { InputError } from "./errors.js";
import type { Severity } from "./findings.js";
import type { AnyRule, Rule, Scope } from "./rule.js";

/** Manifests that a rule must be silent about, in the form of a case file: an optional document `config:`, then manifests. */
export type ValidCase = string | { readonly name?: string; readonly yaml: string };

/** Manifests that a rule must speak about: at `wants` (1-based lines of `yaml`), else where `# want: <rule> [severity]` stands. */
export type InvalidCase =
  | string
  | {
      readonly name?: string;
      readonly yaml: string;
      readonly wants?: readonly (number | { readonly line: number; readonly severity?: Severity; readonly message?: string | RegExp })[];
    };

export interface RuleCases {
  readonly valid: readonly ValidCase[];
  readonly invalid: readonly InvalidCase[];
  /** Of the test runner; the global ones when there are any. Without a runner every case is run at once and the first that fails throws. */
  readonly describe?: (name: string, body: () => void) => void;
  readonly it?: (name: string, body: () => void) => void;
  /** The date to judge by, `2026-01-01` when left out. */
  readonly today?: string;
}

/** Tests a rule with any test runner that has `describe` and `it`. A failing case throws an Error with a line for each mismatch. */
export const RuleTester = Object.freeze({
  run<S extends Scope>(rule: Rule<S>, cases: RuleCases): void {
    const runner = globalThis as Partial<Pick<RuleCases, "describe" | "it">>;
    const describe = cases.describe ?? runner.describe ?? ((_, body) => body());
    const it = cases.it ?? runner.it ?? ((_, body) => body());
    const titleOf = (given: ValidCase | InvalidCase, fallback: string) => (typeof given === "string" ? undefined : given.name) ?? fallback;
    describe(rule.id, () => {
      for (const [index, given] of cases.valid.entries()) {
        const title = titleOf(given, `valid[${index}]`);
        it(title, () => expectMatch(rule, given, title, cases.today));
      }
      for (const [index, given] of cases.invalid.entries()) {
        const title = titleOf(given, `invalid[${index}]`);
        it(title, () => expectMatch(rule, given, title, cases.today, true));
      }
    });
  },
});

function expectMatch(rule: { readonly id: string }, given: ValidCase | InvalidCase, title: string, today?: string, mustFind = false): void {
  const read = readText(dedent(typeof given === "string" ? given : given.yaml), title);
  const explicit = typeof given === "object" && "wants" in given ? given.wants : undefined;
  const wants = explicit?.map((want): Want => {
    const { line, severity } = typeof want === "number" ? { line: want, severity: undefined } : { severity: undefined, ...want };
    return { rule: rule.id, line, severity };
  });
  const asked: Case = wants === undefined ? read : { ...read, wants };
  if (mustFind && asked.wants.length === 0) throw new Error(`${title} wants nothing: give wants, or write # want: ${rule.id} at the line`);
  const result = runCase(asked, [rule as AnyRule], today === undefined ? {} : { today });
  const faults = [...result.failures.map(({ message }) => message), ...result.complaints()];
  for (const want of explicit ?? []) {
    if (typeof want === "number" || want.message === undefined) continue;
    const said = result.findings.filter(({ line }) => line === want.line).map(({ finding }) => finding.message);
    const { message } = want;
    if (!said.some((text) => (typeof message === "string" ? text.includes(message) : message.test(text))))
      faults.push(`line ${want.line}: expected a message with ${String(message)}, found ${said.join("; ") || "none"}`);
  }
  if (faults.length > 0) throw new Error(`${title}:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
}

function readText(text: string, title: string): Case {
  try {
    return readCase(text, title, process.cwd());
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new Error(error.complaints.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n"));
  }
}

/** A template literal stands indented in its test: what all lines share is taken away, and an empty first line. */
function dedent(text: string): string {
  const lines = text.replace(/^[ \t]*\n/, "").split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const shared = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(Math.min(shared, line.search(/\S|$/)))).join("\n");
}
