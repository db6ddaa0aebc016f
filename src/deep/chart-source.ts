import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { createTemporary, type TemporaryFolder } from "../trace/temporary.js";
import { unpackChart } from "../trace/unpack.js";
import type { ChartSource, TemplateText } from "../values/references.js";

const largest = 1024 * 1024;
const deepest = 8;

/** A chart before it is known whether templates read files beside them. */
interface Folder {
  readonly path: string;
  readonly metadata: ChartSource["metadata"];
  readonly files: readonly string[];
  readonly templates: readonly TemplateText[];
  readonly subcharts: readonly Folder[];
}

/** The texts of a chart and of all charts in it, packed ones too; undefined when it cannot be read. Files beside templates only when those name `Files`. */
export async function readChartSource(chart: string): Promise<ChartSource | undefined> {
  let temporary: TemporaryFolder | undefined;
  let count = 0;
  try {
    const folder = await read(chart, 0);
    return sourceOf(folder, mentionsFiles(folder));
  } catch {
    return undefined;
  } finally {
    await temporary?.remove();
  }

  async function read(chartPath: string, depth: number): Promise<Folder> {
    if (depth > deepest) throw new Error("charts are nested too deep");
    const path = statSync(chartPath).isFile() ? await unpack(chartPath) : chartPath;
    const metadata = { ...mapping(join(path, "Chart.yaml")) };
    const requirements = mapping(join(path, "requirements.yaml"));
    if (requirements["dependencies"] !== undefined) metadata["dependencies"] = requirements["dependencies"];
    const entries = readFolder(join(path, "charts"));
    const charts = entries.filter((entry) => entry.isDirectory() || /\.tgz$/.test(entry.name)).filter((entry) => !/^[._]/.test(entry.name));
    const subcharts = await Promise.all(charts.map((entry) => read(join(path, "charts", entry.name), depth + 1)));
    const files = listFiles(path).filter((file) => !file.startsWith("charts/") && file !== "values.yaml");
    const templates = textsOf(
      path,
      files.filter((file) => file.startsWith("templates/")),
    );
    return { path, metadata, files, templates, subcharts };
  }

  async function unpack(archive: string): Promise<string> {
    temporary ??= await createTemporary();
    const folder = join(temporary.path, String(count++));
    await unpackChart(archive, folder, 256 * largest);
    return folder;
  }
}

function mentionsFiles({ templates, subcharts }: Folder): boolean {
  return templates.some(({ text }) => text.includes("Files")) || subcharts.some(mentionsFiles);
}

function sourceOf({ path, metadata, files, templates, subcharts }: Folder, withFiles: boolean): ChartSource {
  return {
    metadata,
    templates,
    ...(withFiles && {
      files: textsOf(
        path,
        files.filter((file) => !file.startsWith("templates/")),
      ),
    }),
    subcharts: subcharts.map((subchart) => sourceOf(subchart, withFiles)),
  };
}

function readFolder(path: string): readonly Dirent[] {
  return existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
}

/** Paths from the folder, with `/`. */
function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

function textsOf(folder: string, files: readonly string[]): readonly TemplateText[] {
  return files.flatMap((file) => {
    if (statSync(join(folder, file)).size > largest) return [];
    const text = readFileSync(join(folder, file), "utf8");
    return text.includes("\0") ? [] : [{ file, text }];
  });
}

function mapping(file: string): Record<string, unknown> {
  const value: unknown = existsSync(file) ? parse(readFileSync(file, "utf8"), { logLevel: "silent" }) : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
