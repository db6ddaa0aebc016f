import type { Mapping } from "../manifest/types.js";

/** A mapping without keys. */
export const emptyMapping: Mapping = Object.freeze(Object.create(null) as Mapping);

/** The value as a mapping; undefined when it is anything else. */
export function asMapping(value: unknown): Mapping | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Mapping;
}

/** The value as a list; empty when it is anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a string; undefined when it is anything else. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value as a string with at least one character. */
export function asName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value as an integer that is exact in a double; undefined when it is anything else, numeric strings included. */
export function asInteger(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

/** The value as an integer of 0 or more: what the API takes for counts and seconds. */
export function asCount(value: unknown): number | undefined {
  const number = asInteger(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

/** The value as Kubernetes' IntOrString; undefined when it is neither. */
export function asIntOrString(value: unknown): string | number | undefined {
  return asInteger(value) ?? asString(value);
}

/** A scalar as text: strings as they are, numbers and booleans printed, null as the empty string; undefined for anything else. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return value === null ? "" : undefined;
}

/** The strings of a list; other elements are left out. */
export function asStrings(value: unknown): readonly string[] {
  return Object.freeze(asList(value).filter((element) => typeof element === "string"));
}

/** A mapping of scalars as text, such as labels; values that are no scalars are left out. Has no prototype. */
export function asTextRecord(value: unknown): Readonly<Record<string, string>> {
  const mapping = asMapping(value) ?? emptyMapping;
  const texts = Object.keys(mapping).map((key) => [key, asText(mapping[key])] as const);
  return record(texts.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** A frozen record without a prototype, so that an untrusted key such as `constructor` is absent unless it was put there. */
export function record<T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  const made: Record<string, T> = Object.create(null);
  for (const [key, value] of entries) made[key] = value;
  return Object.freeze(made);
}

/** The value under a chain of mapping keys; undefined when a step is absent or no mapping. */
export function dig(value: unknown, ...keys: readonly string[]): unknown {
  let current: unknown = value;
  for (const key of keys) {
    const mapping = asMapping(current);
    if (mapping === undefined || !Object.hasOwn(mapping, key)) return undefined;
    current = mapping[key];
  }
  return current;
}

/** The mappings of a list, each with its 0-based index; elements of other types keep their index and are left out. */
export function mappingsOf(value: unknown): readonly { readonly body: Mapping; readonly index: number }[] {
  return asList(value).flatMap((element, index) => {
    const body = asMapping(element);
    return body === undefined ? [] : [{ body, index }];
  });
}
