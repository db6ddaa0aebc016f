import { applyBaseline, type Baseline, type BaselineEntry, readBaseline } from "./baseline.js";
import type { CommentFault, Comments } from "./comments.js";
import type { Config } from "./config/types.js";
import type { DebtState } from "./debts.js";
import type { Finding } from "./findings.js";
import type { RunState } from "./rule.js";
import { type WaiverUse, waive } from "./waive.js";

/** Findings with their final status, and what there is to say of waivers and baseline themselves. */
export interface Settled {
  readonly findings: readonly Finding[];
  readonly waivers: readonly WaiverUse[];
  readonly commentFaults: readonly CommentFault[];
  readonly stale: readonly (BaselineEntry & RunState["stale"][number])[];
  readonly baseline: Baseline | undefined;
}

/** Gives every finding its status: waivers of the config and of comments, debts, then the baseline. Throws ConfigError for a baseline that is none. */
export function settle(input: {
  readonly findings: readonly Finding[];
  readonly config: Config;
  readonly debts: readonly DebtState[];
  readonly today: string;
  readonly reportPath: (file: string) => string;
  /** Names of the environments that were judged, and ids of the rules that were on. */
  readonly environments: readonly string[];
  readonly rules: readonly string[];
  /** What the files say beside their lines; without it nothing is waived, by the config neither. */
  readonly comments: Comments | undefined;
  /** Absolute. */
  readonly baseline: string | undefined;
}): Settled {
  const { config, comments, reportPath, today } = input;
  const waived = waive({
    findings: input.findings,
    waivers: comments === undefined ? [] : [...config.waivers, ...comments.waivers],
    debts: input.debts,
    today,
  });
  const common = { waivers: waived.waivers, commentFaults: comments?.faults ?? [] };
  if (input.baseline === undefined) return { ...common, findings: waived.findings, stale: [], baseline: undefined };
  const shown = reportPath(input.baseline);
  const baseline = readBaseline(input.baseline, shown);
  const applied = applyBaseline(
    waived.findings,
    baseline,
    (entry, environment) => input.rules.includes(entry.rule) && (environment === "" || input.environments.includes(environment)),
  );
  const stale = applied.stale.map(({ line, ...entry }) => ({ ...entry, origin: { file: input.baseline ?? shown, line, column: 1 } }));
  return { ...common, findings: applied.findings, stale, baseline };
}
