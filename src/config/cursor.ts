import { isCalendarDate } from "../calendar.js";
import { parseDuration } from "../model/duration.js";
import { type Complaints, isRecord, quote, showPath } from "./complaints.js";
import { isGlob } from "./glob.js";
import type { Path, Source } from "./source.js";
import type { Origin } from "./types.js";

/** A value of a config with the path that leads to it. The readers below give undefined for what has the wrong shape: the schema has complained about that. */
export interface Cursor {
  readonly value: unknown;
  readonly path: Path;
  readonly source: Source;
  readonly complaints: Complaints;
}

/** The root of a source. */
export function rootOf(source: Source, complaints: Complaints): Cursor {
  return { value: source.value, path: [], source, complaints };
}

/** The value of a key; `value` is undefined when there is none. */
export function child(cursor: Cursor, key: string): Cursor {
  const value = isRecord(cursor.value) && Object.hasOwn(cursor.value, key) ? cursor.value[key] : undefined;
  return { ...cursor, value, path: [...cursor.path, key] };
}

/** The elements of a list. */
export function items(cursor: Cursor): readonly Cursor[] {
  if (!Array.isArray(cursor.value)) return [];
  return cursor.value.map((value: unknown, i) => ({ ...cursor, value, path: [...cursor.path, i] }));
}

/** The entries of a map; a key `__proto__` is left out. */
export function entries(cursor: Cursor): readonly (readonly [string, Cursor])[] {
  if (!isRecord(cursor.value)) return [];
  return Object.keys(cursor.value)
    .filter((key) => key !== "__proto__")
    .map((key) => [key, child(cursor, key)] as const);
}

/** Where a value stands. */
export function originOf(cursor: Cursor): Origin {
  return cursor.source.at(cursor.path);
}

/** Where the key of a value stands. */
export function keyOriginOf(cursor: Cursor): Origin {
  return cursor.source.keyAt(cursor.path);
}

/** Complains about a text or number: `facts[0].boot is "90 seconds", expected …`. */
export function complain(cursor: Cursor, expected: string): void {
  const found = typeof cursor.value === "string" ? quote(cursor.value) : (cursor.source.written(cursor.path) ?? String(cursor.value));
  cursor.complaints.about(cursor.source, cursor.path, `${showPath(cursor.source, cursor.path)} is ${found}, ${expected}`);
}

/** Where every key of a map stands, and every key of the maps in it, by the keys that lead there joined with dots. */
export function keyOrigins(cursor: Cursor, prefix = ""): Readonly<Record<string, Origin>> {
  const found = entries(cursor).map(([key, entry]) => ({ [prefix + key]: keyOriginOf(entry), ...keyOrigins(entry, `${prefix}${key}.`) }));
  return Object.assign({}, ...found);
}

/** A text. */
export function text(cursor: Cursor): string | undefined {
  return typeof cursor.value === "string" ? cursor.value : undefined;
}

/** A text; true, false and numbers as they are written. */
export function scalarText(cursor: Cursor): string | undefined {
  const { value } = cursor;
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  return typeof value === "number" ? (cursor.source.written(cursor.path) ?? String(value)) : undefined;
}

/** true or false. */
export function flag(cursor: Cursor): boolean | undefined {
  return typeof cursor.value === "boolean" ? cursor.value : undefined;
}

/** A finite number. */
export function numeric(cursor: Cursor): number | undefined {
  return typeof cursor.value === "number" && Number.isFinite(cursor.value) ? cursor.value : undefined;
}

/** One of the allowed words. */
export function word<T extends string>(cursor: Cursor, allowed: readonly T[]): T | undefined {
  return allowed.find((candidate) => candidate === cursor.value);
}

/** A list of texts, or undefined when there is no list. */
export function texts(cursor: Cursor): readonly string[] | undefined {
  return Array.isArray(cursor.value) ? items(cursor).flatMap((item) => scalarText(item) ?? []) : undefined;
}

/** Seconds of a duration. */
export function seconds(cursor: Cursor): number | undefined {
  const { value } = cursor;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const parsed = parseDuration(value);
  if (parsed === undefined) complain(cursor, "expected a duration such as 90s or 2m");
  return parsed;
}

/** A glob that can be read. */
export function glob(cursor: Cursor): string | undefined {
  const pattern = text(cursor);
  if (pattern === undefined) return undefined;
  if (isGlob(pattern)) return pattern;
  complain(cursor, "expected a glob of *, ? and {a,b} with its braces closed");
  return undefined;
}

/** A list of globs, or undefined when there is no list. */
export function globs(cursor: Cursor): readonly string[] | undefined {
  return Array.isArray(cursor.value) ? items(cursor).flatMap((item) => glob(item) ?? []) : undefined;
}

/** A day that the calendar has. */
export function day(cursor: Cursor): string | undefined {
  const date = text(cursor);
  if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) return undefined;
  if (isCalendarDate(date)) return date;
  complain(cursor, "expected a day that the calendar has");
  return undefined;
}

/** A map of what a reader gives for each entry; entries without a result are left out. Undefined when there is no map. */
export function mapOf<T>(cursor: Cursor, read: (cursor: Cursor, key: string) => T | undefined): Readonly<Record<string, T>> | undefined {
  if (!isRecord(cursor.value)) return undefined;
  const pairs = entries(cursor).flatMap(([key, entry]) => {
    const result = read(entry, key);
    return result === undefined ? [] : [[key, result] as const];
  });
  return Object.fromEntries(pairs);
}

/** An object without its undefined members. */
export function defined<T extends object>(members: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
