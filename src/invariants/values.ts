/** Data is larger or deeper than an expression may look at. */
export class TooLarge extends Error {}

const mostValues = 100_000;
const deepest = 100;
const converted = new WeakMap<object, unknown>();

/**
 * Plain data as CEL sees it: whole numbers are `int` (bigint), maps are Maps, so that no key of an untrusted map has a meaning in JavaScript.
 * Given the same object it gives the same value again; what is shared stays shared. Throws TooLarge.
 */
export function toCel(value: unknown): unknown {
  let count = 0;
  const convert = (item: unknown, depth: number): unknown => {
    if (typeof item === "number") return Number.isSafeInteger(item) ? BigInt(item) : item;
    if (item === undefined) return null;
    if (typeof item !== "object" || item === null) return item;
    const known = converted.get(item);
    if (known !== undefined) return known;
    if (depth > deepest) throw new TooLarge(`is nested more than ${deepest} levels deep`);
    count++;
    const made = Array.isArray(item)
      ? item.map((element) => convert(element, depth + 1))
      : new Map(Object.keys(item).map((key) => [key, convert((item as Readonly<Record<string, unknown>>)[key], depth + 1)]));
    count += Array.isArray(made) ? made.length : made.size;
    if (count > mostValues) throw new TooLarge(`has more than ${mostValues} values`);
    converted.set(item, made);
    return made;
  };
  return convert(value, 0);
}

/** A text record as a CEL map. */
export function textMap(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}

/**
 * A record whose members are made when they are first read; an undefined one is absent. The engine knows the type of a value by its constructor
 * and reads Maps by `get`: hence a class.
 */
export class LazyRecord extends Map<string, unknown> {
  constructor(members: Readonly<Record<string, () => unknown>>) {
    super();
    for (const [name, make] of Object.entries(members)) super.set(name, new Unmade(make));
  }

  override get(name: string): unknown {
    const value = super.get(name);
    if (!(value instanceof Unmade)) return value;
    const made = value.make();
    super.set(name, made);
    return made;
  }
}

class Unmade {
  constructor(readonly make: () => unknown) {}
}

/** A value as a message shows it: a scalar; undefined for anything else. Long texts are cut. */
export function shownScalar(value: unknown): string | undefined {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}…` : value);
  if (typeof value === "bigint") return value === unbounded ? "unbounded" : String(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value === null ? "null" : undefined;
}

/** The largest `int` of CEL: stands for no upper bound. */
export const unbounded = 9_223_372_036_854_775_807n;

/** A count as an `int`; no bound is the largest one. */
export function toInt(count: number): bigint {
  return Number.isFinite(count) ? BigInt(Math.trunc(count)) : unbounded;
}
