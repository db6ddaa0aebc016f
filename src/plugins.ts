import { pathToFileURL } from "node:url";
import type { Config } from "./config/types.js";
import { RuleLoadError } from "./errors.js";
import type { AnyRule } from "./rule.js";

const scopes = new Set(["manifest", "container", "workload", "environment", "chart"]);
const severities = new Set(["error", "warning", "note"]);

/** Loads the rule modules that the config names; each exports one rule, or a list of them, as its default. Throws RuleLoadError with every fault. */
export async function loadPlugins(config: Config): Promise<readonly AnyRule[]> {
  const complaints: { file: string; line: number; column: number; message: string }[] = [];
  const rules: AnyRule[] = [];
  for (const { path, origin } of config.plugins) {
    const complain = (message: string) => complaints.push({ ...origin, message: `plugin "${path}" ${message}` });
    const loaded: unknown = await import(pathToFileURL(path).href).catch((error: unknown) => {
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
  const { id, summary, scope, severity, check } = rule as Record<string, unknown>;
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/.test(id))
    return `id is ${show(id)}, expected two kebab-case words with a slash, such as "acme/team-label"`;
  if (typeof summary !== "string" || summary === "") return `${id}: summary is ${show(summary)}, expected one sentence`;
  if (typeof scope !== "string" || !scopes.has(scope)) return `${id}: scope is ${show(scope)}, expected one of ${[...scopes].join(", ")}`;
  if (typeof severity !== "string" || !severities.has(severity))
    return `${id}: severity is ${show(severity)}, expected one of ${[...severities].join(", ")}`;
  if (typeof check !== "function") return `${id}: check is ${show(check)}, expected a function`;
  return undefined;
}

function show(value: unknown): string {
  return value === undefined ? "missing" : (JSON.stringify(value) ?? typeof value);
}
