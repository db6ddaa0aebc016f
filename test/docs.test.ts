import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rules } from "../rules/index.js";
import { factsSection, fillMarkers, rulesTable } from "../src/docs.js";
import { helmInvariants, root } from "./command-line.js";

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** `npm run docs` writes these parts; here is what tells that it has to run again. */
describe("generated documents are current", () => {
  it.each(rules.map((rule) => [rule.id, rule] as const))("rules/%s.md", (id, rule) => {
    const text = read(`rules/${id}.md`);
    expect(fillMarkers(text, "facts", factsSection(rule))).toBe(text);
  });

  it("the README's table of rules", () => {
    const text = read("README.md");
    expect(fillMarkers(text, "rules", rulesTable(rules))).toBe(text);
  });

  it("the README's example is what the program prints", async () => {
    const text = read("README.md");
    const shown = /<!-- example -->\n```text\n\$ helm-invariants (.*)\n([\s\S]*?)```\n<!-- \/example -->/.exec(text);
    const { out } = await helmInvariants((shown?.[1] ?? "").split(" "), { env: { COLUMNS: "110" } });
    expect(out).toBe(shown?.[2]);
  });

  it("both schemas are the published ones", () => {
    expect(read("schema.json")).toBe(read("src/config/config.schema.json"));
  });
});
