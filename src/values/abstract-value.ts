import type { ValuePath } from "./read-tree.js";

/** What an expression of a template can be, as far as values are concerned. */
export type Abstract =
  /** Nothing of the values is in it that is not read already. */
  | { readonly kind: "other" }
  /** A string that stands in the template. */
  | { readonly kind: "text"; readonly text: string }
  /** The object that templates of the chart at `base` start from: `.Values`, `.Chart`, …; `guessed` when that is only likely. */
  | { readonly kind: "root"; readonly base: ValuePath; readonly guessed?: boolean }
  | { readonly kind: "subcharts"; readonly base: ValuePath }
  /** A part of `.Values` of the chart at `base`; `*` in `keys` is any key. */
  | { readonly kind: "values"; readonly base: ValuePath; readonly keys: ValuePath }
  | Dict
  /** `items` when all elements are known, in order. */
  | { readonly kind: "list"; readonly element: Abstract; readonly items?: readonly Abstract[] | undefined }
  | { readonly kind: "union"; readonly members: readonly Abstract[] };

/** A mapping that the template makes; templates change it in place. `layers` are objects that were merged into it. */
export interface Dict {
  readonly kind: "dict";
  readonly entries: Map<string, Abstract>;
  readonly layers: Abstract[];
  /** What stands under keys that cannot be told. */
  rest: Abstract;
  /** Counts up: mappings with a larger number were made later. */
  readonly born: number;
}

export const other: Abstract = { kind: "other" };

export function textOf(text: string): Abstract {
  return { kind: "text", text };
}

/** A list in which any of the values may stand, any number of times. */
export function listOf(...elements: readonly Abstract[]): Abstract {
  return { kind: "list", element: join(...elements) };
}

/** A list of exactly these values. */
export function listWith(...items: readonly Abstract[]): Abstract {
  return { kind: "list", element: join(...items), items };
}

/** The strings that a value can be; undefined when it can be something else. */
export function textsOf(value: Abstract): readonly string[] | undefined {
  if (value.kind === "text") return [value.text];
  if (value.kind !== "union") return undefined;
  const texts = value.members.map(textsOf);
  return texts.some((some) => some === undefined) ? undefined : texts.flatMap((some) => some ?? []);
}

/** A value that can be any of the given ones. */
export function join(...values: readonly Abstract[]): Abstract {
  const known = new Map<unknown, Abstract>();
  let isOther = values.length === 0;
  for (const value of values.flatMap((each) => (each.kind === "union" ? each.members : [each]))) {
    if (value.kind === "other") isOther = true;
    // Two mappings are never one: they can be changed apart.
    else known.set(value.kind === "dict" ? value : (keyOf(value) ?? value), value);
  }
  const members = [...known.values()];
  const [first] = members;
  if (first === undefined) return other;
  if (isOther) members.push(other);
  return members.length === 1 ? first : { kind: "union", members };
}

const deepest = 8;

/** A text that is equal for equal values; undefined for one that is too deep. */
export function keyOf(value: Abstract, depth = 0): string | undefined {
  if (depth > deepest) return undefined;
  if (value.kind === "other") return "_";
  if (value.kind === "text") return JSON.stringify(value.text);
  if (value.kind === "root") return `root${value.guessed === true ? "?" : ""}${JSON.stringify(value.base)}`;
  if (value.kind === "subcharts") return `subcharts${JSON.stringify(value.base)}`;
  if (value.kind === "values") return `values${JSON.stringify([value.base, value.keys])}`;
  if (value.kind === "list")
    return wrap("list", value.items?.map((item) => keyOf(item, depth + 1)) ?? ["*", keyOf(value.element, depth + 1)]);
  if (value.kind === "union") return wrap("union", value.members.map((member) => keyOf(member, depth + 1)).sort());
  const entries = [...value.entries].map(([key, entry]) => {
    const inner = keyOf(entry, depth + 1);
    return inner === undefined ? undefined : `${JSON.stringify(key)}:${inner}`;
  });
  return wrap("dict", [...entries.sort(), "|", ...value.layers.map((layer) => keyOf(layer, depth + 1)), "|", keyOf(value.rest, depth + 1)]);
}

function wrap(kind: string, parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : `${kind}(${parts.join(",")})`;
}
