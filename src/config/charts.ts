import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { normalizeKubeVersion } from "../model/version.js";
import { isRecord, quote, showPath } from "./complaints.js";
import {
  type Cursor,
  child,
  complain,
  defined,
  entries,
  flag,
  globs,
  items,
  keyOriginOf,
  keyOrigins,
  numeric,
  originOf,
  seconds,
  text,
  texts,
} from "./cursor.js";
import { namedFile, noSuchFile, statOf } from "./files.js";
import { setsOf } from "./sets.js";
import type { ChartConfig, Deploy, EnvironmentConfig, Origin, RefusalConfig, RenderInput, SetFlag } from "./types.js";

/** What helm itself takes when nothing is said. */
export const renderDefaults = { release: "release-name", namespace: "default" } as const;

/** What holds for all environments below: `deploy`, `nodes` and `external` of the config, of a chart, of an environment. */
export interface Cluster {
  readonly nodes?: number;
  readonly deploy?: Deploy;
  readonly external: readonly string[];
  /** Whether some level says what is external, be it nothing. */
  readonly externalDeclared?: boolean;
}

/** The cluster settings of one level merged into those of the level above. */
export function clusterOf(owner: Cursor, above: Cluster): Cluster {
  const own = child(owner, "deploy");
  const read = defined({
    with: text(child(own, "with")),
    helm: ([3, 4] as const).find((major) => major === child(own, "helm").value),
    wait: flag(child(own, "wait")),
    timeout: seconds(child(own, "timeout")),
    ciWait: seconds(child(own, "ciWait")),
    automatic: flag(child(own, "automatic")),
  });
  const declaredAt = { ...above.deploy?.declaredAt, ...keyOrigins(own) };
  const deploy = own.value === undefined ? above.deploy : { ...above.deploy, ...read, declaredAt };
  const external = [...new Set([...above.external, ...(globs(child(owner, "external")) ?? [])])];
  const externalDeclared = above.externalDeclared ?? (child(owner, "external").value === undefined ? undefined : true);
  return { ...defined({ nodes: numeric(child(owner, "nodes")) ?? above.nodes, deploy, externalDeclared }), external };
}

/** What helm gets at one level, after what the level above says. */
interface Inputs {
  readonly release: string | undefined;
  readonly namespace: string | undefined;
  readonly kubeVersion: string | undefined;
  readonly apiVersions: readonly string[];
  readonly values: readonly string[];
  readonly sets: readonly SetFlag[];
}

function inputsOf(owner: Cursor, folder: string, above?: Inputs): Inputs {
  const kubeVersion = text(child(owner, "kubeVersion"));
  return {
    release: text(child(owner, "release")) ?? above?.release,
    namespace: text(child(owner, "namespace")) ?? above?.namespace,
    kubeVersion: (kubeVersion === undefined ? undefined : normalizeKubeVersion(kubeVersion)) ?? above?.kubeVersion,
    apiVersions: [...(above?.apiVersions ?? []), ...(texts(child(owner, "apiVersions")) ?? [])],
    values: [...(above?.values ?? []), ...items(child(owner, "values")).flatMap((item) => namedFile(item, folder, "a values file") ?? [])],
    sets: [...(above?.sets ?? []), ...setsOf(owner, folder)],
  };
}

function renderInput(inputs: Inputs): RenderInput {
  const { release = renderDefaults.release, namespace = renderDefaults.namespace, kubeVersion, ...lists } = inputs;
  return { release, namespace, ...defined({ kubeVersion }), ...lists };
}

/** The charts of a config with all that stands above their environments merged in. Complains about missing files and names that stand twice. */
export function chartsOf(root: Cursor, folder: string, cluster: Cluster): readonly ChartConfig[] {
  const taken = new Map<string, Origin>();
  return items(child(root, "charts")).map((chart) => {
    const found = locateChart(child(chart, "path"), folder);
    const inputs = inputsOf(chart, folder);
    const environments = environmentsOf(chart, folder, inputs, clusterOf(chart, cluster), taken);
    const refusals = entries(child(chart, "refusals")).map(
      ([name, refusal]): RefusalConfig => ({
        ...renderInput(inputsOf(refusal, folder, inputs)),
        name,
        because: text(child(refusal, "because")) ?? "",
        origin: keyOriginOf(refusal),
      }),
    );
    return { ...found, environments, refusals };
  });
}

function environmentsOf(
  chart: Cursor,
  folder: string,
  inputs: Inputs,
  cluster: Cluster,
  taken: Map<string, Origin>,
): readonly EnvironmentConfig[] {
  const map = child(chart, "environments");
  const named = entries(map);
  // A list, say, was complained about; to go on with `default` would only make the names in `in:` look wrong too.
  if (named.length === 0 && map.value !== undefined && map.value !== null && !isRecord(map.value)) return [];
  if (named.length === 0) {
    take(chart, "default", originOf(chart), taken);
    return [{ ...renderInput(inputs), ...cluster, name: "default", origin: originOf(chart) }];
  }
  return named.map(([name, environment]) => {
    const origin = keyOriginOf(environment);
    take(environment, name, origin, taken);
    return { ...renderInput(inputsOf(environment, folder, inputs)), ...clusterOf(environment, cluster), name, origin };
  });
}

function take(cursor: Cursor, name: string, origin: Origin, taken: Map<string, Origin>): void {
  const first = taken.get(name);
  if (first === undefined) {
    taken.set(name, origin);
    return;
  }
  const what = cursor.path.length === 2 ? `${showPath(cursor.source, cursor.path)} has no environments and gets` : "there is a second";
  const message = `${what} environment ${quote(name)}, but line ${first.line} has one of that name, expected different names (lines ${first.line} and ${origin.line})`;
  cursor.complaints.add(origin, message);
}

function locateChart(cursor: Cursor, folder: string): Pick<ChartConfig, "path" | "kind"> {
  const given = text(cursor);
  if (given === undefined || given === "") return { path: "", kind: "chart" };
  const path = resolve(folder, given);
  const stat = statOf(path);
  if (stat === undefined) complain(cursor, noSuchFile(path, given, "a chart folder, a .tgz or a file of manifests"));
  if (stat?.isDirectory() && !existsSync(join(path, "Chart.yaml"))) complain(cursor, "a folder without Chart.yaml, expected a chart");
  const isChart = stat === undefined || stat.isDirectory() || /\.(?:tgz|tar\.gz)$/.test(path);
  return { path, kind: isChart ? "chart" : "manifests" };
}
