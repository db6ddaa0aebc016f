import type { Place } from "./manifest/place.js";
import type { Range } from "./manifest/types.js";

/** How sure the evidence is: see design.md §3. */
export type Severity = "error" | "warning" | "note";

/** One number that a proof used. `value` is in `unit` (`s` = seconds). */
export interface Term {
  readonly term: string;
  readonly value: number | string;
  readonly unit?: string;
  readonly at?: Place;
  /** The line of the configuration that declares it, of a fact. */
  readonly origin?: { readonly file: string; readonly line: number; readonly column: number };
}

/** A labelled line under a finding: `why`, `seen`, `trend`, `cost`, `ask`, `where`. */
export interface Note {
  readonly label: string;
  readonly text: string;
}

/** What a rule yields. */
export interface Problem {
  /** The field that is wrong. It may be a field that is not rendered. Absent only when the configuration itself is at fault: then `origin` says where. */
  readonly at?: Place;
  /** With `at` beside it: the line of the configuration that decides, and where the finding is shown. */
  readonly origin?: { readonly file: string; readonly line: number; readonly column: number };
  /** What the finding is about when it has no `at`: `values`. */
  readonly subject?: string;
  /** One sentence, lower case, no full stop: the subject in quotes, what was found, what was expected, the arithmetic. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The terms and the other places that the proof used. */
  readonly because?: readonly Term[];
  readonly notes?: readonly Note[];
  /** Names of facts that would make this exact. */
  readonly ask?: readonly string[];
  /** Lower than the rule's own severity, when the evidence allows no more. */
  readonly severity?: Severity;
  /** The right number or string for the field at `at`, when the rule can name it. */
  readonly fix?: { readonly value: number | string };
  /** The rule could not decide: a failure of the run (exit code 2), not a finding. `origin` says where. */
  readonly failure?: boolean;
}

/** Where a person edits: a file relative to the repository root (or to the working directory outside of one) and a range in it. */
export interface Location extends Range {
  readonly file: string;
  /** False when the line is only the nearest thing that could be found (for example the template file as a whole). */
  readonly exact: boolean;
}

export interface Related {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Lines of text to show under a location; `from` is the 1-based number of the first line, the carets stand under `mark`. */
export interface Excerpt {
  /** What the lines are from when that is not `location.file`, for example `rendered manifest`. */
  readonly of?: string;
  readonly from: number;
  readonly lines: readonly string[];
  readonly mark?: { readonly line: number; readonly column: number; readonly endColumn: number };
}

export type FindingStatus = "open" | "waived" | "baseline" | "debt";

/** A problem with its rule, environment and proof; the product of `check`, given locations by `trace` and a status by `waive`. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly notes: readonly Note[];
  readonly ask: readonly string[];
  readonly because: readonly Term[];
  /** `Deployment/web`; `chart` or `config` for findings about those. */
  readonly subject: string;
  readonly container?: string;
  readonly field: string;
  /** Undefined only for findings about the configuration. */
  readonly at?: Place;
  /** Where in the configuration, for findings about it, or that it decides. */
  readonly origin?: { readonly file: string; readonly line: number; readonly column: number };
  /** Path of the chart or manifest that the finding is of, absolute; empty for findings about the configuration. */
  readonly chart: string;
  /** Sorted names. */
  readonly environments: readonly string[];
  /** 16 hex digits over chart, rule, subject, field (line-free); repeats get an ordinal. */
  readonly fingerprint: string;
  readonly location?: Location;
  readonly related: readonly Related[];
  /** The lines of the config that declare what the proof used: a comment there can waive the finding too. */
  readonly declaredAt?: readonly { readonly file: string; readonly line: number }[];
  /** The lines that wrote the field, `location` included: where a comment can waive the finding. */
  readonly writtenAt?: readonly { readonly file: string; readonly line: number }[];
  readonly excerpts: readonly Excerpt[];
  readonly status: FindingStatus;
  readonly waiver?: { readonly because: string; readonly until?: string; readonly from: "config" | "comment" | "debt" | "baseline" };
  readonly fix?: { readonly value: number | string };
}

/** Something that could not be looked at. Any failure means exit code 2. */
export interface Failure {
  readonly stage: "render" | "parse" | "check" | "trace" | "judge" | "report";
  readonly environment?: string;
  readonly rule?: string;
  readonly message: string;
  /** Where the user should look, when known (for example the template line that helm names). */
  readonly location?: { readonly file: string; readonly line?: number; readonly column?: number };
}

/** What one rule did in one environment. `missingFacts` = names of facts that would have let it judge more. */
export interface Coverage {
  readonly rule: string;
  readonly environment: string;
  readonly subjects: number;
  readonly judged: number;
  readonly missingFacts: readonly string[];
}

/** A warning about the run itself that is no finding (a fact that matches nothing). */
export interface Remark {
  readonly message: string;
  /** Shown only when asked for (`--verbose`): what helm wrote to stderr. */
  readonly minor?: boolean;
  readonly location?: { readonly file: string; readonly line?: number; readonly column?: number };
}

const order: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

/** Joins findings that differ in nothing but their environment; sorted by severity, place in the files, rule, subject, field. */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const { location } = finding;
    const key = JSON.stringify([
      finding.rule,
      finding.severity,
      finding.chart,
      finding.subject,
      finding.field,
      finding.message,
      finding.hint,
      finding.notes,
      finding.status,
      finding.waiver,
      finding.fingerprint,
      location && [location.file, location.line, location.column],
    ]);
    const twin = merged.get(key);
    if (twin === undefined) merged.set(key, finding);
    else merged.set(key, { ...twin, environments: [...new Set([...twin.environments, ...finding.environments])].sort() });
  }
  return [...merged.values()].sort(compareFindings);
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    order[a.severity] - order[b.severity] ||
    compareText(a.location?.file ?? "", b.location?.file ?? "") ||
    (a.location?.line ?? 0) - (b.location?.line ?? 0) ||
    (a.location?.column ?? 0) - (b.location?.column ?? 0) ||
    compareText(a.rule, b.rule) ||
    compareText(a.subject, b.subject) ||
    compareText(a.field, b.field) ||
    compareText(a.environments.join(), b.environments.join()) ||
    compareText(a.message, b.message)
  );
}

/** The same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
