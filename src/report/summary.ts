import type { Failure, Finding, Severity } from "../findings.js";
import type { ReportOptions, RunResult } from "./result.js";

/** Severities from the mildest to the gravest. */
export const severities: readonly Severity[] = ["note", "warning", "error"];

/** Whether `severity` is at or above `least`. */
export function atLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(least);
}

/** `1 error`, `2 errors`; `many` for a plural that does not only add an s. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** `file:line:column`, as far as it is known. */
export function position(at: { readonly file: string; readonly line?: number; readonly column?: number }): string {
  if (at.line === undefined) return at.file;
  return at.column === undefined ? `${at.file}:${at.line}` : `${at.file}:${at.line}:${at.column}`;
}

/** `Deployment/web spec.replicas`. */
export function subjectAndField(finding: Finding): string {
  return finding.field === "" ? finding.subject : `${finding.subject} ${finding.field}`;
}

/** Where a reader looks: the location, else the subject and its field. */
export function where(finding: Finding): string {
  return finding.location === undefined ? subjectAndField(finding) : position(finding.location);
}

/** The open findings that a report for people shows. */
export function shownFindings(result: RunResult, options: ReportOptions): readonly Finding[] {
  return result.findings.filter((finding) => finding.status === "open" && atLeast(finding.severity, options.minSeverity));
}

/** The facts that a finding asks for, as the config spells them. */
export function askedFacts(finding: Finding): string | undefined {
  const names = finding.ask.map((fact) => (["nodes", "deploy", "external"].includes(fact) ? fact : `facts.${fact}`));
  const last = names.at(-1);
  if (last === undefined) return undefined;
  return `with ${names.length === 1 ? last : `${names.slice(0, -1).join(", ")} and ${last}`} this becomes exact`;
}

/** What a run comes to: findings by severity (open ones only) and by status, rules that judged, facts that were missed. */
export interface Summary {
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  readonly waived: number;
  readonly debts: number;
  readonly baseline: number;
  readonly judgedRules: number;
  readonly askingRules: number;
  readonly missingFacts: readonly string[];
  readonly failedEnvironments: readonly string[];
}

/** Counts a run. */
export function summarize(result: RunResult): Summary {
  const open = (severity: Severity) =>
    result.findings.filter((finding) => finding.status === "open" && finding.severity === severity).length;
  const status = (name: Finding["status"]) => result.findings.filter((finding) => finding.status === name).length;
  const rulesOf = (rows: readonly { readonly rule: string }[]) => new Set(rows.map((row) => row.rule)).size;
  const asking = result.coverage.filter((row) => row.missingFacts.length > 0);
  const failed = new Set(result.failures.filter((failure) => failure.stage === "render").map((failure) => failure.environment));
  return {
    errors: open("error"),
    warnings: open("warning"),
    notes: open("note"),
    waived: status("waived"),
    debts: status("debt"),
    baseline: status("baseline"),
    judgedRules: rulesOf(result.coverage.filter((row) => row.judged > 0)),
    askingRules: rulesOf(asking),
    missingFacts: [...new Set(asking.flatMap((row) => row.missingFacts))].sort(),
    failedEnvironments: result.environments.filter((name) => failed.has(name)),
  };
}

/** `2 of 3 environments`: those that did not render were not looked at. */
function checkedEnvironments({ environments }: RunResult, { failedEnvironments }: Summary): string {
  const failed = failedEnvironments.length;
  return `${failed === 0 ? "" : `${environments.length - failed} of `}${plural(environments.length, "environment")}`;
}

/** `checked 2 environments, 14 objects, 3 workloads: 0 errors, 1 warning, 4 notes (--min-severity note), 2 waived`. */
export function checkedLine(result: RunResult, options: ReportOptions): string {
  const sum = summarize(result);
  const hidden = (severity: Severity, count: number) => (count > 0 && !atLeast(severity, options.minSeverity) ? severity : undefined);
  const least = hidden("note", sum.notes) ?? hidden("warning", sum.warnings);
  const counts = [
    plural(sum.errors, "error"),
    plural(sum.warnings, "warning"),
    plural(sum.notes, "note") + (least ? ` (--min-severity ${least})` : ""),
  ];
  if (sum.waived > 0) counts.push(`${sum.waived} waived`);
  if (sum.debts > 0) counts.push(plural(sum.debts, "debt"));
  if (sum.baseline > 0) counts.push(`${sum.baseline} in the baseline`);
  const looked = [checkedEnvironments(result, sum), plural(result.counts.manifests, "object"), plural(result.counts.workloads, "workload")];
  return `checked ${looked.join(", ")}: ${counts.join(", ")}`;
}

/** Whether no rule decided anything at all: a clean run then means nothing. */
export function nothingJudged(result: RunResult): boolean {
  return summarize(result).judgedRules === 0 && result.findings.length === 0;
}

/** `12 rules judged something; 4 could judge more with facts: boot, pull (helm-invariants facts)`. */
export function coverageLine(result: RunResult): string {
  const sum = summarize(result);
  const more = `${sum.askingRules} could judge more with facts: ${sum.missingFacts.join(", ")} (helm-invariants facts)`;
  if (nothingJudged(result)) {
    const none = `nothing was judged: none of ${plural(result.rules.length, "rule")} found anything to decide in ${plural(result.counts.manifests, "object")}`;
    return sum.askingRules === 0 ? none : `${none}; ${more}`;
  }
  const judged = `${plural(sum.judgedRules, "rule")} judged something`;
  return sum.askingRules === 0 ? judged : `${judged}; ${more}`;
}

/** The last line of a run that could not do the whole job; undefined for any other exit code than 2. */
export function incompleteLine(result: RunResult): string | undefined {
  if (result.exitCode !== 2) return undefined;
  const sum = summarize(result);
  const failed = sum.failedEnvironments.length;
  const others = result.failures.filter((failure) => failure.stage !== "render" || failure.environment === undefined).length;
  const parts = [`${plural(sum.errors, "error")} in ${plural(result.environments.length, "environment")}`];
  if (failed > 0) parts.push(`${plural(failed, "environment")} failed`);
  if (others > 0) parts.push(plural(others, failed > 0 ? "other failure" : "failure"));
  return `${parts.join(", ")}: this run could not do the whole job (exit code 2)`;
}

/** Failures of one stage under one headline. */
export interface FailureGroup {
  readonly title: string;
  /** The title names the environments. */
  readonly namesEnvironments: boolean;
  readonly lines: readonly { readonly at: string | undefined; readonly message: string; readonly in: readonly string[] }[];
}

function failureTitle(stage: Failure["stage"], failures: readonly Failure[]): string {
  const named = (key: "environment" | "rule") => [...new Set(failures.flatMap((failure) => failure[key] ?? []))];
  const names = named("environment");
  const many = names.length > 1;
  switch (stage) {
    case "render":
      if (names.length === 0) return `${plural(failures.length, "render")} failed`;
      return `${plural(names.length, "environment")} could not be judged: ${names.join(", ")} ${many ? "do" : "does"} not render`;
    case "parse":
      if (names.length === 0) return `${plural(failures.length, "document")} could not be read`;
      return `${plural(names.length, "environment")} could not be judged in full: ${names.join(", ")} ${many ? "have" : "has"} documents that cannot be read`;
    case "check":
      return `${plural(named("rule").length || failures.length, "rule")} broke off: ${named("rule").join(", ")}`.replace(/: $/, "");
    case "trace":
      return "not every finding could be traced to its line";
    case "judge":
      return "nothing was judged where something must be";
    case "report":
      return "not every report could be made";
  }
}

/** Failures in the order of the stages; equal messages of several environments are one line. */
export function groupFailures(failures: readonly Failure[]): readonly FailureGroup[] {
  const stages: readonly Failure["stage"][] = ["render", "parse", "check", "judge", "trace", "report"];
  return stages.flatMap((stage) => {
    const own = failures.filter((failure) => failure.stage === stage);
    if (own.length === 0) return [];
    const lines = new Map<string, { at: string | undefined; message: string; in: string[] }>();
    for (const { location, rule, message, environment } of own) {
      const at = location && position(location);
      const said = stage === "check" && rule !== undefined ? `${rule}: ${message}` : message;
      const key = `${at}\n${said}`;
      const line = lines.get(key) ?? { at, message: said, in: [] };
      if (environment !== undefined && !line.in.includes(environment)) line.in.push(environment);
      lines.set(key, line);
    }
    return [{ title: failureTitle(stage, own), namesEnvironments: stage === "render" || stage === "parse", lines: [...lines.values()] }];
  });
}
