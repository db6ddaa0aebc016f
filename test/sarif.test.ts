import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Log, Result, Run } from "sarif";
import { describe, expect, it } from "vitest";
import { lineHashes } from "../src/report/line-hash.js";
import type { ReportOptions, RunResult } from "../src/report/result.js";
import { renderSarif } from "../src/report/sarif.js";
import { everything, finding, located, sampleOptions, sampleRepository, sampleResult, wall } from "./report-samples.js";

const require = createRequire(import.meta.url);
const root = sampleRepository();
const options = sampleOptions({ root });

function runOf(result: RunResult, more: Partial<ReportOptions> = {}): Run {
  const log = JSON.parse(renderSarif(result, { ...options, ...more })) as Log;
  expect(log.runs).toHaveLength(1);
  const [run] = log.runs;
  if (run === undefined) throw new Error("no run");
  return run;
}

function resultsOf(result: RunResult, more: Partial<ReportOptions> = {}): Result[] {
  return runOf(result, more).results ?? [];
}

function regionOf(result: Result | undefined) {
  return result?.locations?.[0]?.physicalLocation?.region;
}

function uriOf(result: Result | undefined): string {
  return result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri ?? "";
}

const many = sampleResult(
  Array.from({ length: 120 }, (_, index) => located("envs/memex.yaml", 1, { fingerprint: `f${index}`, message: `message ${index}` })),
);
const samples: readonly (readonly [string, RunResult, Partial<ReportOptions>])[] = [
  ["no finding", sampleResult([]), {}],
  ["one finding", sampleResult([wall]), {}],
  ["everything", everything, { minSeverity: "note" }],
  [
    "everything, suppressed included, with links",
    everything,
    { sarifIncludeSuppressed: true, sarifCategory: "helm", homepage: "https://example.org/tool" },
  ],
  ["many findings on one line", many, {}],
];

describe("SARIF", () => {
  const schemaFile = join(dirname(require.resolve("@microsoft/sarif-multitool-linux/package.json")), "sarif-2.1.0.json");
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(schemaFile, "utf8").replace(/^\ufeff/, "")) as object);

  it.each(samples)("obeys the schema: %s", (_, result, more) => {
    validate(JSON.parse(renderSarif(result, { ...options, ...more })));
    expect(validate.errors).toBeNull();
  });

  it.skipIf(process.platform !== "linux" || process.arch !== "x64").each(samples)(
    "passes the validator with GitHub's rules: %s",
    (_, result, more) => {
      const folder = mkdtempSync(join(tmpdir(), "sarif-"));
      const tool: string = require("@microsoft/sarif-multitool");
      chmodSync(tool, 0o755);
      const rules = [
        "1001.ProvideRequiredLocationProperties",
        "1002.InlineThreadFlowLocations",
        "1003.ProvideRequiredRegionProperties",
        "1005.LocationsMustBeRelativeUrisOrFilePaths",
        "1006.ProvideCheckoutPath",
        "1007.ProvideFullyFormattedDescription",
      ];
      const switches = rules.map(
        (rule) =>
          `<Properties Key="GH${rule}.Options"><Property Key="RuleEnabled" Value="Error" Type="Driver.RuleEnabledState"/></Properties>`,
      );
      writeFileSync(join(folder, "ghas.xml"), `<?xml version="1.0"?><Properties>${switches.join("")}</Properties>`);
      writeFileSync(join(folder, "in.sarif"), renderSarif(result, { ...options, ...more }));
      const out = join(folder, "out.sarif");
      spawnSync(tool, [
        "validate",
        join(folder, "in.sarif"),
        "--rule-kind",
        "Sarif;Ghas",
        "--config",
        join(folder, "ghas.xml"),
        "--output",
        out,
        "--log",
        "ForceOverwrite",
      ]);
      const log = JSON.parse(readFileSync(out, "utf8").replace(/^\ufeff/, "")) as Log;
      const faults = log.runs[0]?.results?.filter(({ level }) => level === undefined || level === "error" || level === "warning");
      expect(faults?.map((fault) => `${fault.ruleId} ${fault.message.id} ${JSON.stringify(fault.message.arguments)}`)).toEqual([]);
    },
  );

  it.each(samples)("has what the validators do not look for: %s", (_, result, more) => {
    const run = runOf(result, more);
    const rules = run.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual([...new Set(rules.map(({ id }) => id))].sort());
    for (const rule of rules) {
      expect(rule.name).toMatch(/^[A-Z][A-Za-z0-9]*$/);
      for (const text of [rule.shortDescription?.text, rule.fullDescription?.text]) expect(text).toMatch(/^.{1,1023}\.$/s);
      expect(rule.help?.text).toBeTruthy();
      expect(rule.help?.markdown).toBeTruthy();
      const tags = rule.properties?.tags ?? [];
      expect(tags.length).toBeLessThanOrEqual(10);
      expect(rule.properties?.["precision"]).toMatch(/high/);
      expect(rule.properties?.["problem.severity"]).toMatch(/^(error|warning|recommendation)$/);
    }
    const places = new Set<string>();
    for (const found of run.results ?? []) {
      const region = regionOf(found);
      expect(found.locations).toHaveLength(1);
      expect(region?.endLine).toBe(region?.startLine);
      expect(region?.endColumn).toBeGreaterThan(region?.startColumn ?? 0);
      expect(rules[found.ruleIndex ?? -1]?.id).toBe(found.ruleId);
      expect(found.level).toMatch(/^(error|warning|note)$/);
      const uris = [...(found.locations ?? []), ...(found.relatedLocations ?? [])].map(
        (at) => at.physicalLocation?.artifactLocation?.uri ?? "",
      );
      for (const uri of uris) {
        const file = join(root, decodeURIComponent(uri));
        expect(existsSync(file) && lstatSync(file).isFile(), uri).toBe(true);
        expect(uri).not.toMatch(/^\/|^\.\.|\\| |^[a-z]+:/);
      }
      const hash = lineHashes(readFileSync(join(root, decodeURIComponent(uriOf(found))), "utf8"))[(region?.startLine ?? 0) - 1];
      expect(found.partialFingerprints?.["primaryLocationLineHash"]).toBe(hash);
      const place = `${found.ruleId} ${uriOf(found)} ${region?.startLine}`;
      expect(places.has(place), place).toBe(false);
      places.add(place);
      expect(found.relatedLocations?.length ?? 0).toBeLessThanOrEqual(100);
      for (const [, id] of (found.message.text ?? "").matchAll(/(?<!\\)\]\((\d+)\)/g))
        expect(found.relatedLocations?.map((at) => at.id)).toContain(Number(id));
    }
  });

  it("is equal byte by byte wherever the repository is, and names no folder of the machine", () => {
    const copy = mkdtempSync(join(tmpdir(), "other-place-"));
    cpSync(root, copy, { recursive: true });
    const text = renderSarif(everything, options);
    expect(renderSarif(everything, { ...options, root: copy })).toBe(text);
    expect(text).not.toContain(tmpdir());
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  it("holds open findings from the least severity up, and suppressed ones only on demand", () => {
    const statuses = sampleResult([
      located("envs/memex.yaml", 1),
      located("envs/memex.yaml", 2, { status: "waived", waiver: { because: "known", from: "config" } }),
      located("envs/memex.yaml", 3, { severity: "note" }),
    ]);
    expect(resultsOf(statuses).map((found) => regionOf(found)?.startLine)).toEqual([1]);
    expect(resultsOf(statuses, { minSeverity: "note" }).map((found) => regionOf(found)?.startLine)).toEqual([1, 3]);
    const all = resultsOf(statuses, { sarifIncludeSuppressed: true });
    expect(all.map((found) => found.suppressions)).toEqual([undefined, [{ kind: "external", status: "accepted", justification: "known" }]]);
  });

  it("tells the whole story in the first sentence and links the template", () => {
    const [found] = resultsOf(sampleResult([wall]));
    expect(found?.message.text).toBe(
      `${wall.message}. In: memex, memex-cloud. Fix: ${wall.hint}. Rendered by [deploy/helm/templates/portal/deployment.yaml:4](1).`,
    );
    expect(found?.relatedLocations?.[0]?.id).toBe(1);
    const flow = found?.codeFlows?.[0]?.threadFlows[0]?.locations.map((step) => step.location?.physicalLocation?.artifactLocation?.uri);
    expect(flow).toEqual(["envs/memex.yaml", "deploy/helm/templates/portal/deployment.yaml"]);
    expect(found?.partialFingerprints?.["helmInvariants/v1"]).toBe(wall.fingerprint);
    expect(found?.locations?.[0]?.logicalLocations?.[0]?.fullyQualifiedName).toContain("Deployment/memex-portal-deployment#spec.template");
  });

  it("makes one result of what one rule says of one line", () => {
    const other = located("envs/memex.yaml", 30, { rule: wall.rule, severity: "warning", message: "second", environments: ["pearl"] });
    const [found, ...none] = resultsOf(sampleResult([wall, other]));
    expect(none).toEqual([]);
    expect(found?.level).toBe("error");
    expect(found?.message.text).toContain("Also: second. In: memex, memex-cloud, pearl.");
  });

  it("keeps a region within its line, also when the finding spans several", () => {
    const spanning = located("deploy/helm/templates/portal/deployment.yaml", 1, {
      location: { file: "deploy/helm/templates/portal/deployment.yaml", line: 1, column: 3, endLine: 4, endColumn: 2, exact: false },
    });
    expect(regionOf(resultsOf(sampleResult([spanning]))[0])).toEqual({ startLine: 1, startColumn: 3, endLine: 1, endColumn: 17 });
  });

  it("offers an edit only where the line writes the field itself", () => {
    const [found] = resultsOf(sampleResult([wall]));
    expect(found?.fixes?.[0]?.artifactChanges[0]?.replacements[0]).toEqual({
      deletedRegion: { startLine: 30, startColumn: 21, endLine: 30, endColumn: 22 },
      insertedContent: { text: "28" },
    });
    const elsewhere = { ...wall, field: "spec.progressDeadlineSeconds", fix: { value: 13_200 } };
    expect(resultsOf(sampleResult([elsewhere]))[0]?.fixes).toBeUndefined();
    const inexact = { ...wall, location: { file: "envs/memex.yaml", line: 30, column: 21, endLine: 30, endColumn: 22, exact: false } };
    expect(resultsOf(sampleResult([inexact]))[0]?.fixes).toBeUndefined();
  });

  it("puts what has no line into the config or the chart", () => {
    const ofConfig = finding({ subject: "config", chart: "", environments: [] });
    const atOrigin = finding({
      subject: "config",
      chart: "",
      environments: [],
      rule: "debt-is-due",
      origin: { file: join(root, "helm-invariants.yaml"), line: 1, column: 3 },
    });
    const ofChart = finding({ chart: join(root, "deploy/helm") });
    const found = resultsOf(sampleResult([ofConfig, atOrigin, ofChart])).map(
      (one) => `${one.ruleId} ${uriOf(one)} ${regionOf(one)?.startColumn}`,
    );
    expect(found).toEqual([
      "timeout-within-period deploy/helm/Chart.yaml 1",
      "debt-is-due helm-invariants.yaml 3",
      "timeout-within-period helm-invariants.yaml 1",
    ]);
  });

  it("names the real file behind a link", () => {
    symlinkSync("memex.yaml", join(root, "envs/link.yaml"));
    expect(uriOf(resultsOf(sampleResult([located("envs/link.yaml", 2)]))[0])).toBe("envs/memex.yaml");
  });

  it("shows what could not be judged as a result and as a notification", () => {
    const run = runOf(everything);
    expect(run.invocations?.[0]?.executionSuccessful).toBe(false);
    expect(run.invocations?.[0]?.toolExecutionNotifications).toHaveLength(3);
    const [, found] = (run.results ?? []).filter(({ ruleId }) => ruleId === "could-not-judge");
    expect(uriOf(found)).toBe("deploy/helm/templates/secrets.yaml");
    expect(found?.message.text).toBe("could not judge staging: 'memex_portal' names no external database host.");
    expect(runOf(sampleResult([])).invocations).toEqual([{ executionSuccessful: true }]);
  });

  it("has a category only when asked, ending in a slash", () => {
    expect(runOf(sampleResult([])).automationDetails).toBeUndefined();
    expect(runOf(sampleResult([]), { sarifCategory: "helm" }).automationDetails).toEqual({ id: "helm/" });
  });

  it("describes a rule by its page", () => {
    const rule = runOf(sampleResult([]), { homepage: "https://example.org/tool/" }).tool.driver.rules?.find(
      ({ id }) => id === "timeout-covers-latency",
    );
    expect(rule?.name).toBe("TimeoutCoversLatency");
    expect(rule?.shortDescription?.text).toBe("A probe waits longer than its endpoint takes.");
    expect(rule?.fullDescription?.text).toBe("The timeoutSeconds of a probe is more than the slowest reading.");
    expect(rule?.helpUri).toBe("https://example.org/tool/rules/timeout-covers-latency.md");
    expect(rule?.help?.markdown).toContain("## Why");
  });

  it("stays below GitHub's limit of results", () => {
    const findings = Array.from({ length: 25_010 }, (_, index) => located("envs/memex.yaml", 1, { rule: `acme/r${index}` }));
    const run = runOf(sampleResult(findings, { coverage: [], rules: [] }));
    expect(run.results).toHaveLength(25_000);
    expect(run.invocations?.[0]?.toolExecutionNotifications?.[0]?.message.text).toContain("10 further results are left out");
  });
});
