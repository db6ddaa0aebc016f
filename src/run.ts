import { resolve } from "node:path";
import type { BaselineEntry } from "./baseline.js";
import type { Question } from "./check.js";
import type { Config, SetFlag } from "./config/types.js";
import type { DebtReport } from "./debts.js";
import { exitCodes } from "./errors.js";
import type { Failure, Severity } from "./findings.js";
import type { RenderJob, RenderPlan } from "./plan.js";
import type { Outcome } from "./render/helm.js";
import type { RunResult } from "./report/result.js";

/** What a run is asked to do; file names may be relative to `cwd`. */
export interface RunOptions {
  /** Chart folder, `.tgz`, manifest file, or `-`. Without it the charts of the config. */
  readonly target?: string;
  readonly config?: string;
  readonly cwd?: string;
  readonly values?: readonly string[];
  readonly sets?: readonly SetFlag[];
  readonly namespace?: string;
  readonly release?: string;
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
  /** Names of the environments to look at; all when empty. */
  readonly environments?: readonly string[];
  readonly only?: readonly string[];
  readonly deep?: boolean;
  readonly helm?: string;
  /** For one render. */
  readonly timeoutSeconds?: number;
  /** Bytes. */
  readonly maxOutput?: number;
  /** `2026-11-30`, UTC. */
  readonly today?: string;
  readonly root?: string;
  /** Files to read in place of values files: absolute file → absolute file. */
  readonly substitutes?: ReadonlyMap<string, string>;
  /** False shows what waivers cover. */
  readonly waivers?: boolean;
  /** A baseline file to hold the findings against. */
  readonly baseline?: string;
  /** Stale entries of the baseline are about to be taken out: they are no findings. */
  readonly pruneBaseline?: boolean;
  readonly failOn?: Severity | "never";
  readonly exitZero?: boolean;
  readonly stdin?: () => Promise<string>;
  /** False: findings of a chart get their template file and rendered lines, and nothing is rendered again. */
  readonly trace?: boolean;
  /** What will be shown: environments with lesser findings only are not rendered again. `warning` by default. */
  readonly minSeverity?: Severity;
  /** Every finding will be shown. */
  readonly traceNotes?: boolean;
  /** Told after each render. */
  readonly progress?: (done: number, total: number) => void;
}

/** The result of a run, with what the other commands show. */
export interface RunOutcome extends RunResult {
  /** Absolute. */
  readonly root: string;
  readonly debts: readonly DebtReport[];
  readonly questions: readonly Question[];
  readonly config: Config;
  readonly baseline?: { readonly entries: readonly BaselineEntry[]; readonly stale: readonly BaselineEntry[] };
}

/**
 * config → plan → render → parse → model → check → trace → waive, one statement a stage. helm is started before the later stages are
 * loaded. Throws InputError when nothing can be judged at all; whatever fails after that is in `failures`.
 */
export async function run(options: RunOptions): Promise<RunOutcome> {
  const cwd = options.cwd ?? process.cwd();
  const today = options.today ?? new Date().toISOString().slice(0, 10);
  const [{ configure, withSubstitutes }, { planRenders }, { findHelm, needsHelm, startRenders }, { rerenderer }] = await Promise.all([
    import("./configure.js"),
    import("./plan.js"),
    import("./render/helm.js"),
    import("./render/again.js"),
  ]);
  const config = withSubstitutes(await configure(options), options.substitutes);
  const only = options.environments?.length ? options.environments : undefined;
  const plan = planRenders(config, { ...(only && { only }), needsDefaults: knowsLatencies(config) });
  const helm = needsHelm(plan) ? await findHelm(options.helm === undefined ? {} : { helm: options.helm }) : undefined;
  const abort = new AbortController();
  const starting = startRenders(plan, helm, { ...renderOptions(options, plan), signal: abort.signal });
  try {
    const { onDone: _, ...settings } = { ...renderOptions(options, plan), signal: abort.signal };
    const rerender = rerenderer(helm, settings);
    return await judge({ config, plan, options, cwd, today, starting, rerender });
  } catch (error) {
    abort.abort();
    throw error;
  }
}

interface Started {
  readonly config: Config;
  readonly plan: RenderPlan;
  readonly options: RunOptions;
  readonly cwd: string;
  readonly today: string;
  readonly starting: readonly Promise<Outcome>[];
  readonly rerender: (job: RenderJob) => Promise<Outcome>;
}

/** The stages after the render was started. */
async function judge({ config, plan, options, cwd, today, starting, rerender }: Started): Promise<RunOutcome> {
  const only = options.environments?.length ? options.environments : undefined;
  const [
    { buildCharts },
    { checkAll, checkRun, reaches },
    { selectRules },
    { allRules },
    { resolveFacts },
    { traceFindings },
    { settle },
    { reportDebts },
    { mergeFindings },
    paths,
  ] = await Promise.all([
    import("./charts.js"),
    import("./check.js"),
    import("./ruleset.js"),
    import("./all-rules.js"),
    import("./config/facts.js"),
    import("./trace/trace.js"),
    import("./settle.js"),
    import("./debts.js"),
    import("./findings.js"),
    import("./root.js"),
  ]);
  const { requireKnownRules } = await import("./configure.js");
  const known = await allRules(config);
  requireKnownRules(config, known);
  const rules = selectRules(known, config, options);
  const { findSuspects, needsOf, rerun, chartReader } = await import("./deep/rerun.js");
  const needs = needsOf(new Set(rules.map(({ rule }) => rule.id)), options.deep === true || config.deep);
  const readChart = chartReader();
  // Templates are read while helm is at work.
  const suspecting = plan.jobs.map((job) => findSuspects(job, needs.dead, readChart));
  const outcomes = await Promise.all(starting);
  const root =
    options.root === undefined
      ? paths.findRoot(
          cwd,
          config.charts.map((chart) => chart.path),
        )
      : paths.realFolder(cwd, options.root);
  const named = (file: string) => paths.reportPath(root, file);

  const built = buildCharts({ config, outcomes, today, reportPath: named });
  const environments = built.charts.flatMap((chart) => chart.environments);
  const suspects = new Map(await Promise.all(plan.jobs.map(async (job, index) => [job, (await suspecting[index]) ?? []] as const)));
  const rendered = outcomes.flatMap(({ render }) => (render?.job.purpose === "environment" ? [render] : []));
  const reruns = new Map(
    await Promise.all(
      environments.map(async (environment) => {
        const own = rendered.find(({ job }) => job.environment === environment.name && job.chart === environment.chart.path);
        const seen =
          own === undefined ? {} : await rerun({ environment, rendered: own, rerender, needs, suspects: suspects.get(own.job) ?? [] });
        return [environment.name, seen] as const;
      }),
    ),
  );
  const checked = checkAll({
    config,
    rules,
    charts: built.charts,
    reruns,
    factsFor: (environment, kind, name, container) => resolveFacts(config, environment, { kind, name }, container),
  });
  const { templateFile } = await import("./render/template-file.js");
  const traced = await traceFindings({
    findings: checked.findings,
    environments,
    reportPath: named,
    templateFile,
    ...(options.trace !== false && {
      renders: outcomes.flatMap(({ render }) => render ?? []),
      rerender,
      ...(options.traceNotes !== true && { worth: options.minSeverity ?? "warning" }),
    }),
  });
  const debts = reportDebts(environments);
  const settled = await settle({
    findings: traced.findings,
    config,
    debts,
    today,
    reportPath: named,
    environments: environments.map(({ name }) => name),
    rules: rules.map(({ rule }) => rule.id),
    waivers: options.waivers !== false,
    baseline: options.baseline === undefined ? undefined : resolve(cwd, options.baseline),
  });
  const state = checkRun({
    config,
    rules,
    state: {
      waivers: settled.waivers,
      commentFaults: settled.commentFaults,
      stale: options.pruneBaseline === true ? [] : settled.stale,
      coverage: checked.coverage,
      environments: environments.map(({ name, manifests }) => ({ name, objects: manifests.all.length })),
      rules: rules.map(({ rule }) => rule.id),
      whole: only === undefined && !options.only?.length && built.failures().length === 0 && checked.failures.length === 0,
      today,
    },
  });
  const ofRun = await traceFindings({ findings: state.findings, environments, reportPath: named, templateFile });
  const findings = mergeFindings([...settled.findings, ...ofRun.findings]);
  const failures = [
    ...built.failures(),
    ...checked.failures.map((failure) => withReportPath(failure, named)),
    ...traced.failures,
    ...state.failures.map((failure) => withReportPath(failure, named)),
  ];
  const failing = findings.some(
    ({ severity, status }) => status === "open" && options.failOn !== "never" && reaches(severity, options.failOn ?? "error"),
  );
  return {
    findings,
    failures,
    coverage: [...checked.coverage, ...state.coverage],
    remarks: built.remarks,
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
      manifests: environments.reduce((sum, { manifests }) => sum + manifests.all.length, 0),
      workloads: environments.reduce((sum, { workloads }) => sum + workloads.length, 0),
    },
    exitCode: exitCodeOf(failures, failing, options),
    ...(config.file !== undefined && { configFile: named(config.file) }),
    charts: config.charts.map(({ path }) => (path === "-" ? "stdin" : named(path))),
    root,
    debts,
    questions: checked.questions,
    config,
    ...(settled.baseline !== undefined && { baseline: { entries: settled.baseline.entries, stale: settled.stale } }),
  };
}

function exitCodeOf(failures: readonly Failure[], failing: boolean, options: RunOptions): 0 | 1 | 2 {
  if (failures.length > 0) return exitCodes.incomplete;
  return failing && options.exitZero !== true ? exitCodes.findings : exitCodes.clean;
}

function renderOptions(options: RunOptions, plan: RenderPlan): Parameters<typeof import("./render/helm.js").startRenders>[2] {
  let done = 0;
  return {
    ...(options.timeoutSeconds !== undefined && { timeoutSeconds: options.timeoutSeconds }),
    ...(options.maxOutput !== undefined && { maxOutput: options.maxOutput }),
    ...(options.stdin !== undefined && { stdin: options.stdin }),
    onDone: () => options.progress?.(++done, plan.jobs.length),
  };
}

/** Whether the chart's own defaults are needed: a raised timeout is judged against them, and only where a latency was measured. */
function knowsLatencies(config: Config): boolean {
  return config.readings.length > 0;
}

/** What is said of the configuration points into its file, which the config knows by its absolute path. */
function withReportPath(failure: Failure, reportPath: (file: string) => string): Failure {
  const { location } = failure;
  return location === undefined ? failure : { ...failure, location: { ...location, file: reportPath(location.file) } };
}
