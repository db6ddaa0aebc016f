import { readFile, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import type { RenderJob } from "../plan.js";
import { deadProxy } from "./command.js";
import type { RenderFailure } from "./outcome.js";
import { templateFile } from "./template-file.js";
import { printable } from "./text.js";

/** A position as helm names it: its own path, 1-based line, 0-based column in bytes. */
interface HelmPosition {
  readonly path: string;
  readonly line?: number;
  readonly byte?: number;
}

/** What one form of helm's errors says. `templates` and `file` are places to look at, best first. */
interface Reading {
  readonly message: string;
  readonly templates?: readonly HelmPosition[];
  readonly file?: { readonly path: string; readonly line?: number };
}

/** Turns what helm wrote to stderr into a failure: a short message, and the file and line that it is about. */
export async function readHelmError(job: RenderJob, stderr: string): Promise<RenderFailure> {
  const whole = errorText(stderr);
  const said = printable(whole, 16_000);
  const reading = readForms(whole, job);
  const location = await locate(job, reading);
  const from = location === undefined ? reading.templates?.[0] : undefined;
  const prefix = from === undefined ? "" : `${[from.path, from.line].filter((part) => part !== undefined).join(":")}: `;
  const message = printable(prefix + withoutFolders(reading.message, job));
  return { job, kind: "helm", message, ...(location === undefined ? {} : { location }), said };
}

/** The error itself: warnings before it and the advice about `--debug` after it are taken off. */
function errorText(stderr: string): string {
  const start = /^Error: /m.exec(stderr);
  const text = start === null ? stderr : stderr.slice(start.index + start[0].length);
  return text.replace(/\s*Use --debug flag to render out invalid YAML\s*$/, "").trim();
}

function readForms(whole: string, job: RenderJob): Reading {
  const line = whole.replace(/\s+/g, " ");
  return (
    readExecution(line) ??
    readSyntax(line) ??
    readRenderedYaml(line) ??
    readFrames(line) ??
    readSchema(whole) ??
    readDependencies(line, job) ??
    readChartFile(line, job) ??
    readValuesFile(line, job) ??
    readKubeVersion(line, job) ??
    readSets(line) ?? { message: line === "" ? "helm failed and said nothing" : line }
  );
}

function readExecution(line: string): Reading | undefined {
  const [, path, row, byte, message] = /^execution error at \((\S[^)]*?):(\d+):(\d+)\): ?(.*)$/.exec(line) ?? [];
  return path === undefined || message === undefined
    ? undefined
    : { message, templates: [{ path, line: Number(row), byte: Number(byte) }] };
}

function readSyntax(line: string): Reading | undefined {
  const [, path, row, message] = /^parse error at \((\S[^)]*?):(\d+)\): (.*)$/.exec(line) ?? [];
  return path === undefined ? undefined : { message: `the template does not parse: ${message}`, templates: [{ path, line: Number(row) }] };
}

/** The line is one of the rendered document, which has no line of its own in the template. */
function readRenderedYaml(line: string): Reading | undefined {
  const [, path, rest] = /^YAML parse error on (\S.*?): (.*)$/.exec(line) ?? [];
  if (path === undefined || rest === undefined) return undefined;
  const { reason, row } = readYamlReason(rest);
  const where = row === undefined ? "" : ` (line ${row} of the rendered document, not of the template)`;
  return { message: `the template renders invalid YAML: ${reason}${where}`, templates: [{ path }] };
}

/** `template: F:1:2: executing "T" at <E>: …` of helm 3; helm 4 leaves `template: ` out. Includes nest, the innermost comes last. */
function readFrames(line: string): Reading | undefined {
  const frame = /(?:template: )?([^\s:][^:]*?):(\d+):(\d+):? executing "[^"]*" at <(.*?)>: /y;
  const frames: { position: HelmPosition; expression: string }[] = [];
  let end = 0;
  for (;;) {
    const call = frames.length === 0 ? "" : (/^error calling \w+: /.exec(line.slice(end))?.[0] ?? "");
    frame.lastIndex = end + call.length;
    const [text, path, row, byte, expression] = frame.exec(line) ?? [];
    if (text === undefined || path === undefined || expression === undefined) break;
    frames.push({ position: { path, line: Number(row), byte: Number(byte) }, expression });
    end += call.length + text.length;
  }
  const [outer] = frames;
  const inner = frames.at(-1);
  if (outer === undefined || inner === undefined) return undefined;
  const way = outer === inner ? "" : `, included from ${outer.position.path}:${outer.position.line}`;
  return { message: `${line.slice(end)}, at <${inner.expression}>${way}`, templates: frames.map(({ position }) => position).reverse() };
}

function readSchema(whole: string): Reading | undefined {
  const [head, ...lines] = whole.split("\n").map((text) => text.trim());
  if (!head?.startsWith("values don't meet the specifications of the schema")) return undefined;
  const remote = new RegExp(`(https?://[^"\\s]+)"?: proxyconnect tcp: .*${deadProxy.replaceAll(".", "\\.")}`).exec(whole)?.[1];
  if (remote !== undefined) {
    return {
      message: `values.schema.json refers to ${remote}, which is not fetched: a render uses no network; put that schema beside the chart`,
    };
  }
  const parts = lines.filter((text) => text !== "").map((text) => (text.startsWith("- ") ? `${hideSecret(text.slice(2))};` : text));
  return { message: `the values do not fit values.schema.json: ${parts.join(" ").replace(/;$/, "")}` };
}

/** helm 4 quotes the value that a pattern or format refuses. */
function hideSecret(complaint: string): string {
  const [path = ""] = complaint.split(": ");
  return /pass|secret|token|credential|key|auth/i.test(path)
    ? complaint.replace(/: '.*' (does not match|is not valid)/, ": the value $1")
    : complaint;
}

function readDependencies(line: string, job: RenderJob): Reading | undefined {
  if (!/^an error occurred while checking for chart dependencies/i.test(line)) return undefined;
  const names = /missing in charts\/ directory: (.*)$/.exec(line)?.[1];
  if (names === undefined) return { message: line };
  const message = `dependencies of Chart.yaml are missing in charts/: ${names}; run "helm dependency build" for the chart`;
  return { message, file: { path: join(job.chart, "Chart.yaml") } };
}

function readChartFile(line: string, job: RenderJob): Reading | undefined {
  const [, file, rest] =
    /^cannot load (Chart\.yaml|Chart\.lock|values\.yaml|requirements\.yaml|requirements\.lock): (.*)$/.exec(line) ?? [];
  if (file === undefined || rest === undefined) return undefined;
  const { reason, row } = readYamlReason(rest);
  return {
    message: `${file} of the chart is not valid: ${reason}`,
    file: { path: join(job.chart, file), ...(row === undefined ? {} : { line: row }) },
  };
}

function readValuesFile(line: string, job: RenderJob): Reading | undefined {
  const file = job.values.find((path) => line.startsWith(`failed to parse ${path.replace(/\s+/g, " ")}: `));
  if (file === undefined) return undefined;
  const { reason, row } = readYamlReason(line.slice(`failed to parse ${file}: `.length));
  return {
    message: `values file "${basename(file)}" is not valid: ${reason}`,
    file: { path: file, ...(row === undefined ? {} : { line: row }) },
  };
}

function readKubeVersion(line: string, job: RenderJob): Reading | undefined {
  const [, wanted, got] = /^chart requires kubeVersion: (.*) which is incompatible with Kubernetes (\S+)/.exec(line) ?? [];
  if (wanted === undefined) return undefined;
  const whose = job.kubeVersion === undefined ? "helm's own default; set kubeVersion" : "as configured";
  return {
    message: `the chart requires kubeVersion ${wanted}, and is rendered for ${got} (${whose})`,
    file: { path: join(job.chart, "Chart.yaml") },
  };
}

/** helm repeats the expression; its value may be a secret. */
function readSets(line: string): Reading | undefined {
  const [, flag, name] = /^failed parsing (--set-json) data ([^=\s]*)=/.exec(line) ?? [];
  return flag === undefined ? undefined : { message: `${flag} ${name} is not valid JSON` };
}

/** `error converting YAML to JSON: yaml: line 2: did not find …` without its wrappings. */
function readYamlReason(text: string): { reason: string; row?: number } {
  const bare = text.replace(
    /^(?:cannot unmarshal yaml document: |error converting YAML to JSON: |error unmarshaling JSON: |while decoding JSON: )+/,
    "",
  );
  const [, row, reason] = /^yaml: line (\d+): (.*)$/.exec(bare) ?? [];
  if (row !== undefined && reason !== undefined) return { reason, row: Number(row) };
  return { reason: bare.replace(/^(?:yaml|json): /, "").replace("map[string]interface {}", "a mapping") };
}

async function locate(job: RenderJob, { templates = [], file }: Reading): Promise<RenderFailure["location"]> {
  for (const { path, line, byte } of templates) {
    const found = await templateFile(job.chart, path);
    if (found === undefined) continue;
    const column = line === undefined || byte === undefined ? undefined : await columnOf(found, line, byte);
    return { file: found, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
  }
  if (file === undefined || !(await stat(file.path).catch(() => undefined))?.isFile()) return undefined;
  return { file: file.path, ...(file.line === undefined ? {} : { line: file.line }) };
}

/** helm counts bytes from 0, we count UTF-16 units from 1. */
async function columnOf(file: string, line: number, byte: number): Promise<number | undefined> {
  const text = (await readFile(file, "utf8")).split("\n")[line - 1];
  if (text === undefined || byte > Buffer.byteLength(text)) return undefined;
  return Buffer.from(text).subarray(0, byte).toString("utf8").length + 1;
}

function withoutFolders(message: string, job: RenderJob): string {
  return [job.chart, ...job.values].reduce((text, path) => text.replaceAll(path, relative(process.cwd(), path) || "."), message);
}
