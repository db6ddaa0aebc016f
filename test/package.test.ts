import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./command-line.js";

const base = mkdtempSync(join(tmpdir(), "helm-invariants-package-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** What a user gets: the packed package, unpacked where a registry would put it. */
const installed = join(base, "node_modules/helm-invariants");
let files: readonly string[] = [];

beforeAll(() => {
  execFileSync("npx", ["tsc", "-p", "tsconfig.types.json"], { cwd: root });
  const packed = JSON.parse(
    execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", base], { cwd: root, encoding: "utf8" }),
  );
  const [{ filename, files: listed }] = packed as [{ filename: string; files: { path: string }[] }];
  files = listed.map(({ path }) => path);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(base, filename), "-C", installed, "--strip-components=1"]);
});

describe("the packed package", () => {
  it("holds the program, the pages, the schemas and the licences, and no sources or tests", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        "bin/helm-invariants.js",
        "bin/compiled.js",
        "bin/package.json",
        "dist/cli.cjs",
        "dist/api.js",
        "schema.json",
        "report.schema.json",
        "LICENSE",
        "README.md",
        "dist/THIRD-PARTY-LICENSES.txt",
        "dist/types/src/index.d.ts",
        "rules/timeout-covers-latency.md",
      ]),
    );
    expect(files.filter((file) => /^(src|test|fixtures)\/|\.ts$/.test(file) && !file.startsWith("dist/types/"))).toEqual([]);
  });

  it("needs nothing beside itself: no dependency is declared", () => {
    expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).dependencies).toBeUndefined();
  });

  it("runs, finds its pages, and checks", () => {
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [join(installed, "bin/helm-invariants.js"), ...args], {
        cwd: base,
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: "1" },
      });
    expect(run("--version").trim()).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
    expect(run("rules", "timeout-covers-latency")).toContain("What it guards");
    writeFileSync(join(base, "all.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n");
    expect(run("check", "all.yaml")).toContain("checked 1 environment");
  });

  it("gives rule authors its API, types included", () => {
    writeFileSync(join(base, "rule.mjs"), 'import { defineRule } from "helm-invariants"; console.log(typeof defineRule);');
    expect(execFileSync(process.execPath, ["rule.mjs"], { cwd: base, encoding: "utf8" }).trim()).toBe("function");
    expect(readFileSync(join(installed, "dist/types/src/api.d.ts"), "utf8")).toContain("defineRule");
  });
});
