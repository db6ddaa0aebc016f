import { checkAll } from "./check.js";
import { resolveFacts } from "./config/facts.js";
import { loadConfigFragment } from "./config/load.js";
import type { Config } from "./config/types.js";
import type { Failure, Finding, Severity } from "./findings.js";
import { locate } from "./manifest/locate.js";
import { manifestOf, parseManifests } from "./manifest/parse.js";
import { buildEnvironment } from "./model/environment.js";
import type { AnyRule } from "./rule.js";
import { selectRules } from "./ruleset.js";

/** A finding that a case asks for by a `# want: <rule> [severity]` comment at the end of the line that must be named (1-based). */
export interface Want {
  readonly rule: string;
  readonly severity: Severity | undefined;
  readonly line: number;
}

/** A small input, read: `config` for the facts, manifests, and what must be said of them. */
export interface Case {
  readonly config: Config;
  readonly manifests: string;
  /** Lines before the manifests, to be added to their line numbers. */
  readonly offset: number;
  readonly wants: readonly Want[];
}

/** What the rules said of a case, each finding with its 1-based line in the case's text. */
export interface CaseResult {
  readonly findings: readonly { readonly finding: Finding; readonly line: number }[];
  readonly failures: readonly Failure[];
  readonly judged: ReadonlySet<string>;
  /** Each want that was not found and each unwanted finding (of a rule in `about`, when given). */
  mismatches(about?: string): readonly Mismatch[];
  /** One sentence for each of these. */
  complaints(about?: string): readonly string[];
}

/** What a case asks for and the rules do not say, or the other way round. `line` is 1-based in the case. */
export interface Mismatch {
  readonly line: number;
  readonly message: string;
}

/** Takes a case apart: an optional first document with the one key `config`, then manifests. Throws ConfigError for a bad config. */
export function readCase(text: string, file: string, folder: string): Case {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#") && line !== "---");
  const end = lines.findIndex((line, index) => index > first && line.startsWith("---"));
  const hasConfig = first >= 0 && /^config:/.test(lines[first] ?? "");
  const stop = hasConfig ? (end < 0 ? lines.length : end) : 0;
  const config = loadConfigFragment(hasConfig ? lines.slice(0, stop).join("\n") : "config: {}", file, folder);
  return { config, manifests: lines.slice(stop).join("\n"), offset: stop, wants: wantsOf(lines) };
}

function wantsOf(lines: readonly string[]): readonly Want[] {
  return lines.flatMap((line, index) =>
    [...line.matchAll(/# want: ([a-z0-9/-]+)(?: (error|warning|note))?/g)].map((match) => ({
      rule: match[1] ?? "",
      severity: match[2] as Severity | undefined,
      line: index + 1,
    })),
  );
}

/** Runs rules over a case, in one environment named `default`. */
export function runCase(given: Case, rules: readonly AnyRule[], options: { readonly today?: string } = {}): CaseResult {
  const { config } = given;
  const manifests = parseManifests(given.manifests);
  const environment = buildEnvironment({
    name: "default",
    chart: { path: "case.yaml", kind: "manifests" },
    release: "release-name",
    namespace: "default",
    kubeVersion: undefined,
    nodes: config.nodes,
    deploy: config.deploy,
    external: config.external,
    externalDeclared: config.externalDeclared,
    debts: config.debts,
    today: options.today ?? "2026-01-01",
    manifests,
  });
  const checked = checkAll({
    config,
    rules: selectRules(rules, config, { deep: true }),
    charts: [{ path: "case.yaml", environments: [environment], refusals: [] }],
    factsFor: (name, kind, subject, container, side) => resolveFacts(config, name, { kind, name: subject }, container, side),
  });
  const findings = checked.findings.map((finding) => {
    const manifest = finding.at === undefined ? undefined : manifestOf(manifests, finding.at);
    const line = manifest === undefined || finding.at === undefined ? 0 : locate(manifest, finding.at.path).line + given.offset;
    return { finding, line };
  });
  const faults = manifests.faults.map(
    (fault): Failure => ({ stage: "parse", message: `line ${fault.line + given.offset}: ${fault.message}` }),
  );
  return {
    findings,
    failures: [...checked.failures, ...faults],
    judged: new Set(checked.coverage.filter((entry) => entry.judged > 0).map((entry) => entry.rule)),
    mismatches: (about) => mismatchesOf(given.wants, findings, about),
    complaints: (about) => mismatchesOf(given.wants, findings, about).map(({ line, message }) => `line ${line}: ${message}`),
  };
}

function mismatchesOf(wants: readonly Want[], findings: CaseResult["findings"], about: string | undefined): readonly Mismatch[] {
  const relevant = findings.filter(({ finding }) => about === undefined || finding.rule === about);
  const meets = (want: Want, { finding, line }: CaseResult["findings"][number]) =>
    finding.rule === want.rule && line === want.line && (want.severity === undefined || finding.severity === want.severity);
  const missing = wants
    .filter((want) => !findings.some((entry) => meets(want, entry)))
    .map((want) => ({
      line: want.line,
      message: `expected ${want.severity ?? "a finding"} of ${want.rule}, found ${describe(findings, want.rule)}`,
    }));
  const surplus = relevant
    .filter((entry) => !wants.some((want) => meets(want, entry)))
    .map(({ finding, line }) => ({ line, message: `unexpected ${finding.severity}[${finding.rule}]: ${finding.message}` }));
  return [...missing, ...surplus];
}

function describe(findings: CaseResult["findings"], rule: string): string {
  const others = findings.filter(({ finding }) => finding.rule === rule);
  return others.length === 0 ? "none" : others.map(({ finding, line }) => `${finding.severity} on line ${line}`).join(", ");
}
