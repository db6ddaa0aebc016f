import { describe, expect, it } from "vitest";
import rule from "../rules/timeout-covers-latency.js";
import { checkAll } from "../src/check.js";
import { resolveFacts } from "../src/config/facts.js";
import { loadConfigFragment } from "../src/config/load.js";
import type { Reading } from "../src/config/types.js";
import { parseManifests } from "../src/manifest/parse.js";
import { buildEnvironment } from "../src/model/environment.js";
import { crossing, formatHeadroom, growthOf, readingNotes } from "../src/model/readings.js";
import type { Environment } from "../src/model/types.js";
import { selectRules } from "../src/ruleset.js";

const root = `${import.meta.dirname}/..`;

function entry(at: string, samples: readonly number[], more: Partial<Reading> = {}): Reading {
  const origin = { file: "readings.yaml", line: 1, column: 1 };
  return { endpoint: "/health", of: "*", in: ["default"], at, phase: "serving", vantage: "outside", samples, slowest: {}, origin, ...more };
}

const wall = [
  entry("2026-09-17T14:53Z", [8.12, 9.62, 9.52]),
  entry("2026-09-17T15:22Z", [10.71, 13.55]),
  entry("2026-09-17T19:20Z", [], { total: 10.068, slowest: { required_modules: 10.068, pending_module_activation: 0.03 } }),
];

describe("readings", () => {
  it("compares the means of the last two dated entries with samples", () => {
    const growth = growthOf(wall);
    expect(growth?.from).toBeCloseTo(9.0867, 4);
    expect(growth?.to).toBeCloseTo(12.13, 4);
    expect(growth?.elapsed).toBe(29 * 60);
    expect(growthOf(wall.slice(1))).toBeUndefined();
    expect(growthOf([entry("2026-09-17T14:53Z", [1]), entry("2026-09-17T14:53Z", [9])])).toBeUndefined();
  });

  it("says when a growing mean reaches a timeout, and nothing when it shrinks or is there already", () => {
    expect(crossing({ from: 1, to: 2, elapsed: 100 }, 5)).toBe(300);
    expect(crossing({ from: 2, to: 1, elapsed: 100 }, 5)).toBeUndefined();
    expect(crossing({ from: 1, to: 5, elapsed: 100 }, 5)).toBeUndefined();
  });

  it("rounds headroom down", () => {
    expect([formatHeadroom(5, 1.66), formatHeadroom(30, 13.55), formatHeadroom(27, 13.55), formatHeadroom(3, 0.3)]).toEqual([
      "3.0×",
      "2.2×",
      "1.9×",
      "10.0×",
    ]);
  });

  it("shows what was seen, how it moves and what it costs", () => {
    expect(readingNotes(wall, 5)).toEqual([
      {
        label: "seen",
        text: "2026-09-17 14:53Z 8.12s 9.62s 9.52s · 15:22Z 10.71s 13.55s, from outside, on serving pods (a starting one is slower)",
      },
      { label: "trend", text: "mean +3.04s in 29 min: a larger timeout buys the time until the next growth" },
      { label: "cost", text: "required_modules 10.068s of 10.068s" },
    ]);
    const starting = [entry("2026-09-17T14:53Z", [1], { phase: "starting", vantage: "kubelet" }), entry("2026-09-18T14:53Z", [1])];
    expect(readingNotes(starting, 5)).toEqual([{ label: "seen", text: "2026-09-17 14:53Z 1s · 2026-09-18 14:53Z 1s" }]);
    expect(readingNotes([entry("2026-09-17T19:20Z", [], { total: 9.4, slowest: { a: 0.02 } })], 5).map(({ text }) => text)).toEqual([
      "9.4s in all, spread over many checks: no single one is to blame",
    ]);
  });
});

const debt = `
debts:
  - of: Deployment/web
    field: startupProbe.timeoutSeconds
    allow: 30
    payBackTo: 5
    because: the walk over the volume
    until: { image: ">=3.0.0-ci.8900" }
`;

/** What the rule says of a startup timeout of 30 s, when the chart without overlays has another. */
function said(options: { readonly shipped?: number; readonly debts?: string; readonly facts?: string }): readonly string[] {
  const facts = options.facts ?? "readings: [fixtures/rules/timeout-covers-latency/readings/wall.yaml]";
  const config = loadConfigFragment(`${facts}\n${options.debts ?? ""}`, `${root}/helm-invariants.yaml`, root);
  const render = (timeout: number, defaults?: Environment) =>
    buildEnvironment({
      name: "default",
      chart: { path: "chart", kind: "chart" },
      release: "web",
      namespace: "web",
      kubeVersion: undefined,
      nodes: undefined,
      deploy: undefined,
      external: [],
      debts: config.debts,
      today: "2026-09-18",
      manifests: parseManifests(manifest(timeout)),
      ...(defaults === undefined ? {} : { defaults }),
    });
  const environment = render(30, options.shipped === undefined ? undefined : render(options.shipped));
  const checked = checkAll({
    config,
    rules: selectRules([rule], config, {}),
    charts: [{ path: "chart", environments: [environment], refusals: [] }],
    factsFor: (name, kind, subject, container) => resolveFacts(config, name, { kind, name: subject }, container),
  });
  expect(checked.failures).toEqual([]);
  return checked.findings.map(({ severity, message }) => `${severity}: ${message}`);
}

function manifest(timeout: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  template:
    spec:
      containers:
        - name: app
          image: web:3.0.0-ci.8812
          startupProbe: { httpGet: { path: /health, port: 8080 }, timeoutSeconds: ${timeout}, failureThreshold: 1080 }
`;
}

describe("a timeout above the chart's own", () => {
  const note = ['note: the startup probe of "app" waits 30s for /health: 2.2× left; mean 9.09s → 12.1s in 29 min'];

  it("hides the next growth, unless a debt says until when", () => {
    expect(said({ shipped: 5 })).toEqual([
      'warning: the startup probe of "app" waits 30s for /health, raised above the chart\'s 5s without a debt: 2.2× left over 13.55s, the slowest measured; a raised timeout hides the next growth',
    ]);
    expect(said({ shipped: 5, debts: debt })).toEqual(note);
    expect(said({ shipped: 5, debts: debt.replace("Deployment/web", "Deployment/other") })[0]).toContain("without a debt");
  });

  it("is not judged when it is the chart's own, when the chart has no render of its own, or without a reading", () => {
    expect(said({ shipped: 30 })).toEqual(note);
    expect(said({})).toEqual(note);
    expect(said({ shipped: 5, facts: 'facts: [{ of: "*", endpoints: { /health: { latency: 10s } } }]' })).toEqual([]);
  });
});
