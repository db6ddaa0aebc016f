import { readdirSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nearest } from "../spelling.js";
import { matchesName } from "../subject.js";
import { quote } from "./complaints.js";
import { type Cursor, complain, text } from "./cursor.js";
import { hasWildcard } from "./glob.js";

const maxDepth = 32;

/** The stat of a path, or undefined when there is nothing that can be looked at. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** The absolute path of a file that the config names relative to `folder`; complains when it is missing or a folder. */
export function namedFile(cursor: Cursor, folder: string, what: string): string | undefined {
  const given = text(cursor);
  if (given === undefined || given === "") return undefined;
  const file = resolve(folder, given);
  const stat = statOf(file);
  if (stat === undefined) complain(cursor, noSuchFile(file, given, what));
  if (stat?.isDirectory()) complain(cursor, `a folder, expected ${what}`);
  return file;
}

/** The second half of a complaint about a missing file, with the nearest name in its folder. */
export function noSuchFile(file: string, given: string, what: string): string {
  const near = nearest(basename(file), listing(dirname(file)));
  const hint = near === undefined ? `, expected ${what}, relative to the config` : `, did you mean ${quote(join(dirname(given), near))}?`;
  return `no such file${hint}`;
}

function listing(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The absolute, sorted paths of the files that a glob of the config names. `*` stays in its folder, `**` does not; braces hold no `/`. */
export function filesOf(pattern: string, folder: string): readonly string[] {
  if (!hasWildcard(pattern)) return statOf(resolve(folder, pattern))?.isFile() === true ? [resolve(folder, pattern)] : [];
  const [first = "", ...rest] = pattern.split("/");
  const found = first === "" ? walk("/", rest, 0) : walk(folder, [first, ...rest], 0);
  return [...new Set(found)].sort();
}

function walk(folder: string, segments: readonly string[], depth: number): readonly string[] {
  const [first, ...rest] = segments;
  if (first === undefined || depth > maxDepth) return [];
  if (first === "" || first === ".") return walk(folder, rest, depth);
  if (!hasWildcard(first)) return step(join(folder, first), rest, depth);
  const names = listing(folder).filter((name) => name.startsWith(".") === first.startsWith("."));
  if (first !== "**") return names.filter((name) => matchesName(first, name)).flatMap((name) => step(join(folder, name), rest, depth));
  const below = names.filter((name) => name !== "node_modules").map((name) => join(folder, name));
  return [
    ...walk(folder, rest, depth + 1),
    ...below.filter((path) => statOf(path)?.isDirectory()).flatMap((path) => walk(path, segments, depth + 1)),
  ];
}

function step(path: string, rest: readonly string[], depth: number): readonly string[] {
  const stat = statOf(path);
  if (rest.length === 0) return stat?.isFile() ? [path] : [];
  return stat?.isDirectory() ? walk(path, rest, depth + 1) : [];
}
