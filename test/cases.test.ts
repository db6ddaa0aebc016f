import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rules } from "../rules/index.js";
import { readCase, runCase } from "../src/cases.js";

const folder = join(import.meta.dirname, "..", "fixtures", "cases");
const known = new Set(rules.map((rule) => rule.id));

/** Inputs made from faults of public charts: each expected rule speaks, and no error is said that is not expected. */
describe("cases made from public faults", () => {
  it.each(readdirSync(folder).map((name) => [name] as const))("%s", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const expected =
      /^# expect: (.+)$/m
        .exec(text)?.[1]
        ?.split(",")
        .map((id) => id.trim()) ?? [];
    const result = runCase(readCase(text, name, folder), rules);
    const said = new Set(result.findings.map(({ finding }) => finding.rule));
    const errors = result.findings.filter(({ finding }) => finding.severity === "error").map(({ finding }) => finding.rule);
    expect(result.failures).toEqual([]);
    expect(expected.filter((id) => known.has(id) && !said.has(id))).toEqual([]);
    expect(errors.filter((id) => !expected.includes(id))).toEqual([]);
  });
});
