import { reaches } from "./check.js";
import type { Config } from "./config/types.js";
import { exitCodes } from "./errors.js";
import type { Coverage, Failure, Finding, Remark } from "./findings.js";
import { mergeFindings } from "./findings.js";
import type { Environment } from "./model/types.js";
import type { RenderPlan } from "./plan.js";
import { redactFinding, redactMessage, redactorOf } from "./redact.js";
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
  const redact = redactorOf(environments.map(({ manifests }) => manifests));
  const findings = mergeFindings(sum.findings.map((finding) => redactFinding(finding, redact)));
  const silent = nothingJudged(sum);
  const failures = [...sum.failures, ...silent].map((failure) => redactMessage(withReportPath(failure, reportPath), redact));
  return {
    findings,
    failures,
    coverage,
    remarks: [
      ...sum.remarks.map((remark) => redactMessage(remark, redact)),
      ...(options.environments?.length ? unjudged(sum) : []),
      ...idle(sum).map((remark) => withReportPath(remark, reportPath)),
    ],
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
    manifests: new Map(environments.map(({ name, manifests }) => [name, manifests])),
    debts,
    questions,
    config,
    redact,
    ...(baseline !== undefined && { baseline }),
  };
}

/** The rules of `--only` decided nothing about anything: that is no pass. (All rules together may, of a chart of nothing but definitions; the report says so.) */
function nothingJudged({ coverage, environments, failures, rules, options }: Sum): readonly Failure[] {
  if (!options.only?.length) return [];
  const own = new Set(rules.filter(({ rule }) => rule.scope !== "run").map(({ rule }) => rule.id));
  if (failures.length > 0 || environments.length === 0 || coverage.some(({ rule, judged }) => own.has(rule) && judged > 0)) return [];
  return [{ stage: "judge", message: `nothing was judged: none of ${own.size} rules found anything that it speaks of` }];
}

/** What `mustJudge` would be about if all environments had been looked at. */
function unjudged({ config, rules, coverage }: Sum): readonly Remark[] {
  return config.mustJudge
    .filter((id) => rules.some(({ rule }) => rule.id === id) && !coverage.some(({ rule, judged }) => rule === id && judged > 0))
    .map((id) => ({ message: `mustJudge: "${id}" judged nothing in the environments of --env` }));
}

/** Invariants of the config that decided nothing, most likely because `of` is misspelt. */
function idle({ config, coverage, failures }: Sum): readonly Remark[] {
  return config.invariants
    .filter(({ id }) => !coverage.some(({ rule, judged }) => rule === id && judged > 0) && !failures.some(({ rule }) => rule === id))
    .filter(({ id }) => coverage.some(({ rule }) => rule === id))
    .map(({ id, of, origin }) => ({
      message: `"${id}" judged nothing${of === undefined ? "" : `: "${of}" matches nothing that was rendered`}`,
      location: origin,
    }));
}

/** 2 beats 1: a run that could not look is never green, and never merely red. */
function exitCodeOf(findings: readonly Finding[], failures: readonly Failure[], { failOn = "error", exitZero }: RunOptions): 0 | 1 | 2 {
  if (failures.length > 0) return exitCodes.incomplete;
  const failing = failOn !== "never" && findings.some(({ severity, status }) => status === "open" && reaches(severity, failOn));
  return failing && exitZero !== true ? exitCodes.findings : exitCodes.clean;
}

/** What is said of the configuration points into its file, which the config knows by its absolute path. */
function withReportPath<T extends Failure | Remark>(failure: T, reportPath: (file: string) => string): T {
  const { location } = failure;
  return location === undefined ? failure : { ...failure, location: { ...location, file: reportPath(location.file) } };
}
