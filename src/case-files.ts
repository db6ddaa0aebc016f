import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "./errors.js";

const caseName = /\.case\.ya?ml$/;

/** Case files by path: a file stands for itself, a folder for the `*.case.yaml` files below it. Sorted; throws UsageError when there are none. */
export function findCases(paths: readonly string[], folder: string): readonly string[] {
  const files =
    paths.length === 0 ? casesBelow(folder) : paths.flatMap((path) => (isFolder(path) ? casesBelow(resolve(path)) : [resolve(path)]));
  if (files.length > 0) return [...new Set(files)].sort();
  const where = paths.length === 0 ? `below ${folder}` : `in ${paths.join(", ")}`;
  throw new UsageError(`there is no *.case.yaml ${where}`);
}

function isFolder(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`there is no case ${path}`);
  return stat.isDirectory();
}

function casesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return entry.name.startsWith(".") || entry.name === "node_modules" ? [] : casesBelow(join(folder, entry.name));
    return entry.isFile() && caseName.test(entry.name) ? [join(folder, entry.name)] : [];
  });
}
