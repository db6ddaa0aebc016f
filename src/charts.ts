import { unmatchedFacts } from "./config/facts.js";
import type { ChartConfig, Config } from "./config/types.js";
import type { Failure, Remark } from "./findings.js";
import type { Chart, Environment, RefusalOutcome } from "./model/types.js";
import type { Modeller } from "./modelling.js";
import type { Outcome, Rendered, RenderFailure } from "./render/outcome.js";

/** The charts of a run as Kubernetes will see them, and what could not be looked at. */
export interface Built {
  readonly charts: readonly Chart[];
  readonly remarks: readonly Remark[];
  /** Failures so far. Asked again after the check there may be more: documents are parsed when a rule wants them. */
  failures(): readonly Failure[];
}

/** Puts together what was rendered: the models of the environments, and what came of the refusals. */
export function buildCharts(input: {
  readonly config: Config;
  readonly outcomes: readonly Outcome[];
  readonly modelOf: Modeller;
  readonly reportPath: (file: string) => string;
}): Built {
  const { config, outcomes } = input;
  const rendered = outcomes.flatMap(({ render }) => render ?? []);
  const failed = outcomes.flatMap(({ failure }) => failure ?? []);
  const charts = config.charts.map((chart) => buildChart(chart, rendered, failed, input.modelOf));
  const environments = charts.flatMap((chart) => chart.environments);
  // The chart refusing what it must refuse is no failure; the chart's own defaults may need values that they do not have.
  const isFailure = ({ job, kind }: RenderFailure) => job.purpose === "environment" || (job.purpose === "refusal" && kind !== "helm");
  const renderFailures = failed.filter(isFailure).map((failure) => failureOf(failure, input.reportPath));
  return {
    charts,
    remarks: [...remarksOf(config, environments, input.reportPath), ...rendered.flatMap(warningsOf)],
    failures: () => [
      ...renderFailures,
      ...environments.flatMap((environment) =>
        environment.manifests.faults.map(
          (fault): Failure => ({
            stage: "parse",
            environment: environment.name,
            message: `${fault.source ?? "the manifest"}, rendered line ${fault.line}: ${fault.message}`,
            ...(environment.chart.kind === "manifests" && environment.chart.path !== "-"
              ? { location: { file: input.reportPath(environment.chart.path), line: fault.line } }
              : {}),
          }),
        ),
      ),
    ],
  };
}

function buildChart(chart: ChartConfig, rendered: readonly Rendered[], failed: readonly RenderFailure[], modelOf: Modeller): Chart {
  const own = rendered.filter(({ job }) => job.chart === chart.path);
  const defaults = own.find(({ job }) => job.purpose === "defaults");
  const refusals = chart.refusals.flatMap((refusal): RefusalOutcome[] => {
    const isOf = ({ job }: { readonly job: Rendered["job"] }) =>
      job.chart === chart.path && job.purpose === "refusal" && job.environment === refusal.name;
    const render = own.find(isOf);
    const failure = failed.find(isOf);
    if (render === undefined && failure?.kind !== "helm") return [];
    const { name, because, origin } = refusal;
    return [
      {
        name,
        because,
        rendered: render !== undefined,
        message: failure?.message ?? "",
        said: failure?.said ?? failure?.message ?? "",
        ...(origin && { origin }),
      },
    ];
  });
  const environments = own.filter(({ job }) => job.purpose === "environment").map((render) => modelOf(render, defaults));
  return { path: chart.path, environments, refusals };
}

function failureOf(failure: RenderFailure, reportPath: (file: string) => string): Failure {
  const { location } = failure;
  return {
    stage: "render",
    environment: failure.job.environment,
    message: failure.message,
    ...(location && { location: { ...location, file: reportPath(location.file) } }),
  };
}

function warningsOf(render: Rendered): readonly Remark[] {
  return render.warnings.map((warning) => ({ message: `helm, in ${render.job.environment}: ${warning}`, minor: true }));
}

function remarksOf(config: Config, environments: readonly Environment[], reportPath: (file: string) => string): readonly Remark[] {
  if (config.facts.length === 0 && config.readings.length === 0) return [];
  const subjects = environments.flatMap((environment) =>
    environment.workloads.map(({ kind, name, containers }) => ({
      environment: environment.name,
      kind,
      name,
      containers: containers.map((container) => container.name),
    })),
  );
  return unmatchedFacts(config, subjects).map(({ message, entry }) => ({
    message,
    location: { file: reportPath(entry.origin.file), line: entry.origin.line, column: entry.origin.column },
  }));
}
