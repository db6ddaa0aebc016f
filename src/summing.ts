import { reaches } from "./check.js";
import type { Config } from "./config/types.js";
import { exitCodes } from "./errors.js";
import type { Coverage, Failure, Finding, Remark } from "./findings.js";
import { mergeFindings } from "./findings.js";
import type { Environment } from "./model/types.js";
import type { RenderPlan } from "./plan.js";
import type { ActiveRule } from "./ruleset.js";
import type { RunOptions, RunOutcome } from "./run-options.js";

/** Everything that the stages gave. */
export interface Sum extends Pick<RunOutcome, "questions" | "debts" | "baseline" | "root"> {
  readonly options: RunOptions;
  readonly config: Config;
  readonly plan: RenderPlan;
  readonly rules: readonly ActiveRule[];
  readonly environments: readonly Environment[];
  readonly reportPath: (file: string) => string;
  /** Of one environment each. */
  readonly findings: readonly Finding[];
  readonly failures: readonly Failure[];
  readonly coverage: readonly Coverage[];
  readonly remarks: readonly Remark[];
}

/** Makes the result of a run of what the stages gave: findings merged across environments, failures with paths as reports name them, the exit code. */
export function sumUp(sum: Sum): RunOutcome {
  const { options, config, plan, rules, environments, reportPath, coverage, questions, debts, baseline, root } = sum;
  const findings = mergeFindings(sum.findings);
  const failures = sum.failures.map((failure) => withReportPath(failure, reportPath));
  return {
    findings,
    failures,
    coverage,
    remarks: [...sum.remarks, ...(options.environments?.length ? unjudged(sum) : [])],
    environments: plan.jobs.filter(({ purpose }) => purpose === "environment").map(({ environment }) => environment),
    rules: rules.map(({ rule }) => ({
      id: rule.id,
      summary: rule.summary,
      severity: rule.severity,
      scope: rule.scope,
      ...(rule.category !== undefined && { category: rule.category }),
      facts: rule.facts ?? [],
    })),
    counts: {
      manifests: environments.reduce((total, { manifests }) => total + manifests.all.length, 0),
      workloads: environments.reduce((total, { workloads }) => total + workloads.length, 0),
    },
    exitCode: exitCodeOf(findings, failures, options),
    ...(config.file !== undefined && { configFile: reportPath(config.file) }),
    charts: config.charts.map(({ path }) => (path === "-" ? "stdin" : reportPath(path))),
    root,
    debts,
    questions,
    config,
    ...(baseline !== undefined && { baseline }),
  };
}

/** What `mustJudge` would be about if all environments had been looked at. */
function unjudged({ config, rules, coverage }: Sum): readonly Remark[] {
  return config.mustJudge
    .filter((id) => rules.some(({ rule }) => rule.id === id) && !coverage.some(({ rule, judged }) => rule === id && judged > 0))
    .map((id) => ({ message: `mustJudge: "${id}" judged nothing in the environments of --env` }));
}

/** 2 beats 1: a run that could not look is never green, and never merely red. */
function exitCodeOf(findings: readonly Finding[], failures: readonly Failure[], { failOn = "error", exitZero }: RunOptions): 0 | 1 | 2 {
  if (failures.length > 0) return exitCodes.incomplete;
  const failing = failOn !== "never" && findings.some(({ severity, status }) => status === "open" && reaches(severity, failOn));
  return failing && exitZero !== true ? exitCodes.findings : exitCodes.clean;
}

/** What is said of the configuration points into its file, which the config knows by its absolute path. */
function withReportPath(failure: Failure, reportPath: (file: string) => string): Failure {
  const { location } = failure;
  return location === undefined ? failure : { ...failure, location: { ...location, file: reportPath(location.file) } };
}
