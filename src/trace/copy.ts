import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ChartFile, type ChartFolder, listCharts, listFiles } from "./chart-files.js";
import { markTemplate } from "./marks.js";
import { createTemporary } from "./temporary.js";
import type { ChartCopy, TemplateFile } from "./types.js";
import { unpackChart } from "./unpack.js";

const most = { files: 20_000, bytes: 256 * 1024 * 1024 };

/** Two copies of a chart, each made when it is first asked for: one as it is, in `folder`, and one with marks. */
export interface MarkedCopy extends ChartCopy {
  /** Absolute temporary folder of the copy with marks. */
  readonly marked: string;
  /** The archive that was unpacked, absolute, links resolved; undefined of a folder. */
  readonly archive: string | undefined;
  /** The template files by the numbers that the marks give them. */
  readonly templates: readonly CopiedTemplate[];
  /** Takes the marks of the templates that are chosen away. */
  unmark(chosen: (template: CopiedTemplate) => boolean): void;
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
}

/**
 * Reads a chart folder, or what a packed chart holds, to copy it into a private temporary folder, and once more with marked templates. Schemas are
 * left out, and a template is added that prints the merged values.
 * The chart is never written to. Throws when it cannot be read or is too large; nothing of the copy is left then.
 */
export async function copyChart(chart: string): Promise<MarkedCopy> {
  const archive = (await stat(chart)).isFile() ? await realpath(chart) : undefined;
  const temporary = await createTemporary();
  const [folder = "", marked = "", unpacked = ""] = ["chart", "marked", "unpacked"].map((name) => join(temporary.path, name));
  try {
    if (archive !== undefined) await unpackChart(archive, unpacked, most.bytes);
    const source = archive === undefined ? chart : unpacked;
    const files = await filesOf(source);
    const name = unusedName(files);
    const contents = new Map(files.filter(isTemplate).map((file) => [file, readFileSync(file.file)]));
    const templates = [...contents].map(([file, content]): CopiedTemplate => {
      const shown = archive === undefined ? file.file : join(archive, ...file.steps);
      const helmPaths = file.chartPaths.map((path) => [path, ...file.inner].join("/"));
      const isHelper = file.inner.at(-1)?.startsWith("_") === true;
      return { file: shown, copy: join(marked, ...file.steps), text: content.toString("utf8"), helmPaths, isHelper };
    });
    const writtenAs = new Map([...contents].map(([file, content], index) => [file, () => markedContent(content, index)]));
    let isGone = false;
    const once = (make: () => void): (() => void) => {
      let isMade = false;
      return () => {
        if (!isMade && !isGone) make();
        isMade = true;
      };
    };
    const makePlain = once(() => writeCopy(files, folder, name, (file) => contents.get(file)));
    const makeMarked = once(() => writeCopy(files, marked, name, (file) => writtenAs.get(file)?.()));
    return {
      get folder() {
        makePlain();
        return folder;
      },
      get marked() {
        makeMarked();
        return marked;
      },
      archive,
      templates,
      files: () =>
        templates.flatMap(({ file, text, helmPaths }): TemplateFile[] => helmPaths.map((helmPath) => ({ file, text, helmPath }))),
      dispose: () => {
        isGone = true;
        return temporary.remove();
      },
      unmark(chosen) {
        makeMarked();
        for (const [index, content] of [...contents.values()].entries()) {
          const template = templates[index];
          if (template !== undefined && chosen(template)) writeFileSync(template.copy, content);
        }
      },
      valuesIn: (render) => readValues(render, name),
    };
  } catch (error) {
    await temporary.remove();
    throw error;
  }
}

/** A file with where it stands in the innermost chart that it is of. */
interface OwnedFile extends ChartFile {
  /** Steps from that chart's folder. */
  readonly inner: readonly string[];
  /** What helm calls that chart, once for each alias. */
  readonly chartPaths: readonly string[];
}

async function filesOf(chart: string): Promise<readonly OwnedFile[]> {
  const charts = await listCharts(chart);
  return (await listFiles(chart, most)).flatMap((file) => {
    const owner = ownerOf(file, charts);
    const inner = file.steps.slice(owner?.steps.length ?? 0);
    const isSchema = inner.length === 1 && inner[0] === "values.schema.json";
    return isSchema ? [] : [{ ...file, inner, chartPaths: owner?.helmPaths ?? [] }];
  });
}

function isTemplate({ inner }: OwnedFile): boolean {
  return inner[0] === "templates" && inner.length > 1 && inner.at(-1) !== "NOTES.txt";
}

function markedContent(content: Buffer, index: number): Buffer | string {
  const text = content.toString("utf8");
  const isText = !text.includes("\0") && Buffer.from(text).equals(content);
  const written = isText ? markTemplate(text, index).text : text;
  return written === text ? content : written;
}

/** Writes all files; what `contentOf` does not give is copied. Many small files: to wait for each would take longer than to copy it. */
function writeCopy(
  files: readonly OwnedFile[],
  folder: string,
  valuesName: string,
  contentOf: (file: OwnedFile) => Buffer | string | undefined,
): void {
  const folders = new Set([join(folder, "templates"), ...files.map(({ steps }) => dirname(join(folder, ...steps)))]);
  for (const path of folders) mkdirSync(path, { recursive: true });
  for (const file of files) {
    const target = join(folder, ...file.steps);
    const content = contentOf(file);
    if (content === undefined) copyFileSync(file.file, target);
    else writeFileSync(target, content);
  }
  writeFileSync(join(folder, "templates", valuesName), `${valuesKey}: {{ toJson .Values | b64enc | quote }}\n`);
}

/** A name for the added template that no template of the top chart has. */
function unusedName(files: readonly OwnedFile[]): string {
  const taken = new Set(files.map(({ steps }) => steps.join("/")));
  let name = "zz-hi-values.yaml";
  while (taken.has(`templates/${name}`)) name = `zz-${name}`;
  return name;
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
