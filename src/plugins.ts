import { pathToFileURL } from "node:url";
import type { Config, FactName } from "./config/types.js";
import { RuleLoadError } from "./errors.js";
import type { AnyRule } from "./rule.js";
import { nearest } from "./spelling.js";

/** Given by bin/: the bundle is a script, which cannot import by itself. */
declare const __importModule: ((url: string) => Promise<unknown>) | undefined;

const importModule = typeof __importModule === "function" ? __importModule : (url: string): Promise<unknown> => import(url);

const scopes = new Set(["manifest", "container", "workload", "environment", "chart"]);
const severities = new Set(["error", "warning", "note"]);
const parts = ["id", "summary", "scope", "severity", "facts", "kinds", "options", "deep", "category", "failure", "check"];
const factNames: readonly string[] = Object.keys({
  boot: 0,
  pull: 0,
  run: 0,
  drain: 0,
  listen: 0,
  ports: 0,
  basePath: 0,
  allowedHosts: 0,
  binaries: 0,
  serves: 0,
  waitsFor: 0,
  heapOverhead: 0,
  sharedPaths: 0,
  env: 0,
  checks: 0,
  gates: 0,
  endpoints: 0,
  readings: 0,
  nodes: 0,
  deploy: 0,
  external: 0,
} satisfies Record<FactName, 0>);

/** Loads the rule modules that the config names; each exports one rule, or a list of them, as its default. Throws RuleLoadError with every fault. */
export async function loadPlugins(config: Config): Promise<readonly AnyRule[]> {
  const complaints: { file: string; line: number; column: number; message: string }[] = [];
  const rules: AnyRule[] = [];
  for (const { path, origin } of config.plugins) {
    const complain = (message: string) => complaints.push({ ...origin, message: `plugin "${path}" ${message}` });
    const loaded: unknown = await importModule(pathToFileURL(path).href).catch((error: unknown) => {
      complain(`cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    });
    if (loaded === undefined) continue;
    const exported = (loaded as { default?: unknown }).default;
    if (exported === undefined) complain("has no default export, expected a rule or a list of rules");
    else {
      for (const rule of Array.isArray(exported) ? exported : [exported]) {
        const fault = faultOf(rule);
        if (fault === undefined) rules.push(rule as AnyRule);
        else complain(`does not export a rule: ${fault}`);
      }
    }
  }
  const seen = new Set<string>();
  for (const rule of rules) {
    if (seen.has(rule.id))
      complaints.push({ file: config.file ?? "", line: 1, column: 1, message: `two plugins define the rule "${rule.id}"` });
    seen.add(rule.id);
  }
  if (complaints.length > 0) throw new RuleLoadError("a rule module is wrong", complaints);
  return rules;
}

function faultOf(rule: unknown): string | undefined {
  if (typeof rule !== "object" || rule === null)
    return `found ${rule === null ? "null" : `a ${typeof rule}`}, expected an object with id, summary, scope, severity and check`;
  const { id, summary, scope, severity, check, ...rest } = rule as Record<string, unknown>;
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/.test(id))
    return `id is ${show(id)}, expected two kebab-case words with a slash, such as "acme/team-label"`;
  if (typeof summary !== "string" || summary === "") return `${id}: summary is ${show(summary)}, expected one sentence`;
  if (typeof scope !== "string" || !scopes.has(scope)) return `${id}: scope is ${show(scope)}, expected one of ${[...scopes].join(", ")}`;
  if (typeof severity !== "string" || !severities.has(severity))
    return `${id}: severity is ${show(severity)}, expected one of ${[...severities].join(", ")}`;
  if (typeof check !== "function") return `${id}: check is ${show(check)}, expected a function`;
  const fault = partsFault(rest);
  return fault === undefined ? undefined : `${id}: ${fault}`;
}

/** What is wrong with the members that a rule may leave out. */
function partsFault({ facts, kinds, options, deep, category, failure, ...rest }: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(rest).find((name) => typeof rest[name] !== "function" && nearest(name, parts) !== undefined);
  if (unknown !== undefined) return `unknown member "${unknown}", did you mean "${nearest(unknown, parts)}"?`;
  if (facts !== undefined && !isTexts(facts)) return `facts is ${show(facts)}, expected a list of names`;
  const stranger = (facts ?? []).find((name) => !factNames.includes(name));
  if (stranger !== undefined) {
    const guess = nearest(stranger, factNames);
    return `there is no fact ${show(stranger)}${guess === undefined ? `, expected some of ${factNames.join(", ")}` : `, did you mean "${guess}"?`}`;
  }
  if (kinds !== undefined && !isTexts(kinds)) return `kinds is ${show(kinds)}, expected a list such as ["ConfigMap"]`;
  for (const [name, value] of Object.entries({ deep, failure })) {
    if (value !== undefined && typeof value !== "boolean") return `${name} is ${show(value)}, expected true or false`;
  }
  if (category !== undefined && typeof category !== "string") return `category is ${show(category)}, expected a word`;
  return options === undefined ? undefined : optionsFault(options);
}

function optionsFault(options: unknown): string | undefined {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    return `options is ${show(options)}, expected a map of names and default values`;
  for (const [name, value] of Object.entries(options)) {
    if (name === "severity") return 'options has "severity", which the config gives to every rule, expected another name';
    if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint")
      return `options.${name} is a ${typeof value}, expected a text, a number, true or false, a list or a map`;
  }
  return undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

function show(value: unknown): string {
  return value === undefined ? "missing" : typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? typeof value);
}
