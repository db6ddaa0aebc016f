import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { createTemporary } from "../trace/temporary.js";
import { unpackChart } from "../trace/unpack.js";
import type { ChartSource, TemplateText } from "../values/references.js";

const largest = 1024 * 1024;
const deepest = 8;

/** The texts of a chart and of all charts in it, packed ones too; undefined when it cannot be read. */
export async function readChartSource(chart: string): Promise<ChartSource | undefined> {
  const temporary = await createTemporary();
  let count = 0;
  try {
    return await read(chart, 0);
  } catch {
    return undefined;
  } finally {
    await temporary.remove();
  }

  async function read(path: string, depth: number): Promise<ChartSource> {
    if (depth > deepest) throw new Error("charts are nested too deep");
    let folder = path;
    if ((await stat(path)).isFile()) {
      folder = join(temporary.path, String(count++));
      await unpackChart(path, folder, 256 * largest);
    }
    const metadata = { ...(await mapping(join(folder, "Chart.yaml"))) };
    const requirements = await mapping(join(folder, "requirements.yaml"));
    if (requirements["dependencies"] !== undefined) metadata["dependencies"] = requirements["dependencies"];
    const entries = await readdir(join(folder, "charts"), { withFileTypes: true }).catch(() => []);
    const charts = entries.filter((entry) => entry.isDirectory() || /\.tgz$/.test(entry.name)).filter((entry) => !/^[._]/.test(entry.name));
    const subcharts = await Promise.all(charts.map((entry) => read(join(folder, "charts", entry.name), depth + 1)));
    const all = await texts(folder);
    return {
      metadata,
      templates: all.filter(({ file }) => file.startsWith("templates/")),
      files: all.filter(({ file }) => !file.startsWith("templates/") && !file.startsWith("charts/") && file !== "values.yaml"),
      subcharts,
    };
  }
}

async function texts(folder: string): Promise<readonly TemplateText[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: TemplateText[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = path.slice(folder.length + 1).replaceAll("\\", "/");
    if (file.startsWith("charts/")) continue;
    if ((await stat(path)).size > largest) continue;
    const text = await readFile(path, "utf8");
    if (!text.includes("\0")) found.push({ file, text });
  }
  return found.sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function mapping(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const value: unknown = parse(text, { logLevel: "silent" });
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
