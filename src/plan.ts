import type { ChartConfig, Config, EnvironmentConfig, Origin, RenderInput } from "./config/types.js";
import { UsageError } from "./errors.js";
import { nearest } from "./spelling.js";

/** One render, or one manifest file to read. */
export interface RenderJob extends RenderInput {
  /** Unique within the plan and the same in every run. */
  readonly id: string;
  /** `environment`: to be judged; `defaults`: the chart without overlays; `refusal`: must not render. */
  readonly purpose: "environment" | "defaults" | "refusal";
  /** Name of the environment or refusal; `defaults` for the chart's own values. */
  readonly environment: string;
  /** Absolute path, or `-` for standard input. */
  readonly chart: string;
  readonly kind: "chart" | "manifests";
  /** Where the config declares it. */
  readonly origin?: Origin;
}

/** Everything to render, in the order of the config. */
export interface RenderPlan {
  readonly jobs: readonly RenderJob[];
}

/** What a run asks of the plan. */
export interface PlanOptions {
  /** Names of environments (or refusals) to render; absent = all. */
  readonly only?: readonly string[];
  /** Also render each chart that has overlays without them. */
  readonly needsDefaults?: boolean;
}

/** The renders that a config asks for. Throws UsageError when `only` names what the config does not have. */
export function planRenders(config: Config, options: PlanOptions = {}): RenderPlan {
  const { only, needsDefaults = false } = options;
  if (only !== undefined) refuseUnknown(only, config);
  const wanted = (name: string) => only === undefined || only.includes(name);
  const jobs = config.charts.flatMap((chart, index) => {
    const environments = chart.environments.filter((environment) => wanted(environment.name));
    const refusals = chart.kind === "chart" ? chart.refusals.filter((refusal) => wanted(refusal.name)) : [];
    return [
      // The first: every environment is judged against it.
      ...(needsDefaults ? defaultsJob(chart, index, environments) : []),
      ...environments.map((environment) => job(chart, index, "environment", environment.name, environment)),
      ...refusals.map((refusal) => job(chart, index, "refusal", refusal.name, refusal)),
    ];
  });
  return { jobs };
}

function defaultsJob(chart: ChartConfig, index: number, environments: readonly EnvironmentConfig[]): readonly RenderJob[] {
  const [first] = environments;
  if (first === undefined || chart.kind !== "chart") return [];
  if (environments.every((environment) => environment.values.length === 0 && environment.sets.length === 0)) return [];
  return [job(chart, index, "defaults", "defaults", { ...first, values: [], sets: [] })];
}

function job(
  chart: ChartConfig,
  index: number,
  purpose: RenderJob["purpose"],
  environment: string,
  input: RenderInput & { readonly origin?: Origin },
): RenderJob {
  return {
    id: `${index}/${purpose}/${environment}`,
    purpose,
    environment,
    chart: chart.path,
    kind: chart.kind,
    release: input.release,
    namespace: input.namespace,
    ...(input.kubeVersion === undefined ? {} : { kubeVersion: input.kubeVersion }),
    apiVersions: input.apiVersions,
    values: input.values,
    sets: input.sets,
    ...(input.origin === undefined ? {} : { origin: input.origin }),
  };
}

function refuseUnknown(only: readonly string[], config: Config): void {
  const environments = unique(config.charts.flatMap((chart) => chart.environments.map((environment) => environment.name)));
  const refusals = config.charts.flatMap((chart) => chart.refusals.map((refusal) => refusal.name));
  const known = [...environments, ...refusals];
  const unknown = unique(only).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const complaints = unknown.map((name) => {
    const near = nearest(name, known);
    const advice = near === undefined ? `there is ${listed(environments)}` : `did you mean "${near}"?`;
    return `unknown environment "${name}", ${advice}`;
  });
  throw new UsageError(complaints.join("; "));
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `"${name}"`).join(", ");
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
