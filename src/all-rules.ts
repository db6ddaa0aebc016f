import { rules } from "../rules/index.js";
import type { Config } from "./config/types.js";
import { ConfigError } from "./errors.js";
import type { AnyRule } from "./rule.js";

/** The built-in rules and those of the config: its plugins, then its invariants. Throws RuleLoadError and ConfigError. */
export async function allRules(config: Config): Promise<readonly AnyRule[]> {
  return [...rules, ...(await ownRules(config))];
}

/** The rules that a config brings: its plugins, then its invariants. Each kind is loaded only when there is one. Throws RuleLoadError and ConfigError. */
export async function ownRules(config: Config): Promise<readonly AnyRule[]> {
  const plugins = config.plugins.length === 0 ? [] : await (await import("./plugins.js")).loadPlugins(config);
  if (config.invariants.length === 0) return plugins;
  const taken = config.invariants.filter(({ id }) => plugins.some((rule) => rule.id === id));
  if (taken.length > 0) {
    const complaints = taken.map(({ id, origin }) => ({
      ...origin,
      message: `invariant "${id}" has the id of a rule of a plugin, expected another`,
    }));
    throw new ConfigError("two rules have one id", complaints);
  }
  return [...plugins, ...(await import("./invariants/invariants.js")).compileInvariants(config)];
}
