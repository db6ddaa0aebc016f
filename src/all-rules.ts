import { rules } from "../rules/index.js";
import type { Config } from "./config/types.js";
import type { AnyRule } from "./rule.js";

/** The built-in rules and those of the config: its plugins. Throws RuleLoadError. */
export async function allRules(config: Config): Promise<readonly AnyRule[]> {
  if (config.plugins.length === 0) return rules;
  const { loadPlugins } = await import("./plugins.js");
  return [...rules, ...(await loadPlugins(config))];
}
