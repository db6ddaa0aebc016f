import type { Config, FactName, Facts, Waiver } from "./config/types.js";
import type { Coverage, Problem, Severity } from "./findings.js";
import type { Manifest } from "./manifest/types.js";
import type { Reruns } from "./model/reruns.js";
import type { Chart, Container, Environment, Workload } from "./model/types.js";

/** What each scope hands to `check`, one subject a call. */
export interface Subjects {
  manifest: Manifest;
  container: Container;
  workload: Workload;
  environment: Environment;
  chart: Chart;
  run: RunState;
}

/** The whole run after waiving, the subject of rules about the run itself. */
export interface RunState {
  /** `uncertain`: a finding of the rule was not traced to its lines, so that a comment may be about it. */
  readonly waivers: readonly { readonly waiver: Waiver; readonly matched: number; readonly uncertain?: boolean }[];
  /** Comments that try to waive and cannot. */
  readonly commentFaults: readonly {
    readonly message: string;
    readonly origin: { readonly file: string; readonly line: number; readonly column: number };
  }[];
  /** Entries of the baseline that match nothing any more, and where the baseline is. */
  readonly stale: readonly {
    readonly rule: string;
    readonly subject: string;
    readonly field: string;
    /** Those in which it is no longer found; none of a finding about no environment. */
    readonly environments: readonly string[];
    readonly origin: { readonly file: string; readonly line: number; readonly column: number };
  }[];
  readonly coverage: readonly Coverage[];
  readonly environments: readonly { readonly name: string; readonly objects: number }[];
  /** Ids of the rules that were on. */
  readonly rules: readonly string[];
  /** False when `--env` or `--only` left something out, or something could not be looked at, so that "unused" cannot be told. */
  readonly whole: boolean;
  /** Whether `--env` named a part of the environments. */
  readonly part: boolean;
  readonly today: string;
}

export type Scope = keyof Subjects;

/** What a rule gets beside its subject. */
export interface Context {
  /** Facts of the subject: of the container, of the workload (`Kind/name`), else what is declared for `*`. */
  readonly facts: Facts;
  /** Facts of one container, or of a whole workload. */
  factsOf(subject: Container | Workload): Facts;
  /** The environment of the subject; for the chart scope its first one. */
  readonly environment: Environment;
  /** What rendering the environment again has shown, when a rule that is on wanted it. */
  readonly reruns: Reruns | undefined;
  /** The rule's options from the config, over its declared defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly config: Config;
  /** Everything that a rule may import, for modules that cannot: the timing formulas, `parseQuantity`, `listed`, … */
  readonly api: typeof import("./api.js");
  /** Says that the invariant was decided for this subject (held or not). Counts toward coverage. */
  judged(): void;
  /** Says that these facts would have let the rule judge more of this subject. Never a finding. */
  ask(...facts: readonly FactName[]): void;
}

/** One invariant. See `defineRule`. */
export interface Rule<S extends Scope = Scope> {
  /** kebab-case; rules of one's own have a slash: `acme/team-label`. */
  readonly id: string;
  /** The invariant as one sentence, no full stop. */
  readonly summary: string;
  readonly scope: S;
  /** The highest severity that the rule yields; a problem may carry a lower one. */
  readonly severity: Severity;
  readonly facts?: readonly FactName[];
  /** Part of the catalogue's chapter: probes, rollouts, availability, configuration, shutdown, run. */
  readonly category?: string;
  /** Option names with default values; the config may only set these. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The rule renders again and runs only with `deep`. */
  readonly deep?: boolean;
  /** Kinds of objects that a manifest rule wants; documents of other kinds stay unparsed. */
  readonly kinds?: readonly string[];
  /** Problems of this rule are failures (the run could not look), not findings. */
  readonly failure?: boolean;
  check(subject: Subjects[S], context: Context): Iterable<Problem>;
}

/** Any rule of any scope, as lists hold them. */
export type AnyRule = { [S in Scope]: Rule<S> }[Scope];

/** The identity function: gives a rule module its types. */
export function defineRule<S extends Scope>(rule: Rule<S>): Rule<S> {
  return rule;
}
