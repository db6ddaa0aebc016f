import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ChartFile, type ChartFolder, listCharts, listFiles } from "./chart-files.js";
import { markTemplate } from "./marks.js";
import { createTemporary } from "./temporary.js";
import type { ChartCopy, TemplateFile } from "./types.js";
import { unpackChart } from "./unpack.js";

const most = { files: 20_000, bytes: 256 * 1024 * 1024 };

/** A copy of a chart whose marks can be taken back. */
export interface MarkedCopy extends ChartCopy {
  /** The template files by the numbers that the marks give them. */
  readonly templates: readonly CopiedTemplate[];
  /** Whether any template still has marks. */
  isMarked(): boolean;
  /** Writes the templates that are chosen as they were. */
  unmark(chosen: (template: CopiedTemplate) => boolean): Promise<void>;
  /** The values of the top chart as helm merged them, off a render of the copy; undefined when the render does not tell. */
  valuesIn(render: string): unknown;
}

/** A template file in the copy. */
export interface CopiedTemplate {
  /** Absolute file of the chart that was given. */
  readonly file: string;
  /** Absolute file of the copy. */
  readonly copy: string;
  readonly text: string;
  /** Once for each alias of its chart. */
  readonly helmPaths: readonly string[];
  /** Whether it holds named templates only, and renders nothing itself. */
  readonly isHelper: boolean;
  readonly isMarked: boolean;
}

/**
 * Copies a chart folder, or unpacks a packed chart, into a private temporary folder. Templates get marks (those of a packed chart do not:
 * no line of the repository could be named), schemas are left out, and a template is added that prints the merged values. The chart is
 * never written to. Throws when the chart cannot be read or is too large; nothing of the copy is left then.
 */
export async function copyChart(chart: string): Promise<MarkedCopy> {
  const isPacked = (await stat(chart)).isFile();
  const temporary = await createTemporary();
  const folder = join(temporary.path, "chart");
  try {
    const templates = isPacked ? await unpack(chart, folder) : await copyFolder(chart, folder);
    const values = await addValues(folder);
    const marked = new Set(templates.filter(({ isMarked }) => isMarked));
    return {
      folder,
      templates,
      files: () =>
        templates.flatMap(({ file, text, helmPaths }): TemplateFile[] => helmPaths.map((helmPath) => ({ file, text, helmPath }))),
      dispose: () => temporary.remove(),
      isMarked: () => marked.size > 0,
      async unmark(chosen) {
        for (const template of templates)
          if (marked.has(template) && chosen(template) && marked.delete(template)) await writeFile(template.copy, template.text);
      },
      valuesIn: (render) => readValues(render, values),
    };
  } catch (error) {
    await temporary.remove();
    throw error;
  }
}

async function unpack(archive: string, folder: string): Promise<readonly CopiedTemplate[]> {
  await unpackChart(archive, folder, most.bytes);
  return [];
}

async function copyFolder(chart: string, folder: string): Promise<readonly CopiedTemplate[]> {
  const files = await listFiles(chart, most);
  const charts = await listCharts(chart);
  const templates: CopiedTemplate[] = [];
  const made = new Set<string>();
  for (const file of files) {
    const copy = join(folder, ...file.steps);
    const owner = ownerOf(file, charts);
    const inner = file.steps.slice(owner?.steps.length ?? 0);
    if (inner.length === 1 && inner[0] === "values.schema.json") continue;
    if (!made.has(dirname(copy))) await mkdir(dirname(copy), { recursive: true });
    made.add(dirname(copy));
    if (inner[0] !== "templates" || inner.length < 2) {
      await copyFile(file.file, copy);
      continue;
    }
    const content = await readFile(file.file);
    const text = content.toString("utf8");
    const name = inner.at(-1) ?? "";
    const isText = !text.includes("\0") && Buffer.from(text).equals(content);
    const written = isText && name !== "NOTES.txt" ? markTemplate(text, templates.length).text : text;
    await writeFile(copy, written === text ? content : written);
    const helmPaths = (owner?.helmPaths ?? []).map((path) => [path, ...inner].join("/"));
    templates.push({ file: file.file, copy, text, helmPaths, isHelper: name.startsWith("_"), isMarked: written !== text });
  }
  return templates;
}

/** The innermost chart that a file is of. */
function ownerOf({ steps }: ChartFile, charts: readonly ChartFolder[]): ChartFolder | undefined {
  const owners = charts.filter((chart) => chart.steps.every((step, index) => steps[index] === step));
  return owners.reduce<ChartFolder | undefined>(
    (best, chart) => (chart.steps.length >= (best?.steps.length ?? 0) ? chart : best),
    undefined,
  );
}

/** The key under which the added template prints the values, unlikely enough to be of no other. */
const valuesKey = "hiMergedValues";

async function addValues(folder: string): Promise<string> {
  const templates = join(folder, "templates");
  await mkdir(templates, { recursive: true });
  let name = "zz-hi-values.yaml";
  while ((await stat(join(templates, name)).catch(() => undefined)) !== undefined) name = `zz-${name}`;
  await writeFile(join(templates, name), `${valuesKey}: {{ toJson .Values | b64enc | quote }}\n`);
  return name;
}

function readValues(render: string, name: string): unknown {
  const found = new RegExp(`^# Source: [^\\n]*/templates/${name.replace(".", "\\.")}\\r?\\n${valuesKey}: "([\\w+/=]*)"`, "m").exec(
    render,
  )?.[1];
  if (found === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(found, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}
