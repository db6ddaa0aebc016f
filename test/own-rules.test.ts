import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { RuleTester } from "../src/index.js";
import { defineRule } from "../src/rule.js";
import { helmInvariants, root } from "./command-line.js";

const base = mkdtempSync(join(tmpdir(), "helm-invariants-own-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folder = base;
let counter = 0;
beforeEach(() => {
  folder = join(base, String(counter++));
  mkdirSync(folder);
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const plugin = (name: string) => join(root, "fixtures/plugins", name);
const run = (...args: string[]) => helmInvariants(args, { cwd: folder });

const web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: { app: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: web:1.0.0
          resources: { limits: { memory: 8Gi } }
          startupProbe:
            httpGet: { path: /, port: 80 }
            periodSeconds: 10
            failureThreshold: 7
`;

/** Findings of the rules in `ids` as `severity[rule] field: message`. */
async function check(config: string, ...ids: string[]) {
  write("web.yaml", web);
  write("own.yaml", config);
  const only = ids.flatMap((id) => ["--only", id]);
  const ended = await run("check", "web.yaml", "--config", "own.yaml", "--format", "json", ...only);
  const report = ended.out === "" ? { findings: [], coverage: [] } : JSON.parse(ended.out);
  const said = report.findings.map(
    (f: { severity: string; rule: string; field: string; message: string; status: string }) =>
      `${f.status === "open" ? "" : `${f.status} `}${f.severity}[${f.rule}] ${f.field}: ${f.message}`,
  );
  return { ...ended, said, report };
}

describe("a module of one's own", () => {
  it("has the built-in rules' functions without importing anything", async () => {
    const config = `plugins: [${plugin("with-api.mjs")}]\nfacts: [{ of: Deployment/web, boot: 45s }]\n`;
    const { code, said } = await check(config, "acme/boot-twice");
    expect(said).toEqual([
      'error[acme/boot-twice] spec.template.spec.containers[web].startupProbe.failureThreshold: "web" has 60s to start, expected 2 × 45s',
    ]);
    expect(code).toBe(1);
  });

  it("asks for a fact that it does not get", async () => {
    await check(`plugins: [${plugin("with-api.mjs")}]\n`);
    const facts = await run("facts", "web.yaml", "--config", "own.yaml", "--only", "acme/boot-twice");
    expect(facts.out).toMatch(/facts:\n {2}- of: Deployment\/web\n {4}boot: .*acme\/boot-twice/);
  });

  it("is off until asked when it is deep", async () => {
    const config = `plugins: [${plugin("with-api.mjs")}]\n`;
    const mine = (said: readonly string[]) => said.filter((text) => text.includes("acme/memory"));
    expect(mine((await check(config)).said)).toEqual([]);
    const deep =
      'warning[acme/memory-in-gibibytes] spec.template.spec.containers[web].resources.limits.memory: "web" may use 8Gi, expected at most 4Gi';
    expect(mine((await check(`${config}deep: true\n`)).said)).toEqual([deep]);
    expect(mine((await check(`${config}rules: { acme/memory-in-gibibytes: error }\n`)).said)).toEqual([deep.replace("warning", "error")]);
  });

  it("takes options, a severity, a waiver and mustJudge from the config", async () => {
    const config = `plugins: [${plugin("team-label.mjs")}]\n`;
    const at = (label: string) => `error[acme/team-label] metadata.labels: "web" has no label ${label}`;
    expect((await check(config, "acme/team-label")).said).toEqual([at("team")]);
    expect((await check(`${config}rules: { acme/team-label: { label: squad } }\n`, "acme/team-label")).said).toEqual([at("squad")]);
    const lowered = await check(`${config}rules: { acme/team-label: note }\n`, "acme/team-label");
    expect([lowered.code, lowered.said]).toEqual([0, [at("team").replace("error", "note")]]);
    const waived = await check(`${config}waivers: [{ rule: acme/team-label, of: Deployment/web, because: we know }]\n`, "acme/team-label");
    expect([waived.code, waived.said]).toEqual([0, [`waived ${at("team")}`]]);
    const app = await check(`${config}rules: { acme/team-label: { label: app, teams: [shop] } }\n`, "acme/team-label");
    expect([app.code, app.said]).toEqual([
      0,
      ['warning[acme/team-label] metadata.labels.app: "web" belongs to "web", expected one of shop'],
    ]);
    const must = await check(`plugins: [${plugin("with-api.mjs")}]\nmustJudge: [acme/boot-twice]\n`);
    expect([must.code, must.out]).toEqual([2, expect.stringContaining("acme/boot-twice")]);
  });

  it.each([
    [
      "an option that it does not have",
      "{ acme/team-label: { lable: x } }",
      /unknown option "lable" in rules.acme\/team-label, did you mean "label"\?/,
    ],
    ["an option of another type", "{ acme/team-label: { label: 3 } }", /rules.acme\/team-label.label is 3, expected a text such as "team"/],
    [
      "a rule that does not exist",
      "{ acme/team-labels: error }",
      /unknown rule "acme\/team-labels" in rules, did you mean "acme\/team-label"\?/,
    ],
  ])("refuses %s", async (_, rules, wanted) => {
    const ended = await check(`plugins: [${plugin("team-label.mjs")}]\nrules: ${rules}\n`);
    expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(wanted)]);
  });

  it.each([
    ["options: ['a']", /options is \["a"\], expected a map of names and default values/],
    ["options: { severity: 'x' }", /options has "severity", which the config gives to every rule/],
    ["options: { f() {} }", /options\.f is a function, expected a text/],
    ["options: { f: 1n }", /options\.f is a bigint/],
    ["facts: ['bot']", /there is no fact "bot", did you mean "boot"\?/],
    ["facts: 'boot'", /facts is "boot", expected a list of names/],
    ["kinds: 'ConfigMap'", /kinds is "ConfigMap", expected a list such as/],
    ["kind: ['ConfigMap']", /unknown member "kind", did you mean "kinds"\?/],
    ["deep: 'yes'", /deep is "yes", expected true or false/],
  ])("with %s is refused", async (member, wanted) => {
    write("rule.mjs", `export default { id: "acme/x", summary: "x", scope: "workload", severity: "error", ${member}, *check() {} };`);
    const ended = await check("plugins: [./rule.mjs]\n");
    expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(wanted)]);
  });

  it("may import the package by its name where that is installed", async () => {
    cpSync(plugin("with-import.mjs"), join(folder, "with-import.mjs"));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules/helm-invariants"));
    const { code, err } = await check("plugins: [./with-import.mjs]\nmustJudge: [acme/short-period]\n", "acme/short-period");
    expect([code, err]).toEqual([0, ""]);
  });
});

const invariants = `invariants:
  - id: acme/many-need-budget
    of: Deployment/*
    in: [prod]
    when: replicas.floor > 1
    require: objects("PodDisruptionBudget").size() > 0
    message: '"{workload.name}" has {replicas.floor} replicas and no budget'
    hint: add a PodDisruptionBudget
    at: spec.replicas
`;

describe("an invariant of one's own", () => {
  it("is a rule like any other: listed, shown, set, waived, held to its word", async () => {
    const config = `plugins: [${plugin("team-label.mjs")}]\n${invariants.replace("    in: [prod]\n", "")}`;
    write("own.yaml", config);
    const list = await run("rules", "--config", "own.yaml");
    expect(list.out).toMatch(/^acme\/many-need-budget +on +error +workload +–$/m);
    expect(list.out).toMatch(/^acme\/team-label +on +error +workload +–$/m);
    const page = await run("rules", "acme/many-need-budget", "--config", "own.yaml");
    expect(page.out).toContain('require  objects("PodDisruptionBudget").size() > 0');
    const id = "acme/many-need-budget";
    write("many.yaml", web.replace("spec:\n  selector", "spec:\n  replicas: 3\n  selector"));
    const told = await run("check", "many.yaml", "--config", "own.yaml", "--only", id);
    expect([told.code, told.out]).toEqual([
      1,
      expect.stringMatching(/error\[acme\/many-need-budget\]: "web" has 3 replicas and no budget\n +--> many\.yaml:7:13/),
    ]);
    write("note.yaml", `${config}rules: { ${id}: note }\n`);
    expect((await run("check", "many.yaml", "--config", "note.yaml", "--only", id)).code).toBe(0);
    write("waived.yaml", `${config}waivers: [{ rule: ${id}, because: we know }]\n`);
    expect((await run("check", "many.yaml", "--config", "waived.yaml", "--only", id)).code).toBe(0);
    write("must.yaml", `${config}mustJudge: [${id}]\n`);
    write("web.yaml", web);
    const must = await run("check", "web.yaml", "--config", "must.yaml");
    expect([must.code, must.out]).toEqual([2, expect.stringContaining(id)]);
  });

  it("that cannot be evaluated ends the run with 2, in every format, at its line", async () => {
    write("web.yaml", web);
    write("own.yaml", invariants.replace("    in: [prod]\n", "").replace("replicas.floor > 1", "object.spec.nope > 1"));
    for (const format of ["terminal", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"]) {
      const ended = await run("check", "web.yaml", "--config", "own.yaml", "--only", "acme/many-need-budget", "--format", format);
      expect(ended.code, format).toBe(2);
      expect(ended.out, format).toMatch(/could not evaluate/);
    }
    const { out } = await run("check", "web.yaml", "--config", "own.yaml", "--only", "acme/many-need-budget");
    expect(out).toContain('own.yaml:4:23: acme/many-need-budget: could not evaluate "when" for "Deployment/web": there is no "nope" here');
  });

  it("that does not compile is a fault of the config", async () => {
    write("web.yaml", web);
    write("own.yaml", invariants.replace("replicas.floor > 1", "replica.floor > 1"));
    for (const args of [["check", "web.yaml"], ["rules"], ["facts", "web.yaml"]]) {
      const ended = await run(...args, "--config", "own.yaml");
      expect([ended.code, ended.err]).toEqual([
        2,
        expect.stringContaining('own.yaml:5:11: invariants[0].when: unknown variable "replica", did you mean "replicas"?'),
      ]);
    }
  });

  it("does not take the id of a plugin's rule", async () => {
    write("web.yaml", web);
    write("own.yaml", `plugins: [${plugin("team-label.mjs")}]\n${invariants.replace("acme/many-need-budget", "acme/team-label")}`);
    const ended = await run("check", "web.yaml", "--config", "own.yaml");
    expect([ended.code, ended.err]).toEqual([
      2,
      expect.stringContaining('own.yaml:3:5: invariant "acme/team-label" has the id of a rule of a plugin'),
    ]);
  });
});

describe("helm-invariants test", () => {
  const many = (want: string) => web.replace("spec:\n  selector", `spec:\n  replicas: 3${want}\n  selector`);

  it("runs the cases below the config's folder", async () => {
    write("helm-invariants.yaml", `plugins: [${plugin("team-label.mjs")}]\n${invariants.replace("    in: [prod]\n", "")}`);
    write("rules/many.case.yaml", many("  # want: acme/many-need-budget error").replace("{ app: web }\nspec", "{ team: shop }\nspec"));
    write("rules/one.case.yaml", web.replace("labels: { app: web }", "labels: { app: web } # want: acme/team-label"));
    write("rules/none.case.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n");
    write("node_modules/x/bad.case.yaml", "nothing");
    const ended = await run("test");
    expect(ended).toEqual({
      code: 0,
      err: "",
      out: "ok    rules/many.case.yaml\nok    rules/none.case.yaml  (no rule judged anything in it)\nok    rules/one.case.yaml\n\n3 passed, 0 failed\n",
    });
    const named = await run("test", "rules/one.case.yaml");
    expect([named.code, named.out]).toEqual([0, "ok    rules/one.case.yaml\n\n1 passed, 0 failed\n"]);
  });

  it("names rules that no case finds", async () => {
    write("helm-invariants.yaml", `plugins: [${plugin("team-label.mjs")}]\n${invariants.replace("    in: [prod]\n", "")}`);
    write("one.case.yaml", web.replace("labels: { app: web }", "labels: { app: web } # want: acme/team-label"));
    expect((await run("test")).out).toBe("ok    one.case.yaml\n\nfound in no case: acme/many-need-budget\n1 passed, 0 failed\n");
  });

  it("says what was expected and what was found", async () => {
    write("own.yaml", `plugins: [${plugin("team-label.mjs")}]\n${invariants}`);
    write("a.case.yaml", many(""));
    write("b.case.yaml", web.replace("kind: Deployment", "kind: Deployment # want: acme/many-need-budget"));
    const ended = await run("test", ".", "--config", "own.yaml");
    expect(ended.code).toBe(1);
    expect(ended.out).toBe(`FAIL  a.case.yaml
      a.case.yaml:5: unexpected error[acme/team-label]: "web" has no label team
      a.case.yaml:7: unexpected error[acme/many-need-budget]: "web" has 3 replicas and no budget
FAIL  b.case.yaml
      b.case.yaml:2: expected a finding of acme/many-need-budget, found none
      b.case.yaml:5: unexpected error[acme/team-label]: "web" has no label team

0 passed, 2 failed
`);
  });

  it("judges built-in rules that a case names, with the facts of the case", async () => {
    write("helm-invariants.yaml", "charts: []\n");
    write(
      "c.case.yaml",
      `config:\n  facts: [{ of: Deployment/web, boot: 10m }]\n---\n${web.replace("failureThreshold: 7", "failureThreshold: 7 # want: startup-covers-boot")}`,
    );
    expect((await run("test")).out).toBe("ok    c.case.yaml\n\n1 passed, 0 failed\n");
  });

  it("a case may bring rules of its own", async () => {
    write(
      "c.case.yaml",
      `config:\n  invariants: [{ id: acme/x, require: "replicas.floor > 1", message: m, of: "*/*" }]\n---\n${web.replace("kind: Deployment", "kind: Deployment # want: acme/x")}`,
    );
    expect((await run("test", "c.case.yaml")).out).toContain("1 passed, 0 failed");
  });

  it("what cannot be evaluated fails the case", async () => {
    write("helm-invariants.yaml", invariants.replace("replicas.floor > 1", "object.spec.nope > 1"));
    write("a.case.yaml", web);
    const ended = await run("test");
    expect([ended.code, ended.out]).toEqual([
      1,
      expect.stringContaining('a.case.yaml: acme/many-need-budget: could not evaluate "when" for "Deployment/web"'),
    ]);
  });

  it.each([
    ["no such file", ["nope.case.yaml"], "", /there is no case nope\.case\.yaml/],
    ["a folder without cases", ["empty"], "", /there is no \*\.case\.yaml in empty/],
    [
      "an unknown rule",
      ["a.case.yaml"],
      "kind: X # want: acme/many-need-budgt",
      /a\.case\.yaml:1: unknown rule "acme\/many-need-budgt", did you mean "acme\/many-need-budget"\?/,
    ],
    [
      "a want without a colon",
      ["a.case.yaml"],
      "kind: X # want acme/many-need-budget",
      /a\.case\.yaml:1:9: found "# want acme\/many-need-budget", expected # want: <rule>/,
    ],
    ["a misspelt severity", ["a.case.yaml"], "kind: X # want: acme/many-need-budget eror", /a\.case\.yaml:1:9: found/],
    [
      "a bad config in a case",
      ["a.case.yaml"],
      "config:\n  fact: []\n---\n",
      /a\.case\.yaml:2:3: unknown key "fact", did you mean "facts"\?/,
    ],
    ["a file that is no text", ["b.case.yaml"], "", /b\.case\.yaml: is not UTF-8/],
  ])("ends with 2 for %s", async (_, args, text, wanted) => {
    write("helm-invariants.yaml", invariants.replace("    in: [prod]\n", ""));
    mkdirSync(join(folder, "empty"));
    write("a.case.yaml", text);
    writeFileSync(join(folder, "b.case.yaml"), Buffer.from([0xff, 0xfe, 0x00]));
    const ended = await run("test", ...args);
    expect([ended.code, ended.err, ended.out]).toEqual([2, expect.stringMatching(wanted), ""]);
  });

  it("a manifest that is no YAML fails its case", async () => {
    write("helm-invariants.yaml", invariants.replace("    in: [prod]\n", ""));
    write("a.case.yaml", "kind: Deployment\napiVersion: apps/v1\nmetadata: { name: x\n");
    const ended = await run("test");
    expect([ended.code, ended.out]).toEqual([1, expect.stringMatching(/a\.case\.yaml:\d+: /)]);
  });

  it("no cases and no config", async () => {
    expect(await run("test")).toMatchObject({ code: 2, err: expect.stringContaining("try: helm-invariants test my.case.yaml") });
    write("helm-invariants.yaml", invariants.replace("    in: [prod]\n", ""));
    expect(await run("test")).toMatchObject({ code: 2, err: expect.stringContaining("there is no *.case.yaml below") });
  });
});

const twoReplicas = defineRule({
  id: "acme/two",
  summary: "There are two replicas",
  scope: "workload",
  severity: "error",
  *check(workload, { judged }) {
    judged();
    if (workload.replicas.floor < 2)
      yield { at: workload.at.key("spec", "replicas"), message: `has ${workload.replicas.floor}, expected 2` };
  },
});
const of = (replicas: string) => `
    apiVersion: apps/v1
    kind: Deployment
    metadata: { name: web }
    spec:
      replicas: ${replicas}
      template: { spec: { containers: [{ name: web, image: web }] } }
`;

// With vitest's own functions: these are tests of their own.
RuleTester.run(twoReplicas, {
  describe,
  it,
  valid: [of("2"), { name: "three", yaml: of("3") }],
  invalid: [
    of("1 # want: acme/two error"),
    { name: "one", yaml: of("1"), wants: [{ line: 5, message: /has 1/ }] },
    { yaml: of("1"), wants: [5] },
  ],
});

describe("RuleTester", () => {
  const failing = (cases: Omit<Parameters<typeof RuleTester.run>[1], "describe" | "it">) => () =>
    RuleTester.run(twoReplicas, { describe: (_, body) => body(), it: (_, body) => body(), ...cases });

  it("throws for a case that does not match", () => {
    expect(failing({ valid: [of("1")], invalid: [] })).toThrow(/valid\[0\]:\n {2}line 5: unexpected error\[acme\/two\]: has 1, expected 2/);
    expect(failing({ valid: [], invalid: [of("2 # want: acme/two")] })).toThrow(
      /invalid\[0\]:\n {2}line 5: expected a finding of acme\/two, found none/,
    );
    expect(failing({ valid: [], invalid: [of("1")] })).toThrow(/invalid\[0\] wants nothing/);
    expect(failing({ valid: [], invalid: [{ yaml: of("1"), wants: [{ line: 5, message: "other" }] }] })).toThrow(
      /expected a message with other, found has 1/,
    );
    expect(failing({ valid: [], invalid: [{ yaml: of("1"), wants: [{ line: 5, severity: "note" }] }] })).toThrow(
      /expected note of acme\/two, found error on line 5/,
    );
    expect(failing({ valid: ["config: { fact: [] }\n---\n"], invalid: [] })).toThrow(/valid\[0\]:1:11: unknown key "fact"/);
  });

  it("is in the package's main export, and no test runner with it", () => {
    const text = readFileSync(join(root, "src/rule-tester.ts"), "utf8");
    expect(text).not.toMatch(/from "(vitest|mocha|node:test)/);
  });
});
