import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "./types.js";

const names = ["helm-invariants.yaml", "helm-invariants.yml"] as const;

/** The nearest `helm-invariants.yaml` (or `.yml`) in a folder or above it, not above the root of a git repository; undefined when there is none. */
export function findConfig(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).find((file) => isFile(file));
    if (found !== undefined) return found;
    // A config may execute plugins: one from outside of the repository is nobody's intent.
    if (dirname(folder) === folder || existsSync(join(folder, ".git"))) return undefined;
  }
}

/** What holds when there is no config: no charts, no facts, recommended rules. Frozen. */
export function defaultConfig(folder: string): Config {
  const none = Object.freeze([]);
  return Object.freeze({
    file: undefined,
    folder: resolve(folder),
    charts: none,
    facts: none,
    readings: none,
    preset: "recommended",
    deep: false,
    rules: Object.freeze({}),
    plugins: none,
    invariants: none,
    mustJudge: none,
    waivers: none,
    debts: none,
    external: none,
    waiverNeedsExpiry: false,
  });
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
