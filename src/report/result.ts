import type { Coverage, Failure, Finding, Remark, Severity } from "../findings.js";

/** A rule that was on, as reports name it. */
export interface ReportedRule {
  readonly id: string;
  readonly summary: string;
  readonly severity: Severity;
  readonly scope: string;
  readonly category?: string;
  readonly facts: readonly string[];
}

/** Everything a report may tell about a run. All lists are in their final order; findings are merged across environments and located. */
export interface RunResult {
  readonly findings: readonly Finding[];
  readonly failures: readonly Failure[];
  readonly coverage: readonly Coverage[];
  readonly remarks: readonly Remark[];
  /** Names of all environments of the run, the failed ones included. */
  readonly environments: readonly string[];
  /** All rules that were on, sorted by id. */
  readonly rules: readonly ReportedRule[];
  readonly counts: { readonly manifests: number; readonly workloads: number };
  readonly exitCode: 0 | 1 | 2;
  /** The config file, relative to the repository root; where findings without a location go in formats that need one. */
  readonly configFile?: string;
  /** Chart folders or manifest files, relative to the repository root; the same use. */
  readonly charts?: readonly string[];
}

/** How a report is to look. */
export interface ReportOptions {
  /** Findings below it are counted and not shown; the JSON report holds all of them. */
  readonly minSeverity: Severity;
  /** At or above it a finding fails a JUnit test case; `error` by default. */
  readonly failOn?: Severity | "never";
  readonly color: boolean;
  /** Columns of the terminal; absent when there is none, and then no sentence is wrapped. */
  readonly width?: number;
  /** Absolute path of the repository root, which `Location.file` is relative to. */
  readonly root: string;
  readonly version: string;
  /** The Markdown text of a rule's page. */
  page(ruleId: string): string | undefined;
  /** Absolute URL below which `rules/<id>.md` is found; absent = no links. */
  readonly homepage?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly sarifCategory?: string;
  readonly sarifIncludeSuppressed?: boolean;
}
