import { readFileSync } from "node:fs";
import type { Excerpt } from "../findings.js";
import type { Range } from "../manifest/types.js";
import { maskLines } from "../secret-names.js";
import { maskedLines } from "./secrets.js";
import type { ValuesFile } from "./values-file.js";

/** Lines around a range of a values file; secrets are left out, and the mark is dropped when what it stands under is one. */
export function excerptOfValues(values: ValuesFile, range: Range, of?: string): Excerpt {
  const lines = maskedLines(values);
  const isShown = lines[range.line - 1] === values.text.split(/\r?\n/)[range.line - 1];
  return excerptOf(lines, range, 2, isShown, of);
}

/** Lines around a range of any other text of the repository. */
export function excerptOfText(text: string, range: Range, of?: string): Excerpt {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const masked = maskLines(lines);
  return excerptOf(masked, range, 1, masked[range.line - 1] === lines[range.line - 1], of);
}

/** The text of a file that may be gone by now. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Lines above that belong to the marked one, and one below when there are fewer than two. */
function excerptOf(lines: readonly string[], range: Range, above: number, isShown: boolean, of: string | undefined): Excerpt {
  const index = Math.min(range.line, lines.length) - 1;
  const own = lines[index] ?? "";
  let first = index;
  while (index - first < above && belongs(lines[first - 1], own)) first--;
  const last = index - first < 2 && belongs(lines[index + 1], own) ? index + 1 : index;
  const mark = { line: range.line, column: range.column, endColumn: range.endLine === range.line ? range.endColumn : own.length + 1 };
  return { ...(of !== undefined && { of }), from: first + 1, lines: lines.slice(first, last + 1), ...(isShown && { mark }) };
}

/** Blank lines, comments, and neighbours of a key of the first level tell nothing. */
function belongs(line: string | undefined, own: string): boolean {
  return line !== undefined && line.trim() !== "" && !/^\s*#/.test(line) && !(/^\S/.test(line) && /^\S/.test(own));
}
