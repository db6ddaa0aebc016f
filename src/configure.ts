import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultConfig, findConfig } from "./config/defaults.js";
import type { ChartConfig, Config, RenderInput } from "./config/types.js";
import { ConfigError, UsageError } from "./errors.js";
import type { AnyRule } from "./rule.js";
import type { RunOptions } from "./run.js";

const helmFlags = ["values", "sets", "apiVersions"] as const;

/** The config of a run: from the file, from the command line, or both. Throws UsageError or ConfigError. */
export async function configure(options: RunOptions): Promise<Config> {
  const cwd = options.cwd ?? process.cwd();
  if (options.target !== undefined) {
    const base = options.config === undefined ? defaultConfig(cwd) : await load(resolve(cwd, options.config));
    return { ...base, charts: [chartOf(options.target, cwd, base, options)] };
  }
  const given = [
    ...helmFlags.filter((name) => options[name]?.length),
    ...(["namespace", "release", "kubeVersion"] as const).filter((name) => options[name]),
  ];
  const file = options.config === undefined ? findConfig(cwd) : resolve(cwd, options.config);
  if (file === undefined) {
    throw new UsageError(
      "no chart was named, and no helm-invariants.yaml was found in this folder or above it\ntry: helm-invariants check ./chart -f values-prod.yaml",
    );
  }
  if (given.length > 0)
    throw new UsageError(`helm's own flags need a chart argument: the config ${file} says how its environments are rendered`);
  const config = await load(file);
  if (config.charts.length === 0) {
    throw new UsageError("the config names no charts\ntry: helm-invariants check ./chart, or add charts: to the config", [
      { file, line: 1, column: 1, message: 'has no "charts", and no chart was named on the command line' },
    ]);
  }
  return config;
}

/** A config whose environments read other files in place of some values files; of a chart's own values the other file is read after it. */
export function withSubstitutes(config: Config, substitutes: ReadonlyMap<string, string> | undefined): Config {
  if (substitutes === undefined || substitutes.size === 0) return config;
  const charts = config.charts.map((chart) => {
    const own = substitutes.get(join(chart.path, "values.yaml"));
    const read = <T extends RenderInput>(input: T): T => ({
      ...input,
      values: [...(own === undefined ? [] : [own]), ...input.values.map((file) => substitutes.get(file) ?? file)],
    });
    return { ...chart, environments: chart.environments.map(read), refusals: chart.refusals.map(read) };
  });
  return { ...config, charts };
}

/** Throws ConfigError when the config speaks of rules, or options of rules, that do not exist. */
export async function requireKnownRules(config: Config, rules: readonly AnyRule[]): Promise<void> {
  if (config.file === undefined) return;
  const { checkRuleIds } = await import("./config/load.js");
  const complaints = checkRuleIds(
    config,
    rules.map(({ id, options }) => ({ id, ...(options && { options }) })),
  );
  if (complaints.length > 0) throw new ConfigError("the config names what does not exist", complaints);
}

/** Reading YAML takes longer to load than all before it, and a run without a config starts helm first. */
async function load(file: string): Promise<Config> {
  const { loadConfig } = await import("./config/load.js");
  return loadConfig(file);
}

function chartOf(target: string, cwd: string, base: Config, options: RunOptions): ChartConfig {
  const path = target === "-" ? "-" : resolve(cwd, target);
  const flags = [
    ...helmFlags.filter((name) => options[name]?.length),
    ...(["release", "kubeVersion"] as const).filter((name) => options[name]),
  ];
  if (isManifestFile(path) && flags.length > 0) {
    throw new UsageError(`"${target}" is rendered already: helm's own flags (-f, --set, …) need a chart`);
  }
  if (options.namespace !== undefined && !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(options.namespace)) {
    throw new UsageError(`--namespace is "${options.namespace}", expected a name of lower-case letters, digits and dashes`);
  }
  for (const file of options.values ?? []) refuseStream(file, cwd);
  return {
    path,
    kind: isManifestFile(path) ? "manifests" : "chart",
    environments: [
      {
        name: "default",
        release: options.release ?? "release-name",
        namespace: options.namespace ?? "default",
        ...(options.kubeVersion !== undefined && { kubeVersion: threeParts(options.kubeVersion) }),
        apiVersions: options.apiVersions ?? [],
        values: (options.values ?? []).map((file) => resolve(cwd, file)),
        sets: options.sets ?? [],
        ...(base.nodes !== undefined && { nodes: base.nodes }),
        ...(base.deploy !== undefined && { deploy: base.deploy }),
        external: base.external,
        ...(base.externalDeclared !== undefined && { externalDeclared: base.externalDeclared }),
      },
    ],
    refusals: [],
  };
}

/** helm is run more than once, and a stream can be read only once. */
function refuseStream(file: string, cwd: string): void {
  const found = file === "-" ? undefined : statSync(resolve(cwd, file), { throwIfNoEntry: false });
  if (file !== "-" && (found === undefined || found.isFile() || found.isDirectory())) return;
  throw new UsageError(`-f "${file}" is a stream, and helm has to read it more than once: write the values to a file first`);
}

function isManifestFile(path: string): boolean {
  if (path === "-") return true;
  return !/\.(tgz|tar\.gz)$/.test(path) && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
}

/** helm 4.1 keeps `1.31` as `v1.31`, where helm 3 makes `v1.31.0` of it: always three parts. */
function threeParts(version: string): string {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?(.*)$/.exec(version);
  if (match === null) throw new UsageError(`--kube-version is "${version}", expected a version such as 1.31`);
  return `${match[1]}.${match[2]}.${match[3] ?? 0}${match[4] ?? ""}`;
}
