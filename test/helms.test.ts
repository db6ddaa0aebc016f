import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundledHelm } from "../src/render/helm.js";
import { run } from "../src/run.js";
import { memex } from "./command-line.js";

const environments = [
  "wall",
  "gate-on-startup",
  "deadline-without-bake",
  "default-deadline",
  "armed-by-whom",
  "keda-and-replicas",
  "fixed",
];

async function said(alias: "helm-4" | "helm-3-17" | "helm-3-8") {
  const { path } = await bundledHelm(alias);
  const outcome = await run({ config: join(memex, "incidents.yaml"), environments, helm: path, today: "2026-11-30" });
  expect(outcome.failures).toEqual([]);
  return outcome.findings.map(({ rule, severity, message, environments, location }) => ({
    rule,
    severity,
    message,
    environments,
    location,
  }));
}

describe("the whole line says the same with every helm", () => {
  it.each(["helm-3-17", "helm-3-8"] as const)("%s", async (alias) => {
    const newest = await said("helm-4");
    expect(newest.length).toBeGreaterThan(5);
    expect(await said(alias)).toEqual(newest);
  });
});
