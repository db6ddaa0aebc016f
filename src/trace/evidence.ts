import { keyOf, type ValuePath } from "./bindings.js";
import { type Field, fieldKey, scalarsIn } from "./fields.js";
import { type StandIn, valueAt } from "./leaves.js";

/** What a field that changed tells of the leaves that got stand-ins. */
export interface Evidence {
  /** The leaf that a number is computed from: it went up by as much as the leaf, or in proportion. */
  readonly computed?: ValuePath;
  /** Leaves whose stand-ins the field now shows where it showed their values. */
  readonly copied: readonly Copied[];
  /** Leaves whose stand-ins it shows, but another change may have brought that about: to be changed alone. */
  readonly hinted?: readonly ValuePath[];
  /** The mapping or list of the values that a whole field is a copy of. */
  readonly whole?: ValuePath;
}

/** A leaf that a field shows, and the line of its text that the field is a copy of, when it is one line; 0-based. */
export interface Copied {
  readonly path: ValuePath;
  readonly line?: number;
}

const nothing: Evidence = { copied: [] };

/** Stand-ins by their marks. */
export function marksOf(standIns: readonly StandIn[]): ReadonlyMap<string, StandIn> {
  const single = standIns.flatMap((standIn) => standIn.parts ?? [standIn]);
  return new Map(single.filter(({ mark }) => mark !== "").map((standIn) => [standIn.mark.replace(/^-/, ""), standIn]));
}

/** Reads the stand-ins off a field of the changed render. */
export function readEvidence(plain: Field, changed: Field, marks: ReadonlyMap<string, StandIn>, values: unknown): Evidence {
  if (!changed.exists) return nothing;
  if (!plain.exists) return { copied: [], hinted: shownIn(changed, marks) };
  if (!isContainer(plain.value) && !isContainer(changed.value)) {
    const copied = copiesOf(copiedIn(textOf(plain.value), textOf(changed.value), marks));
    if (copied.length > 0 || fieldKey(plain) === fieldKey(changed)) return { copied };
    const computed = computedFrom(plain.value, changed.value, marks);
    return { copied, hinted: shownIn(changed, marks), ...(computed !== undefined && { computed }) };
  }
  return readWhole(plain, changed, marks, values);
}

/** The leaves behind stand-ins; of several lines of one text none is the line. */
function copiesOf(shown: readonly StandIn[]): readonly Copied[] {
  const found = new Map<string, Copied>();
  for (const {
    leaf: { path },
    line,
  } of shown) {
    const key = keyOf(path);
    found.set(key, line === undefined || found.has(key) ? { path } : { path, line });
  }
  return [...found.values()];
}

function shownIn(changed: Field, marks: ReadonlyMap<string, StandIn>): readonly ValuePath[] {
  const tokens = scalarsIn(changed.value).flatMap(({ path, text }) => [
    ...tokensIn(text),
    ...path.flatMap((step) => tokensIn(String(step))),
  ]);
  return uniquePaths(tokens.flatMap((token) => marks.get(token) ?? []).map(({ leaf }) => leaf.path));
}

/** Two numbers can meet by accident, so the field with the stand-ins taken back must be the field as it was. */
function copiedIn(plain: string, changed: string, marks: ReadonlyMap<string, StandIn>): readonly StandIn[] {
  if (plain === changed) return [];
  const found = new Map<string, StandIn>();
  for (const token of tokensIn(changed)) {
    const standIn = marks.get(token);
    if (standIn !== undefined) found.set(standIn.mark, standIn);
  }
  let restored = changed;
  for (const { mark, original } of found.values()) {
    restored = /^\d/.test(mark)
      ? restored.replace(new RegExp(`(?<!\\d)${mark}(?!\\d)`, "g"), () => original)
      : restored.replaceAll(mark, original);
  }
  if (restored === plain || (restored.trim() !== "" && Number(restored) === Number(plain))) return [...found.values()];
  return [];
}

/** Stand-ins are far apart and odd, so that what one of them alone explains is not explained by others together. */
function computedFrom(plain: unknown, changed: unknown, marks: ReadonlyMap<string, StandIn>): ValuePath | undefined {
  if (typeof plain !== "number" || typeof changed !== "number") return undefined;
  const [only, ...others] = [...marks.values()].filter(({ leaf, value }) => {
    if (typeof leaf.value !== "number" || typeof value !== "number") return false;
    return changed - plain === value - leaf.value || (leaf.value !== 0 && changed * leaf.value === plain * value);
  });
  return others.length === 0 ? only?.leaf.path : undefined;
}

function tokensIn(text: string): readonly string[] {
  return text.match(/(?<!\d)\d{3,7}(?!\d)|hi\d+x/g) ?? [];
}

/** A mapping or list is a copy when all of it comes from one place of the values that says the same. */
function readWhole(plain: Field, changed: Field, marks: ReadonlyMap<string, StandIn>, values: unknown): Evidence {
  const before = new Map(scalarsIn(plain.value).map(({ path, text }) => [keyOf(path), { path, text }]));
  for (const { path, text } of scalarsIn(changed.value)) {
    const own = before.get(keyOf(path));
    const [only, ...more] = own === undefined ? [] : copiedIn(own.text, text, marks);
    if (own === undefined || only === undefined || more.length > 0) continue;
    const leaf = only.leaf.path;
    const base = leaf.slice(0, leaf.length - path.length);
    if (keyOf(leaf.slice(base.length)) !== keyOf(path) || base.length === 0) continue;
    if (sameScalars(valueAt(values, base), plain.value)) return { copied: [], whole: base };
  }
  return nothing;
}

function sameScalars(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(
      scalarsIn(value)
        .map((scalar) => [keyOf(scalar.path), scalar.text])
        .sort(),
    );
  return text(a) === text(b);
}

/** The place of the values that a mapping of the render is copied from, told by one of its scalars; for what could be added beside it. */
export function baseOf(plain: unknown, changed: unknown, marks: ReadonlyMap<string, StandIn>): readonly ValuePath[] {
  const before = new Map(scalarsIn(plain).map(({ path, text }) => [keyOf(path), text]));
  const bases = scalarsIn(changed).flatMap(({ path, text }) => {
    const own = before.get(keyOf(path));
    const [only] = own === undefined ? [] : copiedIn(own, text, marks);
    if (only === undefined) return [];
    const leaf = only.leaf.path;
    const base = leaf.slice(0, leaf.length - path.length);
    return base.length > 0 && keyOf(leaf.slice(base.length)) === keyOf(path) ? [base] : [];
  });
  return uniquePaths(bases);
}

function uniquePaths(paths: readonly ValuePath[]): readonly ValuePath[] {
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()];
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}
