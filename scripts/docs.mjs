// Writes what the documents say about rules, and what the README shows, from the rules and the program themselves.
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { importSources } from "./sources.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { factsSection, fillMarkers, rules, rulesTable } = await importSources(
  'export * from "./src/docs.ts"; export { rules } from "./rules/index.ts";',
);

for (const rule of rules) await fill(`rules/${rule.id}.md`, { facts: factsSection(rule) });
await fill("README.md", {
  rules: rulesTable(rules),
  example: shown(["check", "--config", "fixtures/charts/memex/helm-invariants.yaml", "--env", "wall"]),
});

async function fill(file, sections) {
  const before = await readFile(root + file, "utf8");
  let after = before;
  for (const [name, content] of Object.entries(sections)) after = fillMarkers(after, name, content);
  if (after !== before) await writeFile(root + file, after);
}

/** What the program prints, as a fenced block. */
function shown(args) {
  const env = { ...process.env, COLUMNS: "110", NO_COLOR: "1" };
  const run = (list) => {
    try {
      return execFileSync(process.execPath, ["bin/helm-invariants.js", ...list], { cwd: root, env, encoding: "utf8" });
    } catch (error) {
      return error.stdout;
    }
  };
  return `\`\`\`text\n$ helm-invariants ${args.join(" ")}\n${run(args).trimEnd()}\n\`\`\``;
}
