import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { helmInvariants, memex } from "./command-line.js";

const base = mkdtempSync(join(tmpdir(), "helm-invariants-cli-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folder = base;
let counter = 0;
beforeEach(() => {
  folder = join(base, String(counter++));
  mkdirSync(folder);
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function chart(template: string, values = "{}"): string {
  write("chart/Chart.yaml", "apiVersion: v2\nname: demo\nversion: 1.0.0\n");
  write("chart/values.yaml", values);
  write("chart/templates/web.yaml", template);
  return join(folder, "chart");
}

const fine = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: {{ .Values.replicas | default 1 }}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: web:1.0.0
`;
const broken = `${fine}          livenessProbe: { httpGet: { path: /a, port: 80 }, timeoutSeconds: {{ required "say how long" .Values.seconds }} }\n`;
const run = (args: string[], options: Parameters<typeof helmInvariants>[1] = {}) => helmInvariants(args, { cwd: folder, ...options });

/** Never a stack trace, whatever the input. */
function expectNoTrace(text: string): void {
  expect(text).not.toMatch(/\n\s+at .+:\d+:\d+|node:internal|TypeError|RangeError/);
}

describe("a command line that cannot be carried out ends with 2 and says why", () => {
  it.each([
    ["no command", [], /no command was given[\s\S]*try: helm-invariants check/],
    ["an unknown command", ["chek"], /unknown command "chek", did you mean "check"\?/],
    ["a chart in place of a command", ["./chart"], /unknown command ".\/chart"[\s\S]*try: helm-invariants check/],
    ["an unknown flag", ["check", "--fail-one", "error"], /unknown option '--fail-one'/],
    ["a bad choice", ["check", "--format", "xml", "x"], /'--format <format>' argument 'xml' is invalid/],
    ["no chart and no config", ["check"], /no chart was named, and no helm-invariants.yaml was found[\s\S]*try: helm-invariants check/],
    ["helm's flags without a chart", ["check", "-f", "x.yaml"], /no chart was named/],
    ["a bad date", ["check", "x", "--today", "2026-02-30"], /--today is "2026-02-30", expected a date/],
    ["a bad timeout", ["check", "x", "--timeout", "soon"], /--timeout is "soon", expected a duration/],
    ["a bad output", ["check", "x", "--output", "pdf=x"], /--output is "pdf=x", expected FORMAT=FILE/],
    ["an output in no folder", ["check", "x", "--output", "json=no/where.json"], /cannot write the report "no\/where.json"/],
    ["an unknown rule", ["rules", "env-name-unique"], /there is no rule "env-name-unique", did you mean "env-names-unique"\?/],
    ["a missing config", ["check", "--config", "no.yaml"], /no\.yaml[\s\S]*(does not exist|no such file)/],
    ["values from a stream", ["check", memex, "-f", "-"], /"-" is a stream/],
    ["helm's flags with manifests", ["check", "-", "--set", "a=b"], /rendered already/],
    ["a namespace that is none", ["check", memex, "-n", "../x"], /--namespace is "..\/x"/],
    ["a missing helm", ["check", "--helm", "no-helm", memex], /no-helm/],
  ])("%s", async (_, args, text) => {
    const ended = await run(args);
    expect(ended.code).toBe(2);
    expect(ended.err).toMatch(text);
    expect(ended.out).toBe("");
    expectNoTrace(ended.err);
  });

  it("an unknown --only and --env, with a guess", async () => {
    const only = await run(["check", memex, "--only", "env-name-unique"]);
    expect([only.code, only.err]).toEqual([2, expect.stringContaining('did you mean "env-names-unique"?')]);
    const env = await run(["check", "--config", join(memex, "incidents.yaml"), "--env", "wal"]);
    expect([env.code, env.err]).toEqual([2, expect.stringContaining('did you mean "wall"?')]);
  });

  it("no helm anywhere", async () => {
    const ended = await run(["check", memex], { env: { PATH: "", HELM_BIN: join(folder, "nope") } });
    expect(ended.code).toBe(2);
    expect(ended.err).toContain("HELM_BIN");
  });
});

describe("a config that is wrong", () => {
  it.each([
    ["invalid YAML", "charts: [\n", /helm-invariants.yaml:\d+:\d+: invalid YAML/],
    ["an unknown key", "chart: []\n", /helm-invariants.yaml:1:1: unknown key "chart", did you mean "charts"\?/],
    [
      "a bad duration",
      "facts:\n  - of: '*'\n    boot: 90 seconds\n",
      /helm-invariants.yaml:3:11: facts\[0\].boot is "90 seconds", expected a duration/,
    ],
    ["a bad glob", "facts:\n  - of: 'Deployment/{web'\n    boot: 1s\n", /helm-invariants.yaml:2:9: .*glob/],
    ["__proto__", "__proto__: { polluted: true }\n", /helm-invariants.yaml:1:1: unknown key "__proto__"/],
    [
      "two environments with one name",
      "charts:\n  - { path: chart, environments: { a: {} } }\n  - { path: chart, environments: { a: {} } }\n",
      /two environments|"a"/,
    ],
    ["an unknown rule", "rules: { env-name-unique: error }\n", /1:10: .*"env-name-unique".*did you mean "env-names-unique"/],
    [
      "a missing values file",
      "charts:\n  - path: chart\n    environments:\n      a: { values: [no.yaml] }\n",
      /4:21: .*no\.yaml.*no such file/,
    ],
    [
      "an alias bomb",
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map((name, i) => `${name}: &${name} [${Array(10).fill(`*${"abcdefg"[i]}`).join(",")}]`)
        .join("\n")}\n`,
      /helm-invariants.yaml:\d+/,
    ],
  ])("%s", async (_, text, wanted) => {
    chart(fine);
    write("helm-invariants.yaml", text);
    const ended = await run(["check", "chart", "--config", "helm-invariants.yaml"]);
    expect(ended.code).toBe(2);
    expect(ended.err).toMatch(wanted);
    expect(ended.err).toContain("nothing was checked");
    expectNoTrace(ended.err);
  });
});

describe("what cannot be rendered or read is a failure, and the rest is still judged", () => {
  it("an environment that does not render", async () => {
    chart(broken);
    write("good.yaml", "seconds: 40\n");
    write("helm-invariants.yaml", "charts:\n  - path: chart\n    environments: { good: { values: [good.yaml] }, bad: {} }\n");
    const ended = await run(["check"]);
    expect(ended.code).toBe(2);
    expect(ended.out).toContain("bad does not render");
    expect(ended.out).toContain("say how long");
    expect(ended.out).toMatch(/chart\/templates\/web.yaml:13/);
    expect(ended.out).toContain("warning[timeout-within-period]");
  });

  it.each([
    ["a missing chart", ["check", "nothing"], /does not exist/],
    ["a folder that is no chart", ["check", "."], /no Chart.yaml/],
    ["a missing values file", ["check", "chart", "-f", "no.yaml"], /no\.yaml.*does not exist/],
    ["invalid YAML in a values file", ["check", "chart", "-f", "bad.yaml"], /bad\.yaml/],
    ["a render that holds nothing", ["check", "empty.yaml"], /rendered no object/],
    ["a manifest that is a list", ["check", "list.yaml"], /expected a mapping/],
    ["a manifest that is no YAML", ["check", "bad.yaml"], /cannot be read as YAML/],
  ])("%s", async (_, args, text) => {
    chart(fine);
    write("bad.yaml", "a: b: c\n");
    write("empty.yaml", "# nothing\n---\n");
    write("list.yaml", "- a\n- b\n");
    const ended = await run(args);
    expect(ended.code).toBe(2);
    expect(`${ended.out}${ended.err}`).toMatch(text);
    expectNoTrace(ended.out + ended.err);
  });

  it("__proto__ and an alias bomb in manifests", async () => {
    const bomb = `a: &a [${Array(50).fill("x").join(",")}]\n${"bcdefghij"
      .split("")
      .map((name, i) => `${name}: &${name} [${Array(50).fill(`*${"abcdefghi"[i]}`).join(",")}]`)
      .join("\n")}\n`;
    write(
      "all.yaml",
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n__proto__: { kind: Deployment }\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: { name: bomb }\n${bomb}`,
    );
    const ended = await run(["check", "all.yaml", "--format", "json"]);
    expectNoTrace(ended.err);
    expect(JSON.parse(ended.out).summary.manifests).toBeGreaterThan(0);
  });

  it("200 MB of output is cut short", async () => {
    const helm = write("helm", `#!/bin/sh\necho '---'\nexec head -c 200000000 /dev/zero\n`);
    chmodSync(helm, 0o755);
    const ended = await run(["check", chart(fine), "--helm", helm]);
    expect([ended.code, ended.out]).toEqual([2, expect.stringMatching(/printed more than \d+ bytes.*--max-output/)]);
  });

  it("a fact that matches nothing is a warning that names it", async () => {
    chart(fine);
    write("facts.yaml", "facts:\n  - of: Deployment/wep\n    boot: 1s\n");
    const ended = await run(["check", "chart", "--config", "facts.yaml"]);
    expect([ended.code, ended.out]).toEqual([0, expect.stringMatching(/facts\[0\].*"Deployment\/wep"/)]);
  });
});

describe("rules of one's own", () => {
  it.each([
    ["that throws when loaded", "throw new Error('no luck');", 2, /cannot be loaded: no luck/],
    ["that is no rule", "export default { id: 'acme/x' };", 2, /does not export a rule/],
    [
      "without a slash in its id",
      "export default { id: 'x', summary: 'x', scope: 'workload', severity: 'error', check() {} };",
      2,
      /with a slash/,
    ],
  ])("a module %s", async (_, text, code, wanted) => {
    chart(fine);
    write("own.mjs", text);
    write("own.yaml", "plugins: [./own.mjs]\n");
    const ended = await run(["check", "chart", "--config", "own.yaml"]);
    expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(wanted)]);
    expectNoTrace(ended.err);
  });

  it("a rule that leaves a timer running keeps nobody waiting", async () => {
    chart(fine);
    write(
      "own.mjs",
      "export default { id: 'acme/x', summary: 'x', scope: 'workload', severity: 'error', *check() { setInterval(() => {}, 1000); } };",
    );
    write("own.yaml", "plugins: [./own.mjs]\n");
    expect((await run(["check", "chart", "--config", "own.yaml"])).code).toBe(0);
  });

  it.each([
    ["ends the process", "*check() { process.exit(0); }", /ended before the run was done/],
    ["throws in a timer", "*check() { setTimeout(() => { throw new Error('late'); }); }", /late/],
    ["throws when all is done", "*check() { setTimeout(() => { throw new Error('late'); }, 400); }", /late/],
    ["rejects when all is done", "*check() { setTimeout(() => Promise.reject(new Error('late')), 400); }", /late/],
    [
      "yields a place that is none",
      "*check() { yield { at: 'x', message: 'm' }; }",
      /rule failed: yields a problem whose "at" is no place/,
    ],
    ["is async", "async *check() {}", /cannot be async/],
  ])("a rule that %s makes no pass", async (_, check, wanted) => {
    chart(fine);
    write("own.mjs", `export default { id: 'acme/x', summary: 'x', scope: 'workload', severity: 'error', ${check} };`);
    write("own.yaml", "plugins: [./own.mjs]\n");
    const ended = await run(["check", "chart", "--config", "own.yaml"]);
    expect([ended.code, ended.out + ended.err]).toEqual([2, expect.stringMatching(wanted)]);
    expectNoTrace(ended.err);
  });

  it("an invariant about nothing that is rendered is named", async () => {
    chart(fine);
    write("own.yaml", "invariants: [{ id: acme/x, of: Deployment/typo, require: 'false', message: no }]\n");
    const ended = await run(["check", "chart", "--config", "own.yaml", "-q"]);
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('"Deployment/typo" matches nothing that was rendered')]);
  });

  it("a rule that throws while it checks leaves the others standing", async () => {
    chart(broken, "seconds: 40\n");
    write(
      "own.mjs",
      "export default { id: 'acme/x', summary: 'x', scope: 'workload', severity: 'error', *check() { throw new Error('out of paper'); } };",
    );
    write("own.yaml", "plugins: [./own.mjs]\n");
    const ended = await run(["check", "chart", "--config", "own.yaml"]);
    expect(ended.code).toBe(2);
    expect(ended.out).toContain("out of paper");
    expect(ended.out).toContain("warning[timeout-within-period]");
  });

  it("a rule of one's own speaks, can be waived, and mustJudge holds it to its word", async () => {
    chart(fine);
    write(
      "own.mjs",
      "export default { id: 'acme/team', summary: 'x', scope: 'workload', severity: 'error', *check(w, { judged }) { judged(); yield { at: w.at.key('metadata', 'labels'), message: 'no team on \"' + w.name + '\"' }; } };",
    );
    write("own.yaml", "plugins: [./own.mjs]\nmustJudge: [acme/team]\n");
    const ended = await run(["check", "chart", "--config", "own.yaml"]);
    expect([ended.code, ended.out]).toEqual([1, expect.stringContaining('error[acme/team]: no team on "web"')]);
    write("waived.yaml", "plugins: [./own.mjs]\nwaivers: [{ rule: acme/team, because: we know }]\n");
    expect((await run(["check", "chart", "--config", "waived.yaml"])).code).toBe(0);
    write("must.yaml", "mustJudge: [gate-read-by-readiness]\n");
    const must = await run(["check", "chart", "--config", "must.yaml"]);
    expect([must.code, must.out]).toEqual([2, expect.stringContaining("gate-read-by-readiness")]);
  });
});

describe("reports and exit codes", () => {
  it("exit code 1 for findings, 0 with --exit-zero, 0 below --fail-on; 2 stays 2", async () => {
    chart(broken, "seconds: 40\n");
    expect((await run(["check", "chart"])).code).toBe(0);
    expect((await run(["check", "chart", "--fail-on", "warning"])).code).toBe(1);
    expect((await run(["check", "chart", "--fail-on", "warning", "--exit-zero"])).code).toBe(0);
    expect((await run(["check", "chart", "--fail-on", "never"])).code).toBe(0);
    expect((await run(["check", "nothing", "--exit-zero"])).code).toBe(2);
  });

  it("writes every format beside the one on stdout, nothing but the report on stdout, and no half-written file", async () => {
    chart(broken, "seconds: 40\n");
    const formats = ["terminal", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"];
    const ended = await run([
      "check",
      "chart",
      "--format",
      "json",
      ...formats.flatMap((format) => ["--output", `${format}=out.${format}`]),
    ]);
    expect(ended.code).toBe(0);
    expect(ended.err).toBe("");
    expect(JSON.parse(ended.out).version).toBe(1);
    for (const format of formats)
      expect(readFileSync(join(folder, `out.${format}`), "utf8"), format).toMatch(/timeout-within-period|TimeoutWithinPeriod/);
    expect(readFileSync(join(folder, "out.json"), "utf8")).toBe(ended.out);
    expect(readdirSync(folder).filter((name) => !name.startsWith("out."))).toEqual(["chart"]);
  });

  it("is byte-equal for equal input", async () => {
    for (const format of ["terminal", "json", "sarif", "html"]) {
      const args = ["check", "--config", join(memex, "helm-invariants.yaml"), "--format", format, "--today", "2026-11-30"];
      expect((await run(args)).out, format).toBe((await run(args)).out);
    }
  });

  it("reads manifests from standard input, and names their own lines", async () => {
    const text = fine.replace("{{ .Values.replicas | default 1 }}", "3");
    const ended = await run(["check", "-"], { input: text });
    expect([ended.code, ended.out]).toEqual([0, expect.stringMatching(/warning\[replicas-have-budget\][\s\S]*--> stdin:5:13/)]);
  });

  it("a chart is never written to", async () => {
    const copy = join(folder, "memex");
    cpSync(memex, copy, { recursive: true });
    const list = () => readdirSync(copy, { recursive: true }).sort();
    const before = list();
    await run(["check", copy, "-f", join(copy, "envs/wall.yaml"), "--min-severity", "note"]);
    expect(list()).toEqual(before);
  });

  it("no secret value and no control character reaches a report", async () => {
    const secret = `apiVersion: v1\nkind: Secret\nmetadata: { name: "s\\u001b[31m" }\nstringData: { A: hunter2-hunter2 }\n---\n`;
    const text = `${secret}${fine.replace("{{ .Values.replicas | default 1 }}", "3").replace("image: web:1.0.0", 'image: web:1.0.0\n          env: [{ name: A, value: "x\\u001b]0;y" }, { name: A, value: z }]')}`;
    for (const format of ["terminal", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"]) {
      const { out } = await run(["check", "-", "--format", format, "--min-severity", "note"], { input: text });
      expect(out, format).not.toContain("hunter2");
      expect(out.replace(/[\n\t]/g, ""), format).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
  });

  it("hides what reaches a Secret wherever it would be shown", async () => {
    const chartFolder = chart(
      `apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData:\n  blob: {{ .Values.web.blob | quote }}\n  pin: {{ .Values.pin }}\n---\n${broken.replace(".Values.seconds", ".Values.web.seconds")}          env: [{ name: PASSWORD, value: LEAK-1 }, { name: PASSWORD, value: LEAK-2 }]\n`,
      "pin: 918273645\nweb:\n  blob: LEAK-BLOB\n  seconds: 40\n",
    );
    for (const format of ["terminal", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"]) {
      const { out } = await run(["check", chartFolder, "--format", format, "--min-severity", "note"]);
      expect(out, format).toMatch(/env-values-are-strings|EnvValuesAreStrings/);
      expect(out, format).not.toMatch(/LEAK|918273645/);
    }
    const diff = await run(["check", chartFolder, "--fix-dry-run"]);
    expect(diff.out).toContain("+  seconds: 10");
    expect(diff.out).not.toMatch(/LEAK|918273645/);
    const explained = await run(["explain", chartFolder, "Secret/s", "stringData.blob"]);
    expect([explained.code, explained.out]).toEqual([0, expect.not.stringMatching(/LEAK/)]);
  });

  it("prints no line that a CI system takes for a command", async () => {
    const text = `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: "x\\n::error::pwned\\n::stop-commands::abc" }\nspec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }\n`;
    for (const args of [[], ["-v"], ["-q"]]) {
      for (const COLUMNS of ["", "40"]) {
        const { out } = await run(["check", "-", "--min-severity", "note", ...args], { input: text, env: { COLUMNS } });
        expect(out).not.toMatch(/^\s*::[a-z]/m);
      }
    }
  });

  it("a run that judged nothing is no pass", async () => {
    const ended = await run(["check", chart(fine), "--only", "cronjob-runs-apart"]);
    expect([ended.code, ended.out]).toEqual([2, expect.stringContaining("nothing was judged")]);
    write("off.yaml", "rules: { judged-nothing: off }\nmustJudge: [timeout-covers-latency]\n");
    expect((await run(["check", "chart", "--config", "off.yaml"])).code).toBe(2);
  });

  it("shows what fails the run", async () => {
    chart(broken, "seconds: 40\n");
    const ended = await run(["check", "chart", "--fail-on", "warning", "--min-severity", "error"]);
    expect([ended.code, ended.out]).toEqual([1, expect.stringContaining("warning[timeout-within-period]")]);
  });

  it("colours only when asked or on a terminal", async () => {
    const args = ["check", "--config", join(memex, "helm-invariants.yaml"), "--env", "wall"];
    expect((await run(args)).out).not.toContain("\u001b[");
    expect((await run([...args, "--color", "always"])).out).toContain("\u001b[31m");
    expect((await run(args, { env: { NO_COLOR: "", FORCE_COLOR: "1" } })).out).toContain("\u001b[");
  });
});

describe("other commands", () => {
  it("debts lists what is owed and what the field is elsewhere", async () => {
    const ended = await run([
      "debts",
      "--config",
      join(memex, "incidents.yaml"),
      "--env",
      "raised-as-debt",
      "--env",
      "wall",
      "--env",
      "neighbour",
    ]);
    expect(ended.code).toBe(0);
    expect(ended.out).toContain("Deployment/memex-portal-deployment startupProbe.timeoutSeconds   now 30, pay back to 5");
    expect(ended.out).toMatch(/due when the image is ≥ 3\.0\.0-ci\.8900 \(now 3\.0\.0-ci\.8812\) · elsewhere: 5 in neighbour, wall/);
  });

  it("facts prints YAML to fill in", async () => {
    chart(broken, "seconds: 4\n");
    const ended = await run(["facts", "chart"]);
    expect(ended.code).toBe(0);
    expect(ended.out).toMatch(/facts:\n {2}- of: Deployment\/web\n[\s\S]*boot:/);
  });

  it("rules lists every rule, and prints a page", async () => {
    const list = await run(["rules"]);
    expect(list.out).toMatch(/timeout-covers-latency +on +error/);
    const page = await run(["rules", "timeout-covers-latency"]);
    expect([page.code, page.out]).toEqual([0, expect.stringContaining("What it guards")]);
  });
});
