import { resolve } from "node:path";
import type { FactLookup } from "./check.js";
import type { Config } from "./config/types.js";
import { configure, requireKnownRules, withSubstitutes } from "./configure.js";
import type { Environment } from "./model/types.js";
import { planRenders, type RenderJob, type RenderPlan } from "./plan.js";
import { rerenderer } from "./render/again.js";
import { findHelm, needsHelm, startRenders } from "./render/helm.js";
import type { Outcome, Rendered } from "./render/outcome.js";
import type { RunOptions, RunOutcome } from "./run-options.js";
import type { TraceInput, TraceResult } from "./trace/trace.js";

export type { RunOptions, RunOutcome } from "./run-options.js";

/**
 * config → plan → render → parse → model → check → trace → waive, one statement a stage. helm is started before the later stages are
 * loaded. Throws InputError when nothing can be judged at all; whatever fails after that is in `failures`.
 */
export async function run(options: RunOptions): Promise<RunOutcome> {
  const cwd = options.cwd ?? process.cwd();
  const today = options.today ?? new Date().toISOString().slice(0, 10);
  const config = withSubstitutes(await configure(options), options.substitutes);
  const only = options.environments?.length ? options.environments : undefined;
  const plan = planRenders(config, { ...(only && { only }), needsDefaults: knowsLatencies(config) });
  const helm = needsHelm(plan) ? await findHelm(options.helm === undefined ? {} : { helm: options.helm }) : undefined;
  const abort = new AbortController();
  const starting = startRenders(plan, helm, { ...renderOptions(options, plan), signal: abort.signal });
  try {
    const rerender = rerenderer(helm, { ...renderOptions(options, plan), onDone: () => undefined, signal: abort.signal });
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

/** The stages after the render was started, one statement each. */
async function judge({ config, plan, options, cwd, today, starting, rerender }: Started): Promise<RunOutcome> {
  // Loaded while helm is at work.
  const {
    allRules,
    buildCharts,
    checkRun,
    createChecker,
    createModeller,
    findComments,
    judgeEach,
    needsOf,
    openRoot,
    reportDebts,
    resolveFacts,
    selectRules,
    settle,
    sumUp,
    wantsReruns,
  } = await import("./stages.js");
  const known = await allRules(config);
  await requireKnownRules(config, known);
  const rules = selectRules(known, config, options);
  const ids = rules.map(({ rule }) => rule.id);
  const { root, reportPath } = openRoot(cwd, options.root, config);
  // Comments and templates are read while helm is at work.
  const comments =
    options.waivers === false
      ? undefined
      : findComments(
          config,
          reportPath,
          known.map(({ id }) => id),
        );
  const needs = needsOf(ids, options.deep === true || config.deep);
  const rerunning = wantsReruns(needs, plan) ? await import("./deep/rerun.js") : undefined;
  const suspecting = rerunning?.suspectAll(plan, needs);

  const modelOf = createModeller({ config, today });
  const factsFor: FactLookup = (environment, kind, name, ...container) => resolveFacts(config, environment, { kind, name }, ...container);
  const checker = createChecker({ config, rules, factsFor });
  const rerun =
    rerunning &&
    suspecting &&
    ((environment: Environment, rendered: Rendered) => rerunning.rerun({ environment, rendered, rerender, suspecting }));
  const outcomes = await judgeEach({ plan, starting, modelOf, checker, rerun });
  const built = buildCharts({ config, outcomes, modelOf, reportPath });
  const environments = built.charts.flatMap((chart) => chart.environments);
  const renders = outcomes.flatMap(({ render }) => render ?? []);
  const checked = checker.finish(built.charts);
  const tracing = { environments, reportPath, ...(options.trace !== false && { renders, rerender }) };
  const worth = options.traceNotes === true ? {} : { worth: options.minSeverity ?? "warning" };
  const traced = await traceLazily({ ...tracing, ...worth, findings: checked.findings });
  const debts = reportDebts(environments);
  const settled = settle({
    findings: traced.findings,
    config,
    debts,
    today,
    reportPath,
    environments: environments.map(({ name }) => name),
    rules: ids,
    comments,
    baseline: options.baseline === undefined ? undefined : resolve(cwd, options.baseline),
  });
  const failed = [...built.failures(), ...checked.failures, ...traced.failures];
  const part = Boolean(options.environments?.length);
  const ofRun = checkRun({
    config,
    rules,
    state: {
      waivers: settled.waivers,
      commentFaults: settled.commentFaults,
      stale: options.pruneBaseline === true ? [] : settled.stale,
      coverage: checked.coverage,
      environments: environments.map(({ name, manifests }) => ({ name, objects: manifests.all.length })),
      rules: ids,
      part,
      whole: !part && !options.only?.length && failed.length === 0,
      today,
    },
  });
  const located = await traceLazily({ ...tracing, findings: ofRun.findings });
  return sumUp({
    options,
    config,
    plan,
    rules,
    root,
    reportPath,
    environments,
    findings: [...settled.findings, ...located.findings],
    failures: [...failed, ...ofRun.failures],
    coverage: [...checked.coverage, ...ofRun.coverage],
    remarks: [...built.remarks, ...traced.remarks],
    questions: checked.questions,
    debts,
    ...(settled.baseline !== undefined && { baseline: { entries: settled.baseline.entries, stale: settled.stale } }),
  });
}

/** Nothing is loaded when there is nothing to point at. */
async function traceLazily(input: Omit<TraceInput, "templateFile">): Promise<TraceResult> {
  if (input.findings.length === 0) return { findings: [], failures: [], remarks: [] };
  const [{ traceFindings }, { templateFile }] = await Promise.all([import("./trace/trace.js"), import("./render/template-file.js")]);
  return traceFindings({ ...input, templateFile });
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
