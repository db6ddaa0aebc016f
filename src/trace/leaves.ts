import { anyStep, keyOf, type ValuePath } from "./bindings.js";
import { markableLines, writesKey } from "./text-lines.js";

/** A value that is no mapping or list with something in it. */
export interface Leaf {
  readonly path: ValuePath;
  readonly value: unknown;
}

/** A change of one leaf; `mark` is the text by which its new value is known. */
export interface StandIn {
  readonly leaf: Leaf;
  readonly value: unknown;
  readonly mark: string;
  /** What stands in the rendered text in place of the mark when the leaf is unchanged. */
  readonly original: string;
  /** The line of the leaf's text that has the mark; 0-based. */
  readonly line?: number;
  /** Of a text of several lines: one for each line that was changed, with a mark of its own. */
  readonly parts?: readonly StandIn[];
}

const mostLeaves = 20_000;
const deepest = 60;
/** A number, alone or with a unit or percent sign: `5`, `30s`, `512Mi`, `25%`. */
const quantity = /^(-?\d+(?:\.\d+)?)([A-Za-z]{0,3}|%)$/;

/** The leaves of merged values in their order; an empty mapping or list is one. */
export function leavesOf(values: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (value: unknown, path: ValuePath) => {
    if (leaves.length >= mostLeaves || path.length > deepest) return;
    const entries = entriesOf(value);
    if (entries.length === 0) {
      if (path.length > 0) leaves.push({ path, value });
      return;
    }
    for (const [key, child] of entries) visit(child, [...path, key]);
  };
  visit(values, []);
  return leaves;
}

/** The value at a path; undefined when there is none. */
export function valueAt(values: unknown, path: ValuePath): unknown {
  let value = values;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

/** Numbers come back from helm as numbers, but a layer may write them as text, and the reverse. */
export function sameScalar(a: unknown, b: unknown): boolean {
  return String(a) === String(b) || (a !== "" && b !== "" && Number(a) === Number(b));
}

/** The paths that a reference can mean, `anyStep` filled in; at most a hundred. */
export function expandPath(values: unknown, path: ValuePath): readonly ValuePath[] {
  let paths: readonly ValuePath[] = [[]];
  for (const step of path) {
    paths = paths.flatMap((before) => {
      if (step !== anyStep) return [[...before, step]];
      return entriesOf(valueAt(values, before)).map(([key]) => [...before, key]);
    });
    if (paths.length > 100) paths = paths.slice(0, 100);
  }
  return paths;
}

/** Whether a path is another one or below it. */
export function isBelow(path: ValuePath, ancestor: ValuePath): boolean {
  return path.length >= ancestor.length && keyOf(path.slice(0, ancestor.length)) === keyOf(ancestor);
}

/** Gives stand-ins whose numbers appear nowhere in the render. */
export function standInsBy(render: string): {
  number(leaf: Leaf): StandIn;
  text(leaf: Leaf): StandIn;
  lines(leaf: Leaf, keys?: ReadonlySet<string>): StandIn | undefined;
  absent(path: ValuePath, like: unknown, literal: string | undefined): StandIn;
} {
  const seen = new Set(render.match(/\d{3,6}/g));
  let number = 397;
  let word = 0;
  const nextNumber = () => {
    // odd, so that no sum of two of them is a third
    do number += 14;
    while (seen.has(String(number)));
    return number;
  };
  const nextWord = () => `hi${++word}x`;
  const asNumber = (leaf: Leaf): StandIn => {
    const value = nextNumber();
    return { leaf, value, mark: String(value), original: String(leaf.value) };
  };
  return {
    number: asNumber,
    text: (leaf) => {
      const [text, end] = splitEnd(String(leaf.value ?? ""));
      const [, digits, unit = ""] = quantity.exec(text) ?? [];
      if (digits !== undefined) {
        const value = nextNumber();
        return { leaf, value: `${value}${unit}${end}`, mark: String(value), original: digits };
      }
      // the text goes on, so that whatever it begins with (a version, a path, a template) still holds
      const mark = `-${nextWord()}`;
      return { leaf, value: `${text}${mark}${end}`, mark, original: "" };
    },
    lines: (leaf, keys) => {
      const lines = String(leaf.value).split("\n");
      const chosen = markableLines(String(leaf.value)).filter(({ line }) => {
        return keys === undefined || [...keys].some((key) => writesKey(lines[line] ?? "", key));
      });
      const parts = chosen.map(({ line, at }): StandIn => {
        const mark = `-${nextWord()}`;
        lines[line] = `${lines[line]?.slice(0, at)}${mark}${lines[line]?.slice(at)}`;
        return { leaf, value: undefined, mark, original: "", line };
      });
      return parts.length === 0 ? undefined : { leaf, value: lines.join("\n"), mark: "", original: "", parts };
    },
    absent: (path, like, literal = "") => {
      const value = typeof like === "string" ? nextWord() : nextNumber();
      const leaf = { path, value: undefined };
      return { leaf, value: isEmptyMap(like) ? { [`hi${value}x`]: value } : value, mark: String(value), original: literal };
    },
  };
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a leaf can get a number in its place. */
export function isNumeric({ value }: Leaf): boolean {
  return typeof value === "number";
}

/** A text and the white space that it ends with: that of a block scalar ends with a line break, which templates trim. */
function splitEnd(text: string): readonly [text: string, end: string] {
  const length = text.trimEnd().length;
  return [text.slice(0, length), text.slice(length)];
}

/** Whether a text goes on behind its first line. */
export function isSeveralLines(text: string): boolean {
  return text.trimEnd().includes("\n");
}

/** The other value to try when one leaf is changed alone; undefined when there is none. */
export function changeAlone(leaf: Leaf, standIns: ReturnType<typeof standInsBy>): StandIn | undefined {
  const { value } = leaf;
  if (typeof value === "boolean") return { leaf, value: !value, mark: "", original: "" };
  if (typeof value === "number") return standIns.number(leaf);
  if (typeof value === "string") {
    const [text, end] = splitEnd(value);
    if (/^(?:true|false)$/.test(text)) return { leaf, value: `${text !== "true"}${end}`, mark: "", original: "" };
    return (isSeveralLines(value) ? standIns.lines(leaf) : undefined) ?? standIns.text(leaf);
  }
  if (value === null || value === undefined) return standIns.absent(leaf.path, undefined, undefined);
  return isEmptyMap(value) ? standIns.absent(leaf.path, value, undefined) : undefined;
}

/**
 * Values for one more `--values` file that change the given leaves and nothing else. Lists are given whole, as helm does not merge them;
 * `also` are paths that must be written as they are (what `--set` sets wins over every file, so it has to move here).
 */
export function valuesWith(values: unknown, changes: readonly StandIn[], also: readonly ValuePath[] = []): unknown {
  const root: Sparse = Object.create(null) as Sparse;
  for (const path of also) put(root, values, path, valueAt(values, path) ?? null);
  for (const { leaf, value } of changes) put(root, values, leaf.path, value);
  return root;
}

type Sparse = Record<string | number, unknown>;

function put(root: Sparse, values: unknown, path: ValuePath, value: unknown): void {
  let target: Sparse = root;
  let source: unknown = values;
  for (const [index, step] of path.entries()) {
    source = valueAt(source, [step]);
    if (index === path.length - 1) {
      define(target, step, typeof value === "object" && value !== null ? structuredClone(value) : value);
      return;
    }
    const present = Object.hasOwn(target, step) ? target[step] : undefined;
    if (typeof present !== "object" || present === null) {
      define(target, step, Array.isArray(source) ? structuredClone(source) : (Object.create(null) as Sparse));
    }
    target = target[step] as Sparse;
  }
}

function define(target: Sparse, key: string | number, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item] as const);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value);
}
