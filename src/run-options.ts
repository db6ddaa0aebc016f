import type { BaselineEntry } from "./baseline.js";
import type { Question } from "./check.js";
import type { Config, SetFlag } from "./config/types.js";
import type { DebtReport } from "./debts.js";
import type { Severity } from "./findings.js";
import type { Manifests } from "./manifest/types.js";
import type { Redact } from "./redact.js";
import type { RunResult } from "./report/result.js";

/** What a run is asked to do; file names may be relative to `cwd`. */
export interface RunOptions {
  /** Chart folder, `.tgz`, manifest file, or `-`. Without it the charts of the config. */
  readonly target?: string;
  readonly config?: string;
  readonly cwd?: string;
  readonly values?: readonly string[];
  readonly sets?: readonly SetFlag[];
  readonly namespace?: string;
  readonly release?: string;
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
  /** Names of the environments to look at; all when empty. */
  readonly environments?: readonly string[];
  readonly only?: readonly string[];
  readonly deep?: boolean;
  readonly helm?: string;
  /** For one render. */
  readonly timeoutSeconds?: number;
  /** Bytes. */
  readonly maxOutput?: number;
  /** `2026-11-30`, UTC. */
  readonly today?: string;
  readonly root?: string;
  /** Files to read in place of values files: absolute file → absolute file. */
  readonly substitutes?: ReadonlyMap<string, string>;
  /** False shows what waivers cover. */
  readonly waivers?: boolean;
  /** A baseline file to hold the findings against. */
  readonly baseline?: string;
  /** Stale entries of the baseline are about to be taken out: they are no findings. */
  readonly pruneBaseline?: boolean;
  readonly failOn?: Severity | "never";
  readonly exitZero?: boolean;
  readonly stdin?: () => Promise<string>;
  /** False: findings of a chart get their template file and rendered lines, and nothing is rendered again. */
  readonly trace?: boolean;
  /** What will be shown: environments with lesser findings only are not rendered again. `warning` by default. */
  readonly minSeverity?: Severity;
  /** Every finding will be shown. */
  readonly traceNotes?: boolean;
  /** Told after each render. */
  readonly progress?: (done: number, total: number) => void;
}

/** The result of a run, with what the other commands show. */
export interface RunOutcome extends RunResult {
  /** Absolute. */
  readonly root: string;
  /** What was rendered, by environment name. */
  readonly manifests: ReadonlyMap<string, Manifests>;
  readonly debts: readonly DebtReport[];
  readonly questions: readonly Question[];
  readonly config: Config;
  /** Hides what stands in Secrets. */
  readonly redact: Redact;
  readonly baseline?: { readonly entries: readonly BaselineEntry[]; readonly stale: readonly BaselineEntry[] };
}
