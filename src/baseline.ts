import { readFileSync } from "node:fs";
import { ConfigError } from "./errors.js";
import type { Finding } from "./findings.js";

/** One accepted finding: what identifies it in every run, and what a person reads. */
export interface BaselineEntry {
  readonly fingerprint: string;
  readonly rule: string;
  readonly subject: string;
  readonly field: string;
  readonly environments: readonly string[];
}

/** A baseline file, read; lines are those of the entries in the file (1-based). */
export interface Baseline {
  readonly file: string;
  readonly entries: readonly (BaselineEntry & { readonly line: number })[];
}

/** The text of a baseline that accepts every open finding; equal findings give equal bytes. */
export function baselineText(findings: readonly Finding[]): string {
  const entries = new Map<string, BaselineEntry>();
  for (const { fingerprint, rule, subject, field, environments, status } of findings) {
    if (status !== "open" && status !== "baseline") continue;
    const known = entries.get(fingerprint);
    const all = [...new Set([...(known?.environments ?? []), ...environments])].sort();
    entries.set(fingerprint, { fingerprint, rule, subject, field, environments: all });
  }
  return formatBaseline([...entries.values()]);
}

/** One entry a line, sorted, so that a diff shows what came and went. */
export function formatBaseline(entries: readonly BaselineEntry[]): string {
  const sorted = [...entries].sort(
    (a, b) =>
      compare(a.rule, b.rule) || compare(a.subject, b.subject) || compare(a.field, b.field) || compare(a.fingerprint, b.fingerprint),
  );
  const lines = sorted.map(
    ({ fingerprint, rule, subject, field, environments }) => `    ${JSON.stringify({ fingerprint, rule, subject, field, environments })}`,
  );
  return `{\n  "version": 1,\n  "findings": [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]\n}\n`;
}

/** Reads a baseline. Throws ConfigError when there is none or when it is not one. */
export function readBaseline(file: string, shown: string): Baseline {
  const complain = (message: string): never => {
    throw new ConfigError("the baseline cannot be read", [{ file: shown, line: 1, column: 1, message }]);
  };
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    complain(
      missing ? "there is no such baseline; check --write-baseline writes one" : `the baseline cannot be read: ${(error as Error).message}`,
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    complain(`the baseline is no JSON: ${(error as Error).message}`);
  }
  const { version, findings } = (parsed ?? {}) as { version?: unknown; findings?: unknown };
  if (version !== 1 || !Array.isArray(findings)) complain("this is no baseline, expected { version: 1, findings: […] }");
  const lines = text.split("\n");
  const entries = (findings as unknown[]).map((entry, index) => {
    if (!isEntry(entry)) return complain(`findings[${index}] is no entry, expected fingerprint, rule, subject, field and environments`);
    const line = lines.findIndex((candidate) => candidate.includes(`"${entry.fingerprint}"`)) + 1;
    return { ...entry, line: Math.max(line, 1) };
  });
  return { file, entries };
}

function isEntry(value: unknown): value is BaselineEntry {
  if (typeof value !== "object" || value === null) return false;
  const { fingerprint, rule, subject, field, environments } = value as Record<string, unknown>;
  const texts = [fingerprint, rule, subject, field].every((text) => typeof text === "string");
  return texts && Array.isArray(environments) && environments.every((name) => typeof name === "string");
}

/** Marks the open findings that a baseline accepts, and tells which of its entries match nothing any more, and in which environments. Findings are of one environment each. */
export function applyBaseline(
  findings: readonly Finding[],
  baseline: Baseline,
  looked: (entry: BaselineEntry, environment: string) => boolean,
): { readonly findings: readonly Finding[]; readonly stale: readonly (BaselineEntry & { readonly line: number })[] } {
  const seen = new Set<string>();
  const accepted = new Set(baseline.entries.flatMap(({ fingerprint, environments }) => keysOf(fingerprint, environments)));
  const marked = findings.map((finding): Finding => {
    const keys = keysOf(finding.fingerprint, finding.environments);
    for (const key of keys) seen.add(key);
    return finding.status === "open" && keys.every((key) => accepted.has(key)) ? { ...finding, status: "baseline" } : finding;
  });
  const stale = baseline.entries.flatMap((entry) => {
    const isGone = (environment: string) =>
      looked(entry, environment) && !keysOf(entry.fingerprint, environment === "" ? [] : [environment]).some((key) => seen.has(key));
    if (entry.environments.length === 0) return isGone("") ? [entry] : [];
    const environments = entry.environments.filter(isGone);
    return environments.length === 0 ? [] : [{ ...entry, environments }];
  });
  return { findings: marked, stale };
}

/** The entries without the environments, of each, in which they match nothing any more. */
export function pruned(entries: readonly BaselineEntry[], stale: readonly BaselineEntry[]): readonly BaselineEntry[] {
  const gone = new Map(stale.map(({ fingerprint, environments }) => [fingerprint, environments]));
  return entries.flatMap((entry) => {
    const away = gone.get(entry.fingerprint);
    if (away === undefined) return [entry];
    const environments = entry.environments.filter((name) => !away.includes(name));
    return environments.length === 0 ? [] : [{ ...entry, environments }];
  });
}

function keysOf(fingerprint: string, environments: readonly string[]): readonly string[] {
  return environments.length === 0 ? [`${fingerprint} `] : environments.map((name) => `${fingerprint} ${name}`);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
