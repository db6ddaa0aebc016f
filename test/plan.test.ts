import { describe, expect, it } from "vitest";
import type { ChartConfig, Config, EnvironmentConfig, RefusalConfig } from "../src/config/types.js";
import { UsageError } from "../src/errors.js";
import { planRenders } from "../src/plan.js";

function environment(name: string, more: Partial<EnvironmentConfig> = {}): EnvironmentConfig {
  return { name, release: "r", namespace: "n", kubeVersion: "1.31.0", apiVersions: ["a/v1"], values: [], sets: [], external: [], ...more };
}

function refusal(name: string): RefusalConfig {
  return { name, because: "why", release: "r", namespace: "n", apiVersions: [], values: ["/v/refused.yaml"], sets: [] };
}

function config(...charts: readonly Partial<ChartConfig>[]): Config {
  return {
    file: undefined,
    folder: "/",
    charts: charts.map((chart) => ({ path: "/chart", kind: "chart", environments: [], refusals: [], ...chart })),
    facts: [],
    readings: [],
    preset: "recommended",
    deep: false,
    rules: {},
    plugins: [],
    invariants: [],
    mustJudge: [],
    waivers: [],
    debts: [],
    external: [],
    waiverNeedsExpiry: false,
  };
}

const names = (...parameters: Parameters<typeof planRenders>) =>
  planRenders(...parameters).jobs.map((job) => `${job.chart} ${job.purpose} ${job.environment}`);

describe("planRenders", () => {
  const two = config(
    { path: "/one", environments: [environment("b", { values: ["/v/b.yaml"] }), environment("a")], refusals: [refusal("no-host")] },
    { path: "/two", environments: [environment("a")] },
  );

  it("plans every environment and refusal in the order of the config", () => {
    expect(names(two)).toEqual(["/one environment b", "/one environment a", "/one refusal no-host", "/two environment a"]);
  });

  it("gives every job all that helm needs, and an id of its own", () => {
    const { jobs } = planRenders(two);
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(jobs.length);
    expect(jobs[0]).toEqual({
      id: "0/environment/b",
      purpose: "environment",
      environment: "b",
      chart: "/one",
      kind: "chart",
      release: "r",
      namespace: "n",
      kubeVersion: "1.31.0",
      apiVersions: ["a/v1"],
      values: ["/v/b.yaml"],
      sets: [],
    });
  });

  it("adds the chart's defaults only where an environment differs from them", () => {
    expect(names(two, { needsDefaults: true })).toEqual([
      "/one defaults defaults",
      "/one environment b",
      "/one environment a",
      "/one refusal no-host",
      "/two environment a",
    ]);
    const job = planRenders(two, { needsDefaults: true }).jobs.find(({ purpose }) => purpose === "defaults");
    expect(job).toMatchObject({ release: "r", namespace: "n", kubeVersion: "1.31.0", values: [], sets: [] });
  });

  it("counts a --set as an overlay", () => {
    const set = config({ environments: [environment("a", { sets: [{ flag: "--set", expression: "a=b" }] })] });
    expect(names(set, { needsDefaults: true })).toContain("/chart defaults defaults");
  });

  it("reads manifests as they are: no defaults, no refusals", () => {
    const manifests = config({
      path: "-",
      kind: "manifests",
      environments: [environment("a", { values: ["/v"] })],
      refusals: [refusal("no-host")],
    });
    expect(names(manifests, { needsDefaults: true })).toEqual(["- environment a"]);
  });

  it("keeps to the environments of `only`", () => {
    expect(names(two, { only: ["a"] })).toEqual(["/one environment a", "/two environment a"]);
    expect(names(two, { only: ["a"], needsDefaults: true })).not.toContain("/one defaults defaults");
    expect(names(two, { only: ["no-host"] })).toEqual(["/one refusal no-host"]);
    expect(names(two, { only: [] })).toEqual([]);
  });

  it("refuses an unknown environment, with the one that was meant", () => {
    const memex = config({ environments: [environment("memex-cloud"), environment("memex")] });
    expect(() => planRenders(memex, { only: ["memex-clod"] })).toThrow(UsageError);
    expect(() => planRenders(memex, { only: ["memex-clod"] })).toThrow('unknown environment "memex-clod", did you mean "memex-cloud"?');
    expect(() => planRenders(memex, { only: ["zzz"] })).toThrow('unknown environment "zzz", there is "memex-cloud", "memex"');
  });
});
