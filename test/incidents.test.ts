import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Finding, FindingStatus, Severity } from "../src/findings.js";
import { type RunOutcome, run } from "../src/run.js";

const chart = join(import.meta.dirname, "..", "fixtures", "charts", "memex");
const today = "2026-11-30";

interface Said {
  readonly rule: string;
  readonly severity: Severity;
  /** What the message itself must hold. */
  readonly message?: readonly string[];
  /** What the message, its notes or its hint must hold. */
  readonly says?: readonly string[];
  /** `open` when absent. */
  readonly status?: FindingStatus;
}

interface Row {
  readonly environment: string;
  /** Everything of severity error and warning, and the notes that must be there. */
  readonly expected: readonly Said[];
  /** Rules that may warn in this row as well. */
  readonly also?: readonly string[];
}

/** `incidents.yaml`, row by row. */
const rows: readonly Row[] = [
  {
    environment: "death-spiral",
    expected: [{ rule: "readiness-not-on-startup-path", severity: "error", message: ["/health"], says: ["db_version", "mesh", "Service"] }],
  },
  {
    environment: "one-path",
    expected: [
      { rule: "check-on-right-probe", severity: "error", message: ["process_progress", "35s", "75s"], says: ["65s"] },
      { rule: "liveness-not-on-readiness-path", severity: "note", message: ["/alive", "35s"], says: ["75s"] },
    ],
  },
  {
    environment: "one-path-undeclared",
    expected: [{ rule: "liveness-not-on-readiness-path", severity: "note", message: ["/alive", "35s", "75s"] }],
  },
  {
    environment: "wall",
    expected: [
      {
        rule: "timeout-covers-latency",
        severity: "error",
        message: ["0 of 5", "5s", "10790s", "10805s", "3.0h"],
        says: ["1080", "8.12s", "13.55s", "3.04s", "required_modules", "10.068s", "starting"],
      },
    ],
  },
  {
    environment: "neighbour",
    expected: [{ rule: "timeout-covers-latency", severity: "note", message: ["3.0"], says: ["0.445s", "1.66s", "5.4"] }],
  },
  {
    environment: "break-glass",
    expected: [
      { rule: "readiness-not-on-startup-path", severity: "error", message: ["/ready"], says: ["nodetype-bake"] },
      { rule: "gate-read-by-readiness", severity: "error", message: ["nodetype-bake", "startup"], says: ["/ready", "10790s", "10805s"] },
    ],
  },
  {
    environment: "raised-timeout",
    expected: [
      { rule: "timeout-covers-latency", severity: "warning", message: ["30s", "5s"], says: ["2.2", "debt"] },
      { rule: "timeout-within-period", severity: "warning", message: ["30s", "10s"] },
    ],
  },
  {
    environment: "raised-as-debt",
    expected: [{ rule: "timeout-within-period", severity: "warning", message: ["30s", "10s"], status: "debt" }],
  },
  {
    environment: "debt-due",
    expected: [
      { rule: "debt-is-due", severity: "error", message: ["30", "3.0.0-ci.8900", "3.0.0-ci.9218"] },
      { rule: "timeout-within-period", severity: "warning", message: ["30s", "10s"] },
    ],
    also: ["timeout-covers-latency"],
  },
  {
    environment: "gate-on-startup",
    expected: [
      { rule: "gate-read-by-readiness", severity: "error", message: ["nodetype-bake", "/health", "10790s", "10805s"], says: ["serving"] },
      { rule: "check-on-right-probe", severity: "error", message: ["nodetype_bake", "startup"] },
    ],
  },
  {
    environment: "gate-without-reader",
    expected: [{ rule: "gate-read-by-readiness", severity: "error", message: ["nodetype-bake", "/ready", "/alive"] }],
  },
  {
    environment: "armed-by-whom",
    expected: [{ rule: "gate-read-by-readiness", severity: "error", message: ["nodetype-bake", "/ready", "Secret/memex-keyvault"] }],
  },
  { environment: "armed-by-whom-read", expected: [] },
  {
    environment: "shadowed-gate",
    expected: [
      { rule: "env-names-unique", severity: "error", message: ["PreWarm__GateReadiness"], says: ["ConfigMap/memex-portal-config"] },
    ],
  },
  {
    environment: "gate-protects-nothing",
    expected: [
      { rule: "gate-read-by-readiness", severity: "error", message: ["nodetype-bake"] },
      { rule: "roll-keeps-serving", severity: "error", message: ["memex-portal-deployment"] },
    ],
  },
  {
    environment: "gate-without-sweep",
    expected: [{ rule: "gate-read-by-readiness", severity: "error", message: ["nodetype-bake", "PreWarm__DynamicTypes"] }],
  },
  {
    environment: "deadline-without-bake",
    expected: [{ rule: "progress-deadline-covers-rollout", severity: "error", message: ["11400s", "12620s", "10805", "1800", "15"] }],
  },
  {
    environment: "default-deadline",
    expected: [{ rule: "progress-deadline-covers-rollout", severity: "warning", message: ["600s", "default", "1805s"] }],
  },
  {
    environment: "default-deadline-boot",
    expected: [{ rule: "progress-deadline-covers-rollout", severity: "error", message: ["600s", "870s", "840", "10", "5", "15"] }],
  },
  {
    environment: "image-second",
    expected: [
      { rule: "probe-path-served", severity: "error", message: ["/ready", "3.0.0-ci.8301", "3.0.0-ci.8400"], says: ["404", "image first"] },
    ],
  },
  {
    environment: "write-canary",
    expected: [
      { rule: "probe-work-fits-timeout", severity: "error", message: ["10s", "30s", "3"], says: ["in flight"] },
      { rule: "liveness-needs-no-dependency", severity: "error", message: ["embedding-provider"] },
    ],
  },
  {
    environment: "two-replicas",
    expected: [
      { rule: "replicas-have-budget", severity: "warning", message: ["2"] },
      { rule: "replicas-spread", severity: "warning", message: ["2"] },
    ],
  },
  {
    environment: "keda-and-replicas",
    expected: [{ rule: "replicas-owned-once", severity: "error", message: ["ScaledObject", "1"] }],
  },
  { environment: "fixed", expected: [] },
];

function saidIn(outcome: RunOutcome, environment: string): readonly Finding[] {
  return outcome.findings.filter((finding) => finding.environments.includes(environment));
}

function counted(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter((finding) => finding.severity !== "note")
    .map((finding) => `${finding.severity} ${finding.rule} ${finding.status}`)
    .sort();
}

function wholeText(finding: Finding): string {
  return [finding.message, finding.hint ?? "", ...finding.notes.map((note) => note.text)].join("\n");
}

describe("every incident is seen", () => {
  let outcome: RunOutcome;

  beforeAll(async () => {
    outcome = await run({ config: join(chart, "incidents.yaml"), today });
  });

  it("looks at every row, and at nothing else", () => {
    expect(outcome.failures).toEqual([]);
    expect([...outcome.environments].sort()).toEqual(rows.map((row) => row.environment).sort());
  });

  it.each(rows)("$environment: says what must be said", ({ environment, expected }) => {
    const said = saidIn(outcome, environment);
    for (const wanted of expected) {
      const found = said.filter((finding) => finding.rule === wanted.rule && finding.severity === wanted.severity);
      expect(found.length, `${wanted.severity} ${wanted.rule}`).toBeGreaterThan(0);
      for (const finding of found) expect(finding.status, wanted.rule).toBe(wanted.status ?? "open");
      const messages = found.map((finding) => finding.message).join("\n");
      const everything = found.map(wholeText).join("\n");
      for (const part of wanted.message ?? []) expect(messages).toContain(part);
      for (const part of wanted.says ?? []) expect(everything).toContain(part);
    }
  });

  it.each(rows)("$environment: says nothing more", ({ environment, expected, also = [] }) => {
    const wanted = expected
      .filter((said) => said.severity !== "note")
      .map((said) => `${said.severity} ${said.rule} ${said.status ?? "open"}`);
    const said = saidIn(outcome, environment)
      // A debt may cover more than the row asks for: whatever it covers is not counted.
      .filter((finding) => finding.status === "open" || wanted.includes(`${finding.severity} ${finding.rule} ${finding.status}`))
      .filter((finding) => !(finding.severity === "warning" && also.includes(finding.rule)));
    expect([...new Set(counted(said))]).toEqual([...wanted].sort());
  });

  it("says that no attempt can succeed only of the wall", () => {
    const hopeless = outcome.findings.filter((finding) => wholeText(finding).includes("no attempt can succeed"));
    expect(hopeless.map((finding) => finding.environments)).toEqual([["wall"]]);
  });

  it("lists what is owed, and what is due", () => {
    const owed = outcome.debts.map((state) => [state.environment, state.value, state.tag, state.due]);
    expect(owed.sort()).toEqual([
      ["debt-due", 30, "3.0.0-ci.9218", true],
      ["raised-as-debt", 30, "3.0.0-ci.8812", false],
    ]);
    const open = saidIn(outcome, "raised-as-debt").filter((finding) => finding.status === "open" && finding.severity !== "note");
    expect(open).toEqual([]);
  });

  it.each([
    ["fixed", 1],
    ["armed-by-whom-read", 1],
    ["shadowed-gate", 0],
    ["deadline-without-bake", 0],
    ["wall", 0],
  ])("judges the gate where it is armed or may be: %s %i", (environment, judged) => {
    const coverage = outcome.coverage.filter((entry) => entry.rule === "gate-read-by-readiness" && entry.environment === environment);
    expect(coverage.reduce((sum, entry) => sum + entry.judged, 0)).toBe(judged);
  });

  it("points at the values line that decides", () => {
    const places = ["wall", "gate-protects-nothing", "image-second"].map((environment) => {
      const error = saidIn(outcome, environment).find(
        (finding) => finding.severity === "error" && finding.rule !== "gate-read-by-readiness",
      );
      return [environment, error?.location?.file.replace(/^.*memex\//, ""), error?.location?.line];
    });
    expect(places).toEqual([
      ["wall", "envs/wall.yaml", lineOf("envs/wall.yaml", "timeoutSeconds")],
      ["gate-protects-nothing", "envs/gate-protects-nothing.yaml", lineOf("envs/gate-protects-nothing.yaml", "maxUnavailable")],
      ["image-second", "values.yaml", lineOf("values.yaml", "path: /ready")],
    ]);
  });
});

/** 1-based line of the first line of a chart's file that holds the text. */
function lineOf(file: string, text: string): number {
  return (
    readFileSync(join(chart, file), "utf8")
      .split("\n")
      .findIndex((line) => line.includes(text)) + 1
  );
}

describe("values that must be refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "memex-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function refuse(name: string, edit: (template: string) => string): Promise<readonly Finding[]> {
    const copy = join(folder, name);
    cpSync(chart, copy, { recursive: true });
    const template = join(copy, "templates", "secrets.yaml");
    writeFileSync(template, edit(readFileSync(template, "utf8")));
    const config = join(copy, "refusal.yaml");
    writeFileSync(
      config,
      [
        "charts:",
        "  - path: .",
        "    environments: { default: {} }",
        "    refusals:",
        "      no-database-host: { values: [testdata/no-host.yaml], because: names no external database host }",
        "external: [Secret/memex-registry]",
        "",
      ].join("\n"),
    );
    const outcome = await run({ config, today });
    expect(outcome.failures).toEqual([]);
    return outcome.findings.filter((finding) => finding.severity !== "note");
  }

  it("holds as the chart is", async () => {
    expect(await refuse("guarded", (template) => template)).toEqual([]);
  });

  it("is an error once the fail is gone from the template", async () => {
    const findings = await refuse("unguarded", (template) => template.replace(/^.*\bfail\b.*\n/m, ""));
    expect(counted(findings)).toEqual(["error refusal-holds open"]);
    expect(findings[0]?.message).toContain("no-database-host");
  });

  it("is an error when the chart refuses for another reason", async () => {
    const findings = await refuse("other", (template) => template.replace("names no external database host", "is not complete"));
    expect(counted(findings)).toEqual(["error refusal-holds open"]);
    expect(findings[0]?.message).toContain("is not complete");
  });
});

describe("the short form that npm start shows", () => {
  it("has one error or two in each environment that failed, and none in the others", async () => {
    const outcome = await run({ config: join(chart, "helm-invariants.yaml"), today });
    expect(outcome.failures).toEqual([]);
    const said = outcome.environments.map((environment) => [
      environment,
      counted(saidIn(outcome, environment)).filter((line) => line.endsWith("open")),
    ]);
    expect(Object.fromEntries(said)).toEqual({
      wall: ["error timeout-covers-latency open"],
      "one-path": ["error check-on-right-probe open"],
      "gate-on-startup": ["error check-on-right-probe open", "error gate-read-by-readiness open"],
      "deadline-without-bake": ["error progress-deadline-covers-rollout open"],
      "raised-as-debt": [],
      fixed: [],
    });
  });
});
