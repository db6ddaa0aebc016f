import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { replaced } from "../src/fix.js";
import { helmInvariants, memex } from "./command-line.js";

const base = mkdtempSync(join(tmpdir(), "helm-invariants-fix-test-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("replacing one scalar", () => {
  const at = (text: string, line: number, scalar: string) => {
    const column = (text.split("\n")[line - 1] ?? "").lastIndexOf(scalar) + 1;
    return { line, column, endColumn: column + scalar.length };
  };
  it.each([
    ["a number, its comment kept", "a:\n  b: 30 # why\n", 2, "30", 10, "a:\n  b: 10 # why\n"],
    ["a quoted number", "b: '30'\n", 1, "'30'", 10, "b: '10'\n"],
    ["a text in double quotes", 'b: "x" # y\n', 1, '"x"', '/re"ady', 'b: "/re\\"ady" # y\n'],
    ["a plain text", "b: /health\n", 1, "/health", "/ready", "b: /ready\n"],
    ["a plain text that needs quotes now", "b: x\n", 1, "x", "yes", 'b: "yes"\n'],
    ["Windows line ends", "a: 1\r\nb: 2\r\n", 2, "2", 3, "a: 1\r\nb: 3\r\n"],
    ["an element of a flow list", "a: [1, 2]\n", 1, "2", 5, "a: [1, 5]\n"],
  ] as const)("%s", (_, text, line, scalar, value, wanted) => {
    expect(replaced(text, { ...at(text, line, scalar), value })).toBe(wanted);
  });

  it.each([
    ["an alias", "a: *x\n", "*x"],
    ["an anchor", "a: &x 1\n", "&x 1"],
    ["a block scalar", "a: |\n  x\n", "|"],
    ["a mapping", "a: {}\n", "{}"],
  ])("leaves %s alone", (_, text, scalar) => {
    expect(replaced(text, { ...at(text, 1, scalar), value: 1 })).toBeUndefined();
  });
});

describe("check --fix", () => {
  let chart = "";
  let overlay = "";
  beforeEach(() => {
    chart = join(mkdtempSync(join(base, "run-")), "memex");
    cpSync(memex, chart, { recursive: true });
    overlay = join(chart, "envs/mine.yaml");
  });
  const check = (...flags: string[]) => helmInvariants(["check", chart, "-f", overlay, "--root", chart, ...flags]);

  it("edits the winning values file, keeps comments, and the finding is gone", async () => {
    writeFileSync(overlay, "probes:\n  startup:\n    timeoutSeconds: 30 # raised in a hurry\n");
    const before = readFileSync(join(chart, "values.yaml"), "utf8");
    const ended = await check("--fix");
    expect(ended.err).toContain("fixed timeout-within-period: envs/mine.yaml:3 is now 10");
    expect(readFileSync(overlay, "utf8")).toBe("probes:\n  startup:\n    timeoutSeconds: 10 # raised in a hurry\n");
    expect(readFileSync(join(chart, "values.yaml"), "utf8")).toBe(before);
    expect(ended.out).toContain("0 errors, 0 warnings");
  });

  it("--fix-dry-run prints the diff and writes nothing", async () => {
    const text = "probes:\n  startup:\n    timeoutSeconds: 30 # raised in a hurry\n";
    writeFileSync(overlay, text);
    const ended = await check("--fix-dry-run");
    expect(ended.out).toBe(
      "--- a/envs/mine.yaml\n+++ b/envs/mine.yaml\n@@ -1,3 +1,3 @@\n probes:\n   startup:\n-    timeoutSeconds: 30 # raised in a hurry\n+    timeoutSeconds: 10 # raised in a hurry\n",
    );
    expect(readFileSync(overlay, "utf8")).toBe(text);
  });

  it("says once what became of a value that several edits were made of, and keeps apart what stands on one line", async () => {
    const folder = mkdtempSync(join(base, "shared-"));
    const probe = (name: string, value: string, period: string) =>
      `          ${name}: { httpGet: { path: /, port: 80 }, periodSeconds: ${period}, timeoutSeconds: {{ .Values.${value} }} }\n`;
    const web = `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n  selector: { matchLabels: { app: web } }\n  template:\n    metadata: { labels: { app: web } }\n    spec:\n      containers:\n        - name: web\n          image: web:1.0.0\n`;
    mkdirSync(join(folder, "templates"));
    writeFileSync(join(folder, "Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    writeFileSync(join(folder, "values.yaml"), "p: { own: 30, shared: 100 }\n");
    writeFileSync(
      join(folder, "templates/web.yaml"),
      `${web}${probe("livenessProbe", "p.shared", "20")}${probe("readinessProbe", "p.shared", "10")}${probe("startupProbe", "p.own", "5")}`,
    );
    const run = (flag: string) => helmInvariants(["check", folder, "--root", folder, flag, "--only", "timeout-within-period"]);
    const lines = (ended: { readonly err: string }) => ended.err.split("\n").filter((line) => /^(?:would fix|fixed|left)/.test(line));
    const dry = await run("--fix-dry-run");
    expect(lines(dry)).toEqual([
      "would fix timeout-within-period: values.yaml:1 is now 5",
      "would fix timeout-within-period: values.yaml:1 is now 10",
    ]);
    expect(dry.out).toContain("-p: { own: 30, shared: 100 }\n+p: { own: 5, shared: 10 }\n");
    expect(lines(await run("--fix"))).toEqual(lines(dry).map((line) => line.replace("would fix", "fixed")));
    expect(readFileSync(join(folder, "values.yaml"), "utf8")).toBe("p: { own: 5, shared: 10 }\n");
  });

  it("edits the chart's own default when no overlay sets the value", async () => {
    writeFileSync(overlay, "{}\n");
    const values = join(chart, "values.yaml");
    const text = readFileSync(values, "utf8");
    const raised = text.replace(/^( {4}timeoutSeconds: )5\b/m, "$130");
    expect(raised).not.toBe(text);
    writeFileSync(values, raised);
    expect((await check("--fix")).err).toContain("fixed timeout-within-period: values.yaml");
    expect(readFileSync(values, "utf8")).toContain("timeoutSeconds: 10");
  });

  it("looks at the environments that --env leaves out", async () => {
    writeFileSync(overlay, "probes:\n  startup:\n    timeoutSeconds: 30\n");
    const config = join(chart, "config.yaml");
    writeFileSync(
      config,
      "charts:\n  - path: .\n    environments:\n      a: { values: [envs/mine.yaml] }\n      b: { values: [envs/mine.yaml] }\nfacts:\n  - of: Deployment/*\n    in: [b]\n    endpoints: { /health: { latency: 14s } }\n",
    );
    const ended = await helmInvariants(["check", "--config", config, "--env", "a", "--root", chart, "--fix"]);
    expect(ended.err).toContain("one gets worse: timeout-covers-latency");
    expect(readFileSync(overlay, "utf8")).toContain("timeoutSeconds: 30");
  });

  it.each([
    ["an anchor", "replicas: &n 33\nprobes: {liveness: {timeoutSeconds: *n}}\n", "{{ .Values.replicas }}"],
    ["the template", "replicas: 3\nprobes: {liveness: {timeoutSeconds: 33}}\n", "{{ .Values.probes.liveness.timeoutSeconds }}"],
  ])("leaves a value alone that %s shares with another field", async (_, values, replicas) => {
    const folder = join(chart, "../shared");
    mkdirSync(join(folder, "templates"), { recursive: true });
    writeFileSync(join(folder, "Chart.yaml"), "apiVersion: v2\nname: shared\nversion: 1.0.0\n");
    writeFileSync(join(folder, "values.yaml"), values);
    writeFileSync(
      join(folder, "templates/d.yaml"),
      `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: web:1.2
          livenessProbe:
            httpGet: {path: /live, port: 80}
            timeoutSeconds: {{ .Values.probes.liveness.timeoutSeconds }}
`,
    );
    const ended = await helmInvariants(["check", folder, "--root", folder, "--fix"]);
    expect(ended.err).toMatch(
      /^left timeout-within-period at values.yaml:\d alone: with 10, Deployment\/web spec.replicas becomes 10 too, which is another field$/m,
    );
    expect(readFileSync(join(folder, "values.yaml"), "utf8")).toBe(values);
  });

  it("leaves a value alone when the edit brings a new finding", async () => {
    writeFileSync(overlay, "probes:\n  startup:\n    timeoutSeconds: 30\n");
    const config = join(chart, "config.yaml");
    writeFileSync(config, "facts:\n  - of: Deployment/*\n    endpoints: { /health: { latency: 14s } }\n");
    const ended = await check("--config", config, "--fix");
    expect(ended.err).toMatch(
      /left timeout-within-period at envs\/mine.yaml:3 alone: with 10, a new finding appears, or one gets worse: timeout-covers-latency/,
    );
    expect(readFileSync(overlay, "utf8")).toBe("probes:\n  startup:\n    timeoutSeconds: 30\n");
  });
});
