import type { Failure, Finding } from "../findings.js";
import { xmlAttribute, xmlText } from "./escape.js";
import type { ReportOptions, RunResult } from "./result.js";
import { atLeast, position, shownFindings, where } from "./summary.js";

/** The suite of what belongs to no environment. */
const noEnvironment = "configuration";

interface Suite {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
  readonly lines: readonly string[];
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${xmlAttribute(String(value))}"`]))
    .join("");
}

function findingText(finding: Finding): string {
  const lines = [`${where(finding)}: ${finding.message}`, ...finding.notes.map((note) => `${note.label}: ${note.text}`)];
  if (finding.hint !== undefined) lines.push(`fix: ${finding.hint}`);
  return lines.join("\n");
}

function testCase(environment: string, rule: string, children: readonly string[], at?: Finding["location"]): string[] {
  const open = `    <testcase${attributes({ classname: environment, name: rule, file: at?.file, line: at?.line, time: 0 })}`;
  return children.length === 0 ? [`${open}/>`] : [`${open}>`, ...children.map((child) => `      ${child}`), "    </testcase>"];
}

function suiteOf(name: string, result: RunResult, options: ReportOptions): Suite {
  const belongs = (environments: readonly string[]) => (environments.length === 0 ? name === noEnvironment : environments.includes(name));
  const findings = shownFindings(result, options).filter((finding) => belongs(finding.environments));
  const failures = result.failures.filter((failure) => belongs(failure.environment === undefined ? [] : [failure.environment]));
  const coverage = result.coverage.filter((row) => row.environment === name);
  const rules = [...new Set([...coverage.map((row) => row.rule), ...findings.map((finding) => finding.rule)])].sort();
  const failOn = options.failOn ?? "error";
  const fails = (finding: Finding) => failOn !== "never" && atLeast(finding.severity, failOn);
  const count = { failures: 0, errors: 0, skipped: 0 };
  const lines = rules.flatMap((rule) => {
    const own = findings.filter((finding) => finding.rule === rule);
    const row = coverage.find((candidate) => candidate.rule === rule);
    const wrong = own.filter(fails);
    const children = wrong.map(
      (finding) => `<failure${attributes({ type: finding.severity, message: finding.message })}>${xmlText(findingText(finding))}</failure>`,
    );
    const rest = own.filter((finding) => !fails(finding)).map((finding) => `${finding.severity}: ${findingText(finding)}`);
    if (wrong.length > 0) count.failures++;
    if (own.length === 0 && row !== undefined && row.judged === 0) {
      count.skipped++;
      const facts = row.missingFacts.length === 0 ? "" : `, it could with facts: ${row.missingFacts.join(", ")}`;
      children.push(`<skipped${attributes({ message: `judged 0 of ${row.subjects}${facts}` })}/>`);
    }
    if (rest.length > 0) children.push(`<system-out>${xmlText(rest.join("\n\n"))}</system-out>`);
    return testCase(name, rule, children, (wrong[0] ?? own[0])?.location);
  });
  const broken = failures.flatMap((failure: Failure, index) => {
    count.errors++;
    const said = `${failure.location === undefined ? "" : `${position(failure.location)}: `}${failure.message}`;
    const number = failures.slice(0, index).filter((other) => other.stage === failure.stage && other.rule === failure.rule).length + 1;
    const title = [failure.stage, failure.rule, number > 1 ? String(number) : undefined].filter((part) => part !== undefined).join(" ");
    return testCase(name, title, [`<error${attributes({ type: failure.stage, message: failure.message })}>${xmlText(said)}</error>`]);
  });
  return { tests: rules.length + failures.length, ...count, lines: [...broken, ...lines] };
}

/** JUnit XML: a suite an environment, a test case a rule, passing and skipped ones included; findings below `failOn` are output of a passing case. */
export function renderJunit(result: RunResult, options: ReportOptions): string {
  const suites = [...result.environments, noEnvironment].map((name) => ({ name, ...suiteOf(name, result, options) }));
  const shown = suites.filter(({ name, tests }) => name !== noEnvironment || tests > 0);
  const sum = (key: "tests" | "failures" | "errors" | "skipped") => shown.reduce((total, suite) => total + suite[key], 0);
  const counts = { tests: sum("tests"), failures: sum("failures"), errors: sum("errors"), skipped: sum("skipped"), time: 0 };
  const body = shown.flatMap(({ name, tests, failures, errors, skipped, lines }) => [
    `  <testsuite${attributes({ name, tests, failures, errors, skipped, time: 0 })}>`,
    ...lines,
    "  </testsuite>",
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "helm-invariants", ...counts })}>`,
    ...body,
    "</testsuites>",
    "",
  ].join("\n");
}
