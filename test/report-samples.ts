import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Finding } from "../src/findings.js";
import { Place } from "../src/manifest/place.js";
import type { ReportOptions, RunResult } from "../src/report/result.js";

/** A finding with everything that a report must have; the parts given win. */
export function finding(parts: Partial<Finding> = {}): Finding {
  return {
    rule: "timeout-within-period",
    severity: "warning",
    message: 'the startup probe of "web" times out after 30s, longer than its period of 10s',
    notes: [],
    ask: [],
    because: [],
    subject: "Deployment/web",
    field: "spec.template.spec.containers[web].startupProbe.timeoutSeconds",
    chart: "deploy/helm",
    environments: ["memex"],
    fingerprint: "00000000000000aa",
    related: [],
    excerpts: [],
    status: "open",
    ...parts,
  };
}

/** A finding at a line of a file, columns 5 to 10. */
export function located(file: string, line: number, parts: Partial<Finding> = {}): Finding {
  return finding({ location: { file, line, column: 5, endLine: line, endColumn: 10, exact: true }, ...parts });
}

const startup = new Place({ document: 0, kind: "Deployment", name: "memex-portal-deployment" })
  .key("spec", "template", "spec", "containers")
  .item(0, "memex-portal")
  .key("startupProbe");

/** The wall of 2026-09-17: everything that a finding can carry. */
export const wall: Finding = finding({
  rule: "timeout-covers-latency",
  severity: "error",
  message: 'the startup probe of "memex-portal" waits 5s for /health, which answers in 8.12s to 13.55s: no attempt can succeed',
  hint: "make /health answer in 2.5s, or probe a path that does",
  notes: [
    {
      label: "why",
      text: "1080 attempts at a wall; the kubelet kills the container 10790s to 10805s (3.0h) after it starts, and the next one meets the same wall. A startup timeout is the one that a pod cannot leave",
    },
    {
      label: "seen",
      text: "2026-09-17 14:53Z 8.12s 9.62s 9.52s · 15:22Z 10.71s 13.55s, from outside, on serving pods (a starting one is slower)",
    },
    { label: "trend", text: "mean +3.04s in 29 min: a larger timeout buys the time until the next growth" },
  ],
  ask: ["boot", "pull"],
  because: [
    { term: "timeout", value: 5, unit: "s", at: startup.key("timeoutSeconds") },
    { term: "deadline", value: 600, unit: "s", at: new Place({ document: 1, kind: "Service", name: "web" }).key("spec") },
  ],
  subject: "Deployment/memex-portal-deployment",
  container: "memex-portal",
  field: startup.key("timeoutSeconds").field,
  environments: ["memex", "memex-cloud"],
  fingerprint: "0123456789abcdef",
  location: { file: "envs/memex.yaml", line: 30, column: 21, endLine: 30, endColumn: 22, exact: true },
  related: [{ file: "deploy/helm/templates/portal/deployment.yaml", line: 4, column: 3, message: "written by the template here" }],
  excerpts: [
    { from: 28, lines: ["  startup:", "    periodSeconds: 10", "    timeoutSeconds: 5"], mark: { line: 30, column: 21, endColumn: 22 } },
    {
      of: "deploy/helm/templates/portal/deployment.yaml",
      from: 3,
      lines: ["spec:", "  strategy:"],
      mark: { line: 4, column: 3, endColumn: 11 },
    },
  ],
  fix: { value: 28 },
});

/** Text that tries to be more than text in every format. */
export const hostile = `a\u001b[31mred\u009b0m %0A::error::x, b: c]]> <b>&"'</b> | \`tick\` \u202eevil\u2066 [x](1) ##[error]y @team \ud800 \u{1f600}\r\nsecond`;

/** A result that holds these findings, in two environments with two rules. */
export function sampleResult(findings: readonly Finding[], parts: Partial<RunResult> = {}): RunResult {
  return {
    findings,
    failures: [],
    coverage: [
      { rule: "timeout-covers-latency", environment: "memex", subjects: 3, judged: 2, missingFacts: [] },
      { rule: "timeout-covers-latency", environment: "memex-cloud", subjects: 3, judged: 0, missingFacts: ["endpoints"] },
      { rule: "timeout-within-period", environment: "memex", subjects: 3, judged: 3, missingFacts: [] },
      { rule: "timeout-within-period", environment: "memex-cloud", subjects: 3, judged: 3, missingFacts: [] },
    ],
    remarks: [],
    environments: ["memex", "memex-cloud"],
    rules: [
      {
        id: "timeout-covers-latency",
        summary: "A probe waits longer than its endpoint takes",
        severity: "error",
        scope: "container",
        category: "probes",
        facts: ["endpoints"],
      },
      {
        id: "timeout-within-period",
        summary: "A probe times out within its period",
        severity: "warning",
        scope: "container",
        category: "probes",
        facts: [],
      },
    ],
    counts: { manifests: 14, workloads: 3 },
    exitCode: findings.some(({ status, severity }) => status === "open" && severity === "error") ? 1 : 0,
    configFile: "helm-invariants.yaml",
    charts: ["deploy/helm"],
    ...parts,
  };
}

/** Findings of every kind of place, text and status, failures at every stage, and remarks. */
export const everything: RunResult = sampleResult(
  [
    wall,
    located("envs/memex.yaml", 30, {
      rule: "timeout-covers-latency",
      severity: "error",
      subject: "Deployment/other",
      fingerprint: "00000000000000a1",
      message: 'the startup probe of "other" waits 5s as well',
    }),
    located("envs/with space ü.yaml", 2, {
      fingerprint: "00000000000000a2",
      message: hostile,
      hint: hostile,
      notes: [{ label: "why", text: hostile }],
    }),
    finding({
      rule: "waiver-in-use",
      subject: "config",
      field: "waivers[0]",
      chart: "",
      environments: [],
      fingerprint: "00000000000000a3",
      message: "waivers[0] matches nothing",
    }),
    located("deploy/helm/templates/portal/deployment.yaml", 4, {
      severity: "note",
      fingerprint: "00000000000000a4",
      location: { file: "deploy/helm/templates/portal/deployment.yaml", line: 2, column: 1, endLine: 6, endColumn: 4, exact: false },
    }),
    located("envs/memex.yaml", 31, {
      status: "waived",
      fingerprint: "00000000000000a5",
      waiver: { because: "one endpoint only", until: "2027-03-31", from: "config" },
    }),
    located("envs/memex.yaml", 29, {
      status: "debt",
      fingerprint: "00000000000000a6",
      waiver: { because: "the volume is walked", from: "debt" },
    }),
    located("../outside.yaml", 3, { fingerprint: "00000000000000a7", message: "a file outside of the repository" }),
  ],
  {
    environments: ["memex", "memex-cloud", "staging"],
    failures: [
      {
        stage: "render",
        environment: "staging",
        message: "'memex_portal' names no external database host",
        location: { file: "deploy/helm/templates/secrets.yaml", line: 1, column: 3 },
      },
      { stage: "check", environment: "memex", rule: "acme/label", message: "x is not a function" },
      { stage: "judge", rule: "timeout-covers-latency", message: '"timeout-covers-latency" judged nothing, but mustJudge names it' },
    ],
    remarks: [
      {
        message: 'facts[2] is of "Deployment/gone", which no environment renders',
        location: { file: "helm-invariants.yaml", line: 12, column: 5 },
      },
    ],
    exitCode: 2,
  },
);

/** Options as the command line gives them by default, for a repository at `root`. */
export function sampleOptions(parts: Partial<ReportOptions> = {}): ReportOptions {
  const page = (id: string) =>
    id === "timeout-covers-latency"
      ? "# timeout-covers-latency\n\nA probe waits longer than its endpoint takes.\n\n## What it guards\n\nThe `timeoutSeconds` of a [probe](x.md) is more than the slowest\nreading.\n\n## Why\n\nBecause.\n"
      : undefined;
  return { minSeverity: "warning", color: false, root: "/nowhere", version: "1.2.3", page, ...parts };
}

/** A repository on disk that has the files that `everything` names; the folder's path. */
export function sampleRepository(): string {
  const root = mkdtempSync(join(tmpdir(), "report-"));
  const values = Array.from({ length: 35 }, (_, index) =>
    index === 29 ? "    timeoutSeconds: 5" : index === 30 ? "    failureThreshold: 180" : `key${index}: ${index}`,
  );
  const files: Readonly<Record<string, string>> = {
    "envs/memex.yaml": `${values.join("\n")}\n`,
    "envs/with space ü.yaml": "\ufeffa: 1\r\n    timeoutSeconds: 5\r\n",
    "deploy/helm/Chart.yaml": "apiVersion: v2\nname: memex\n",
    "deploy/helm/templates/portal/deployment.yaml": "kind: Deployment\nmetadata:\nspec:\n  strategy:\n    x: 1\n    y: 2\n",
    "deploy/helm/templates/secrets.yaml": "{{ fail }}\n",
    "helm-invariants.yaml": "charts: []\n",
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}
