import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rules } from "../rules/index.js";
import { pageHeadings, readFences, readPage } from "../src/pages.js";
import { scenarioRules } from "./scenario-rules.js";

const root = join(import.meta.dirname, "..");
const modules = readdirSync(join(root, "rules")).filter((name) => name.endsWith(".ts") && name !== "index.ts");

describe("every rule is a module, a page and cases", () => {
  it("the list is sorted and names every module once", () => {
    const ids = rules.map((rule) => rule.id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids).toEqual(modules.map((name) => name.slice(0, -3)).sort());
  });

  it.each(rules.map((rule) => [rule.id, rule] as const))("%s", (id, rule) => {
    const file = join(root, "rules", `${id}.md`);
    expect(existsSync(file), `rules/${id}.md is missing: write the page (CONTRIBUTING.md)`).toBe(true);
    const text = readFileSync(file, "utf8");
    const page = readPage(text);
    expect(page.title).toBe(id);
    expect(page.summary.replace(/\.$/, ""), "the page begins with the rule's summary").toBe(rule.summary);
    expect([...page.sections.keys()]).toEqual([...pageHeadings]);
    expect(rule.summary).toMatch(/^[A-Za-z`].*[^.]$/);
    expect(["probes", "rollouts", "availability", "configuration", "shutdown", "run"]).toContain(rule.category);
    if (scenarioRules.has(id)) return;
    const sections = new Set(readFences(text).map((fence) => fence.section));
    expect(sections.has("Bad"), "the page has an example under Bad").toBe(true);
    expect(sections.has("Good"), "the page has an example under Good").toBe(true);
    expect(existsSync(join(root, "fixtures", "rules", id)), `fixtures/rules/${id}/ is missing: add cases`).toBe(true);
  });

  it("no page, and no folder of cases, is of a rule that does not exist", () => {
    const ids = new Set(rules.map((rule) => rule.id));
    const pages = readdirSync(join(root, "rules"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => name.slice(0, -3));
    expect(pages.filter((name) => !ids.has(name))).toEqual([]);
    expect(readdirSync(join(root, "fixtures", "rules")).filter((name) => !ids.has(name))).toEqual([]);
  });
});
