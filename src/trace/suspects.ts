import type { Place } from "../manifest/place.js";
import { keyOf, type ValuePath } from "./bindings.js";
import type { Field } from "./fields.js";
import { expandPath, isBelow, type Leaf, valueAt } from "./leaves.js";
import type { References } from "./line-references.js";
import { namedInText } from "./text-references.js";
import type { TemplateFile, TemplateOrigin } from "./types.js";

/** The leaves that may move a field, most likely first; nothing here is a claim. */
export interface Suspects {
  /** Named on the line that wrote the field, or on lines that would write it. */
  readonly direct: readonly Leaf[];
  /** Named in the helpers that those lines include, and in the texts of the values that they may hand to `tpl`. */
  readonly through: readonly Leaf[];
  /** Named in the `if`, `with` and `range` around them. */
  readonly around: readonly Leaf[];
  /** Paths that are not set (or null, or empty), and would be read. */
  readonly absent: readonly ValuePath[];
  /** The field's line writes it as it stands: no value moves it. */
  readonly literal: boolean;
}

const none: Suspects = { direct: [], through: [], around: [], absent: [], literal: true };

const mostBelow = 40;

/** Reads off the templates what may move a field. `source` is the document's own template. */
export function suspectsOf(
  field: { readonly at: Place; readonly plain: Field; readonly origin: TemplateOrigin | undefined; readonly source: string | undefined },
  references: References,
  files: readonly TemplateFile[],
  values: unknown,
  leaves: readonly Leaf[],
): Suspects {
  const { at, plain, origin, source } = field;
  // a packed chart has no lines to read: every value is as likely as another
  if (origin === undefined && source === undefined) return { ...none, literal: false };
  const key = at.path.findLast((segment) => typeof segment === "string");
  const written = plain.exists && origin?.exact === true;
  if (written && origin.kind === "key" && !(typeof plain.value === "object" && plain.value !== null) && isLiteral(origin)) return none;
  const lines = new Map<string, { readonly file: string; readonly line: number }>();
  const add = (file: string, line: number) => lines.set(`${line} ${file}`, { file, line });
  if (origin !== undefined && (written || origin.kind === "action" || plain.exists)) add(origin.file, origin.line);
  if (origin !== undefined && written && ((typeof plain.value === "object" && plain.value !== null) || opensText(origin))) {
    for (const line of linesBelow(files.find(({ file }) => file === origin.file)?.text, origin.line)) add(origin.file, line);
  }
  if (origin !== undefined && !plain.exists && plain.depth === at.path.length - 1) {
    for (const line of blocksBelow(files.find(({ file }) => file === origin.file)?.text, origin.line)) add(origin.file, line);
  }
  // a field that is not rendered, or whose own line is not known: wherever its key is written
  if (!written && key !== undefined) for (const place of linesWith(key, files, source, origin?.file)) add(place.file, place.line);

  const tails = at.path.map((_, index) => at.path.slice(index).map((step) => (typeof step === "string" ? step : step.index))).toReversed();
  const direct = new Map<string, Leaf>();
  const through = new Map<string, Leaf>();
  const around = new Map<string, Leaf>();
  const absent = new Map<string, ValuePath>();
  for (const { file, line } of lines.values()) {
    const found = references.of(file, line, plain.exists ? undefined : origin);
    for (const path of found.direct) enter(path, direct);
    for (const path of found.through) enter(path, through);
    for (const path of found.around) enter(path, around);
  }
  const taken = new Set<string>();
  const once = (map: ReadonlyMap<string, Leaf>) =>
    [...map].flatMap(([name, leaf]) => {
      if (taken.has(name)) return [];
      taken.add(name);
      return [leaf];
    });
  const named = { direct: once(direct), through: once(through) };
  // a condition decides whether a line is rendered, not what it says
  const conditions = written && (named.direct.length > 0 || named.through.length > 0 || origin.kind === "key") ? [] : once(around);
  return { ...named, around: conditions, absent: [...absent.values()].slice(0, 60), literal: false };

  function enter(reference: ValuePath, into: Map<string, Leaf>): void {
    for (const path of expandPath(values, reference)) {
      const value = valueAt(values, path);
      if (isUnset(value)) {
        absent.set(keyOf(path), path);
        if (value === undefined || value === null || value === "") continue;
      }
      if (typeof value !== "object" || value === null) {
        const isNew = !into.has(keyOf(path));
        into.set(keyOf(path), { path, value });
        if (isNew && typeof value === "string") enterNamed(value, path);
        continue;
      }
      enterBelow(path, value, into);
    }
  }

  /** The text may be of any chart on the way to its path. */
  function enterNamed(text: string, path: ValuePath): void {
    for (const named of namedInText(text, key)) {
      for (const depth of path.keys()) {
        const whole = [...path.slice(0, depth), ...named];
        if (valueAt(values, whole) !== undefined) enter(whole, through);
      }
    }
  }

  /** A mapping or list that the line names as a whole: the leaf at the field's own path in it, else all that are in it. */
  function enterBelow(path: ValuePath, value: object, into: Map<string, Leaf>): void {
    let hit = false;
    for (const tail of tails.flatMap((one) => shifted(value, one))) {
      const whole = [...path, ...tail];
      const own = valueAt(value, tail);
      if (own !== undefined && (typeof own !== "object" || own === null)) {
        into.set(keyOf(whole), { path: whole, value: own });
        hit = true;
      } else if (!plain.exists && isUnset(own)) {
        const parent = valueAt(value, tail.slice(0, -1));
        if (typeof parent === "object" && parent !== null && !Array.isArray(parent)) absent.set(keyOf(whole), whole);
      }
    }
    if (hit) return;
    const below = leaves.filter((leaf) => isBelow(leaf.path, path));
    for (const leaf of below.slice(0, mostBelow)) into.set(keyOf(leaf.path), leaf);
  }
}

/** A list of the values may be only a part of the rendered list, so any of its elements can be the one. */
function shifted(value: unknown, tail: ValuePath): readonly ValuePath[] {
  if (!Array.isArray(value) || typeof tail[0] !== "number") return [tail];
  return value.slice(0, mostBelow).map((_, index) => [index, ...tail.slice(1)]);
}

/** Whether the line holds a key (or dash) with its value, and no action. */
function isLiteral({ text }: TemplateOrigin): boolean {
  return !text.includes("{{") && /(?::[ \t]+|^[ \t]*-[ \t]+)[^\s#|>&*{[]/.test(text);
}

/** Whether the text of the field stands on the lines below, in a block scalar. */
function opensText({ text }: TemplateOrigin): boolean {
  return /(?:^|[:-][ \t]+)[|>][+-]?\d*[+-]?[ \t]*(?:#.*)?\r?$/.test(text);
}

/** Whether a value is as good as none to a template that asks for it. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/** The lines that print a block among the children of the line above them. */
function blocksBelow(text: string | undefined, line: number): readonly number[] {
  const lines = (text ?? "").split("\n");
  const own = lines[line - 1]?.search(/[^\s-]/) ?? 0;
  const isBlock = (index: number) => {
    const depth = /\btoYaml\b.*\bn?indent\s+(\d+)/.exec(lines[index] ?? "")?.[1];
    return depth !== undefined && Number(depth) > own && Number(depth) <= own + 4;
  };
  return [line, ...linesBelow(text, line)].filter((number) => isBlock(number - 1));
}

/** The lines that are indented deeper than the line above them; 1-based. */
function linesBelow(text: string | undefined, line: number): readonly number[] {
  const lines = (text ?? "").split("\n");
  const indentOf = (index: number) => lines[index]?.search(/\S/) ?? -1;
  const own = indentOf(line - 1);
  const below: number[] = [];
  for (let index = line; index < lines.length && below.length < 40; index++) {
    const indent = indentOf(index);
    // what an action prints is indented by the action
    if (indent !== -1 && indent <= own && !/^\s*(?:\{\{|- )/.test(lines[index] ?? "")) break;
    below.push(index + 1);
  }
  return below;
}

/** Lines that write a key: in the document's own template first, then in helpers. */
function linesWith(
  key: string,
  files: readonly TemplateFile[],
  source: string | undefined,
  helper: string | undefined,
): readonly { readonly file: string; readonly line: number }[] {
  const pattern = new RegExp(`^[ \\t]*(?:- )?["']?${key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}["']?[ \\t]*:`);
  const own = files.filter(({ file }) => file === source || file === helper);
  const helpers = files.filter(({ file }) => /(?:^|[/\\])_[^/\\]*$/.test(file) && !own.some((other) => other.file === file));
  const found: { file: string; line: number }[] = [];
  for (const { file, text } of [...own, ...helpers]) {
    if (!text.includes(key)) continue;
    for (const [index, line] of text.split("\n").entries()) if (pattern.test(line)) found.push({ file, line: index + 1 });
    if (found.length > 20) break;
  }
  return found.slice(0, 20);
}
