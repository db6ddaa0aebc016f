import { dirname, resolve } from "node:path";
import { ConfigError } from "../errors.js";
import { chartsOf, clusterOf } from "./charts.js";
import { collectComplaints, isRecord, sortComplaints } from "./complaints.js";
import { child, flag, items, rootOf, text, word } from "./cursor.js";
import { defaultConfig } from "./defaults.js";
import { debtsOf, invariantsOf, pluginsOf, ruleOrigins, rulesOf, waiversOf } from "./entries.js";
import { factEntriesOf } from "./fact-entries.js";
import { freeze } from "./facts.js";
import { validateConfig } from "./generated/validate.js";
import { readingsOf } from "./readings.js";
import { type Path, parseSource, readText, type Source } from "./source.js";
import type { Config } from "./types.js";

export { defaultConfig, findConfig } from "./defaults.js";

export { checkRuleIds, type KnownRule } from "./rule-ids.js";

/** Reads, validates and resolves a config file, with the readings that it names. Frozen. Throws ConfigError with every complaint, by line. */
export function loadConfig(file: string): Config {
  const read = readText(file);
  if ("fault" in read) throw new ConfigError(`${read.fault.file}: ${read.fault.message}`, [read.fault]);
  return resolveConfig(parseSource(read.text, file), resolve(file), dirname(resolve(file)));
}

/**
 * A config from a piece of YAML: the content of a `config:` key, still indented as in `file`, or that key itself with its content. `lineOffset` is the number
 * of lines before it. An empty piece is an empty config. Relative paths start from `folder`. Frozen. Throws ConfigError with every complaint, by line.
 */
export function loadConfigFragment(value: string, file: string, folder: string, lineOffset = 0): Config {
  return resolveConfig(contentOf(parseSource(value, file, lineOffset)), resolve(file), resolve(folder));
}

function contentOf(source: Source): Source {
  const { value } = source;
  if (value === null) return { ...source, value: {} };
  if (!isRecord(value) || Object.keys(value).join() !== "config") return source;
  const inside = (path: Path): Path => ["config", ...path];
  return {
    ...source,
    value: value["config"] ?? {},
    at: (path) => source.at(inside(path)),
    keyAt: (path) => source.keyAt(inside(path)),
    written: (path) => source.written(inside(path)),
    within: (path, offset) => source.within(inside(path), offset),
  };
}

function resolveConfig(source: Source, file: string, folder: string): Config {
  const complaints = collectComplaints();
  complaints.validate(source, validateConfig);
  const root = rootOf(source, complaints);
  const at = (key: string) => child(root, key);
  const cluster = clusterOf(root, { external: [] });
  const charts = chartsOf(root, folder, cluster);
  const known = charts.flatMap((chart) => chart.environments.map((environment) => environment.name));
  const config: Config = {
    ...defaultConfig(folder),
    ...cluster,
    file,
    charts,
    facts: factEntriesOf(at("facts"), known),
    readings: readingsOf(at("readings"), folder, known),
    preset: word(at("preset"), ["recommended", "strict"] as const) ?? "recommended",
    deep: flag(at("deep")) ?? false,
    rules: rulesOf(at("rules")),
    plugins: pluginsOf(at("plugins"), folder),
    invariants: invariantsOf(at("invariants"), known),
    mustJudge: items(at("mustJudge")).flatMap((item) => text(item) ?? []),
    waivers: waiversOf(at("waivers"), known),
    debts: debtsOf(at("debts"), known),
    waiverNeedsExpiry: flag(at("waiversNeedExpiry")) ?? false,
    ruleOrigins: ruleOrigins(root),
  };
  if (complaints.list.length > 0) throw failure(complaints.list.length, source.file, sortComplaints(complaints.list));
  return freeze(config);
}

function failure(count: number, file: string, list: ConfigError["complaints"]): ConfigError {
  return new ConfigError(`${count} ${count === 1 ? "fault" : "faults"} in ${file}`, list);
}
