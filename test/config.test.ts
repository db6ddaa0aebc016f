import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Ajv } from "ajv";
import { afterEach, describe, expect, it } from "vitest";
import { checkRuleIds, defaultConfig, findConfig, loadConfig, loadConfigFragment } from "../src/config/load.js";
import type { Config } from "../src/config/types.js";
import { ConfigError } from "../src/errors.js";

const root = join(import.meta.dirname, "..");
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files; `chart/Chart.yaml` is always there. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  folders.push(folder);
  for (const [name, text] of Object.entries({ "chart/Chart.yaml": "name: c\n", ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function load(yaml: string, files: Readonly<Record<string, string>> = {}): Config {
  return loadConfig(join(folderOf({ ...files, "helm-invariants.yaml": yaml }), "helm-invariants.yaml"));
}

/** What is complained about, as `[file:]line:column: message`, with the folder left out. */
function complaints(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.complaints.map(({ file, line, column, message }) => {
      const short = file.replace(/^.*?\/config-[^/]+\//, "");
      return `${short === "helm-invariants.yaml" ? "" : `${short}:`}${line === undefined ? "" : `${line}:${column}: `}${message}`;
    });
  }
  throw new Error("nothing was wrong");
}

const faults = (yaml: string, files: Readonly<Record<string, string>> = {}) => complaints(() => load(yaml, files));
const fragment = (yaml: string) => loadConfigFragment(yaml, "case.yaml", root);
const flow = (body: string) => faults(`charts: [{path: chart, environments: {memex: {}}}]\n${body}\n`);

describe("the example of the design", () => {
  const config = loadConfig(join(root, "fixtures/config/full/helm-invariants.yaml"));
  const folder = join(root, "fixtures/config/full");

  it("gives environments with absolute paths and helm's flags", () => {
    expect(config.folder).toBe(folder);
    const [chart] = config.charts;
    expect(chart).toMatchObject({ path: join(folder, "deploy/helm"), kind: "chart" });
    expect(chart?.environments.map(({ name, origin }) => [name, origin?.line, origin?.column])).toEqual([
      ["self-host", 8, 7],
      ["memex-cloud", 9, 7],
      ["memex", 10, 7],
    ]);
    expect(chart?.environments[2]).toMatchObject({
      release: "memex",
      namespace: "memex",
      kubeVersion: "1.31.0",
      values: [join(folder, "deploy/aks/values.aks.yaml"), join(folder, "envs/memex.yaml")],
      sets: [{ flag: "--set", expression: "image.tag=3.0.0-ci.8812" }],
      nodes: 3,
      deploy: { with: "helm", helm: 4, wait: true, timeout: 600, ciWait: 900 },
      external: ["postgres.example.net", "Secret/memex-keyvault"],
    });
    expect(chart?.refusals).toMatchObject([
      { name: "no-database-host", because: "names no external database host", values: [join(folder, "testdata/no-host.yaml")] },
    ]);
  });

  it("gives facts in seconds, with the gate's parts", () => {
    expect(config.facts).toHaveLength(1);
    expect(config.facts[0]).toMatchObject({
      in: ["memex", "memex-cloud"],
      origin: { line: 20, column: 5 },
      facts: { boot: 90, pull: 300, drain: 30 },
    });
    expect(config.facts[0]?.facts.gates?.["nodetype-bake"]).toEqual({
      name: "nodetype-bake",
      check: "nodetype_bake",
      armedBy: { env: "PreWarm__GateReadiness", equals: "true" },
      requires: [{ env: "PreWarm__DynamicTypes", equals: "true" }],
      readAt: "/ready",
      holds: 1800,
    });
  });

  it("gives readings by file, in UTC, of the environment that the file is named after", () => {
    expect(
      config.readings.map(({ in: where, at, samples, total, slowest, origin }) => [where, at, samples, total, slowest, origin.line]),
    ).toEqual([
      [["memex-cloud"], "2026-09-17T14:53:30Z", [0.14, 0.75], undefined, {}, 1],
      [["memex"], "2026-09-17T14:53Z", [8.12, 9.62, 9.52], undefined, {}, 1],
      [["memex"], "2026-09-17T19:20Z", [], 10.068, { required_modules: 10.068, pending_module_activation: 0.03 }, 8],
    ]);
    expect(config.readings[1]).toMatchObject({
      phase: "serving",
      vantage: "outside",
      origin: { file: "fixtures/config/full/readings/memex.yaml" },
    });
  });

  it("gives rules, plugins, invariants, waivers and debts", () => {
    expect(config.rules["readiness-not-on-startup-path"]).toMatchObject({ severity: "error", options: {} });
    expect(config.rules["timeout-covers-latency"]).toMatchObject({ options: { headroom: 2 } });
    expect(config.rules["timeout-covers-latency"]).not.toHaveProperty("severity");
    expect(config.plugins.map(({ path }) => path)).toEqual([join(folder, "invariants/team-label.mjs")]);
    expect(config.invariants).toMatchObject([{ id: "acme/clustered-when-replicated", when: "replicas.floor > 1", severity: undefined }]);
    expect(config.mustJudge).toEqual(["gate-read-by-readiness"]);
    expect(config.waivers).toMatchObject([{ rule: "liveness-not-on-readiness-path", in: ["self-host"], until: "2027-03-31" }]);
    expect(config.debts).toMatchObject([
      { field: "startupProbe.timeoutSeconds", allow: 30, payBackTo: 5, until: { image: ">=3.0.0-ci.8900" } },
    ]);
  });

  it("is frozen to its leaves", () => {
    expect(Object.isFrozen(config.charts[0]?.environments[2]?.deploy)).toBe(true);
    expect(Object.isFrozen(config.facts[0]?.facts.endpoints?.["/health"]?.checks)).toBe(true);
    expect(Object.isFrozen(config.readings[0]?.samples)).toBe(true);
  });
});

describe("positions and words", () => {
  it("are those of the plan", () => {
    const yaml = `charts:
  - path: chart
    environments:
      memex:
        value: [a.yaml]
facts:
  - of: Deployment/web
    boot:     90 seconds
`;
    expect(faults(yaml)).toEqual([
      '5:9: unknown key "value" in environments.memex, did you mean "values"?',
      '8:15: facts[0].boot is "90 seconds", expected a duration such as 90s or 2m',
    ]);
  });

  it.each([
    ["fact: []", '2:1: unknown key "fact", did you mean "facts"?'],
    ["nodes: 0", "2:8: nodes is 0, expected a number of nodes, 1 or more"],
    ["nodes: 1.5", "2:8: nodes is 1.5, expected a number of nodes, 1 or more"],
    ["deploy: {helm: 5}", "2:16: deploy.helm is 5, expected 3 or 4"],
    ['deploy: {wait: "true"}', '2:16: deploy.wait is "true", expected true or false'],
    ["deploy: {timeout: -1}", "2:19: deploy.timeout is -1, expected a duration such as 90s or 2m"],
    ["deploy: {timeout: 99999999h}", '2:19: deploy.timeout is "99999999h", expected a duration such as 90s or 2m'],
    ["deploy: {timeout: .nan}", "2:19: deploy.timeout is .nan, expected a duration such as 90s or 2m"],
    ["deploy: {wiat: true}", '2:10: unknown key "wiat" in deploy, did you mean "wait"?'],
    ["preset: strickt", '2:9: preset is "strickt", did you mean "strict"?'],
    ["preset: default", '2:9: preset is "default", expected recommended or strict'],
    ['deep: "yes"', '2:7: deep is "yes", expected true or false'],
    ["facts: {}", "2:8: facts is an empty map, expected a list"],
    ["facts:", "2:7: facts is empty, expected a list"],
    ["facts: [7]", "2:9: facts[0] is 7, expected a map"],
    ["facts: [{boot: 1s}]", '2:9: facts[0] has no "of", expected that key'],
    ["facts: [{of: web}]", '2:14: facts[0].of is "web", expected Kind/name, such as Deployment/web, or a glob such as */web'],
    ['facts: [{of: "Deployment/{a"}]', '2:14: facts[0].of is "Deployment/{a", expected a glob of *, ? and {a,b} with its braces closed'],
    ['facts: [{of: "Pod/[ab]"}]', '2:14: facts[0].of is "Pod/[ab]", expected a glob of *, ? and {a,b} with its braces closed'],
    ['facts: [{of: "*", in: [memx]}]', '2:24: facts[0].in[0] is "memx", no such environment, did you mean "memex"?'],
    ['facts: [{of: "*", in: [prod]}]', '2:24: facts[0].in[0] is "prod", no such environment, expected memex'],
    ['facts: [{of: "*", in: ["x*"]}]', '2:24: facts[0].in[0] is "x*", no such environment, expected memex'],
    ['facts: [{of: "*", in: memex}]', '2:23: facts[0].in is "memex", expected a list of environments'],
    ['facts: [{of: "*", listen: [0]}]', "2:28: facts[0].listen[0] is 0, expected a port, 1 to 65535"],
    ['facts: [{of: "*", ports: {65536: {}}}]', '2:27: key "65536" in facts[0].ports, expected a port number or *'],
    ['facts: [{of: "*", ports: {80: {protocol: htp}}}]', '2:42: facts[0].ports["80"].protocol is "htp", did you mean "http"?'],
    ['facts: [{of: "*", heapOverhead: 1Q}]', '2:33: facts[0].heapOverhead is "1Q", expected a quantity such as 256Mi'],
    ['facts: [{of: "*", heapOverhead: -1Mi}]', '2:33: facts[0].heapOverhead is "-1Mi", expected a quantity such as 256Mi'],
    ['facts: [{of: "*", serves: [a]}]', '2:28: facts[0].serves[0] is "a", expected a path such as /a or :9000/b'],
    ['facts: [{of: "*", waitsFor: [migrate]}]', '2:30: facts[0].waitsFor[0] is "migrate", expected Kind/name, such as Job/migrate'],
    ['facts: [{of: "*", checks: {a: {remedy: restrat}}}]', '2:40: facts[0].checks.a.remedy is "restrat", did you mean "restart"?'],
    [
      'facts: [{of: "*", gates: {g: {readAt: /r}}}]',
      "2:27: facts[0].gates.g has no armedBy, expected armedBy and readAt, here or in an earlier entry",
    ],
    [
      'facts: [{of: "*", gates: {g: {holds: 1s}}}]',
      "2:27: facts[0].gates.g has no armedBy and no readAt, expected armedBy and readAt, here or in an earlier entry",
    ],
    [
      'facts: [{of: "*", endpoints: {health: {}}}]',
      '2:31: key "health" in facts[0].endpoints, expected a path such as /health, :port/path, :port, exec or grpc',
    ],
    [
      'facts: [{of: "*", endpoints: {/a: {since: 25.0}}}]',
      '2:43: facts[0].endpoints["/a"].since is 25.0, expected a version in quotes, such as "3.0.0-ci.8400"',
    ],
    [
      'facts: [{of: "*", endpoints: {/a: {since: new}}}]',
      '2:43: facts[0].endpoints["/a"].since is "new", expected a version such as 3.0.0-ci.8400',
    ],
    [
      'facts: [{of: "*", endpoints: {/a: {dependsOn: {db: share}}}}]',
      '2:52: facts[0].endpoints["/a"].dependsOn.db is "share", did you mean "shared"?',
    ],
    ["rules: {a: warn}", '2:12: rules.a is "warn", did you mean "warning"?'],
    ["rules: {a: eror}", '2:12: rules.a is "eror", did you mean "error"?'],
    ["rules: {a: loud}", '2:12: rules.a is "loud", expected off, note, warning, error or a map of options'],
    ["rules: {a: true}", "2:12: rules.a is true, expected off, note, warning, error or a map of options"],
    ["rules: {a: {severity: high}}", '2:23: rules.a.severity is "high", expected off, note, warning or error'],
    ["plugins: [a.ts]", '2:11: plugins[0] is "a.ts", expected a .js or .mjs file'],
    ["plugins: [a.mjs]", '2:11: plugins[0] is "a.mjs", no such file, expected a module with rules, relative to the config'],
    ["readings: [none.yaml]", '2:12: readings[0] is "none.yaml", no such file, expected a readings file, relative to the config'],
    ["readings: [chart]", '2:12: readings[0] is "chart", a folder, expected a readings file or a glob such as chart/*.yaml'],
    [
      "invariants: [{id: a, require: x, message: m}]",
      '2:19: invariants[0].id is "a", expected a name with a slash, such as acme/two-replicas',
    ],
    ["invariants: [{id: a/b, message: m}]", '2:14: invariants[0] has no "require", expected id, require and message'],
    ["waivers: [{rule: x}]", '2:11: waivers[0] has no "because", expected rule and because'],
    ['waivers: [{rule: x, because: " "}]', '2:30: waivers[0].because is " ", expected a reason in words'],
    ["waivers: [{rule: x, because: y, until: 2027-02-30}]", '2:40: waivers[0].until is "2027-02-30", expected a day that the calendar has'],
    ["waivers: [{rule: x, because: y, until: tomorrow}]", '2:40: waivers[0].until is "tomorrow", expected a date such as 2027-03-31'],
    ["waivers: [{rule: x, because: y, in: [memx]}]", '2:38: waivers[0].in[0] is "memx", no such environment, did you mean "memex"?'],
    ["debts: [{of: D/x, field: a, allow: 1, because: b, until: {}}]", "2:58: debts[0].until is an empty map, expected image or date"],
    [
      "debts: [{of: D/x, field: a, allow: b, because: b, until: {date: 2027-01-01}}]",
      '2:36: debts[0].allow is "b", expected a number, or a duration such as 90s',
    ],
    [
      'debts: [{of: D/x, field: a, allow: 1, because: b, until: {image: "soon"}}]',
      '2:66: debts[0].until.image is "soon", expected a version condition such as ">=3.0.0-ci.8900"',
    ],
    ["waiversNeedExpiry: maybe", '2:20: waiversNeedExpiry is "maybe", expected true or false'],
    ['"\\u202eevil": 1', /^2:1: unknown key "\\u202eevil", expected charts, /],
  ])("%s", (body, expected) => {
    const said = flow(body);
    expect(said).toHaveLength(1);
    if (expected instanceof RegExp) expect(said[0]).toMatch(expected);
    else expect(said[0]).toBe(expected);
  });

  it("are all given at once, by line", () => {
    const said = flow("nodes: 0\nfacts:\n  - of: web\n    boot: x\n    pull: y\npreset: z\nwaivers: [{rule: x, until: 2027-02-30}]");
    expect(said.map((line) => line.split(": ")[0])).toEqual(["2:8", "4:9", "5:11", "6:11", "7:9", "8:11", "8:28"]);
  });

  it("name the file relative to the working directory when it is inside of it, else as given", () => {
    const outside = join(folderOf({ "helm-invariants.yaml": "x: 1\n" }), "helm-invariants.yaml");
    const given = relative(process.cwd(), outside);
    for (const file of [outside, given]) {
      expect(() => loadConfig(file)).toThrow(expect.objectContaining({ complaints: [expect.objectContaining({ file })] }));
    }
    const inside = join(process.cwd(), "fixtures/config/broken.yaml");
    expect(() => loadConfig(inside)).toThrow(
      expect.objectContaining({ complaints: [expect.objectContaining({ file: "fixtures/config/broken.yaml" })] }),
    );
  });

  it("leave charts[0] out only where there is one chart", () => {
    const yaml = "charts:\n  - {path: chart, environments: {a: {nodes: x}}}\n  - {path: chart, environments: {b: {}}}\n";
    expect(faults(yaml)).toEqual(['2:45: charts[0].environments.a.nodes is "x", expected a number of nodes, 1 or more']);
  });
});

describe("files", () => {
  it("missing ones are named at the line that names them", () => {
    const yaml = `charts:
  - path: chrt
    values: [base.yaml]
    environments:
      memex:
        values: [envs/memx.yaml, envs]
        setFile: {a.b: ca.pem}
    refusals:
      none: {values: [no.yaml], because: x}
`;
    expect(faults(yaml, { "envs/memex.yaml": "" })).toEqual([
      '2:11: charts[0].path is "chrt", no such file, did you mean "chart"?',
      '3:14: charts[0].values[0] is "base.yaml", no such file, expected a values file, relative to the config',
      '6:18: environments.memex.values[0] is "envs/memx.yaml", no such file, did you mean "envs/memex.yaml"?',
      '6:34: environments.memex.values[1] is "envs", a folder, expected a values file',
      '7:24: environments.memex.setFile["a.b"] is "ca.pem", no such file, expected a file, relative to the config',
      '9:23: refusals.none.values[0] is "no.yaml", no such file, expected a values file, relative to the config',
    ]);
  });

  it("a folder without Chart.yaml is no chart", () => {
    expect(faults("charts: [{path: empty}]", { "empty/x": "" })).toEqual([
      '1:17: charts[0].path is "empty", a folder without Chart.yaml, expected a chart',
    ]);
  });

  it("of manifests are told from charts", () => {
    const config = load(
      "charts: [{path: chart, environments: {a: }}, {path: c.tgz, environments: {b: }}, {path: m.yaml, environments: {c: }}]",
      {
        "c.tgz": "",
        "m.yaml": "",
      },
    );
    expect(config.charts.map((chart) => chart.kind)).toEqual(["chart", "chart", "manifests"]);
  });

  it("a config that is not there, a folder, too large or unreadable is one complaint", () => {
    const folder = folderOf({ "big.yaml": " ".repeat(5 * 1024 * 1024 + 1), "secret.yaml": "", "latin.yaml": "" });
    writeFileSync(join(folder, "latin.yaml"), Buffer.from([0x61, 0x3a, 0xe9]));
    const said = (name: string) => complaints(() => loadConfig(join(folder, name)));
    expect(said("none.yaml")).toEqual(["none.yaml:no such file"]);
    expect(said("chart")).toEqual(["chart:is a folder, expected a YAML file"]);
    expect(said("big.yaml")).toEqual(["big.yaml:has 5242881 bytes, expected at most 5 MB (5242880 bytes)"]);
    expect(said("latin.yaml")).toEqual(["latin.yaml:is not UTF-8, expected a YAML file"]);
    chmodSync(join(folder, "secret.yaml"), 0);
    // Nothing is closed to root.
    if (process.getuid?.() !== 0) expect(said("secret.yaml")).toEqual(["secret.yaml:permission denied"]);
  });

  it("a config that is empty or no map says so", () => {
    const expected = "expected a map with keys such as charts and facts";
    expect(faults("")).toEqual([`1:1: the file is empty, ${expected}`]);
    expect(faults("# nothing\n")).toEqual([`1:1: the file is empty, ${expected}`]);
    expect(faults("- a\n")).toEqual([`1:1: the file is a list, ${expected}`]);
    expect(faults("hello\n")).toEqual([`1:1: the file is "hello", ${expected}`]);
  });
});

describe("YAML", () => {
  it.each([
    ["invalid", "nodes: 3\nfacts: [a\n", /^3:1: invalid YAML: /],
    ["badly indented", "nodes: 3\n  deep: true\n", /^\d:\d+: invalid YAML: /],
    ["with a tab", "deploy:\n\twait: true\n", /^\d:\d+: invalid YAML: /],
    ["with a second document", "nodes: 3\n---\nnodes: 4\n", /^2:1: a second document begins, expected one$/],
    ["with an unknown tag", "nodes: !!js/function x\n", /^1:8: invalid YAML: unresolved tag/],
    ["with an alias of nothing", "nodes: *n\n", /^1:8: alias \*n has no anchor before it$/],
    ["with an alias inside its own anchor", "facts: &f [*f]\n", /^1:12: alias \*f stands inside its own anchor$/],
  ])("%s is a complaint with a position", (_, yaml, expected) => {
    expect(faults(yaml)[0]).toMatch(expected);
  });

  it("keys that stand twice are complaints, and the rest is still looked at", () => {
    expect(faults("nodes: 3\nnodes: 4\npreset: x\n")).toEqual([
      '2:1: key "nodes" stands twice in one map, expected once',
      '3:9: preset is "x", expected recommended or strict',
    ]);
  });

  it("__proto__ is an unknown key and harms nothing", () => {
    const said = faults('__proto__: {nodes: 3}\nfacts: [{of: "*", checks: {__proto__: {remedy: restart}}}]\nconstructor: 1\n');
    expect(said.slice(0, 2)).toEqual(['1:1: unknown key "__proto__"', '2:28: unknown key "__proto__"']);
    expect(said[2]).toMatch(/^3:1: unknown key "constructor"/);
    expect({}).not.toHaveProperty("nodes");
    expect({}).not.toHaveProperty("remedy");
  });

  it("names such as constructor and toString are ordinary names", () => {
    const config = fragment(
      'facts: [{of: "*", checks: {constructor: {remedy: evict}, toString: {remedy: report}}}]\nrules: {valueOf: off}',
    );
    expect(config.facts[0]?.facts.checks).toEqual({ constructor: { remedy: "evict" }, toString: { remedy: "report" } });
    expect(Object.keys(config.rules)).toEqual(["valueOf"]);
  });

  it("aliases and merge keys work, and their positions are those of what they stand for", () => {
    const yaml = `charts:
  - path: chart
    environments:
      a: &a { nodes: 3, deploy: { wait: true } }
      b: { <<: *a, nodes: 4 }
      c: *a
`;
    expect(load(yaml).charts[0]?.environments.map(({ nodes, deploy }) => [nodes, deploy])).toMatchObject([
      [3, { wait: true }],
      [4, { wait: true }],
      [3, { wait: true }],
    ]);
    expect(faults(yaml.replace("wait: true", "wait: 1"))[0]).toBe("4:41: environments.a.deploy.wait is 1, expected true or false");
  });

  it("aliases cannot unfold without bound", () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg"]) bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);
    expect(faults(bomb.join("\n"))).toEqual(["1:1: aliases unfold to more than 1000 values, expected fewer"]);
  });

  it("nesting cannot overflow the stack", () => {
    expect(faults("[".repeat(20_000))[0]).toMatch(/^\d+:\d+: (is nested too deeply|invalid YAML)/);
    expect(faults(`nodes: ${"[".repeat(20_000)}${"]".repeat(20_000)}`)[0]).toMatch(/nested too deeply|nodes is a list/);
  });

  it("off is a severity, as a word and as what YAML 1.1 makes of it", () => {
    const rules = fragment("rules: {a: off, b: false, c: {severity: off, x: 1}, d: {x: 2}}").rules;
    expect(Object.values(rules).map(({ severity, options }) => [severity, options])).toEqual([
      ["off", {}],
      ["off", {}],
      ["off", { x: 1 }],
      [undefined, { x: 2 }],
    ]);
  });
});

describe("environments", () => {
  it("without any there is one called default; empty ones are fine", () => {
    expect(load("charts: [{path: chart}]").charts[0]?.environments).toMatchObject([
      { name: "default", release: "release-name", namespace: "default", values: [], sets: [] },
    ]);
    expect(load("charts: [{path: chart, environments: {}}]").charts[0]?.environments).toHaveLength(1);
    expect(load("charts: [{path: chart, environments: {a: , b: {}}}]").charts[0]?.environments.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("inherit from the config and from their chart: maps merge, lists are joined", () => {
    const yaml = `nodes: 2
deploy: { with: argocd, wait: true, timeout: 5m }
external: [a, b]
charts:
  - path: chart
    release: r
    kubeVersion: "1.30"
    apiVersions: [x/v1]
    values: [v.yaml]
    set: { a: 1 }
    external: [c]
    environments:
      one: {}
      two: { release: s, namespace: n, kubeVersion: v1.31, apiVersions: [y/v1], values: [w.yaml], set: { b: 2 }, nodes: 4, deploy: { timeout: 60, helm: 3 }, external: [b, d] }
    refusals:
      bad: { set: { b: 3 }, because: no }
`;
    const config = load(yaml, { "v.yaml": "", "w.yaml": "" });
    const [chart] = config.charts;
    const names = (paths: readonly string[] | undefined) => paths?.map((path) => path.replace(/^.*\//, ""));
    expect(chart?.environments[0]).toMatchObject({
      release: "r",
      namespace: "default",
      kubeVersion: "1.30.0",
      nodes: 2,
      deploy: { with: "argocd", wait: true, timeout: 300 },
      external: ["a", "b", "c"],
    });
    expect(chart?.environments[1]).toMatchObject({
      release: "s",
      namespace: "n",
      kubeVersion: "1.31.0",
      apiVersions: ["x/v1", "y/v1"],
      sets: [
        { flag: "--set", expression: "a=1" },
        { flag: "--set", expression: "b=2" },
      ],
      nodes: 4,
      deploy: { with: "argocd", wait: true, timeout: 60, helm: 3 },
      external: ["a", "b", "c", "d"],
    });
    expect(names(chart?.environments[1]?.values)).toEqual(["v.yaml", "w.yaml"]);
    expect(chart?.refusals[0]).toMatchObject({ release: "r", because: "no", sets: [{ expression: "a=1" }, { expression: "b=3" }] });
    expect(names(chart?.refusals[0]?.values)).toEqual(["v.yaml"]);
    expect(config).toMatchObject({ nodes: 2, deploy: { with: "argocd" }, external: ["a", "b"] });
  });

  it("of one name, in one chart or in two, are complaints that name both lines", () => {
    expect(faults("charts:\n  - path: chart\n    environments:\n      a: {}\n      a: {}\n")).toEqual([
      '5:7: key "a" stands twice in one map, expected once',
    ]);
    expect(faults("charts:\n  - path: chart\n    environments: {a: }\n  - path: chart\n    environments:\n      a: {}\n")).toEqual([
      '6:7: there is a second environment "a", but line 3 has one of that name, expected different names (lines 3 and 6)',
    ]);
    expect(faults("charts:\n  - path: chart\n  - path: chart\n")).toEqual([
      '3:5: charts[1] has no environments and gets environment "default", but line 2 has one of that name, expected different names (lines 2 and 3)',
    ]);
  });

  it("that are no map do not make the names in `in:` look wrong", () => {
    expect(faults("charts: [{path: chart, environments: [a]}]\nfacts: [{of: '*', in: [a]}]")).toEqual([
      "1:38: environments is a list, expected a map",
    ]);
  });

  it.each([
    ['"a b": {}', '1:39: key "a b" in environments, expected a name of letters, digits, . _ - and /'],
    ["a: {kubeVersion: 1.30}", '1:56: environments.a.kubeVersion is 1.30, expected a version in quotes, such as "1.31"'],
    ["a: {kubeVersion: latest}", '1:56: environments.a.kubeVersion is "latest", expected a version in quotes, such as "1.31"'],
    ["a: {release: Web}", '1:52: environments.a.release is "Web", expected a release name of at most 53 small letters, digits, - and .'],
    ["a: {values: v.yaml}", '1:51: environments.a.values is "v.yaml", expected a list'],
    ["a: {set: [x]}", "1:48: environments.a.set is a list, expected a map"],
  ])("%s is refused", (body, expected) => {
    expect(faults(`charts: [{path: chart, environments: {${body}}}]`)).toEqual([expected]);
  });

  it("may be named by globs, and by any name where there are no charts", () => {
    const yaml = "facts: [{of: '*', in: ['meme*', '{a,memex}']}]";
    expect(load(`charts: [{path: chart, environments: {memex: }}]\n${yaml}`).facts[0]?.in).toEqual(["meme*", "{a,memex}"]);
    expect(load("facts: [{of: '*', in: [whatever]}]").facts[0]?.in).toEqual(["whatever"]);
  });
});

describe("set flags", () => {
  const sets = (yaml: string, files: Readonly<Record<string, string>> = {}) =>
    load(
      `charts:\n  - path: chart\n    environments:\n      a:\n${yaml.replace(/^/gm, "        ")}\n`,
      files,
    ).charts[0]?.environments[0]?.sets.map(({ flag, expression }) => `${flag} ${expression}`);

  it.each([
    ["set: {a: x}", ["--set a=x"]],
    ["set: {image.tag: 3.0.0-ci.8812}", ["--set image.tag=3.0.0-ci.8812"]],
    ["set: {image.tag: 1.10}", ["--set image.tag=1.10"]],
    ["set: {a: 1, b: true, c: null, d: }", ["--set a=1", "--set b=true", "--set c=null", "--set d=null"]],
    [
      'set: {a: "true", b: "1", c: "null", d: "1e3", e: "", f: "007"}',
      ["a=true", "b=1", "c=null", "d=1e3"].map((e) => `--set-string ${e}`).concat(["--set e=", "--set-string f=007"]),
    ],
    ['set: {a: "x,y\\\\z{}"}', ["--set a=x\\,y\\\\z\\{\\}"]],
    ["set: {a: {b: {c: 1}, d.e: 2, 'f,g=h[0]': 3}}", ["--set a.b.c=1", "--set a.d\\.e=2", "--set a.f\\,g\\=h\\[0\\]=3"]],
    ["set: {'a\\.b.c': 1, 'd[0].e': 2, 'f,g': 3}", ["--set a\\.b.c=1", "--set d[0].e=2", "--set f\\,g=3"]],
    ["set: {a: [x, 1, 'y,z']}", ["--set a={x,1,y\\,z}"]],
    ['set: {a: ["1", x]}', ["--set-string a={1,x}"]],
    ['set: {a: [1, "2"]}', ["--set a={1,2}", "--set-string a[1]=2"]],
    ["set: {a: [], b: {}, c: [{d: 1}]}", ["--set-json a=[]", "--set-json b={}", '--set-json c=[{"d":1}]']],
    ["setString: {a: 1.10, b: true, c: 'x,y'}", ["--set-string a=1.10", "--set-string b=true", "--set-string c=x\\,y"]],
    ['setJson: {a: {b: [1, "x,y"]}, c: null}', ['--set-json a={"b":[1,"x,y"]}', "--set-json c=null"]],
  ])("%s", (yaml, expected) => {
    expect(sets(yaml)).toEqual(expected);
  });

  it("setFile makes its path absolute and escapes it", () => {
    expect(sets("setFile: {ca.pem: 'certs/a,b.pem'}", { "certs/a,b.pem": "" })?.[0]).toMatch(
      /^--set-file ca\.pem=\/.*\/certs\/a\\,b\.pem$/,
    );
  });
});

describe("readings", () => {
  const config = "charts: [{path: chart, environments: {memex: , cloud: }}]\nreadings: [readings/**/*.yaml]\n";
  const entry = "- endpoint: /health\n  of: Deployment/web\n  at: 2026-09-17T14:53Z\n";

  it("errors are of their own file and line, after those of the config", () => {
    const said = faults(`${config}nodes: 0\n`, {
      "readings/memex.yaml": `${entry}  samples: [8 s]\n${entry}  phase: startng\n  total: 1s\n- endpoint: health\n  of: x\n  at: 2026-02-30T00:00Z\n  sample: []\n`,
    });
    expect(said).toEqual([
      "3:8: nodes is 0, expected a number of nodes, 1 or more",
      'readings/memex.yaml:4:13: readings[0].samples[0] is "8 s", expected a duration such as 90s or 2m',
      'readings/memex.yaml:8:10: readings[1].phase is "startng", did you mean "starting"?',
      "readings/memex.yaml:10:3: the reading has neither samples nor total, expected one of them",
      'readings/memex.yaml:10:13: readings[2].endpoint is "health", expected a path such as /health, :port/path, :port, exec or grpc',
      'readings/memex.yaml:11:7: readings[2].of is "x", expected Kind/name, such as Deployment/web, or a glob such as */web',
      'readings/memex.yaml:12:7: readings[2].at is "2026-02-30T00:00Z", expected an instant that the calendar has',
      'readings/memex.yaml:13:3: unknown key "sample" in readings[2], did you mean "samples"?',
    ]);
  });

  it.each([
    ["2026-09-17T14:53Z", "2026-09-17T14:53Z"],
    ["2026-09-17T14:53:07Z", "2026-09-17T14:53:07Z"],
    ["2026-09-17T14:53:07.123Z", "2026-09-17T14:53:07Z"],
    ["2026-09-17T00:53+02:00", "2026-09-16T22:53Z"],
    ["2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z"],
  ])("the instant %s is %s", (written, utc) => {
    const read = load(config, { "readings/cloud.yaml": `${entry.replace("2026-09-17T14:53Z", written)}  samples: [1]\n` }).readings;
    expect(read).toMatchObject([{ at: utc, in: ["cloud"], samples: [1] }]);
  });

  it.each(["2026-09-17", "2026-09-17T14:53", "2026-09-17T25:00Z", "2026-09-17T24:00Z", "yesterday"])(
    "the instant %s is refused",
    (written) => {
      expect(faults(config, { "readings/cloud.yaml": `${entry.replace("2026-09-17T14:53Z", written)}  samples: [1]\n` })[0]).toMatch(
        /^readings\/cloud.yaml:3:7: readings\[0\].at is /,
      );
    },
  );

  it("a file without `in` is named after an environment, unless there are none", () => {
    const files = { "readings/deep/clod.yaml": `${entry}  samples: [1]\n` };
    expect(faults(config, files)).toEqual([
      'readings/deep/clod.yaml:1:3: a reading without "in" is of the environment that the file is named after, but there is no environment "clod", did you mean "cloud"?',
    ]);
    expect(load("readings: [readings/deep/*.yaml]", files).readings).toMatchObject([{ in: ["clod"] }]);
    expect(load(config, { "readings/deep/clod.yaml": `${entry}  in: [memex]\n  samples: [1]\n` }).readings).toMatchObject([
      { in: ["memex"] },
    ]);
  });

  it("a glob without a match, and an empty file, give none; two globs give a file once", () => {
    expect(load("readings: [none/*.yaml]").readings).toEqual([]);
    expect(load("readings: [readings/*.yaml]", { "readings/a.yaml": "" }).readings).toEqual([]);
    expect(
      load("readings: ['readings/*.yaml', 'readings/{a,b}.yaml', './readings/a.yaml']", { "readings/a.yaml": `${entry}  samples: [1]\n` })
        .readings,
    ).toHaveLength(1);
  });

  it("a file that is no list, or no YAML, says so", () => {
    expect(faults("readings: [r.yaml]", { "r.yaml": "a: 1\n" })).toEqual(["r.yaml:1:1: the file is a map, expected a list of readings"]);
    expect(faults("readings: [r.yaml]", { "r.yaml": "- [\n" })[0]).toMatch(/^r.yaml:2:1: invalid YAML/);
  });
});

describe("checkRuleIds", () => {
  const known = [{ id: "timeout-covers-latency", options: { headroom: 2, loud: false } }, { id: "gate-read-by-readiness" }];
  const said = (yaml: string) => checkRuleIds(fragment(yaml), known).map(({ line, column, message }) => `${line}:${column}: ${message}`);

  it("is content with what exists", () => {
    const invariant = "invariants: [{id: acme/x, require: 'true', message: m}]\n";
    expect(said(`${invariant}rules: {acme/x: off, timeout-covers-latency: {headroom: 3, severity: note}}\nmustJudge: [acme/x]`)).toEqual(
      [],
    );
    expect(said("waivers: [{rule: gate-read-by-readiness, because: x}]")).toEqual([]);
  });

  it("names unknown rules and options where they stand", () => {
    expect(said("rules:\n  timeout-cover-latency: error\n  nothing-like-it: off\n")).toEqual([
      '2:3: unknown rule "timeout-cover-latency" in rules, did you mean "timeout-covers-latency"?',
      '3:3: unknown rule "nothing-like-it" in rules, expected one of the ids that helm-invariants rules prints',
    ]);
    expect(said("rules: {timeout-covers-latency: {headrom: 2, headroom: two}, gate-read-by-readiness: {x: 1}}")).toEqual([
      '1:34: unknown option "headrom" in rules.timeout-covers-latency, did you mean "headroom"?',
      '1:46: rules.timeout-covers-latency.headroom is "two", expected a number such as 2',
      '1:87: unknown option "x" in rules.gate-read-by-readiness, expected severity only: the rule has no options',
    ]);
    expect(said("mustJudge: [gate-read]\nwaivers: [{because: x, rule: gate-read-by-readines}]")).toEqual([
      '1:13: unknown rule "gate-read" in mustJudge[0], did you mean "gate-read-by-readiness"?',
      '2:30: unknown rule "gate-read-by-readines" in waivers[0], did you mean "gate-read-by-readiness"?',
    ]);
  });
});

describe("fragments", () => {
  it("of every case validate, bare or under their config: key", () => {
    const folder = join(root, "fixtures/cases");
    const names = readdirSync(folder);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const document = (readFileSync(join(folder, name), "utf8").split(/^---$/m)[0] ?? "").replace(/^#.*\n/gm, "");
      const whole = loadConfigFragment(document, name, folder);
      const content = loadConfigFragment(document.replace(/^config:/, "       ").replace(/^ +\{\}/, "{}"), name, folder);
      expect(content, name).toEqual(whole);
    }
  });

  it("have the lines of the file that they are a piece of", () => {
    const at = (text: string, offset: number) => complaints(() => loadConfigFragment(text, "page.md", root, offset));
    expect(at("  facts: [{of: x}]\n  nodes: 0\n", 10)).toEqual([
      'page.md:11:16: facts[0].of is "x", expected Kind/name, such as Deployment/web, or a glob such as */web',
      "page.md:12:10: nodes is 0, expected a number of nodes, 1 or more",
    ]);
    expect(at("config:\n  nodes: 0\n", 2)).toEqual(["page.md:4:10: nodes is 0, expected a number of nodes, 1 or more"]);
  });

  it("may be empty", () => {
    for (const text of ["", "{}", "config:", "config: {}"]) expect(fragment(text).facts).toEqual([]);
  });
});

describe("finding a config", () => {
  it("takes the nearest, .yaml before .yml, and does not leave the repository", () => {
    const folder = folderOf({
      "helm-invariants.yaml": "",
      "a/helm-invariants.yml": "",
      "a/b/c/x": "",
      "repo/.git/HEAD": "",
      "repo/x/y": "",
      "a/d/helm-invariants.yaml/x": "",
    });
    expect(findConfig(join(folder, "a/b/c"))).toBe(join(folder, "a/helm-invariants.yml"));
    expect(findConfig(join(folder, "a/d"))).toBe(join(folder, "a/helm-invariants.yml"));
    expect(findConfig(folder)).toBe(join(folder, "helm-invariants.yaml"));
    expect(findConfig(join(folder, "repo/x"))).toBeUndefined();
  });

  it("without one, the defaults hold", () => {
    const config = defaultConfig("/somewhere");
    expect(config).toMatchObject({
      file: undefined,
      folder: "/somewhere",
      charts: [],
      preset: "recommended",
      deep: false,
      waiverNeedsExpiry: false,
    });
    expect(Object.isFrozen(config) && Object.isFrozen(config.facts)).toBe(true);
  });

  it("follows a symbolic link, and paths stay relative to where the link is", () => {
    const folder = folderOf({ "x/helm-invariants.yaml": "charts: [{path: chart}]" });
    symlinkSync(join(folder, "x/helm-invariants.yaml"), join(folder, "helm-invariants.yaml"));
    expect(loadConfig(join(folder, "helm-invariants.yaml")).charts[0]?.path).toBe(join(folder, "chart"));
  });
});

describe("the schema", () => {
  const schema: unknown = JSON.parse(readFileSync(join(root, "src/config/config.schema.json"), "utf8"));

  it("is valid draft-07 and leaves no map of known keys open", () => {
    expect(new Ajv({ strict: false }).validateSchema(schema as object)).toBe(true);
    const walk = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      // The options of a rule are the rule's own: checkRuleIds knows them.
      if ("properties" in node && !("severity" in (node.properties as object) && Object.keys(node.properties as object).length === 1)) {
        expect(node, JSON.stringify(node).slice(0, 120)).toHaveProperty("additionalProperties", false);
      }
      Object.values(node).forEach(walk);
    };
    walk(schema);
  });

  it("describes every key for editors", () => {
    const definitions = (schema as { definitions: Record<string, { description?: string }> }).definitions;
    const walk = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      if ("properties" in node) {
        for (const [key, value] of Object.entries(node.properties as Record<string, { description?: string; $ref?: string }>)) {
          expect(value.description ?? definitions[value.$ref?.split("/").at(-1) ?? ""]?.description, key).toBeTruthy();
        }
      }
      Object.values(node).forEach(walk);
    };
    walk(schema);
  });

  it("is compiled into a module that imports nothing", () => {
    const code = readFileSync(join(root, "src/config/generated/validate.js"), "utf8");
    expect(code).not.toMatch(/^\s*import\b/m);
    const script =
      "import('./src/config/generated/validate.js').then(({validateConfig}) => console.log(validateConfig({nodes: 0}), validateConfig({nodes: 1})))";
    expect(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" })).toBe("false true\n");
  });
});
