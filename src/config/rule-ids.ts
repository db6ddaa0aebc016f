import type { Complaint } from "../errors.js";
import { quote, suggest } from "./complaints.js";
import type { Config, Origin } from "./types.js";

/** A rule that exists, with its options and their default values. */
export interface KnownRule {
  readonly id: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Complaints about rules and options that do not exist, in `rules`, `mustJudge` and `waivers`; invariants of the config count as rules. */
export function checkRuleIds(config: Config, ids: readonly KnownRule[]): Complaint[] {
  const rules = new Map<string, KnownRule>(
    [...config.invariants, ...ids].map(({ id, ...rule }) => [id, "options" in rule ? { id, ...rule } : { id }]),
  );
  const names = [...rules.keys()].sort();
  const complaints: Complaint[] = [];
  const complain = (origin: Origin | undefined, message: string): void => {
    complaints.push({ ...(origin ?? { file: config.file ?? "" }), message });
  };
  const unknown = (id: string, where: string): string => `unknown rule ${quote(id)} in ${where}${near(id, names)}`;
  for (const [id, setting] of Object.entries(config.rules)) {
    const rule = rules.get(id);
    if (rule === undefined) complain(setting.origin, unknown(id, "rules"));
    else
      checkOptions(rule, setting.options, (key, message) =>
        complain(config.ruleOrigins?.[`rules.${id}.${key}`] ?? setting.origin, message),
      );
  }
  config.mustJudge.forEach((id, i) => {
    if (!rules.has(id)) complain(config.ruleOrigins?.[`mustJudge[${i}]`], unknown(id, `mustJudge[${i}]`));
  });
  config.waivers.forEach((waiver, i) => {
    if (!rules.has(waiver.rule))
      complain(config.ruleOrigins?.[`waivers[${i}].rule`] ?? waiver.origin, unknown(waiver.rule, `waivers[${i}]`));
  });
  return complaints;
}

/** The whole list of rules is no help in a message; `rules` prints it. */
function near(id: string, names: readonly string[]): string {
  const said = suggest(id, names);
  return said.startsWith(", did you mean") ? said : ", expected one of the ids that helm-invariants rules prints";
}

function checkOptions(rule: KnownRule, options: Readonly<Record<string, unknown>>, complain: (key: string, message: string) => void): void {
  const known = rule.options ?? {};
  for (const [key, value] of Object.entries(options)) {
    const path = `rules.${rule.id}.${key}`;
    if (!Object.hasOwn(known, key)) {
      const expected =
        Object.keys(known).length === 0
          ? ", expected severity only: the rule has no options"
          : suggest(key, [...Object.keys(known), "severity"]);
      complain(key, `unknown option ${quote(key)} in rules.${rule.id}${expected}`);
      continue;
    }
    const fallback = known[key];
    if (fallback === undefined || fallback === null || kindOf(fallback) === kindOf(value)) continue;
    const found =
      typeof value === "string" ? quote(value) : kindOf(value) === "a list" || kindOf(value) === "a map" ? kindOf(value) : String(value);
    complain(key, `${path} is ${found}, expected ${kindOf(fallback)} such as ${JSON.stringify(fallback)}`);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "boolean") return "true or false";
  return typeof value === "string" ? "a text" : "a number";
}
