import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineHashes, primaryLocationLineHash } from "../src/report/line-hash.js";

/** The definition of the hash, word for word, for every line on its own. */
function slowHashes(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/[ \t]/g, ""));
  const seen = new Map<string, number>();
  return lines.map((_, index) => {
    const rest = `${lines.slice(index).join("\n")}\uffff`;
    let hash = 0n;
    for (let i = 0; i < 100; i++) hash = BigInt.asUintN(64, hash * 37n + BigInt(i < rest.length ? rest.charCodeAt(i) : 0));
    const hex = hash.toString(16);
    seen.set(hex, (seen.get(hex) ?? 0) + 1);
    return `${hex}:${seen.get(hex)}`;
  });
}

describe("primaryLocationLineHash", () => {
  it.each([
    ["", { 1: "c129715d7a2bc9a3:1" }],
    ["a: 1\nb: 2\n", { 1: "132b7ee912c57691:1", 2: "5d56533273a3bbdb:1" }],
    ["a: 1\r\nb: 2\r\n", { 1: "132b7ee912c57691:1", 2: "5d56533273a3bbdb:1" }],
    ["a: 1\rb: 2\r", { 1: "132b7ee912c57691:1", 2: "5d56533273a3bbdb:1" }],
    ["x\nx\nx\n", { 1: "4c74ab87820424b1:1", 2: "8c072f39cc89b447:1", 3: "828973aa50c68d6d:1" }],
    ["replicaCount: 3\nimage:\n  tag: latest\n", { 1: "3dbff3f9c8be7607:1", 2: "81aae5814f2dc2a7:1", 3: "e4e11736faf33884:1" }],
    ["Lorem ipsum dolor sit amet.\n".repeat(10), { 1: "a7f2ff13bc495cf2:1", 2: "a7f2ff13bc495cf2:2", 7: "a7f2ff1481e87703:1" }],
  ])("of %j", (text, hashes) => {
    for (const [line, hash] of Object.entries(hashes)) expect(primaryLocationLineHash(text, Number(line))).toBe(hash);
  });

  it("has none for a line that is not there", () => {
    expect(primaryLocationLineHash("a\n", 3)).toBeUndefined();
    expect(primaryLocationLineHash("a\n", 0)).toBeUndefined();
  });

  it("rolls to what the definition gives for any text", () => {
    const unit = fc.oneof(
      fc.constantFrom("a", " ", "\t", "\n", "\r", "\r\n", "\ufeff", "\u{1f600}", "\uffff", "key: 1"),
      fc.string({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 80 }), (parts) => {
        expect(lineHashes(parts.join(""))).toEqual(slowHashes(parts.join("")));
      }),
    );
  });

  it("is linear: 50,000 lines take well under two seconds", () => {
    const started = performance.now();
    expect(lineHashes("    timeoutSeconds: 5 # as measured\n".repeat(50_000))).toHaveLength(50_001);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it.skipIf(process.platform !== "linux" || process.arch !== "x64")("equals the values that another implementation inserts", () => {
    const folder = mkdtempSync(join(tmpdir(), "line-hash-"));
    const text = `a: 1\r\n\tb: "\u{1f600}"\n${"same line\n".repeat(30)}\n\n  last: ü`;
    writeFileSync(join(folder, "values.yaml"), text);
    const lines = lineHashes(text);
    const results = lines.map((_, index) => ({
      ruleId: "r",
      message: { text: "m." },
      locations: [
        { physicalLocation: { artifactLocation: { uri: "values.yaml", uriBaseId: "%SRCROOT%" }, region: { startLine: index + 1 } } },
      ],
    }));
    const originalUriBaseIds = { "%SRCROOT%": { uri: `${pathToFileURL(folder).href}/` } };
    const log = {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [{ tool: { driver: { name: "t" } }, originalUriBaseIds, results }],
    };
    writeFileSync(join(folder, "in.sarif"), JSON.stringify(log));
    const tool: string = createRequire(import.meta.url)("@microsoft/sarif-multitool");
    chmodSync(tool, 0o755);
    const out = join(folder, "out.sarif");
    spawnSync(tool, ["rewrite", join(folder, "in.sarif"), "--output", out, "--insert", "RollingHashPartialFingerprints"]);
    const rewritten = JSON.parse(readFileSync(out, "utf8").replace(/^\ufeff/, "")) as {
      runs: { results: { partialFingerprints: Record<string, string> }[] }[];
    };
    expect(rewritten.runs[0]?.results.map((result) => result.partialFingerprints["primaryLocationLineHash"])).toEqual(lines);
  });
});
