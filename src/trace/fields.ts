import { manifestOf } from "../manifest/parse.js";
import type { Place, Segment } from "../manifest/place.js";
import type { Manifest, Manifests } from "../manifest/types.js";

/** Finds the objects of one render in another render of the same chart. */
export interface Twins {
  /** The same object in the other render; undefined when it is not there, or it is not certain which it is. */
  of(at: Place): Manifest | undefined;
}

/** Objects are the same when source, kind and name are; else by their order among those of their source and kind. */
export function twinsIn(plain: Manifests, other: Manifests): Twins {
  const known = new Map<string, Manifest | undefined>();
  const bySource = group(other);
  const own = group(plain);
  return {
    of: (at) => {
      const key = `${at.object.document} ${at.object.item ?? ""}`;
      if (!known.has(key)) known.set(key, find(at));
      return known.get(key);
    },
  };

  function find(at: Place): Manifest | undefined {
    const manifest = manifestOf(plain, at);
    if (manifest === undefined) return undefined;
    const key = `${manifest.source ?? ""}\n${manifest.kind}`;
    const candidates = bySource.get(key) ?? [];
    const named = candidates.filter(({ name, namespace }) => name === manifest.name && namespace === manifest.namespace);
    if (named.length === 1) return named[0];
    const siblings = own.get(key) ?? [];
    return siblings.length === candidates.length ? candidates[siblings.indexOf(manifest)] : undefined;
  }
}

function group(manifests: Manifests): ReadonlyMap<string, readonly Manifest[]> {
  const groups = new Map<string, Manifest[]>();
  for (const manifest of manifests.all) {
    const key = `${manifest.source ?? ""}\n${manifest.kind}`;
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [manifest]);
    else list.push(manifest);
  }
  return groups;
}

/** What is at a path: `depth` is how many of its steps exist. */
export interface Field {
  readonly value: unknown;
  readonly depth: number;
  readonly exists: boolean;
}

/** Reads a field; list elements by their name where one element alone has it, else by index. */
export function readField(manifest: Manifest | undefined, path: readonly Segment[]): Field {
  let value: unknown = manifest?.body;
  if (manifest === undefined) return { value: undefined, depth: -1, exists: false };
  for (const [depth, segment] of path.entries()) {
    const next = typeof segment === "string" ? childOf(value, segment) : elementOf(value, segment);
    if (next === undefined) return { value: undefined, depth, exists: false };
    value = next;
  }
  return { value, depth: path.length, exists: true };
}

/** The path without the names that stand twice in their lists: after a change a name may be left to the other element alone. */
export function withoutTwinNames(manifest: Manifest | undefined, path: readonly Segment[]): readonly Segment[] {
  return path.map((segment, depth) => {
    if (typeof segment === "string" || segment.name === undefined) return segment;
    const list = readField(manifest, path.slice(0, depth)).value;
    return namesakes(list, segment.name).length > 1 ? { index: segment.index } : segment;
  });
}

function namesakes(list: unknown, name: string): readonly unknown[] {
  return Array.isArray(list) ? list.filter((item: unknown) => childOf(item, "name") === name) : [];
}

function childOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function elementOf(value: unknown, { index, name }: { readonly index: number; readonly name?: string }): unknown {
  if (!Array.isArray(value)) return undefined;
  const named = name === undefined ? [] : namesakes(value, name);
  // a name that stands twice (an env variable) does not say which one is meant
  return named.length === 1 ? named[0] : value[index];
}

/** Equal for equal values. */
export function fieldKey(field: Field): string {
  return field.exists ? JSON.stringify(field.value) : "";
}

/** The scalars inside of a value with their paths below it. */
export function scalarsIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): readonly { readonly path: readonly (string | number)[]; readonly text: string }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => scalarsIn(item, [...path, index]));
  if (typeof value === "object" && value !== null) return Object.entries(value).flatMap(([key, item]) => scalarsIn(item, [...path, key]));
  return [{ path, text: value === null || value === undefined ? "" : String(value) }];
}
