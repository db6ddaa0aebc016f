import { describe, expect, it } from "vitest";
import type { Excerpt } from "../src/findings.js";
import { showExcerpt } from "../src/report/excerpt.js";
import { renderTerminal } from "../src/report/terminal.js";
import { displayWidth, wrap } from "../src/report/width.js";
import { everything, finding, hostile, located, sampleOptions, sampleResult, wall } from "./report-samples.js";

const options = sampleOptions({ width: 120 });

describe("the terminal report", () => {
  it("is laid out with the source, the carets, the other places, the notes and the count", () => {
    expect(renderTerminal(sampleResult([wall]), options)).toBe(`\
error[timeout-covers-latency]: the startup probe of "memex-portal" waits 5s for /health, which answers in 8.12s to
                               13.55s: no attempt can succeed
  --> envs/memex.yaml:30:21
   |
28 |   startup:
29 |     periodSeconds: 10
30 |     timeoutSeconds: 5
   |                     ^
   |
  ::: deploy/helm/templates/portal/deployment.yaml:4:3
   |
 3 | spec:
 4 |   strategy:
   |   ^^^^^^^^ written by the template here
   |
   = why: 1080 attempts at a wall; the kubelet kills the container 10790s to 10805s (3.0h) after it starts, and the next
          one meets the same wall. A startup timeout is the one that a pod cannot leave
   = seen: 2026-09-17 14:53Z 8.12s 9.62s 9.52s · 15:22Z 10.71s 13.55s, from outside, on serving pods (a starting one is
           slower)
   = trend: mean +3.04s in 29 min: a larger timeout buys the time until the next growth
   = fix: make /health answer in 2.5s, or probe a path that does
   = ask: with facts.boot and facts.pull this becomes exact
   = in: memex, memex-cloud

checked 2 environments, 14 objects, 3 workloads: 1 error, 0 warnings, 0 notes
2 rules judged something; 1 could judge more with facts: endpoints (helm-invariants facts)
`);
  });

  it("breaks no sentence when there is no terminal", () => {
    const text = renderTerminal(sampleResult([wall]), sampleOptions());
    expect(text).toContain(`error[timeout-covers-latency]: ${wall.message}\n`);
    expect(text).toContain(`   = why: ${wall.notes[0]?.text}\n`);
  });

  it.each([50, 60, 80, 100])("keeps to a width of %i where words allow it", (width) => {
    for (const line of renderTerminal(sampleResult([wall]), sampleOptions({ width })).split("\n")) {
      if (line.includes("-->") || line.includes(":::") || line.includes("^")) continue;
      expect(displayWidth(line), line).toBeLessThanOrEqual(width);
    }
  });

  it("colours only when asked, and colours change no text", () => {
    const plain = renderTerminal(everything, options);
    const coloured = renderTerminal(everything, { ...options, color: true });
    expect(plain).not.toContain("\u001b");
    expect(coloured).toContain("\u001b[31m");
    expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
  });

  it("writes out what a terminal would obey", () => {
    const excerpts: Excerpt[] = [{ from: 1, lines: ["a: \u001b[2J\u0007\u202e x"] }];
    const remarks = [{ message: hostile }];
    const failures = [{ stage: "render" as const, environment: hostile, message: hostile }];
    const text = renderTerminal(
      sampleResult([located(hostile, 1, { message: hostile, rule: hostile, excerpts })], { remarks, failures, environments: [hostile] }),
      options,
    );
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u);
    expect(text).toContain("a: \\x1b[2J\\x07\\u{202e} x");
  });

  it("shows the subject and field where there is no location, and the field where the line is not exact", () => {
    expect(renderTerminal(sampleResult([finding()]), options)).toContain(
      " --> Deployment/web spec.template.spec.containers[web].startupProbe.timeoutSeconds\n",
    );
    const inexact = located("x.yaml", 2, { location: { file: "x.yaml", line: 2, column: 1, endLine: 2, endColumn: 2, exact: false } });
    expect(renderTerminal(sampleResult([inexact]), options)).toContain("= field: Deployment/web spec.template");
    expect(renderTerminal(sampleResult([located("x.yaml", 2)]), options)).not.toContain("= field:");
  });

  it("counts notes and shows them on demand", () => {
    const notes = sampleResult([located("x.yaml", 2, { severity: "note" }), located("x.yaml", 3, { severity: "note" })]);
    const counted = renderTerminal(notes, options);
    expect(counted).toContain("0 errors, 0 warnings, 2 notes (--min-severity note)\n");
    expect(counted).not.toContain("note[");
    const shown = renderTerminal(notes, { ...options, minSeverity: "note" });
    expect(shown).toContain("note[timeout-within-period]");
    expect(shown).toContain("2 notes\n");
  });

  it("counts waived, owed and baselined findings and shows them only when verbose", () => {
    const known = sampleResult([
      located("x.yaml", 1, { status: "waived", waiver: { because: "one endpoint only", until: "2027-03-31", from: "config" } }),
      located("x.yaml", 2, { status: "debt", waiver: { because: "slow volume", from: "debt" } }),
      located("x.yaml", 3, { status: "baseline" }),
    ]);
    const text = renderTerminal(known, options);
    expect(text).toContain("0 errors, 0 warnings, 0 notes, 1 waived, 1 debt, 1 in the baseline\n");
    expect(text).not.toContain("-->");
    const verbose = renderTerminal(known, { ...options, verbose: true });
    expect(verbose).toContain("warning[timeout-within-period] (waived): ");
    expect(verbose).toContain("= waived: one endpoint only, until 2027-03-31 (config)");
    expect(verbose).toContain("= debt: slow volume\n");
    expect(verbose).toContain("= rule: rules/timeout-within-period.md");
    expect(verbose).toContain("  timeout-covers-latency  2 of 6  more with endpoints\n");
  });

  it("names what could not be judged, and why the exit code is 2", () => {
    const text = renderTerminal(everything, options);
    expect(text).toContain(
      "1 environment could not be judged: staging does not render\n  deploy/helm/templates/secrets.yaml:1:3: 'memex_portal' names no external database host\n",
    );
    expect(text).toContain("1 rule broke off: acme/label\n  acme/label: x is not a function (in: memex)\n");
    expect(text).toContain('warning: facts[2] is of "Deployment/gone", which no environment renders\n  --> helm-invariants.yaml:12:5\n');
    expect(text).toMatch(
      /\nerror: 2 errors in 3 environments, 1 environment failed, 2 other failures: this run could not do the whole job/,
    );
  });

  it("joins environments that fail alike", () => {
    const failures = ["a", "b", "c"].map((environment) => ({
      stage: "render" as const,
      environment,
      message: environment === "c" ? "other" : "no host\nat line 2",
    }));
    const text = renderTerminal(sampleResult([], { failures, environments: ["a", "b", "c"], exitCode: 2 }), options);
    expect(text).toContain(
      "3 environments could not be judged: a, b, c do not render\n  no host\n  at line 2 (in: a, b)\n  other (in: c)\n",
    );
    expect(text).toContain("0 errors in 3 environments, 3 environments failed: this run");
    expect(text).toContain("checked 0 of 3 environments, ");
  });

  it("says loudly that nothing was judged", () => {
    const text = renderTerminal(
      sampleResult([], { coverage: [], environments: ["default"], counts: { manifests: 1, workloads: 0 } }),
      options,
    );
    expect(text).toBe(
      "checked 1 environment, 1 object, 0 workloads: 0 errors, 0 warnings, 0 notes\nwarning: nothing was judged: none of 2 rules found anything to decide in 1 object\n",
    );
  });

  it("names no environment where there is only one", () => {
    expect(renderTerminal(sampleResult([located("x.yaml", 1)], { environments: ["memex"] }), options)).not.toContain("= in:");
  });

  it("is one line a finding when quiet", () => {
    const text = renderTerminal(sampleResult([wall, located("x.yaml", 1)]), { ...options, quiet: true, minSeverity: "error" });
    expect(text).toBe(`envs/memex.yaml:30:21: error[timeout-covers-latency]: ${wall.message} (in: memex, memex-cloud)\n`);
    expect(renderTerminal(sampleResult([]), { ...options, quiet: true })).toBe("");
  });
});

describe("an excerpt", () => {
  const marked = (line: string, text: string, width = 80) => {
    const column = line.indexOf(text) + 1;
    const [shown] = showExcerpt({ from: 7, lines: [line], mark: { line: 7, column, endColumn: column + text.length } }, width);
    return `${shown?.text}\n${" ".repeat(shown?.mark?.from ?? 0)}${"^".repeat(shown?.mark?.length ?? 0)}`;
  };

  it("keeps carets under tabs, wide characters, emoji and escapes", () => {
    expect(marked("\tkey: 5", "5")).toBe("    key: 5\n         ^");
    expect(marked("名前: 値 5", "5")).toBe(`名前: 値 5\n${" ".repeat(9)}^`);
    expect(marked("名前: 値", "値")).toBe(`名前: 値\n${" ".repeat(6)}^^`);
    expect(marked("👩‍👩‍👧 e\u0301: 5", "5")).toBe(`👩‍👩‍👧 e\u0301: 5\n${" ".repeat(6)}^`);
    expect(marked("a\u001b: 5", "5")).toBe(`a\\x1b: 5\n${" ".repeat(7)}^`);
  });

  it("cuts a long line around its mark", () => {
    const long = `key: "${"a".repeat(300)}MARK${"b".repeat(300)}"`;
    const [text = "", carets = ""] = marked(long, "MARK", 60).split("\n");
    expect(displayWidth(text)).toBeLessThanOrEqual(60);
    expect(text).toMatch(/^….*MARK.*…$/);
    expect(carets.indexOf("^")).toBe(text.indexOf("MARK"));
    expect(carets.trim()).toBe("^^^^");
    expect(marked(`${"値".repeat(80)}MARK`, "MARK", 41).split("\n")[0]).toMatch(/^…値+MARK$/);
    expect(marked(`start: ${"b".repeat(300)}`, "start", 41).split("\n")[0]).toMatch(/^start: b+…$/);
  });

  it("marks at least one column, also at or after the end of a line", () => {
    expect(showExcerpt({ from: 1, lines: ["ab"], mark: { line: 1, column: 3, endColumn: 3 } }, 80)[0]?.mark).toEqual({
      from: 2,
      length: 1,
    });
    expect(showExcerpt({ from: 1, lines: [""], mark: { line: 1, column: 1, endColumn: 9 } }, 80)[0]?.mark).toEqual({ from: 0, length: 1 });
  });
});

describe("widths", () => {
  it.each([
    ["abc", 3],
    ["日本", 4],
    ["한글", 4],
    ["e\u0301", 1],
    ["😀", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["ﾊﾝ", 2],
    ["…·×", 3],
    ["", 0],
  ])("of %j is %i", (text, width) => expect(displayWidth(text)).toBe(width));

  it("wraps at spaces only", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrap("incomprehensible", 4)).toEqual(["incomprehensible"]);
    expect(wrap("a\nb c", 1)).toEqual(["a", "b", "c"]);
  });
});
