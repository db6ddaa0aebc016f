import { type ChartSource, dependenciesOf, importsOf, nameOf, subchartsOf } from "./chart-source.js";
import { runTemplate } from "./interpreter.js";
import { type Library, libraryOf, templateTextsIn } from "./library.js";
import { createProgram, type Program, TooMuch } from "./program.js";
import { markUse, type ReadTree, readPaths, readVerdict, type ValuePath, type Verdict } from "./read-tree.js";

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

/**
 * Reads the templates of a chart for what they do with its values. Whatever cannot be told counts as read; what only a helper refers to that no
 * template calls with the chart's own values is `perhaps`. Runs nothing, reads no file.
 */
export function readValueReferences({ chart, values }: ReferenceInput): ValueReferences {
  const { program, guesses, imports, doubts } = followOnce(chart, templateTextsIn(values));
  const verdict = (path: ValuePath): Verdict => {
    const paths = pathsLike(path, imports);
    const known = best(paths.map((each) => readVerdict(program.reads, each, values)));
    if (known !== "no") return known;
    return paths.some((each) => readVerdict(guesses.reads, each, values) !== "no") ? "perhaps" : "no";
  };
  return Object.assign(verdict, { paths: readPaths(program.reads), doubts });
}

/** What the templates of a chart do, whatever the values are. */
interface Followed {
  readonly program: Program;
  readonly guesses: Program;
  readonly imports: readonly Import[];
  readonly doubts: readonly string[];
}

/** Environments of one chart share this, unless their values hold templates of their own. */
const followed = new WeakMap<ChartSource, Map<string, Followed>>();

function followOnce(chart: ChartSource, valueTexts: readonly string[]): Followed {
  const known = followed.get(chart) ?? new Map<string, Followed>();
  followed.set(chart, known);
  const key = JSON.stringify(valueTexts);
  const result = known.get(key) ?? follow(chart, valueTexts);
  known.set(key, result);
  return result;
}

function follow(chart: ChartSource, valueTexts: readonly string[]): Followed {
  const library = libraryOf(chart, valueTexts);
  const doubts = [...library.doubts];
  const program = createProgram(library);
  const guesses = createProgram(library);
  const imports: Import[] = [];
  try {
    visitCharts(chart, [], (source, base) => {
      imports.push(...readMetadata(source, base, program.reads, doubts));
      if (source.metadata["type"] === "library") return;
      followCharts(source, base, library, program, guesses);
    });
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    doubts.push(error.message);
    markUse(program.reads, [], "perhaps");
  }
  return { program, guesses, imports, doubts };
}

function visitCharts(chart: ChartSource, base: ValuePath, visit: (chart: ChartSource, base: ValuePath) => void): void {
  visit(chart, base);
  for (const { key, chart: subchart } of subchartsOf(chart)) if (subchart !== undefined) visitCharts(subchart, [...base, key], visit);
}

/** Follows the templates of one chart, and on a guess each of its helpers with the chart's own values. */
function followCharts(source: ChartSource, base: ValuePath, library: Library, program: Program, guesses: Program): void {
  for (const { file, tree } of library.parsed.get(source) ?? []) {
    if (tree === undefined) {
      markDoubt(program.reads, base);
      continue;
    }
    // What a file that begins with an underscore prints is thrown away.
    if (!/(^|\/)_[^/]*$/.test(file)) runTemplate(program, tree.body, { kind: "root", base });
    for (const { body } of tree.defines) runTemplate(guesses, body, { kind: "root", base, guessed: true });
  }
}

/** Notes what Chart.yaml reads: conditions and tags. Gives the values that a parent takes over from its subcharts. */
function readMetadata(source: ChartSource, base: ValuePath, reads: ReadTree, doubts: string[]): readonly Import[] {
  for (const { key, chart } of subchartsOf(source)) {
    if (chart !== undefined) continue;
    doubts.push(`the templates of the subchart "${key}" of "${nameOf(source)}" are not known`);
    markDoubt(reads, [...base, key]);
  }
  return dependenciesOf(source).flatMap((dependency) => {
    for (const condition of dependency.conditions) markUse(reads, [...base, ...condition.split(".")], "whole");
    for (const tag of dependency.tags) markUse(reads, ["tags", tag], "whole");
    return importsOf(dependency).map(({ child, parent }) => ({ from: [...base, dependency.key, ...child], to: [...base, ...parent] }));
  });
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
  const next = imports.filter(({ from }) => from.every((key, index) => key === path[index]));
  return [path, ...next.flatMap(({ from, to }) => pathsLike([...to, ...path.slice(from.length)], imports, [...seen, path]))];
}

function best(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("read")) return "read";
  return verdicts.includes("perhaps") ? "perhaps" : "no";
}
