import type { Coverage, Failure, Finding, Note, Related, Remark, Severity } from "../findings.js";
import { jsonText } from "./escape.js";
import type { ReportOptions, RunResult } from "./result.js";
import { summarize } from "./summary.js";

/** A number that a proof used; `subject` only when it stands in another object than the finding's. */
interface JsonTerm {
  readonly term: string;
  readonly value: number | string;
  readonly unit?: string;
  readonly field?: string;
  readonly subject?: string;
}

interface JsonFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly subject: string;
  readonly container?: string;
  readonly field: string;
  readonly location?: NonNullable<Finding["location"]>;
  readonly related: readonly Related[];
  readonly because: readonly JsonTerm[];
  readonly notes: readonly Note[];
  readonly ask: readonly string[];
  readonly environments: readonly string[];
  readonly fingerprint: string;
  readonly status: Finding["status"];
  readonly waiver?: NonNullable<Finding["waiver"]>;
}

/** Version 1 of the JSON report, the form that `report.schema.json` describes. */
export interface JsonReport {
  readonly version: 1;
  readonly findings: readonly JsonFinding[];
  readonly failures: readonly Failure[];
  readonly coverage: readonly Coverage[];
  readonly remarks: readonly Remark[];
  readonly summary: {
    readonly environments: number;
    readonly manifests: number;
    readonly workloads: number;
    readonly errors: number;
    readonly warnings: number;
    readonly notes: number;
    readonly waived: number;
    readonly debts: number;
    readonly baseline: number;
    readonly exitCode: 0 | 1 | 2;
  };
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The object without its undefined members: absent is absent, never null. */
function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function positionOf(location: Failure["location"]): Failure["location"] {
  return location && defined({ file: location.file, line: location.line, column: location.column });
}

function jsonFinding(finding: Finding): JsonFinding {
  const { location, waiver } = finding;
  return defined({
    rule: finding.rule,
    severity: finding.severity,
    message: finding.message,
    hint: finding.hint,
    subject: finding.subject,
    container: finding.container,
    field: finding.field,
    location: location && {
      file: location.file,
      line: location.line,
      column: location.column,
      endLine: location.endLine,
      endColumn: location.endColumn,
      exact: location.exact,
    },
    related: finding.related.map(({ file, line, column, message }) => ({ file, line, column, message })),
    because: finding.because.map(({ term, value, unit, at }) =>
      defined({ term, value, unit, field: at?.field, subject: at?.subject === finding.subject ? undefined : at?.subject }),
    ),
    notes: finding.notes.map(({ label, text }) => ({ label, text })),
    ask: finding.ask,
    environments: finding.environments,
    fingerprint: finding.fingerprint,
    status: finding.status,
    waiver: waiver && defined({ because: waiver.because, until: waiver.until, from: waiver.from }),
  }) as JsonFinding;
}

/** The JSON report as a value: all findings whatever their severity and status. */
export function jsonReport(result: RunResult): JsonReport {
  const sum = summarize(result);
  return {
    version: 1,
    findings: result.findings.map(jsonFinding),
    failures: result.failures.map(
      ({ stage, environment, rule, message, location }) =>
        defined({ stage, environment, rule, message, location: positionOf(location) }) as Failure,
    ),
    coverage: result.coverage.map(({ rule, environment, subjects, judged, missingFacts }) => ({
      rule,
      environment,
      subjects,
      judged,
      missingFacts,
    })),
    remarks: result.remarks.map(({ message, location }) => defined({ message, location: positionOf(location) }) as Remark),
    summary: {
      environments: result.environments.length,
      manifests: result.counts.manifests,
      workloads: result.counts.workloads,
      errors: sum.errors,
      warnings: sum.warnings,
      notes: sum.notes,
      waived: sum.waived,
      debts: sum.debts,
      baseline: sum.baseline,
      exitCode: result.exitCode,
    },
  };
}

/** The JSON report for scripts. */
export function renderJson(result: RunResult, _options: ReportOptions): string {
  return jsonText(jsonReport(result));
}
