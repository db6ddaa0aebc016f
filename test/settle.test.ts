import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { helmInvariants, memex } from "./command-line.js";

const base = mkdtempSync(join(tmpdir(), "helm-invariants-settle-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let chart = "";
beforeEach(() => {
  chart = join(mkdtempSync(join(base, "run-")), "memex");
  cpSync(memex, chart, { recursive: true });
});

const overlay = (text: string) => writeFileSync(join(chart, "mine.yaml"), text);
const check = (...flags: string[]) =>
  helmInvariants(["check", chart, "-f", join(chart, "mine.yaml"), "--root", chart, "--today", "2026-11-30", ...flags], { cwd: chart });

/** The values line that `timeout-within-period` traces to. */
const raised = (comment: string, above = "") => `probes:\n  liveness:\n${above}    timeoutSeconds: 30${comment}\n`;

describe("waiving where it is written", () => {
  it.each([
    ["at the end of the values line", raised(" # helm-invariants: allow timeout-within-period until 2027-03-31 -- slow volume")],
    ["on the line above", raised("", "    # helm-invariants: allow timeout-within-period -- slow volume\n")],
  ])("%s covers the finding, and says why", async (_, text) => {
    overlay(text);
    const ended = await check("--format", "json");
    const report = JSON.parse(ended.out);
    expect(report.summary).toMatchObject({ warnings: 0, waived: 1 });
    expect(report.findings[0]).toMatchObject({
      rule: "timeout-within-period",
      status: "waived",
      waiver: { because: "slow volume", from: "comment" },
    });
    expect((await check("--no-waivers")).out).toContain("warning[timeout-within-period]");
  });

  it("on a template line covers what that line wrote", async () => {
    overlay(raised(""));
    const file = join(chart, "templates/portal/deployment.yaml");
    const text = readFileSync(file, "utf8");
    const marked = text.replace(/^(.*timeoutSeconds: .*liveness.*)$/m, "$1 # helm-invariants: allow timeout-within-period -- known");
    expect(marked).not.toBe(text);
    writeFileSync(file, marked);
    expect(JSON.parse((await check("--format", "json")).out).summary).toMatchObject({ warnings: 0, waived: 1 });
  });

  it("is in use beside another one that covers the same finding, and expires beside a valid one", async () => {
    const comment = (rest: string) => ` # helm-invariants: allow timeout-within-period ${rest}`;
    const file = join(chart, "templates/portal/deployment.yaml");
    const line = /^(.*timeoutSeconds: .*liveness.*)$/m;
    writeFileSync(file, readFileSync(file, "utf8").replace(line, `$1${comment("-- known")}`));
    overlay(raised(comment("-- known here")));
    const both = JSON.parse((await check("--format", "json")).out);
    expect([both.summary.warnings, both.summary.waived]).toEqual([0, 1]);
    overlay(raised(comment("until 2026-11-29 -- was fine")));
    const ended = await check();
    expect(ended.out).toContain("expired: 2026-11-29 was its last day, and nothing is left that it would cover");
    expect(ended.out).not.toContain("[timeout-within-period]");
  });

  it("is not called unused for a finding that was not traced", async () => {
    overlay(raised(" # helm-invariants: allow timeout-within-period -- known"));
    expect((await check("--no-trace")).out).not.toContain("waiver-in-use");
  });

  it("expired, unused and malformed ones are findings at their line", async () => {
    overlay(
      `${raised(" # helm-invariants: allow timeout-within-period until 2026-11-29 -- was fine")}# helm-invariants: allow replicas-spread -- nothing here\nreplicas: 1\n# helm-invariants: allow timeout-within-period\n`,
    );
    const { out } = await check();
    expect(out).toContain("warning[timeout-within-period]");
    expect(out).toMatch(
      /waiver-in-use\]: the waiver of "timeout-within-period" expired: 2026-11-29 was its last day[\s\S]*?--> mine.yaml:3:24/,
    );
    expect(out).toMatch(/waiver-in-use\]: the waiver of "replicas-spread" covers nothing[\s\S]*?--> mine.yaml:4:1/);
    expect(out).toMatch(/waiver-in-use\]: the waiver of "timeout-within-period" gives no reason[\s\S]*?--> mine.yaml:6:1/);
  });
});

describe("what looks like a waiver", () => {
  const allow = "# helm-invariants: allow timeout-within-period -- known";

  it("and stands in a text is none for what stands below the text", async () => {
    overlay(`note: |\n  ${allow}\n${raised("")}`);
    expect((await check()).out).toContain("warning[timeout-within-period]");
    overlay(`note: |\n  text\n${raised(` ${allow}`)}`);
    expect((await check()).out).not.toContain("warning[timeout-within-period]");
  });

  it("and names no rule is a finding that says which rule was meant", async () => {
    overlay(raised(" # helm-invariants: allow timeout-within-peroid -- typo"));
    expect((await check()).out).toContain('allows "timeout-within-peroid", which is no rule, did you mean "timeout-within-period"?');
    overlay(raised(" # helm-invariants: allow acme/rule, timeout-within-period -- of a module that this run does not load"));
    expect((await check()).out).not.toContain("which is no rule");
  });
});

describe("baseline", () => {
  it("accepts what is there, fails for what is new, and for what is gone until it is pruned", async () => {
    overlay(raised(""));
    const wrote = await check("--fail-on", "warning", "--write-baseline", "base.json");
    expect([wrote.code, wrote.err]).toEqual([0, expect.stringContaining("wrote 1 finding to base.json")]);
    expect((await check("--fail-on", "warning", "--baseline", "base.json")).code).toBe(0);

    // the same finding on another line is the same finding
    overlay(`# a line more\n${raised("")}`);
    expect((await check("--fail-on", "warning", "--baseline", "base.json")).code).toBe(0);

    overlay(`${raised("")}replicas: 2\nbudget: { enabled: false }\n`);
    const fresh = await check("--fail-on", "warning", "--baseline", "base.json");
    expect([fresh.code, fresh.out]).toEqual([1, expect.not.stringContaining("timeout-within-period]")]);

    overlay("{}\n");
    const stale = await check("--baseline", "base.json");
    expect([stale.code, stale.out]).toEqual([
      1,
      expect.stringMatching(/error\[baseline-is-current\]: the baseline accepts "timeout-within-period"[\s\S]*--> base.json:4:1/),
    ]);
    const pruned = await check("--baseline", "base.json", "--prune-baseline");
    expect([pruned.code, pruned.err]).toEqual([0, expect.stringContaining("took 1 entry out of base.json")]);
    expect((await check("--baseline", "base.json")).code).toBe(0);
  });

  it("is stale in each environment by itself, and pruned there", async () => {
    writeFileSync(join(chart, "fine.yaml"), "replicas: 1\n");
    writeFileSync(join(chart, "raised.yaml"), raised(""));
    const config = (a: string, b: string) =>
      writeFileSync(join(chart, "two.yaml"), `charts: [{path: ., environments: {a: {values: [${a}]}, b: {values: [${b}]}}}]\n`);
    const run = (...flags: string[]) =>
      helmInvariants(["check", "--config", "two.yaml", "--root", ".", "--fail-on", "warning", ...flags], { cwd: chart });
    config("raised.yaml", "raised.yaml");
    await run("--write-baseline", "base.json");
    expect((await run("--baseline", "base.json")).code).toBe(0);
    config("raised.yaml", "fine.yaml");
    const stale = await run("--baseline", "base.json");
    expect([stale.code, stale.out]).toEqual([1, expect.stringContaining("which is no longer found in b")]);
    const pruned = await run("--baseline", "base.json", "--prune-baseline");
    expect(pruned.err).toContain("took environments out of 1 entry of base.json");
    expect(readFileSync(join(chart, "base.json"), "utf8")).toContain('"environments":["a"]');
    expect((await run("--baseline", "base.json")).code).toBe(0);
    config("raised.yaml", "raised.yaml");
    expect((await run("--baseline", "base.json")).code).toBe(1);
  });

  it.each([
    ["missing", undefined, /no such baseline/],
    ["no JSON", "{", /is no JSON/],
    ["something else", '{"version":2}', /is no baseline/],
  ])("one that is %s is an error", async (_, text, wanted) => {
    overlay("{}\n");
    if (text !== undefined) writeFileSync(join(chart, "base.json"), text);
    const ended = await check("--baseline", "base.json");
    expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(wanted)]);
  });
});
