import { resolve } from "node:path";
import type { Config } from "./config/types.js";
import type { RenderJob, RenderPlan } from "./plan.js";
import type { Outcome } from "./render/outcome.js";
import type { RunOptions, RunOutcome } from "./run-options.js";

export type { RunOptions, RunOutcome } from "./run-options.js";

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
  const [charts, check, ruleset, all, facts, deep, trace, templates, settling, owed, summing, paths, configuring] = await Promise.all([
    import("./charts.js"),
    import("./check.js"),
    import("./ruleset.js"),
    import("./all-rules.js"),
    import("./config/facts.js"),
    import("./deep/rerun.js"),
    import("./trace/trace.js"),
    import("./render/template-file.js"),
    import("./settle.js"),
    import("./debts.js"),
    import("./summing.js"),
    import("./root.js"),
    import("./configure.js"),
  ]);
  const known = await all.allRules(config);
  configuring.requireKnownRules(config, known);
  const rules = ruleset.selectRules(known, config, options);
  const ids = rules.map(({ rule }) => rule.id);
  const { root, reportPath } = paths.openRoot(cwd, options.root, config);
  // Templates are read while helm is at work.
  const suspecting = deep.suspectAll(plan, deep.needsOf(ids, options.deep === true || config.deep));

  const outcomes = await Promise.all(starting);
  const built = charts.buildCharts({ config, outcomes, today, reportPath });
  const environments = built.charts.flatMap((chart) => chart.environments);
  const renders = outcomes.flatMap(({ render }) => render ?? []);
  const reruns = await deep.rerunAll({ environments, renders, rerender, suspecting });
  const checked = check.checkAll({
    config,
    rules,
    charts: built.charts,
    reruns,
    factsFor: (environment, kind, name, container) => facts.resolveFacts(config, environment, { kind, name }, container),
  });
  const tracing = { environments, reportPath, templateFile: templates.templateFile, ...(options.trace !== false && { renders, rerender }) };
  const worth = options.traceNotes === true ? {} : { worth: options.minSeverity ?? "warning" };
  const traced = await trace.traceFindings({ ...tracing, ...worth, findings: checked.findings });
  const debts = owed.reportDebts(environments);
  const settled = await settling.settle({
    findings: traced.findings,
    config,
    debts,
    today,
    reportPath,
    environments: environments.map(({ name }) => name),
    rules: ids,
    waivers: options.waivers !== false,
    baseline: options.baseline === undefined ? undefined : resolve(cwd, options.baseline),
  });
  const failed = [...built.failures(), ...checked.failures, ...traced.failures];
  const part = Boolean(options.environments?.length);
  const ofRun = check.checkRun({
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
  const located = await trace.traceFindings({ ...tracing, findings: ofRun.findings });
  return summing.sumUp({
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
    remarks: built.remarks,
    questions: checked.questions,
    debts,
    ...(settled.baseline !== undefined && { baseline: { entries: settled.baseline.entries, stale: settled.stale } }),
  });
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
