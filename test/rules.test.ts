import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rules } from "../rules/index.js";
import { readCase, runCase } from "../src/cases.js";
import { readFences } from "../src/pages.js";
import { scenarioRules } from "./scenario-rules.js";

const root = join(import.meta.dirname, "..");

function caseFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && /\.ya?ml$/.test(entry.name) ? [join(folder, entry.name)] : [],
  );
}

function expectCase(text: string, file: string, about: string): void {
  const given = readCase(text, file, root);
  const result = runCase(given, rules, { today: "2026-06-15" });
  expect(result.failures, file).toEqual([]);
  expect(result.complaints(about), file).toEqual([]);
}

describe.each(rules.map((rule) => [rule.id] as const))("%s", (id) => {
  const page = readFileSync(join(root, "rules", `${id}.md`), "utf8");
  const fences = readFences(page);
  for (const fence of fences.filter(({ section }) => section === "Bad" || section === "Good")) {
    it(`says of the page's ${fence.section} example (line ${fence.line}) what the page says`, () => {
      expect(fence.text.includes(`# want: ${id}`)).toBe(fence.section === "Bad");
      expectCase(fence.text, `rules/${id}.md`, id);
    });
  }
  if (scenarioRules.has(id)) {
    it("has scenarios in place of cases", () => {
      const texts = ["run-rules.test.ts", "deep.test.ts"].map((file) => readFileSync(join(root, "test", file), "utf8"));
      expect(texts.some((text) => text.includes(`describe("${id}"`))).toBe(true);
    });
    return;
  }
  it("has cases that must be found and cases that must be silent", () => {
    const texts = caseFiles(join(root, "fixtures", "rules", id)).map((file) => readFileSync(file, "utf8"));
    expect(texts.some((text) => text.includes(`# want: ${id}`))).toBe(true);
    expect(texts.some((text) => !text.includes(`# want: ${id}`))).toBe(true);
  });
  it.each(caseFiles(join(root, "fixtures", "rules", id)).map((file) => [file.slice(root.length + 1), file] as const))("%s", (_, file) => {
    expectCase(readFileSync(file, "utf8"), file, id);
  });
});
