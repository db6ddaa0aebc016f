import type { Abstract } from "./abstract-value.js";
import { type ChartSource, dependenciesOf, importsOf, nameOf, subchartsOf } from "./chart-source.js";
import { fileBase, type Program, runTemplate, TooMuch } from "./interpreter.js";
import { createReadTree, markUse, type ReadTree, readPaths, readVerdict, type ValuePath, type Verdict } from "./read-tree.js";
import { TemplateSyntaxError } from "./template-syntax.js";
import { parseTemplate, type TemplateNode, type TemplateTree } from "./template-tree.js";

export type { ChartSource, TemplateText } from "./chart-source.js";
export type { ValuePath, Verdict } from "./read-tree.js";

/** What is known before any render: the texts of a chart with all of its subcharts, and the merged values of an environment (plain JSON data). */
export interface ReferenceInput {
  readonly chart: ChartSource;
  readonly values: unknown;
}

/** Tells for a path of the top chart's values whether a template refers to it; list elements are named by their index. */
export interface ValueReferences {
  (path: ValuePath): Verdict;
  /** The paths that templates name, for "did you mean". */
  readonly paths: readonly ValuePath[];
  /** Why some answers are no better than `perhaps`; one sentence each. */
  readonly doubts: readonly string[];
}

/** Reads the templates of a chart for what they do with its values. Whatever cannot be told counts as read. Runs nothing, reads no file. */
export function readValueReferences({ chart, values }: ReferenceInput): ValueReferences {
  const reads = createReadTree();
  const doubts: string[] = [];
  const parsed = parseAll(chart, doubts);
  const program: Program = {
    reads,
    born: 0,
    oldestChanged: Number.POSITIVE_INFINITY,
    templates: templatesOf(chart, parsed),
    snippets: snippetsOf(values, parsed),
    followed: new Set(),
    assignments: 0,
    steps: 0,
  };
  const imports: Import[] = [];
  try {
    visit(chart, [], true);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    doubts.push(error.message);
    markUse(reads, [], "perhaps");
  }
  const verdict = (path: ValuePath) => best(pathsLike(path, imports).map((each) => readVerdict(reads, each, values)));
  return Object.assign(verdict, { paths: readPaths(reads), doubts });

  function visit(source: ChartSource, base: ValuePath, isRendered: boolean): void {
    const root: Abstract = { kind: "root", base };
    const isLibrary = source.metadata.type === "library";
    for (const { tree, file, failed } of parsed.get(source) ?? []) {
      if (failed) markDoubt(reads, base);
      // Partials and library charts only define; a file that begins with an underscore prints nothing.
      else if (tree !== undefined && isRendered && !isLibrary && !/(^|\/)_[^/]*$/.test(file)) runTemplate(program, tree.body, root);
    }
    for (const dependency of dependenciesOf(source)) {
      for (const condition of dependency.conditions) markUse(reads, [...base, ...condition.split(".")], "whole");
      for (const tag of dependency.tags) markUse(reads, ["tags", tag], "whole");
      for (const { child, parent } of importsOf(dependency))
        imports.push({ from: [...base, dependency.key, ...child], to: [...base, ...parent] });
    }
    for (const { key, chart: subchart } of subchartsOf(source)) {
      if (subchart === undefined) {
        doubts.push(`the templates of the subchart "${key}" are not known`);
        markDoubt(reads, [...base, key]);
      } else visit(subchart, [...base, key], isRendered);
    }
  }
}

interface Parsed {
  readonly file: string;
  readonly tree: TemplateTree | undefined;
  readonly failed: boolean;
}

function parseAll(
  chart: ChartSource,
  doubts: string[],
  all: Map<ChartSource, readonly Parsed[]> = new Map(),
): ReadonlyMap<ChartSource, readonly Parsed[]> {
  if (all.has(chart)) return all;
  all.set(
    chart,
    chart.templates.map(({ file, text }) => {
      const tree = parseOrNothing(text);
      if (tree === undefined) doubts.push(`the template ${file} of "${nameOf(chart)}" cannot be read`);
      return { file, tree, failed: tree === undefined };
    }),
  );
  for (const subchart of chart.subcharts) parseAll(subchart, doubts, all);
  return all;
}

function parseOrNothing(text: string): TemplateTree | undefined {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return undefined;
    throw error;
  }
}

/** Every template by its name; a file by its path with the keys of its chart before it: `/postgresql/templates/secret.yaml`. */
function templatesOf(
  chart: ChartSource,
  parsed: ReadonlyMap<ChartSource, readonly Parsed[]>,
): ReadonlyMap<string, readonly (readonly TemplateNode[])[]> {
  const templates = new Map<string, (readonly TemplateNode[])[]>();
  const add = (name: string, body: readonly TemplateNode[]) => templates.set(name, [...(templates.get(name) ?? []), body]);
  for (const { tree } of [...parsed.values()].flat()) for (const { name, body } of tree?.defines ?? []) add(name, body);
  addFiles(chart, []);
  return templates;

  function addFiles(source: ChartSource, base: ValuePath): void {
    for (const { file, tree } of parsed.get(source) ?? []) if (tree !== undefined) add(`${fileBase(base)}${file}`, tree.body);
    for (const { key, chart: subchart } of subchartsOf(source)) if (subchart !== undefined) addFiles(subchart, [...base, key]);
  }
}

/** Templates that `tpl` may be given: strings of the values, strings of the templates, and files beside the templates. */
function snippetsOf(values: unknown, parsed: ReadonlyMap<ChartSource, readonly Parsed[]>): readonly (readonly TemplateNode[])[] {
  const strings = [...parsed.values()].flat().flatMap(({ tree }) => tree?.strings ?? []);
  const files = [...parsed.keys()].flatMap((chart) => chart.files ?? []).map(({ text }) => text);
  const texts = new Set([...stringsIn(values), ...strings, ...files].filter((text) => text.includes("{{")));
  return [...texts].flatMap((text) => {
    const body = parseOrNothing(text)?.body ?? [];
    return body.length === 0 ? [] : [body];
  });
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]);
}

/** Everything below a chart's values, and every global, may be read. */
function markDoubt(reads: ReadTree, base: ValuePath): void {
  markUse(reads, base, "perhaps");
  for (let length = 0; length < base.length; length++) markUse(reads, [...base.slice(0, length), "global"], "perhaps");
}

/** Values of a subchart that its parent takes over, from one path to another. */
interface Import {
  readonly from: ValuePath;
  readonly to: ValuePath;
}

/** The path, and those that `import-values` makes of it. */
function pathsLike(path: ValuePath, imports: readonly Import[], seen: readonly ValuePath[] = []): readonly ValuePath[] {
  if (seen.some((other) => other.join("\0") === path.join("\0")) || seen.length > 10) return [];
  const next = imports.filter(({ from }) => from.length <= path.length && from.every((key, index) => key === path[index]));
  return [path, ...next.flatMap(({ from, to }) => pathsLike([...to, ...path.slice(from.length)], imports, [...seen, path]))];
}

function best(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("read")) return "read";
  return verdicts.includes("perhaps") ? "perhaps" : "no";
}
