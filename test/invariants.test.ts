import { describe, expect, it } from "vitest";
import { ownRules } from "../src/all-rules.js";
import { readCase, runCase } from "../src/cases.js";
import { loadConfigFragment } from "../src/config/load.js";
import { ConfigError } from "../src/errors.js";
import { OutOfTime, startClock } from "../src/invariants/clock.js";

/** A Deployment `web`, with more in its container and its pod; lines begin at the container's or the pod spec's indentation. */
function web(options: { replicas?: number | undefined; container?: string; pod?: string; image?: string; more?: string } = {}): string {
  const indent = (text: string, width: number) => text.split("\n").map((line) => (line === "" ? "" : " ".repeat(width) + line));
  return [
    "apiVersion: apps/v1",
    "kind: Deployment",
    "metadata: { name: web, labels: { team: shop } }",
    "spec:",
    ...(options.replicas === undefined ? [] : [`  replicas: ${options.replicas}`]),
    "  selector: { matchLabels: { app: web } }",
    "  template:",
    "    metadata: { labels: { app: web } }",
    "    spec:",
    ...indent(options.pod ?? "", 6),
    "      containers:",
    "        - name: web",
    `          image: ${options.image ?? "registry.example/web:1.2.0"}`,
    ...indent(options.container ?? "", 10),
    ...(options.more === undefined ? [] : ["---", options.more]),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

interface Asked {
  readonly of?: string;
  readonly when?: string;
  readonly require: string;
  readonly message?: string;
  readonly hint?: string;
  readonly at?: string;
  readonly severity?: string;
}

async function run(invariant: Asked, manifests: string, config = "") {
  const text = `config:\n  invariants:\n    - ${JSON.stringify({ id: "acme/x", message: "it does not hold", ...invariant })}\n${config}\n---\n${manifests}`;
  const given = readCase(text, "x.case.yaml", ".");
  return runCase(given, await ownRules(given.config));
}

/** `holds`, `broken`, `undecided: …`, `unasked` (a fact is missing or `when` is false). */
async function answer(invariant: Asked, manifests: string, config = ""): Promise<string> {
  const { findings, failures, judged } = await run(invariant, manifests, config);
  if (failures.length > 0) return `undecided: ${failures.map(({ message }) => message).join("; ")}`;
  if (findings.length > 0) return "broken";
  return judged.size > 0 ? "holds" : "unasked";
}

const holds = (require: string, manifests = web({ replicas: 2 }), of?: string) =>
  answer({ require, ...(of !== undefined && { of }) }, manifests);

/** What the config loader says of an expression. */
async function complaint(yaml: string): Promise<string> {
  try {
    await ownRules(loadConfigFragment(`invariants:\n${yaml}`, "c.yaml", "."));
    return "fine";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.complaints.map(({ line, column, message }) => `${line}:${column}: ${message}`).join("\n");
  }
}

describe("what a chart's check script asserts can be said", () => {
  it("more than one replica needs a clustering setting", async () => {
    const invariant = {
      of: "Deployment/web",
      when: "replicas.floor > 1",
      require: 'env["Clustering"] != "Localhost"',
      message: '"{workload.name}" has {replicas.floor} replicas and clusters on {env["Clustering"]}',
    };
    const set = (value: string) => `env:\n  - { name: Clustering, value: ${value} }`;
    expect(await answer(invariant, web({ replicas: 1, container: set("Localhost") }))).toBe("unasked");
    expect(await answer(invariant, web({ replicas: 2, container: set("AzureTable") }))).toBe("holds");
    const { findings } = await run(invariant, web({ replicas: 2, container: set("Localhost") }));
    expect(findings.map(({ finding }) => finding)).toMatchObject([
      {
        severity: "error",
        subject: "Deployment/web",
        field: "",
        message: '"web" has 2 replicas and clusters on Localhost',
        notes: [{ label: "seen", text: 'replicas.floor is 2, env["Clustering"] is "Localhost"' }],
      },
    ]);
    expect(findings[0]?.finding.because.map(({ at }) => at?.field)).toEqual([
      "spec.replicas",
      "spec.template.spec.containers[web].env[Clustering]",
    ]);
  });

  it("a config key is one of a set", async () => {
    const config = (value: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\ndata: { Storage__Type: ${value} }`;
    const invariant = {
      of: "ConfigMap/*",
      require: 'object.data["Storage__Type"] in ["AzureBlob", "FileSystem"]',
      at: 'data["Storage__Type"]',
    };
    expect(await answer(invariant, config("AzureBlob"))).toBe("holds");
    const { findings } = await run(invariant, config("S3"));
    expect(findings[0]?.finding).toMatchObject({ subject: "ConfigMap/web", field: "data.Storage__Type" });
  });

  it("keys of one prefix are absent unless a switch is on", async () => {
    const invariant = {
      of: "Deployment/web",
      require: 'env[?"PreWarm"].orValue("false") == "true" || !env.names().exists(n, n.startsWith("PreWarm__"))',
    };
    const env = (...names: string[]) => `env: [${names.map((name) => `{ name: ${name}, value: "true" }`).join(", ")}]`;
    expect(await answer(invariant, web({ container: env("Other") }))).toBe("holds");
    expect(await answer(invariant, web({ container: env("PreWarm__Gate") }))).toBe("broken");
    expect(await answer(invariant, web({ container: env("PreWarm", "PreWarm__Gate") }))).toBe("holds");
    const opaque = "envFrom: [{ secretRef: { name: elsewhere } }]";
    expect(await answer(invariant, web({ container: opaque }))).toMatch(
      /^undecided: .*the names are not all known: Secret\/elsewhere may set more/,
    );
  });

  it("hosts in connection strings are waited for by an init container", async () => {
    const invariant = {
      of: "Deployment/web",
      require: 'env.renderedNames().filter(n, n.startsWith("ConnectionStrings__")).all(n, hosts(env[n]).all(h, h in waitsFor))',
    };
    const container = 'env: [{ name: ConnectionStrings__memex, value: "Host=pg.example.net;Port=5432;Password=hunter2" }]';
    const waiting = (host: string) =>
      `initContainers:\n  - name: wait\n    image: busybox\n    command: [sh, -c, "until nc -z ${host} 5432; do sleep 1; done"]`;
    expect(await answer(invariant, web({ container, pod: waiting("pg.example.net") }))).toBe("holds");
    expect(await answer(invariant, web({ container, pod: waiting("other.example.net") }))).toBe("broken");
    expect(await answer(invariant, web({ container }))).toBe("broken");
  });

  it("two pods name the same pull secret", async () => {
    const job = (secret: string) =>
      `apiVersion: batch/v1\nkind: Job\nmetadata: { name: migrate }\nspec: { template: { spec: { restartPolicy: Never, imagePullSecrets: [{ name: ${secret} }], containers: [{ name: m, image: m }] } } }`;
    const invariant = {
      require:
        "workloads.all(a, workloads.all(b, a.podSpec.?imagePullSecrets.orValue([]).map(s, s.name) == b.podSpec.?imagePullSecrets.orValue([]).map(s, s.name)))",
    };
    const pod = "imagePullSecrets: [{ name: registry }]";
    expect(await answer(invariant, web({ pod, more: job("registry") }))).toBe("holds");
    const { findings } = await run(invariant, web({ pod, more: job("other") }));
    expect(findings[0]?.finding).toMatchObject({ subject: "config", origin: { line: 3 } });
  });

  it("an init container and the main container mount one volume at one path", async () => {
    const invariant = {
      of: "Deployment/web",
      require:
        "initContainers.exists(i, i.?volumeMounts.orValue([]).exists(a, containers[0].?volumeMounts.orValue([]).exists(b, a.name == b.name && a.mountPath == b.mountPath)))",
    };
    const mount = (path: string) => `volumeMounts: [{ name: modules, mountPath: ${path} }]`;
    const pod = (path: string) => `initContainers:\n  - name: copy\n    image: modules\n    ${mount(path)}`;
    expect(await answer(invariant, web({ container: mount("/modules"), pod: pod("/modules") }))).toBe("holds");
    expect(await answer(invariant, web({ container: mount("/modules"), pod: pod("/elsewhere") }))).toBe("broken");
    expect(await answer(invariant, web({ container: mount("/modules") }))).toBe("broken");
  });

  it("every object carries a label; a Service of one name exists; an ingress names a host", async () => {
    expect(await holds('"team" in object.metadata.?labels.orValue({})', web(), "*/*")).toBe("holds");
    const service = "apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [{ port: 80 }] }";
    expect(await holds('objects("Service").exists(s, s.metadata.name == "web")', web({ more: service }))).toBe("holds");
    expect(await holds('objects("Service", "w*")[0].spec.ports[0].port == 80', web({ more: service }))).toBe("holds");
    expect(await holds('objects("Ingress").size() > 0', web({ more: service }))).toBe("broken");
  });
});

describe("variables", () => {
  const probe =
    "startupProbe: { httpGet: { path: /health, port: http }, failureThreshold: 30 }\nports: [{ name: http, containerPort: 8080 }]";
  it.each([
    ["integers are integers", "replicas.floor + 1 == 3 && object.spec.replicas % 2 == 0 && replicas.rendered == 2 && replicas.ceil == 2"],
    ["an int and a double may be mixed", "replicas.floor * 1.5 == 3.0 && 1.5 + replicas.floor == 3.5"],
    [
      "workload",
      'workload.kind == "Deployment" && workload.podLabels.app == "web" && workload.labels["team"] == "shop" && workload.hooks == []',
    ],
    ["workload.podSpec", 'workload.podSpec.containers[0].name == "web"'],
    ["containers", "containers.size() == 1 && initContainers.size() == 0"],
    ["release and environment", 'release.name == "release-name" && release.namespace == "default" && environment == "default"'],
    ["objects", 'objects("Deployment").size() == 1 && objects("CustomThing").size() == 0'],
  ])("%s", async (_, require) => {
    expect(await holds(require)).toBe("holds");
  });

  it("probes have Kubernetes' numbers after defaults, and one evaluation a container", async () => {
    const require =
      'probes.startup.failureThreshold * probes.startup.periodSeconds == 300 && probes.startup.timeoutSeconds == 1 && probes.startup.path == "/health" && probes.startup.port == 8080 && probes.startup.handler == "httpGet"';
    expect(await holds(require, web({ container: probe }))).toBe("holds");
    expect(await holds("has(probes.startup) && !has(probes.liveness)", web({ container: probe }))).toBe("holds");
    expect(await holds("probes.liveness.periodSeconds == 10", web({ container: probe }))).toMatch(
      /undecided: .*there is no "liveness" here/,
    );
    const two = web({ container: `${probe}`, pod: "initContainers:\n  - name: init\n    image: i" });
    const { findings } = await run({ require: "container.image.startsWith('x')", at: "image" }, two);
    expect(findings.map(({ finding }) => finding.field)).toEqual(["spec.template.spec.containers[web].image"]);
    const named = await run({ of: "Deployment/web/init", require: "container.image.startsWith('x')" }, two);
    expect(named.findings.map(({ finding }) => finding.container)).toEqual(["init"]);
  });

  it("an undeclared fact is a question, a declared one is seconds", async () => {
    const invariant = { of: "Deployment/web", require: "facts.boot < 100" };
    expect(await answer(invariant, web())).toBe("unasked");
    expect(await answer(invariant, web(), "  facts: [{ of: Deployment/web, boot: 90s }]")).toBe("holds");
    expect(await answer(invariant, web(), "  facts: [{ of: Deployment/web, boot: 2m }]")).toBe("broken");
    expect(await answer({ require: "nodes > 2" }, web())).toBe("unasked");
    expect(await answer({ require: "nodes > 2" }, web(), "  nodes: 3")).toBe("holds");
    const endpoint = { of: "Deployment/web", require: 'facts.endpoints["/health"].latency < 5.0' };
    expect(await answer(endpoint, web(), "  facts: [{ of: Deployment/web, endpoints: { /health: { latency: 2500ms } } }]")).toBe("holds");
    expect(await answer(endpoint, web(), "  facts: [{ of: Deployment/web, endpoints: { /health: { heavy: true } } }]")).toBe("unasked");
    expect(
      (
        await ownRules(readCase(`config:\n  invariants: [${JSON.stringify({ id: "a/b", message: "m", ...invariant })}]`, "x", ".").config)
      )[0]?.facts,
    ).toEqual(["boot"]);
  });

  it("quantities, durations and versions have Kubernetes' functions", async () => {
    for (const require of [
      'quantity("1Gi").isGreaterThan(quantity("500Mi")) && quantity("1Gi").compareTo(quantity("1024Mi")) == 0',
      'quantity("1.5Gi").asInteger() == 1610612736 && quantity("100m").asApproximateFloat() == 0.1 && !quantity("100m").isInteger()',
      'quantity(2).isLessThan(quantity("2001m")) && quantity("1").add(quantity("500m")).sub(1) == quantity("0.5") && quantity("-1").sign() == -1',
      'isQuantity("1e3") && !isQuantity("1K") && !isQuantity("")',
      'duration("1h30m") > duration("89m") && duration("90s").getSeconds() == 90',
      'semver("1.2.3").isLessThan(semver("1.10.0")) && semver("1.2.3-ci.8").isLessThan(semver("1.2.3")) && semver("1.2.3").compareTo(semver("1.2.3")) == 0',
      'isSemver("1.2.3") && !isSemver("v1.2") && isSemver("v1.2", true) && semver("v1.2", true).minor() == 2 && semver("3.0.1").major() == 3',
      '"registry.example/web:1.2.0".matches("^registry\\\\.example/") && "a1b22".find("[0-9]+") == "1" && !"x".matches("^y")',
      'hosts("postgres://u:p@db.example.net:5432/x") == ["db.example.net"] && hosts("a:1,b:2") == ["a", "b"] && hosts("Server=tcp:sql.example.net,1433;User=x") == ["sql.example.net"]',
      'hosts("Data Source=localhost;x=y") == [] && hosts("nothing here") == []',
    ]) {
      expect(await holds(require), require).toBe("holds");
    }
  });
});

describe("env has three values", () => {
  const asked = (require: string, container: string) => holds(require, web({ container }), "Deployment/web");
  const opaque = "envFrom: [{ secretRef: { name: elsewhere } }]";
  const fromSecret = "env: [{ name: A, valueFrom: { secretKeyRef: { name: elsewhere, key: a } } }]";
  const plain = "env: [{ name: A, value: x }]";
  it.each([
    ["known", 'env["A"] == "x" && "A" in env && env.A == "x" && has(env.A)', plain, "holds"],
    ["absent", '"B" in env', plain, "broken"],
    ["absent, with a default", 'env[?"B"].orValue("y") == "y"', plain, "holds"],
    ["absent and read", 'env["B"] == "y"', plain, /undecided: .*B is not set; write "B" in env && …, or env\[\?"B"\]/],
    ["set for certain, to what is not told", '"A" in env', fromSecret, "holds"],
    ["read although not told", 'env["A"] != "x"', fromSecret, /undecided: .*A is set by Secret\/elsewhere, which does not tell its value/],
    ["a default does not hide what is not told", 'env[?"A"].orValue("x") == "x"', fromSecret, /undecided/],
    ["perhaps set", '"A" in env', opaque, /undecided: .*A might be set by Secret\/elsewhere, which the render does not contain/],
    ["perhaps set is not absent", '!("A" in env)', opaque, /undecided/],
    ["perhaps set, with a default", 'env[?"A"].orValue("x") == "x"', opaque, /undecided/],
    ["has() of what is perhaps set", "!has(env.A)", opaque, /undecided/],
    ["the other side decides: true", '"A" in env || true', opaque, "holds"],
    ["the other side decides: false", '!("A" in env && false)', opaque, "holds"],
    ["the other side does not decide", '"A" in env || false', opaque, /undecided/],
    ["names that are not all known", "env.names().size() == 0", opaque, /undecided: .*Secret\/elsewhere may set more/],
    ["names that the render tells", 'env.renderedNames() == ["A"]', plain, "holds"],
    ["a name from data", 'containers[0].env.all(e, e.name in env && env[e.name] == "x")', plain, "holds"],
  ])("%s", async (_, require, container, wanted) => {
    expect(await asked(require, container)).toEqual(typeof wanted === "string" ? wanted : expect.stringMatching(wanted));
  });

  it("containers that disagree have to be told apart", async () => {
    const two =
      web({ container: "env: [{ name: A, value: x }]" }) +
      "\n        - name: side\n          image: s\n          env: [{ name: A, value: z }]";
    expect(await holds('env["A"] == "x"', two, "Deployment/web")).toMatch(
      /undecided: .*A has different values in "web", "side": name one container in "of"/,
    );
    expect(await holds('env["A"] == "z"', two, "Deployment/web/side")).toBe("holds");
  });
});

describe("what is wrong with an expression is said at load, where it stands", () => {
  it.each([
    [
      '  - { id: a/b, message: m, require: "replica.floor > 1" }',
      '2:38: invariants[0].require: unknown variable "replica", did you mean "replicas"?',
    ],
    [
      "  - { id: a/b, message: m, require: 'workload.nmae == \"x\"' }",
      '2:47: invariants[0].require: "workload" has no field "nmae", did you mean "name"?',
    ],
    [
      "  - { id: a/b, message: m, require: 'has(workload.nmae)' }",
      '2:51: invariants[0].require: "workload" has no field "nmae", did you mean "name"?',
    ],
    [
      "  - { id: a/b, message: m, require: 'probes.startup.period > 1' }",
      '2:53: invariants[0].require: "probes.startup" has no field "period"',
    ],
    [
      "  - { id: a/b, message: m, require: 'facts.bot > 1' }",
      '2:44: invariants[0].require: "facts" has no field "bot", did you mean "boot"?',
    ],
    [
      "  - { id: a/b, message: m, require: 'replicas.floor == \"2\"' }",
      "2:38: invariants[0].require: there is no operator for int == string",
    ],
    [
      "  - { id: a/b, message: m, require: 'quantty(\"1\") == 1' }",
      '2:38: invariants[0].require: unknown function "quantty", did you mean "quantity"?',
    ],
    ["  - { id: a/b, message: m, require: 'quantity(true).isInteger()' }", "2:38: invariants[0].require: no function fits quantity(bool)"],
    ["  - { id: a/b, message: m, require: 'replicas.floor' }", "2:38: invariants[0].require: gives int, expected true or false"],
    ["  - { id: a/b, message: m, require: 'environment = \"x\"' }", '2:50: invariants[0].require: unexpected "=", did you mean "=="?'],
    ["  - { id: a/b, message: m, require: '(1 == 1' }", '2:45: invariants[0].require: expected ")", found the end'],
    [
      "  - { id: a/b, message: m, require: 'namespace == \"x\"' }",
      '2:38: invariants[0].require: "namespace" is reserved in CEL, expected "release.namespace" or "workload.namespace"',
    ],
    [
      "  - { id: a/b, message: m, require: 'environment.matches(release.name)' }",
      "2:66: invariants[0].require: the pattern of matches() is computed, expected a literal string",
    ],
    [
      "  - { id: a/b, message: m, require: 'environment.matches(\"(?=a)\")' }",
      '2:58: invariants[0].require: the pattern is no RE2 expression: invalid or unsupported Perl syntax: "(?="',
    ],
    [
      "  - { id: a/b, message: m, require: 'replicas.matches(\"a\")' }",
      "2:38: invariants[0].require: matches() is asked of a Replicas, expected a string",
    ],
    [
      "  - { id: a/b, message: m, of: ConfigMap/x, require: 'replicas.floor > 1' }",
      '2:55: invariants[0].require: "replicas" is of workloads, but "of" names ConfigMap',
    ],
    [
      "  - { id: a/b, message: m, of: deployments/x, require: 'true' }",
      '2:32: invariants[0].of: there is no kind "deployments", did you mean "Deployment"?',
    ],
    [
      "  - { id: a/b, message: m, require: 'objects(\"configMaps\").size() == 0' }",
      '2:46: invariants[0].require: there is no kind "configMaps", did you mean "ConfigMap"?',
    ],
    [
      "  - { id: a/b, message: m, of: 'Deployment/*', require: 'true', at: a..b }",
      "2:70: invariants[0].at: expected a field such as spec.replicas or containers[web].image",
    ],
    [
      "  - { id: a/b, message: m, require: 'objects(\"Job\").size() == 0', at: spec }",
      '2:71: invariants[0].at: has no object to be a field of, expected "of" beside it',
    ],
    // Every way to write a text in YAML.
    ["  - id: a/b\n    message: m\n    require: environment == nope", '4:29: invariants[0].require: unknown variable "nope"'],
    [
      '  - id: a/b\n    message: m\n    require: >-\n      environment == "x" ||\n        nope',
      '6:9: invariants[0].require: unknown variable "nope"',
    ],
    [
      '  - id: a/b\n    message: m\n    require: |\n      environment == "x" ||\n      nope',
      '6:7: invariants[0].require: unknown variable "nope"',
    ],
    ["  - id: a/b\n    message: m\n    require: environment == 'x'\n      || nope", '5:10: invariants[0].require: unknown variable "nope"'],
    ["  - { id: a/b, message: m, require: 'environment == ''x'' || nope' }", '2:62: invariants[0].require: unknown variable "nope"'],
    ['  - { id: a/b, message: m, require: "environment == \\"x\\" || nope" }', '2:62: invariants[0].require: unknown variable "nope"'],
    ["  - { id: a/b, message: m, when: 'nope', require: 'nope' }", '2:35: invariants[0].when: unknown variable "nope"'],
  ])("%s", async (yaml, wanted) => {
    expect((await complaint(yaml)).split("\n")[0]).toContain(wanted);
  });

  it("all of them at once, and nothing wrong is no complaint", async () => {
    const wrong = await complaint("  - { id: a/b, message: m, when: 'x', require: 'y' }\n  - { id: a/c, message: m, require: 'z' }");
    expect(wrong.split("\n")).toHaveLength(3);
    expect(await complaint("  - { id: a/b, message: m, require: 'true' }")).toBe("fine");
  });
});

describe("nothing unreadable passes", () => {
  const failing = async (require: string, manifests = web({ replicas: 2 }), of = "Deployment/web") => {
    const text = await holds(require, manifests, of);
    expect(text).toMatch(/^undecided: could not evaluate "require" for /);
    return text;
  };

  it.each([
    ["a missing key", 'object.spec.nope == "x"', /there is no "nope" here/],
    ["a missing key on the way", "object.spec.a.b.c == 1", /there is no "a" here/],
    ["an index out of bounds", "containers[3].name == 'x'", /index out of bounds/],
    ["division by zero", "replicas.floor / (replicas.floor - 2) == 1", /division by zero/],
    ["modulo by zero", "replicas.floor % 0 == 1", /modulo by zero/],
    ["an overflow", "replicas.floor * 9223372036854775807 == 1", /too large for CEL/],
    ["a wrong type", 'object.spec.replicas + "x" == "2x"', /no operator for int \+ string/],
    ["no boolean", "object.spec.replicas", /neither true nor false/],
    ["a condition that is no boolean", "object.spec.replicas ? true : true", /must be bool/],
    ["matches() of a number", 'object.spec.replicas.matches("2")', /asked of what is no string/],
    ["no quantity", "quantity(object.metadata.name).isInteger()", /no Kubernetes quantity/],
    ["no version", 'semver(object.metadata.name) == semver("1.2.3")', /no semantic version/],
    ["no duration", 'duration(object.metadata.name) == duration("1s")', /no Go duration/],
  ])("%s", async (_, require, wanted) => {
    expect(await failing(require)).toMatch(wanted);
  });

  it("in when, too, with the place in the config", async () => {
    const { failures } = await run({ of: "Deployment/web", when: "object.spec.nope > 1", require: "true" }, web());
    expect(failures).toMatchObject([{ stage: "check", rule: "acme/x", environment: "default", location: { line: 3 } }]);
  });

  it("one subject that cannot be judged leaves the others standing", async () => {
    const maps = ["a: '1'", "b: '1'", "a: '2'"]
      .map((data, i) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c${i} }\ndata: { ${data} }`)
      .join("\n---\n");
    const { findings, failures, judged } = await run({ of: "ConfigMap/*", require: "object.data.a == '1'" }, maps);
    expect([findings.map(({ finding }) => finding.subject), failures.length, judged.has("acme/x")]).toEqual([["ConfigMap/c2"], 1, true]);
  });
});

describe("hostile input", () => {
  const map = (name: string, data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: ${data}`;

  it("a catastrophic pattern and a long text take no time", async () => {
    const begin = performance.now();
    expect(await holds('!object.data.a.matches("^(a+)+$")', map("x", `{ a: "${"a".repeat(50_000)}!" }`), "ConfigMap/x")).toBe("holds");
    expect(await holds('!object.data.a.matches("^(a|aa)+$")', map("x", `{ a: "${"a".repeat(100)}!" }`), "ConfigMap/x")).toBe("holds");
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(await holds('object.data.a.matches("x")', map("x", `{ a: "${"a".repeat(300_000)}" }`), "ConfigMap/x")).toMatch(
      /undecided: .*300000 characters, expected at most 262144/,
    );
  });

  it("the clock stops what takes too long, and everything when the whole time is used up", () => {
    const clock = startClock(50, 80);
    const forever = () => {
      for (;;) if (/^(a+)+$/.test(`${"a".repeat(28)}!`)) return true;
    };
    expect(clock.within(() => 1)).toBe(1);
    expect(() =>
      clock.within(() => {
        throw new TypeError("mine");
      }),
    ).toThrow(new TypeError("mine"));
    expect(() => clock.within(forever)).toThrow(new OutOfTime("took more than 0.05s"));
    expect(() => clock.within(forever)).toThrow(new OutOfTime("all invariants together took more than 0.08s"));
    expect(() => clock.within(() => 1)).toThrow(OutOfTime);
  });

  it("loops in loops run out of time", async () => {
    const list = `[${Array.from({ length: 3_000 }, (_, i) => i).join(",")}]`;
    const require = "object.data.l.all(a, object.data.l.all(b, object.data.l.all(c, a + b + c >= 0)))";
    expect(await holds(require, map("x", `{ l: ${list} }`), "ConfigMap/x")).toMatch(/undecided: .*took more than 1s/);
    expect(await holds(`duration(object.data.l) > duration("1s")`, map("x", `{ l: "${"1".repeat(20_000)}" }`), "ConfigMap/x")).toMatch(
      /undecided/,
    );
  });

  it("giant data, deep data and alias bombs are too much", async () => {
    const giant = map("x", `{ l: [${"1,".repeat(100_000)}1] }`);
    expect(await holds("object.data.l.size() > 1", giant, "ConfigMap/x")).toMatch(/undecided: .*more than 100000 values/);
    const deep = map("x", `{ l: ${"[".repeat(150)}${"]".repeat(150)} }`);
    expect(await holds("object.data.l.size() > 1", deep, "ConfigMap/x")).toMatch(/undecided: .*(150|100) levels deep/);
    const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\na: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
      .split("")
      .map((name, i) => `${name}: &${name} [${Array(10).fill(`*${"abcdefgh"[i]}`).join(",")}]`)
      .join("\n")}`;
    expect(await holds("object.i == object.h", bomb, "ConfigMap/x")).toMatch(/^(undecided|broken)/);
  });

  it("keys that mean something in JavaScript mean nothing", async () => {
    const odd = map("x", '{ __proto__: "1", constructor: "2", toString: "3", hasOwnProperty: "4" }');
    const require =
      'object.data["__proto__"] == "1" && object.data.constructor == "2" && object.data["toString"] == "3" && object.data.size() == 4';
    expect(await holds(require, odd, "ConfigMap/x")).toBe("holds");
    expect(await holds('"constructor" in object.data || "toString" in object.metadata', map("x", "{}"), "ConfigMap/x")).toBe("broken");
    expect(await holds("has(object.data.constructor) || has(object.data.toString)", map("x", "{}"), "ConfigMap/x")).toBe("broken");
    const env = "env: [{ name: constructor, value: x }, { name: __proto__, value: z }]";
    expect(await holds('env["constructor"] == "x" && env["__proto__"] == "z" && !("toString" in env)', web({ container: env }))).toBe(
      "holds",
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("an expression that is too long, too deep or too wide is refused", async () => {
    expect(await complaint(`  - { id: a/b, message: m, require: '${"1 == 1 && ".repeat(600)}true' }`)).toMatch(/expected at most 4096/);
    expect(await complaint(`  - { id: a/b, message: m, require: '${"(".repeat(200)}true${")".repeat(200)}' }`)).toMatch(/maxDepth/i);
    expect(await complaint(`  - { id: a/b, message: m, require: '1 in [${"1,".repeat(500)}1]' }`)).toMatch(/maxListElements/i);
  });

  it("a text that grows without end runs out of memory or time, not of process", async () => {
    const binds = Array.from({ length: 18 }, (_, i) => `cel.bind(v${i + 1}, v${i} + v${i} + v${i} + v${i}, `).join("");
    const require = `cel.bind(v0, "${"x".repeat(100)}", ${binds}v18.split("").size() > 0${")".repeat(19)}`;
    expect(await holds(require)).toMatch(/undecided|took|memory/);
  });

  it("no secret value is shown", async () => {
    const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { A: hunter2 }";
    const container = "envFrom: [{ secretRef: { name: s } }]";
    for (const invariant of [
      { of: "Secret/s", require: 'object.stringData.A == "x"', message: "it is {object.stringData.A}" },
      { of: "Secret/s", require: 'object.stringData["A"].endsWith("x")', message: "it is {object.stringData['A']}" },
      { of: "Deployment/web", require: 'env["A"] == "x"', message: 'it is {env["A"]}' },
      { of: "Deployment/web", require: 'env.A == "x"', message: "it is {env.A}" },
      { of: "Deployment/web", require: 'bool(env["A"])' },
      { of: "Deployment/web", require: 'duration(env["A"]) > duration("1s")' },
      { of: "Deployment/web", require: 'quantity(env["A"]).isInteger()' },
      { of: "Deployment/web", require: 'int(env["A"]) > 1' },
      { of: "Deployment/web", require: 'object.metadata.labels[env["A"]] == "x"' },
    ]) {
      const result = await run(invariant, web({ container, more: secret }));
      expect(result.findings.length + result.failures.length, invariant.require).toBe(1);
      expect(JSON.stringify([result.findings, result.failures]), invariant.require).not.toContain("hunter2");
    }
  });
});
