import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * The absolute file that helm means by `<chart name>/templates/…` or `<chart name>/charts/<sub>/templates/…`;
 * undefined when the chart is packed, or has no such file.
 */
export async function templateFile(chart: string, helmPath: string): Promise<string | undefined> {
  const [, ...steps] = helmPath.split("/");
  if (steps.length === 0 || steps.includes("..") || !(await isFolder(chart))) return undefined;
  let folder = chart;
  while (steps[0] === "charts" && steps.length > 2) {
    const found = await subchartFolder(folder, steps[1] ?? "");
    if (found === undefined) return undefined;
    folder = found;
    steps.splice(0, 2);
  }
  const file = join(folder, ...steps);
  return (await stat(file).catch(() => undefined))?.isFile() ? file : undefined;
}

/** helm calls a subchart by its alias, else by its name; its folder may be called otherwise. */
async function subchartFolder(parent: string, called: string): Promise<string | undefined> {
  const charts = join(parent, "charts");
  const entries = (await readdir(charts).catch(() => [])).sort();
  const name = (await nameBehindAlias(parent, called)) ?? called;
  const ordered = [name, called, ...entries].filter((entry) => entries.includes(entry));
  for (const entry of ordered) {
    if ((await chartName(join(charts, entry))) === name) return join(charts, entry);
  }
  return undefined;
}

async function chartName(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "Chart.yaml"), "utf8").catch(() => "");
  return /^name:[ \t]*["']?([^"'\s#]+)/m.exec(text)?.[1];
}

async function nameBehindAlias(parent: string, alias: string): Promise<string | undefined> {
  for (const file of ["Chart.yaml", "requirements.yaml"]) {
    const text = await readFile(join(parent, file), "utf8").catch(() => "");
    if (!text.includes(alias) || !text.includes("alias")) continue;
    const { parse } = await import("yaml");
    const dependencies = readDependencies(() => parse(text, { logLevel: "silent" }));
    const found = dependencies.find((dependency) => dependency["alias"] === alias)?.["name"];
    if (typeof found === "string") return found;
  }
  return undefined;
}

function readDependencies(parse: () => unknown): readonly Record<string, unknown>[] {
  try {
    const list = (parse() as { dependencies?: unknown } | null)?.dependencies;
    return Array.isArray(list) ? list.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null) : [];
  } catch {
    return [];
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
