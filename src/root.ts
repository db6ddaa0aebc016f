import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Config } from "./config/types.js";

/** The folder that reported paths start from: the repository of the working directory when it holds the charts, else the charts' own repository, else the working directory or the charts' parent folder. */
export function findRoot(cwd: string, paths: readonly string[]): string {
  const charts = paths.filter((path) => path !== "-").map(real);
  const first = charts[0];
  const ofCharts = first === undefined ? [] : [repositoryOf(first), real(cwd), dirname(first)];
  const candidates = [repositoryOf(real(cwd)), ...ofCharts];
  for (const candidate of candidates) {
    if (candidate !== undefined && charts.every((chart) => isInside(candidate, chart))) return candidate;
  }
  return real(cwd);
}

/** A path as reports name it: relative to the root, symbolic links resolved, forward slashes; the absolute path when it lies outside. */
export function reportPath(root: string, path: string): string {
  const target = real(path);
  return isInside(root, target) ? relative(root, target).split(sep).join("/") || "." : target.split(sep).join("/");
}

/** Whether a path is a folder or lies in it. Both absolute. */
export function isInside(folder: string, path: string): boolean {
  const step = relative(folder, path);
  return step === "" || (!isAbsolute(step) && step !== ".." && !step.startsWith(`..${sep}`));
}

function repositoryOf(path: string): string | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The root of a run and its paths: the folder that the user named, else `findRoot`. */
export function openRoot(
  cwd: string,
  folder: string | undefined,
  config: Config,
): { readonly root: string; readonly reportPath: (file: string) => string } {
  const paths = config.charts.map(({ path }) => path);
  const root = folder === undefined ? findRoot(cwd, paths) : real(resolve(cwd, folder));
  return { root, reportPath: (file) => reportPath(root, file) };
}
