import type { Config } from "./config/types.js";
import { parseManifests } from "./manifest/parse.js";
import type { Manifests } from "./manifest/types.js";
import { buildEnvironment } from "./model/environment.js";
import type { Environment } from "./model/types.js";
import type { Rendered } from "./render/outcome.js";

/** Gives the model of what one job rendered; `defaults` is the render of the same chart with its own values, where there is one. */
export type Modeller = (render: Rendered, defaults: Rendered | undefined) => Environment;

/** Models each render once, whoever asks first. */
export function createModeller({ config, today }: { readonly config: Config; readonly today: string }): Modeller {
  const known = new Map<Rendered, Environment>();
  return modelOf;

  function modelOf(render: Rendered, defaults: Rendered | undefined): Environment {
    const built = known.get(render) ?? build(render, defaults === undefined ? undefined : modelOf(defaults, undefined));
    known.set(render, built);
    return built;
  }

  function build({ job, text }: Rendered, defaults: Environment | undefined): Environment {
    const chart = config.charts.find(({ path }) => path === job.chart);
    const settings = chart?.environments.find(({ name }) => name === job.environment) ?? chart?.environments[0];
    return buildEnvironment({
      name: job.environment,
      chart: { path: job.chart, kind: job.kind },
      release: job.release,
      namespace: job.namespace,
      kubeVersion: job.kubeVersion,
      nodes: settings?.nodes,
      deploy: settings?.deploy,
      external: settings?.external ?? [],
      externalDeclared: settings?.externalDeclared,
      debts: config.debts,
      today,
      manifests: readManifests(text, job.kind),
      defaults,
    });
  }
}

/** Kinds that most rules look at. */
const usual = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "Service",
  "ConfigMap",
  "Secret",
  "PodDisruptionBudget",
  "HorizontalPodAutoscaler",
];

/** The objects of a render, with what most rules want of them. */
function readManifests(text: string, from: Rendered["job"]["kind"]): Manifests {
  const manifests = parseManifests(text);
  for (const kind of usual) for (const manifest of manifests.ofKind(kind)) void manifest.body;
  for (const manifest of manifests.all) {
    // helm has read all that it has rendered, so that only a file of manifests can hold what is no YAML
    void (from === "manifests" ? manifest.body : manifest.metadata);
    void manifest.duplicateKeys;
  }
  return manifests;
}
