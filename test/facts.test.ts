import { describe, expect, it } from "vitest";
import { matchesName, matchesSubject, resolveFacts, unmatchedFacts } from "../src/config/facts.js";
import { loadConfigFragment } from "../src/config/load.js";
import type { Config } from "../src/config/types.js";

const fragment = (yaml: string): Config => loadConfigFragment(yaml, "case.yaml", import.meta.dirname);
const web = { kind: "Deployment", name: "web" };

describe("matching", () => {
  it.each([
    ["*", "Deployment", "web", undefined, true],
    ["*", "Deployment", "web", "app", true],
    ["Deployment/web", "Deployment", "web", undefined, true],
    ["Deployment/web", "Deployment", "web", "app", true],
    ["Deployment/web", "Deployment", "web2", undefined, false],
    ["Deployment/*", "StatefulSet", "web", undefined, false],
    ["*/web", "StatefulSet", "web", "app", true],
    ["Deployment/web/app", "Deployment", "web", "app", true],
    ["Deployment/web/app", "Deployment", "web", "sidecar", false],
    ["Deployment/web/app", "Deployment", "web", undefined, false],
    ["Deployment/*/app", "Deployment", "web", "app", true],
    ["Deployment/w?b", "Deployment", "web", undefined, true],
    ["{Deployment,StatefulSet}/web", "StatefulSet", "web", undefined, true],
    ["*eb*", "Deployment", "web", undefined, true],
    ["deployment/web", "Deployment", "web", undefined, false],
    ["Deployment/a.b", "Deployment", "axb", undefined, false],
    ["Deployment/{web", "Deployment", "{web", undefined, false],
    ["*", "", "", undefined, true],
    ["Deployment/*", "", "", undefined, false],
  ])("%s on %s/%s (%s): %s", (pattern, kind, name, container, expected) => {
    expect(matchesSubject(pattern, kind, name, container)).toBe(expected);
  });

  it("of plain names", () => {
    expect(matchesName("memex*", "memex-cloud")).toBe(true);
    expect(matchesName("*.example.net", "postgres.example.net")).toBe(true);
    expect(matchesName("*.example.net", "example.net")).toBe(false);
  });

  it("takes no time for a hostile glob", () => {
    expect(matchesName(`${"a*".repeat(200)}b`, "a".repeat(5000))).toBe(false);
  });
});

describe("resolveFacts", () => {
  it("gives nothing but no readings when nothing is declared", () => {
    expect(resolveFacts(fragment(""), "default", web)).toEqual({ readings: [] });
  });

  it("merges maps key by key; lists and scalars of later entries replace", () => {
    const config = fragment(`
facts:
  - of: "*"
    boot: 90s
    listen: [1, 2]
    ports: { "*": { tls: true }, 8080: { protocol: http } }
    env: { required: [A, B], neverBlank: [C], oneOf: { M: [a, b], N: [c] } }
    checks: { one: { remedy: restart }, two: { remedy: evict } }
    endpoints:
      /health: { latency: 2s, heavy: true, checks: [one, two], dependsOn: { db: shared, bus: private }, consumers: { watch: { timeout: 8s, every: 30s } } }
  - of: Deployment/web
    boot: 2m
    listen: [3]
    ports: { 8080: { tls: false } }
    env: { required: [D], oneOf: { N: [d] }, ignoreCase: true }
    checks: { two: { remedy: report } }
    endpoints:
      /health: { latency: 3s, checks: [three], dependsOn: { db: cluster }, consumers: { watch: { every: 60s } } }
      /ready: {}
`);
    const { declaredAt, ...facts } = resolveFacts(config, "default", web);
    expect(declaredAt).toMatchObject({ boot: { line: 12 }, listen: { line: 13 }, "endpoints./health.latency": { line: 18 } });
    expect(facts).toEqual({
      boot: 120,
      listen: [3],
      ports: { "*": { tls: true }, "8080": { protocol: "http", tls: false } },
      env: { required: ["D"], neverBlank: ["C"], oneOf: { M: ["a", "b"], N: ["d"] }, reads: [], ignoreCase: true },
      checks: { one: { remedy: "restart" }, two: { remedy: "report" } },
      endpoints: {
        "/health": {
          latency: 3,
          heavy: true,
          checks: ["three"],
          dependsOn: { db: "cluster", bus: "private" },
          consumers: { watch: { timeout: 8, every: 60 } },
        },
        "/ready": {},
      },
      readings: [],
    });
    expect(resolveFacts(config, "default", { kind: "Job", name: "x" })).toMatchObject({ boot: 90, listen: [1, 2] });
  });

  it("types every fact", () => {
    const config = fragment(`
facts:
  - of: "*"
    pull: 5m
    run: 60
    drain: 30s
    basePath: /app
    allowedHosts: [app.example.org]
    binaries: [/bin/sh]
    serves: [/a, ":9000/b"]
    waitsFor: [Job/migrate]
    heapOverhead: 256Mi
    sharedPaths: [/data]
    endpoints:
      exec: { deadline: 20s, cpu: 1.5s, peers: 2, answers: liveness }
      grpc: {}
      ":9000": {}
      ":9000/b": { since: v1.2.3, until: 2.0.0-rc.1 }
      "/a?deep=1": {}
  - { of: StatefulSet/x, heapOverhead: 1000 }
`);
    const { declaredAt: _, ...facts } = resolveFacts(config, "default", web);
    expect(facts).toEqual({
      pull: 300,
      run: 60,
      drain: 30,
      basePath: "/app",
      allowedHosts: ["app.example.org"],
      binaries: ["/bin/sh"],
      serves: ["/a", ":9000/b"],
      waitsFor: ["Job/migrate"],
      heapOverhead: 268_435_456,
      sharedPaths: ["/data"],
      endpoints: {
        exec: { deadline: 20, cpu: 1.5, peers: 2, answers: "liveness" },
        grpc: {},
        ":9000": {},
        ":9000/b": { since: "v1.2.3", until: "2.0.0-rc.1" },
        "/a?deep=1": {},
      },
      readings: [],
    });
    expect(resolveFacts(config, "default", { kind: "StatefulSet", name: "x" }).heapOverhead).toBe(1000);
  });

  it("gives a gate its defaults, takes true and numbers as text, and lets a later entry override a part", () => {
    const config = fragment(`
facts:
  - of: "*"
    gates: { bake: { armedBy: { env: GATE, equals: true }, requires: [{ env: LEVEL, equals: 1.0 }], readAt: /ready } }
  - of: "*"
    in: [slow]
    gates: { bake: { check: nodetype_bake, holds: 30m, requires: [] } }
`);
    const gate = { name: "bake", armedBy: { env: "GATE", equals: "true" }, readAt: "/ready" };
    expect(resolveFacts(config, "fast", web).gates).toEqual({
      bake: { ...gate, check: "bake", requires: [{ env: "LEVEL", equals: "1.0" }] },
    });
    expect(resolveFacts(config, "slow", web).gates).toEqual({ bake: { ...gate, check: "nodetype_bake", requires: [], holds: 1800 } });
  });

  it("applies entries by environment (globs too) and by container", () => {
    const config = fragment(`
facts:
  - { of: Deployment/web, boot: 1s }
  - { of: Deployment/web/app, boot: 2s }
  - { of: Deployment/web, in: ["prod-*"], pull: 3s }
`);
    expect(resolveFacts(config, "test", web)).toMatchObject({ boot: 1, readings: [], declaredAt: { boot: { line: 3 } } });
    expect(resolveFacts(config, "test", web, "app").boot).toBe(2);
    expect(resolveFacts(config, "test", web, "sidecar").boot).toBe(1);
    expect(resolveFacts(config, "prod-eu", web).pull).toBe(3);
  });

  it("keeps from side containers what only the main process can mean, unless it is said of them", () => {
    const config = loadConfigFragment(
      "config:\n  facts:\n    - { of: Deployment/web/proxy, boot: 3s }\n    - { of: '*', boot: 60s, pull: 5m, listen: [8080] }\n",
      "/x/c.yaml",
      "/x",
    );
    const web = { kind: "Deployment", name: "web" };
    expect(resolveFacts(config, "a", web, "app")).toMatchObject({ boot: 60, pull: 300, listen: [8080] });
    expect(resolveFacts(config, "a", web, "proxy", true)).toMatchObject({ boot: 3, pull: 300 });
    expect(resolveFacts(config, "a", web, "proxy", true).declaredAt).toMatchObject({ boot: { line: 3 }, pull: { line: 4 } });
    expect(resolveFacts(config, "a", web, "proxy", true).listen).toBeUndefined();
    expect(resolveFacts(config, "a", web, "other", true).boot).toBeUndefined();
  });

  it("is frozen, and does not change what it was made from", () => {
    const config = fragment("facts: [{of: '*', checks: {a: {remedy: evict}}}, {of: '*', checks: {b: {remedy: evict}}}]");
    const facts = resolveFacts(config, "default", web);
    expect(Object.isFrozen(facts) && Object.isFrozen(facts.checks)).toBe(true);
    expect(config.facts[0]?.facts.checks).toEqual({ a: { remedy: "evict" } });
  });
});

describe("unmatchedFacts", () => {
  const rendered = (name: string, environment = "a", containers = ["app"]) => ({ environment, kind: "Deployment", name, containers });
  const said = (yaml: string, subjects: Parameters<typeof unmatchedFacts>[1]) =>
    unmatchedFacts(fragment(yaml), subjects).map(({ entry, message }) => `${entry.origin.line}: ${message}`);

  it("names entries that stand for nothing", () => {
    const yaml = `facts:
  - { of: Deployment/api, boot: 1s }
  - { of: "Deployment/api/*", boot: 1s }
  - { of: "Deployment/web-*", boot: 1s }
  - { of: Deployment/api, in: [b], boot: 1s }
  - { of: Deployment/api/none, boot: 1s }
`;
    expect(said(yaml, [rendered("api"), rendered("other", "b")])).toEqual([
      '4: facts[2] is about "Deployment/web-*", which matches nothing that was rendered',
      '5: facts[3] is about "Deployment/api", which matches nothing that was rendered in b',
      '6: facts[4] is about "Deployment/api/none", which matches nothing that was rendered',
    ]);
  });

  it("leaves environments alone that were not rendered", () => {
    expect(said("facts: [{of: Deployment/api, in: [b], boot: 1s}]", [rendered("web")])).toEqual([]);
    expect(said("facts: [{of: Deployment/api, boot: 1s}]", [])).toEqual([]);
  });

  it("names gates that stay incomplete for a subject", () => {
    const yaml = `facts:
  - of: Deployment/web
    gates: { bake: { armedBy: { env: G, equals: "1" }, readAt: /ready } }
  - of: "*"
    gates: { bake: { holds: 1m } }
`;
    expect(said(yaml, [rendered("web"), rendered("api")])).toEqual([
      '4: gate "bake" has no armedBy for Deployment/api in a, so nothing is checked for it there',
    ]);
  });

  it("names readings once a file and endpoint", () => {
    const config = fragment("");
    const reading = (of: string, line: number) => ({
      endpoint: "/health",
      of,
      in: ["a"],
      at: "2026-09-17T14:53Z",
      phase: undefined,
      vantage: undefined,
      samples: [1],
      slowest: {},
      origin: { file: "readings/a.yaml", line, column: 1 },
    });
    const readings = [reading("Deployment/api", 1), reading("Deployment/api", 5), reading("Deployment/web", 9)];
    const found = unmatchedFacts({ ...config, readings }, [rendered("web")]);
    expect(found.map(({ entry, message }) => [entry.origin.line, message])).toEqual([
      [1, 'a reading of /health is about "Deployment/api", which matches nothing that was rendered in a'],
    ]);
    expect(resolveFacts({ ...config, readings }, "a", web).readings).toHaveLength(1);
    expect(resolveFacts({ ...config, readings }, "b", web).readings).toEqual([]);
  });
});
