import { copyFileSync, linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ChartFile, type ChartFolder, listCharts, listFiles } from "./chart-files.js";
import { markTemplate } from "./marks.js";
import { createTemporary } from "./temporary.js";
import type { ChartCopy, TemplateFile } from "./types.js";
import { unpackChart } from "./unpack.js";

const most = { files: 20_000, bytes: 256 * 1024 * 1024 };

/** Two copies of a chart: one as it is, in `folder`, and one with marks. */
export interface MarkedCopy extends ChartCopy {
  /** Absolute temporary folder of the copy with marks. */
  readonly marked: string;
  /** The archive that was unpacked, absolute, links resolved; undefined of a folder. */
  readonly archive: string | undefined;
  /** The template files by the numbers that the marks give them. */
  readonly templates: readonly CopiedTemplate[];
  /** Takes the marks of the templates that are chosen away. */
  unmark(chosen: (template: CopiedTemplate) => boolean): Promise<void>;
  /** The values of the top chart as helm merged them, off a render of a copy; undefined when the render does not tell. */
  valuesIn(render: string): unknown;
}

/** A template file in the copy. */
export interface CopiedTemplate {
  /** Absolute file of the chart that was given; of a packed chart no file, but the path in the archive behind that of the archive. */
  readonly file: string;
  /** Absolute file of the copy with marks. */
  readonly copy: string;
  readonly text: string;
  /** Once for each alias of its chart. */
  readonly helmPaths: readonly string[];
  /** Whether it holds named templates only, and renders nothing itself. */
  readonly isHelper: boolean;
  readonly isMarked: boolean;
}

/**
 * Copies a chart folder, or what a packed chart holds, into a private temporary folder, and once more with marked templates. Schemas are
 * left out, and a template is added that prints the merged values.
 * The chart is never written to. Throws when it cannot be read or is too large; nothing of the copy is left then.
 */
export async function copyChart(chart: string): Promise<MarkedCopy> {
  const archive = (await stat(chart)).isFile() ? await realpath(chart) : undefined;
  const temporary = await createTemporary();
  const [folder = "", marked = "", unpacked = ""] = ["chart", "marked", "unpacked"].map((name) => join(temporary.path, name));
  try {
    if (archive !== undefined) await unpackChart(archive, unpacked, most.bytes);
    const templates = await copyFolder(archive === undefined ? chart : unpacked, folder, marked, archive);
    const values = await addValues([folder, marked]);
    return {
      folder,
      marked,
      archive,
      templates,
      files: () =>
        templates.flatMap(({ file, text, helmPaths }): TemplateFile[] => helmPaths.map((helmPath) => ({ file, text, helmPath }))),
      dispose: () => temporary.remove(),
      async unmark(chosen) {
        for (const template of templates) if (template.isMarked && chosen(template)) await writeFile(template.copy, template.text);
      },
      valuesIn: (render) => readValues(render, values),
    };
  } catch (error) {
    await temporary.remove();
    throw error;
  }
}

async function copyFolder(chart: string, folder: string, marked: string, archive: string | undefined): Promise<readonly CopiedTemplate[]> {
  const charts = await listCharts(chart);
  const files = (await listFiles(chart, most)).flatMap((file) => {
    const owner = ownerOf(file, charts);
    const inner = file.steps.slice(owner?.steps.length ?? 0);
    const isTemplate = inner[0] === "templates" && inner.length > 1 && inner.at(-1) !== "NOTES.txt";
    return inner.length === 1 && inner[0] === "values.schema.json" ? [] : [{ file, owner, inner, isTemplate }];
  });
  const numbers = new Map(files.filter(({ isTemplate }) => isTemplate).map(({ file }, index) => [file, index]));
  const folders = new Set(files.flatMap(({ file: { steps } }) => [folder, marked].map((root) => dirname(join(root, ...steps)))));
  for (const path of folders) mkdirSync(path, { recursive: true });
  return files.flatMap((file) => copyOne(file) ?? []);

  // Many small files: to wait for each would take longer than to copy it.
  function copyOne({ file, owner, inner }: (typeof files)[number]): CopiedTemplate | undefined {
    const [plain, copy] = [join(folder, ...file.steps), join(marked, ...file.steps)];
    const number = numbers.get(file);
    if (number === undefined) {
      copyFileSync(file.file, plain);
      linkOrCopy(plain, copy);
      return undefined;
    }
    const content = readFileSync(file.file);
    writeFileSync(plain, content);
    const text = content.toString("utf8");
    const isText = !text.includes("\0") && Buffer.from(text).equals(content);
    const written = isText ? markTemplate(text, number).text : text;
    writeFileSync(copy, written === text ? content : written);
    const helmPaths = (owner?.helmPaths ?? []).map((path) => [path, ...inner].join("/"));
    const shown = archive === undefined ? file.file : join(archive, ...file.steps);
    return { file: shown, copy, text, helmPaths, isHelper: inner.at(-1)?.startsWith("_") === true, isMarked: written !== text };
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
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

async function addValues(folders: readonly string[]): Promise<string> {
  let name = "zz-hi-values.yaml";
  while ((await stat(join(folders[0] ?? "", "templates", name)).catch(() => undefined)) !== undefined) name = `zz-${name}`;
  for (const folder of folders) {
    await mkdir(join(folder, "templates"), { recursive: true });
    await writeFile(join(folder, "templates", name), `${valuesKey}: {{ toJson .Values | b64enc | quote }}\n`);
  }
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
