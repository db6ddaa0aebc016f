import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

/** A file of a chart folder. */
export interface ChartFile {
  /** Steps from the chart's folder. */
  readonly steps: readonly string[];
  /** Absolute; symbolic links in it are not resolved. */
  readonly file: string;
  /** Bytes. */
  readonly size: number;
}

const skipped = new Set([".git", ".svn", ".hg", "node_modules"]);
const deepest = 40;

/** All files of a folder, links followed, sorted; devices and repositories are left out. Throws when there are more files or bytes than `most`. */
export async function listFiles(folder: string, most: { readonly files: number; readonly bytes: number }): Promise<readonly ChartFile[]> {
  const found: ChartFile[] = [];
  let bytes = 0;
  await walk([], new Set([await realpath(folder)]));
  return found;

  async function walk(steps: readonly string[], above: ReadonlySet<string>): Promise<void> {
    if (steps.length > deepest) throw new Error(`its folders are nested more than ${deepest} levels deep`);
    for (const name of (await readdir(join(folder, ...steps))).sort()) {
      if (skipped.has(name)) continue;
      const path = [...steps, name];
      const file = join(folder, ...path);
      const stats = await stat(file).catch(() => undefined);
      if (stats?.isDirectory()) {
        const real = await realpath(file);
        if (!above.has(real)) await walk(path, new Set([...above, real]));
      }
      if (!stats?.isFile()) continue;
      bytes += stats.size;
      found.push({ steps: path, file, size: stats.size });
      if (found.length > most.files) throw new Error(`it has more than ${most.files} files`);
      if (bytes > most.bytes) throw new Error(`it has more than ${most.bytes} bytes`);
    }
  }
}

/** A chart folder within a chart: the chart itself, or a subchart that is not packed. */
export interface ChartFolder {
  /** Steps from the top chart's folder. */
  readonly steps: readonly string[];
  /** As helm's `# Source:` names it, once for each alias: `web`, `web/charts/db`. */
  readonly helmPaths: readonly string[];
}

/** The charts in a chart folder, the top one first. */
export async function listCharts(folder: string): Promise<readonly ChartFolder[]> {
  const charts: ChartFolder[] = [];
  const top = await readMetadata(folder);
  await visit([], [top.name ?? ""], top);
  return charts;

  async function visit(steps: readonly string[], helmPaths: readonly string[], { dependencies }: Metadata): Promise<void> {
    charts.push({ steps, helmPaths });
    const names = await readdir(join(folder, ...steps, "charts")).catch(() => []);
    for (const name of names.sort()) {
      if (/^[_.]/.test(name) || steps.length > deepest) continue;
      const below = [...steps, "charts", name];
      const metadata = await readMetadata(join(folder, ...below));
      const { name: called } = metadata;
      if (called === undefined) continue;
      const declared = dependencies.filter((dependency) => dependency.name === called).map(({ alias }) => alias ?? called);
      const aliases = declared.length === 0 ? [called] : [...new Set(declared)];
      await visit(
        below,
        helmPaths.flatMap((path) => aliases.map((alias) => `${path}/charts/${alias}`)),
        metadata,
      );
    }
  }
}

interface Metadata {
  readonly name: string | undefined;
  readonly dependencies: readonly { readonly name: string; readonly alias: string | undefined }[];
}

async function readMetadata(folder: string): Promise<Metadata> {
  const chart = await readMapping(join(folder, "Chart.yaml"));
  const { name, dependencies } = chart;
  const listed = Array.isArray(dependencies) ? dependencies : (await readMapping(join(folder, "requirements.yaml")))["dependencies"];
  return { name: textOf(name), dependencies: Array.isArray(listed) ? listed.flatMap(readDependency) : [] };
}

function readDependency(entry: unknown): Metadata["dependencies"] {
  if (typeof entry !== "object" || entry === null) return [];
  const { name, alias } = entry as Record<string, unknown>;
  const called = textOf(name);
  return called === undefined ? [] : [{ name: called, alias: textOf(alias) }];
}

async function readMapping(file: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = parse(await readFile(file, "utf8"), { logLevel: "silent", version: "1.1", uniqueKeys: false });
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
