import { type ChartSource, nameOf, subchartsOf } from "./chart-source.js";
import type { ValuePath } from "./read-tree.js";
import { TemplateSyntaxError } from "./template-syntax.js";
import { parseTemplate, type TemplateNode, type TemplateTree } from "./template-tree.js";

/** A template file that was read; without a tree when it could not be. */
export interface ParsedFile {
  readonly file: string;
  readonly tree: TemplateTree | undefined;
}

/** All templates of a chart and its subcharts: what `include` and `tpl` can reach. */
export interface Library {
  readonly parsed: ReadonlyMap<ChartSource, readonly ParsedFile[]>;
  /** Bodies by name: `define`s, several of one name when charts clash, and files by `fileBase` and their path. */
  readonly templates: ReadonlyMap<string, readonly (readonly TemplateNode[])[]>;
  /** Templates that `tpl` may be given: strings of the values, strings of the templates, and files beside the templates. */
  readonly snippets: readonly (readonly TemplateNode[])[];
  /** Whether every template is known, so that one that is not cannot be called. */
  readonly isComplete: boolean;
  /** Whether `tpl` may be given a file that is not known. */
  readonly hasUnknownFiles: boolean;
  /** Files that could not be read; one sentence each. */
  readonly doubts: readonly string[];
}

/** Reads every template once; `valueTexts` are the strings of the values that hold actions. */
export function libraryOf(chart: ChartSource, valueTexts: readonly string[]): Library {
  const parsed = new Map<ChartSource, readonly ParsedFile[]>();
  parseCharts(chart, parsed);
  const doubts = [...parsed].flatMap(([source, files]) =>
    files.flatMap(({ file, tree }) => (tree === undefined ? [`the template ${file} of "${nameOf(source)}" cannot be read`] : [])),
  );
  return {
    parsed,
    templates: templatesOf(chart, parsed),
    snippets: snippetsOf(valueTexts, parsed),
    isComplete: doubts.length === 0 && isWhole(chart),
    hasUnknownFiles: [...parsed.keys()].some(
      ({ files, templates }) => files === undefined && [...valueTexts, ...templates.map(({ text }) => text)].some(namesFiles),
    ),
    doubts,
  };
}

/** What the names of the files of a chart begin with: `/postgresql/` before `templates/secret.yaml`. */
export function fileBase(base: ValuePath): string {
  return `/${base.map((key) => `${key}/`).join("")}`;
}

function parseCharts(chart: ChartSource, parsed: Map<ChartSource, readonly ParsedFile[]>): void {
  if (parsed.has(chart)) return;
  parsed.set(
    chart,
    chart.templates.map(({ file, text }) => ({ file, tree: parseOrNothing(text) })),
  );
  for (const subchart of chart.subcharts) parseCharts(subchart, parsed);
}

function parseOrNothing(text: string): TemplateTree | undefined {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return undefined;
    throw error;
  }
}

/** Whether every chart that is declared is there. */
function isWhole(chart: ChartSource): boolean {
  return subchartsOf(chart).every(({ chart: subchart }) => subchart !== undefined && isWhole(subchart));
}

function templatesOf(chart: ChartSource, parsed: Library["parsed"]): Library["templates"] {
  const templates = new Map<string, (readonly TemplateNode[])[]>();
  const add = (name: string, body: readonly TemplateNode[]) => templates.set(name, [...(templates.get(name) ?? []), body]);
  const addFiles = (source: ChartSource, base: ValuePath): void => {
    for (const { file, tree } of parsed.get(source) ?? []) if (tree !== undefined) add(`${fileBase(base)}${file}`, tree.body);
    for (const { key, chart: subchart } of subchartsOf(source)) if (subchart !== undefined) addFiles(subchart, [...base, key]);
  };
  for (const { tree } of [...parsed.values()].flat()) for (const { name, body } of tree?.defines ?? []) add(name, body);
  addFiles(chart, []);
  return templates;
}

function snippetsOf(valueTexts: readonly string[], parsed: Library["parsed"]): Library["snippets"] {
  const strings = [...parsed.values()].flat().flatMap(({ tree }) => tree?.strings ?? []);
  const files = [...parsed.keys()].flatMap((chart) => chart.files ?? []).map(({ text }) => text);
  const texts = new Set([...valueTexts, ...[...strings, ...files].filter(hasAction)]);
  return [...texts].flatMap((text) => {
    const body = parseOrNothing(text)?.body ?? [];
    return body.length === 0 ? [] : [body];
  });
}

/** The strings of some values that `tpl` could run. */
export function templateTextsIn(values: unknown): readonly string[] {
  return stringsIn(values).filter(hasAction);
}

function namesFiles(text: string): boolean {
  return /\bFiles\b/.test(text);
}

function hasAction(text: string): boolean {
  return text.includes("{{");
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]);
}
