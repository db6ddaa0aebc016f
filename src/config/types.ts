import type { Severity } from "../findings.js";

/** A position in the config file (1-based) that a resolved piece came from, for messages. */
export interface Origin {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where facts are declared, by the keys that lead to them: `boot`, `endpoints./health.latency`, `timeout` of a deploy. */
export type DeclaredAt = Readonly<Record<string, Origin>>;

export type Remedy = "restart" | "evict" | "hold-roll" | "report";
export type DependencyScope = "shared" | "private" | "cluster";
export type Protocol = "http" | "grpc" | "tcp";

export interface CheckFact {
  readonly remedy: Remedy;
}

/** A gate: a check that holds a roll while it is armed. Durations in seconds. */
export interface GateFact {
  readonly name: string;
  /** The check that carries it; the gate's own name when the config names none. */
  readonly check: string;
  readonly armedBy: { readonly env: string; readonly equals: string };
  readonly requires: readonly { readonly env: string; readonly equals: string }[];
  readonly readAt: string;
  readonly holds?: number;
}

/** What is known of an endpoint. Durations in seconds. */
export interface EndpointFact {
  readonly latency?: number;
  readonly deadline?: number;
  readonly cpu?: number;
  readonly peers?: number;
  readonly heavy?: boolean;
  readonly answers?: "readiness" | "liveness" | "startup";
  readonly dependsOn?: Readonly<Record<string, DependencyScope>>;
  readonly checks?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly consumers?: Readonly<Record<string, { readonly timeout?: number; readonly every?: number }>>;
}

/** One dated measurement, seconds; `at` is the ISO instant in UTC to the minute or second as written. */
export interface Reading {
  readonly endpoint: string;
  readonly of: string;
  readonly in: readonly string[];
  readonly at: string;
  readonly phase: "serving" | "starting" | undefined;
  readonly vantage: "outside" | "pod" | "kubelet" | undefined;
  readonly samples: readonly number[];
  readonly total?: number;
  readonly slowest: Readonly<Record<string, number>>;
  readonly origin: Origin;
}

export interface EnvFacts {
  readonly required: readonly string[];
  readonly neverBlank: readonly string[];
  readonly oneOf: Readonly<Record<string, readonly string[]>>;
  readonly reads: readonly string[];
  readonly ignoreCase: boolean;
}

/** Everything declared about one workload or container in one environment. Durations in seconds, sizes in bytes. Absent = not declared. */
export interface Facts {
  readonly boot?: number;
  readonly pull?: number;
  readonly run?: number;
  readonly drain?: number;
  readonly listen?: readonly number[];
  /** Keys are port numbers as text, or `*`. */
  readonly ports?: Readonly<Record<string, { readonly tls?: boolean; readonly protocol?: Protocol }>>;
  readonly basePath?: string;
  readonly allowedHosts?: readonly string[];
  readonly binaries?: readonly string[];
  readonly serves?: readonly string[];
  readonly waitsFor?: readonly string[];
  readonly heapOverhead?: number;
  readonly sharedPaths?: readonly string[];
  readonly env?: EnvFacts;
  readonly checks?: Readonly<Record<string, CheckFact>>;
  readonly gates?: Readonly<Record<string, GateFact>>;
  readonly endpoints?: Readonly<Record<string, EndpointFact>>;
  readonly readings: readonly Reading[];
  readonly declaredAt?: DeclaredAt;
}

/** The name of a fact that a rule can use or ask for. */
export type FactName = Exclude<keyof Facts, "declaredAt"> | "nodes" | "deploy" | "external";

/** What one entry declares: of a gate and of `env` perhaps only a part, which later entries complete or override. */
export type DeclaredFacts = Omit<Facts, "readings" | "declaredAt" | "env" | "gates"> & {
  readonly env?: Partial<EnvFacts>;
  readonly gates?: Readonly<Record<string, Partial<GateFact>>>;
};

/** One entry of `facts:` before it is resolved for a container. */
export interface FactEntry {
  readonly of: string;
  readonly in: readonly string[] | undefined;
  readonly facts: DeclaredFacts;
  readonly declaredAt: DeclaredAt;
  readonly origin: Origin;
}

/** How the release is deployed. Seconds. */
export interface Deploy {
  readonly with?: string;
  readonly helm?: 3 | 4;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly ciWait?: number;
  /** An automatic deploy (CI, GitOps), as against a person. */
  readonly automatic?: boolean;
  readonly declaredAt?: DeclaredAt;
}

/** One `--set…` flag in helm's own syntax. */
export interface SetFlag {
  readonly flag: "--set" | "--set-string" | "--set-file" | "--set-json";
  readonly expression: string;
}

/** What helm gets for one render. Paths are absolute. */
export interface RenderInput {
  readonly release: string;
  readonly namespace: string;
  /** Three parts (`1.31.0`), or undefined for helm's own default. */
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  readonly values: readonly string[];
  readonly sets: readonly SetFlag[];
}

export interface EnvironmentConfig extends RenderInput {
  readonly name: string;
  readonly nodes?: number;
  readonly deploy?: Deploy;
  readonly external: readonly string[];
  /** Whether the config says what is external, be it nothing: then what is not rendered and not listed does not exist. */
  readonly externalDeclared?: boolean;
  readonly origin?: Origin;
}

export interface RefusalConfig extends RenderInput {
  readonly name: string;
  readonly because: string;
  readonly origin?: Origin;
}

export interface ChartConfig {
  /** Absolute path of a chart folder, `.tgz`, or manifest file; `-` for standard input. */
  readonly path: string;
  readonly kind: "chart" | "manifests";
  readonly environments: readonly EnvironmentConfig[];
  readonly refusals: readonly RefusalConfig[];
}

export interface Waiver {
  readonly rule: string;
  readonly of: string | undefined;
  readonly in: readonly string[] | undefined;
  readonly because: string;
  /** Last valid day, `2027-03-31`, UTC. */
  readonly until: string | undefined;
  readonly origin: Origin;
  /** The line that a waiver in a comment speaks of; `file` as reports name it. */
  readonly target?: { readonly file: string; readonly line: number };
}

export interface Debt {
  readonly of: string;
  readonly in: readonly string[] | undefined;
  /** Relative to the container when it starts with one of a container's keys, else to the object. */
  readonly field: string;
  /** Seconds when the field counts seconds; else the plain number. */
  readonly allow: number;
  readonly payBackTo: number | undefined;
  readonly because: string;
  readonly until: { readonly image?: string; readonly date?: string };
  readonly origin: Origin;
}

export interface InvariantConfig {
  readonly id: string;
  readonly of: string | undefined;
  readonly in: readonly string[] | undefined;
  readonly when: string | undefined;
  readonly require: string;
  readonly message: string;
  readonly severity: Severity | undefined;
  readonly hint: string | undefined;
  /** The field that a finding points at, `spec.replicas`; the object when absent. */
  readonly at?: string;
  readonly origin: Origin;
  /** Where a character of one of its texts stands in the config, by its 0-based offset. */
  readonly position?: (text: "of" | "when" | "require" | "at", offset: number) => Origin;
}

/** A setting of `rules:`: a severity for every finding of the rule, options, or both. */
export interface RuleSetting {
  readonly severity?: Severity | "off";
  readonly options: Readonly<Record<string, unknown>>;
  readonly origin?: Origin;
}

/** The whole configuration, validated; globs compiled lazily, durations in seconds, paths absolute. */
export interface Config {
  /** Absolute path of the file, undefined when there is none. */
  readonly file: string | undefined;
  /** Folder that relative paths of the config start from. */
  readonly folder: string;
  readonly charts: readonly ChartConfig[];
  readonly facts: readonly FactEntry[];
  readonly readings: readonly Reading[];
  readonly preset: "recommended" | "strict";
  readonly deep: boolean;
  readonly rules: Readonly<Record<string, RuleSetting>>;
  readonly plugins: readonly { readonly path: string; readonly origin: Origin }[];
  readonly invariants: readonly InvariantConfig[];
  readonly mustJudge: readonly string[];
  readonly waivers: readonly Waiver[];
  readonly debts: readonly Debt[];
  /** The config's own `deploy`, `nodes`, `external`, already merged into every environment; kept for environments made from the command line. */
  readonly nodes?: number;
  readonly deploy?: Deploy;
  readonly external: readonly string[];
  /** Whether the config says what is external, be it nothing: then what is not rendered and not listed does not exist. */
  readonly externalDeclared?: boolean;
  /** Whether a comment waiver (issue: waiving where it is written) must name a date. */
  readonly waiverNeedsExpiry: boolean;
  /** Where names of rules and options stand, by path (`mustJudge[0]`, `rules.x.headroom`, `waivers[0].rule`), for `checkRuleIds`. */
  readonly ruleOrigins?: Readonly<Record<string, Origin>>;
}
