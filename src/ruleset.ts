import type { Config } from "./config/types.js";
import { UsageError } from "./errors.js";
import type { Severity } from "./findings.js";
import type { AnyRule } from "./rule.js";
import { nearest } from "./spelling.js";

/** A rule that is on, with what the config makes of it. */
export interface ActiveRule {
  readonly rule: AnyRule;
  readonly options: Readonly<Record<string, unknown>>;
  /** The severity that a problem of the given evidence gets after preset and config. */
  severityOf(evidence: Severity): Severity;
}

/** What `preset: strict` makes of each rule's findings: the evidence it raises, and to what. `liveness-not-on-readiness-path` decides for itself. */
const strict: Readonly<Record<string, { readonly from: Severity; readonly to: Severity }>> = {
  "readiness-behind-service": { from: "note", to: "warning" },
  "exec-probe-affordable": { from: "note", to: "warning" },
  "startup-covers-boot": { from: "note", to: "warning" },
  "probe-path-says-what-it-is": { from: "note", to: "warning" },
  "replicas-have-budget": { from: "warning", to: "error" },
  "replicas-spread": { from: "warning", to: "error" },
  "roll-keeps-serving": { from: "warning", to: "error" },
  "surge-can-schedule": { from: "warning", to: "error" },
  "readiness-not-on-startup-path": { from: "warning", to: "error" },
};

/** Rules that cannot be left out by `--only` or switched off: they say whether the run itself can be trusted. */
const always = new Set(["judged-nothing"]);

/** The rules that run, sorted by id. Deep rules are on with `deep`, or when the config gives them a severity. Throws UsageError for an unknown `--only`. */
export function selectRules(
  rules: readonly AnyRule[],
  config: Config,
  options: { readonly only?: readonly string[]; readonly deep?: boolean },
): readonly ActiveRule[] {
  const ids = rules.map((rule) => rule.id);
  for (const id of options.only ?? []) {
    if (ids.includes(id)) continue;
    const guess = nearest(id, ids);
    throw new UsageError(`--only names the rule "${id}", which does not exist${guess === undefined ? "" : `, did you mean "${guess}"?`}`);
  }
  const only = options.only?.length ? new Set(options.only) : undefined;
  return [...rules]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((rule) => {
      const setting = config.rules[rule.id];
      if (only !== undefined && !only.has(rule.id) && !always.has(rule.id)) return [];
      if (setting?.severity === "off" && !only?.has(rule.id) && !always.has(rule.id)) return [];
      const asked = setting?.severity !== undefined || only?.has(rule.id) === true;
      if (rule.deep === true && !(options.deep === true || config.deep || asked)) return [];
      const fixed = setting?.severity === "off" ? undefined : setting?.severity;
      const raise = config.preset === "strict" ? strict[rule.id] : undefined;
      return [
        {
          rule,
          options: { ...rule.options, ...setting?.options },
          severityOf: (evidence: Severity) => fixed ?? (raise?.from === evidence ? raise.to : evidence),
        },
      ];
    });
}
