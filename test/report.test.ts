import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { UsageError } from "../src/errors.js";
import { checkOutputs, formats, isFormat, type RunResult, renderReport, writeReport } from "../src/report/index.js";
import type { JsonReport } from "../src/report/json.js";
import { everything, finding, hostile, located, sampleOptions, sampleRepository, sampleResult, wall } from "./report-samples.js";

const root = sampleRepository();
const options = sampleOptions({ root });
const results: readonly (readonly [string, RunResult])[] = [
  ["no finding", sampleResult([])],
  ["one finding", sampleResult([wall])],
  ["everything", everything],
  [
    "hostile names",
    sampleResult(
      [
        located(hostile, 1, {
          rule: hostile,
          subject: hostile,
          field: hostile,
          message: hostile,
          environments: [hostile],
          excerpts: [{ of: hostile, from: 1, lines: [hostile] }],
        }),
      ],
      { environments: [hostile] },
    ),
  ],
];
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

describe.each(formats)("format %s", (format) => {
  it.each(results)("is the same each time, ends its last line, and shows what cannot be seen: %s", async (_, result) => {
    const text = await renderReport(format, result, options);
    expect(await renderReport(format, structuredResult(result), options)).toBe(text);
    expect(text).toMatch(/[^\n]\n$/);
    expect(text).not.toMatch(unseen);
    expect(text).not.toContain(root);
  });
});

/** The same result with fresh arrays: nothing may hang on identity. */
function structuredResult(result: RunResult): RunResult {
  return { ...result, findings: [...result.findings], failures: [...result.failures], coverage: [...result.coverage] };
}

describe("the JSON report", () => {
  const validate = new Ajv({ allErrors: true }).compile(
    JSON.parse(readFileSync(join(import.meta.dirname, "../report.schema.json"), "utf8")) as object,
  );
  const parsed = async (result: RunResult) => JSON.parse(await renderReport("json", result, options)) as JsonReport;

  it.each(results)("obeys the published schema: %s", async (_, result) => {
    validate(await parsed(result));
    expect(validate.errors).toBeNull();
  });

  it("has the shape of version 1, numbers included", async () => {
    const report = await parsed(sampleResult([wall]));
    expect(Object.keys(report)).toEqual(["version", "findings", "failures", "coverage", "remarks", "summary"]);
    expect(report.findings[0]).toEqual({
      rule: wall.rule,
      severity: "error",
      message: wall.message,
      hint: wall.hint,
      subject: wall.subject,
      container: "memex-portal",
      field: "spec.template.spec.containers[memex-portal].startupProbe.timeoutSeconds",
      location: wall.location,
      related: wall.related,
      because: [
        { term: "timeout", value: 5, unit: "s", field: "spec.template.spec.containers[memex-portal].startupProbe.timeoutSeconds" },
        { term: "deadline", value: 600, unit: "s", field: "spec", subject: "Service/web" },
      ],
      notes: wall.notes,
      ask: ["boot", "pull"],
      environments: ["memex", "memex-cloud"],
      fingerprint: wall.fingerprint,
      status: "open",
    });
    expect(report.summary).toEqual({
      environments: 2,
      manifests: 14,
      workloads: 3,
      errors: 1,
      warnings: 0,
      notes: 0,
      waived: 0,
      debts: 0,
      baseline: 0,
      exitCode: 1,
    });
  });

  it("holds every finding whatever its severity and status, and hostile text unchanged", async () => {
    const report = await parsed(everything);
    expect(report.findings).toHaveLength(everything.findings.length);
    expect(report.findings[2]?.message).toBe(hostile);
    expect(report.failures[0]?.location).toEqual({ file: "deploy/helm/templates/secrets.yaml", line: 1, column: 3 });
    expect(report.findings[5]?.waiver).toEqual({ because: "one endpoint only", until: "2027-03-31", from: "config" });
  });
});

describe("GitHub workflow commands", () => {
  it("escape what would end a property or a command", async () => {
    const text = await renderReport(
      "github",
      sampleResult([located("a,b:c%.yaml", 3, { message: "50%\n::error::x, y: z", hint: "h" })]),
      options,
    );
    expect(text.split("\n")[0]).toBe(
      "::warning file=a%2Cb%3Ac%25.yaml,line=3,endLine=3,col=5,endColumn=10,title=timeout-within-period::50%25 ::error::x, y: z%0Afix: h%0Ain: memex",
    );
  });

  it("stop at ten of a kind, say so, and list the rest where the runner cannot take it for commands", async () => {
    const findings = Array.from({ length: 13 }, (_, index) =>
      located("x.yaml", index + 1, { message: index === 12 ? "::error::forged ##[error]forged" : `m${index}` }),
    );
    const lines = (await renderReport("github", sampleResult([wall, ...findings]), options)).split("\n");
    expect(lines.filter((line) => line.startsWith("::warning "))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith("::error "))).toHaveLength(1);
    expect(lines).toContain("3 findings are not annotated: GitHub shows 10 of a kind");
    expect(lines.find((line) => line.includes("forged"))).toBe(
      "  warning[timeout-within-period] x.yaml:13:5: ::error::forged # #[error]forged",
    );
  });

  it("begin with what could not be judged", async () => {
    const text = await renderReport("github", everything, options);
    expect(text).toMatch(
      /^::error file=deploy\/helm\/templates\/secrets.yaml,line=1,col=3,title=could-not-judge::1 environment could not be judged/,
    );
  });
});

describe("GitLab Code Quality", () => {
  it("has unique fingerprints without lines and a place for every entry", async () => {
    const twice = sampleResult([located("envs/memex.yaml", 1), located("envs/memex.yaml", 9), finding()], {
      failures: everything.failures,
    });
    const entries = JSON.parse(await renderReport("gitlab", twice, options)) as {
      fingerprint: string;
      description: string;
      severity: string;
      location: { path: string; lines: { begin: number } };
    }[];
    expect(entries.map(({ severity }) => severity)).toEqual(["blocker", "blocker", "blocker", "minor", "minor", "minor"]);
    expect(new Set(entries.map(({ fingerprint }) => fingerprint)).size).toBe(6);
    for (const { description, location } of entries) {
      expect(description).not.toBe("");
      expect(existsSync(join(root, location.path)), location.path).toBe(true);
      expect(location.lines.begin).toBeGreaterThan(0);
    }
    const moved = JSON.parse(await renderReport("gitlab", sampleResult([located("envs/memex.yaml", 5)]), options)) as typeof entries;
    expect(moved[0]?.fingerprint).toBe(entries[3]?.fingerprint);
  });

  it("is an empty list for a clean run", async () => expect(await renderReport("gitlab", sampleResult([]), options)).toBe("[]\n"));
});

/** Names of elements that are open at the end, or that close what is not open. */
function unbalanced(markup: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name = "", rest = ""] of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)([^>]*)>/gi)) {
    if (rest.endsWith("/") || name === "meta") continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
}

describe("JUnit", () => {
  it("has a suite an environment and a case a rule: failed, passed, skipped, broken", async () => {
    const text = await renderReport(
      "junit",
      sampleResult([{ ...wall, environments: ["memex"] }, located("x.yaml", 3)], { failures: everything.failures }),
      options,
    );
    expect(text).toContain('<testsuite name="memex-cloud" tests="2" failures="0" errors="0" skipped="1" time="0">');
    expect(text).toContain('<skipped message="judged 0 of 3, it could with facts: endpoints"/>');
    expect(text).toContain('<testcase classname="memex-cloud" name="timeout-within-period" time="0"/>');
    expect(text).toContain('<testsuites name="helm-invariants" tests="6" failures="1" errors="2" skipped="1" time="0">');
    expect(text).toContain(">envs/memex.yaml:30:21: the startup probe");
    expect(text).toContain("<system-out>warning: x.yaml:3:5: ");
    expect(text).toContain('<error type="judge"');
  });

  it("fails from --fail-on up", async () => {
    const warning = sampleResult([located("x.yaml", 3)]);
    expect(await renderReport("junit", warning, { ...options, failOn: "warning" })).toContain('<failure type="warning"');
    expect(await renderReport("junit", sampleResult([wall]), { ...options, failOn: "never" })).not.toContain("<failure");
  });

  it.each(results)("is well-formed: %s", async (_, result) => {
    const text = await renderReport("junit", result, options);
    expect(unbalanced(text)).toEqual([]);
    expect(text).not.toContain("]]>");
    expect(text.replace(/&#\d+;/g, "")).not.toContain("&");
  });
});

describe("HTML", () => {
  it.each(results)("is balanced, escaped and loads nothing: %s", async (_, result) => {
    const text = await renderReport("html", result, options);
    expect(unbalanced(text.replace(/<style>[\s\S]*<\/style>/, ""))).toEqual([]);
    expect(text).not.toContain("<b>");
    expect(text).not.toMatch(/<script|src=|href="(?!#)|url\(/);
  });

  it("links every rule of the overview to a finding and shows the source with its carets", async () => {
    const text = await renderReport("html", everything, options);
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(`id="${id}"`);
    expect(text).toContain(
      '<span class="gutter">30 |</span>     timeoutSeconds: 5\n<span class="gutter">   |</span>                     ^',
    );
  });
});

describe("Markdown", () => {
  it("has a table and details, and lets no text be markup", async () => {
    const text = await renderReport("markdown", everything, options);
    expect(text).toContain("| error | timeout-covers-latency | envs/memex.yaml:30:21 | ");
    expect(text).toContain("30 |     timeoutSeconds: 5\n```");
    const row = text.split("\n").find((line) => line.startsWith("| warning") && line.includes("ü")) ?? "";
    expect(row.match(/(?<!\\)\|/g)).toHaveLength(6);
    expect(row).not.toMatch(/<b>|(?<!\\)`|(?<!\\)\[/);
  });

  it("stays below 900 KB and says how much is left out", async () => {
    const findings = Array.from({ length: 9000 }, (_, index) => located("x.yaml", index + 1, { message: `${"long ".repeat(20)}${index}` }));
    const text = await renderReport("markdown", sampleResult(findings), options);
    expect(Buffer.byteLength(text)).toBeLessThan(900_000);
    expect(text).toMatch(/\n\d+ findings more are not shown here\n/);
    expect(text).toContain("checked 2 environments");
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  });
});

describe("what was checked", () => {
  it.each(["terminal", "github", "markdown", "html"] as const)("%s counts the environments that rendered", async (format) => {
    expect(await renderReport(format, everything, options)).toContain("checked 2 of 3 environments");
  });

  it("json counts those that were to be checked", async () => {
    expect(JSON.parse(await renderReport("json", everything, options)).summary.environments).toBe(3);
  });
});

describe("report files", () => {
  const folder = () => mkdtempSync(join(tmpdir(), "output-"));

  it("are put into place whole, with the mode and the link that were there", () => {
    const at = folder();
    writeFileSync(join(at, "real.json"), "old");
    chmodSync(join(at, "real.json"), 0o640);
    symlinkSync("real.json", join(at, "link.json"));
    writeReport(join(at, "link.json"), "new\n");
    writeReport(join(at, "fresh.json"), "");
    expect(readFileSync(join(at, "real.json"), "utf8")).toBe("new\n");
    expect(statSync(join(at, "real.json")).mode & 0o777).toBe(0o640);
    expect(lstatSync(join(at, "link.json")).isSymbolicLink()).toBe(true);
    expect(readdirSync(at).sort()).toEqual(["fresh.json", "link.json", "real.json"]);
  });

  it.each([
    ["missing/x.json", "the folder does not exist"],
    ["folder", "it is a folder, expected a file"],
    ["file/x.json", "a part of the path is a file, expected a folder"],
    [`${"n".repeat(300)}.json`, "the name is too long"],
  ])("refuse %s before and after the run, and leave nothing behind", (name, reason) => {
    const at = folder();
    mkdirSync(join(at, "folder"));
    writeFileSync(join(at, "file"), "");
    for (const action of [() => checkOutputs([join(at, "good.json"), join(at, name)]), () => writeReport(join(at, name), "text")]) {
      expect(action).toThrow(UsageError);
      expect(action).toThrow(`cannot write the report "${join(at, name)}": ${reason}`);
    }
    expect(readdirSync(at).sort()).toEqual(["file", "folder"]);
  });

  it("refuse one file for two reports", () => {
    const at = folder();
    expect(() => checkOutputs([join(at, "a"), join(at, "./a")])).toThrow("two reports would be written to");
    expect(() => checkOutputs([join(at, "a"), join(at, "b")])).not.toThrow();
  });

  it.skipIf(process.platform === "win32")("write through to a device", () => expect(() => writeReport("/dev/null", "text")).not.toThrow());
});

describe("formats", () => {
  it("are known by name", () => {
    expect(formats.every(isFormat)).toBe(true);
    expect(isFormat("xml")).toBe(false);
  });
});

describe("speed", () => {
  it("is not lost on a message of spaces or a long file", async () => {
    const result = sampleResult([located("envs/memex.yaml", 1, { message: `a${" ".repeat(200_000)}b`, hint: `${"x ".repeat(50_000)}` })]);
    const started = performance.now();
    for (const format of formats) await renderReport(format, result, { ...options, width: 100 });
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
