import { relative, sep } from "node:path";
import type { Excerpt, Finding, Location, Note, Related } from "../findings.js";
import type { Place } from "../manifest/place.js";
import { isMapping } from "../manifest/tree.js";
import { pathText } from "./bindings.js";
import { excerptOfText, readText } from "./excerpt.js";
import { distinct, type Landing, locationOf, overriddenBy, shown } from "./landing.js";
import { valueAt } from "./leaves.js";
import type { Traced, Tracing } from "./tracing.js";
import type { TemplateOrigin } from "./types.js";

/** Where a finding points and what else is shown of it. */
export type Pointed = Pick<Finding, "related" | "excerpts" | "notes" | "writtenAt"> & {
  readonly location?: Location;
  readonly fixes: boolean;
  /** It points at the template because the renders ran out. */
  readonly cut: boolean;
};

type Landed = Landing & { readonly file: string };

const mostRelated = 8;

/**
 * The values line that won; of a field that is not rendered the values line of the first place that the proof used; else the template line.
 * A field that is a whole object is written by its template line, unless it is an element of a list that the values hold as it is.
 */
export function pointAt(finding: Finding, tracing: Tracing, reportPath: (file: string) => string): Pointed {
  const traced = finding.at === undefined ? undefined : tracing.of(finding.at);
  if (traced === undefined) return { related: [], excerpts: [], notes: finding.notes, fixes: false, cut: false };
  const { archive } = tracing;
  // what is in an archive is no place of the repository
  const origin = archive === undefined ? traced.origin : undefined;
  const own = traced.landings.filter(isLanded);
  const isObject = isMapping(traced.value) && !isWholeElement(traced, own[0]);
  // a switch that would render the field is further from the cause than what the proof used
  const settles = traced.isRendered || own.some(({ how }) => how !== "change");
  const instead = settles ? undefined : firstUsed(finding, tracing);
  const primary = (isObject || isMostlyTemplate(traced, own, tracing)) && traced.origin !== undefined ? undefined : (instead ?? own[0]);
  const flag = traced.landings.find(({ file, flag }) => flag !== undefined && file === undefined)?.flag;
  const related: Related[] = [];
  const excerpts: Excerpt[] = [];
  if (primary !== undefined) {
    push(excerpts, primary.excerpt());
    related.push(...overriddenBy(primary, reportPath));
    if (primary.missing && archive === undefined) related.push(...defaultsOf(primary, tracing, reportPath));
  }
  if (origin !== undefined) {
    const file = reportPath(origin.file);
    push(excerpts, excerptOfTemplate(origin, primary === undefined ? undefined : file));
    if (primary !== undefined) related.push({ file, line: origin.line, column: origin.column, message: describeOrigin(traced, origin) });
    if (origin.include !== undefined)
      related.push({ file: reportPath(origin.include.file), line: origin.include.line, column: 1, message: "includes the helper" });
  }
  for (const landing of own) {
    if (landing === primary) continue;
    const { file, range, path } = landing;
    related.push({
      file: reportPath(file),
      line: range.line,
      column: range.column,
      message: `moved by ${pathText(path)}${shown(path, valueAt(tracing.values, path))}`,
    });
  }
  related.push(...becauseOf(finding, tracing, reportPath));
  const location =
    primary !== undefined ? locationOf(primary, reportPath) : origin === undefined ? undefined : templateLocation(origin, reportPath);
  return {
    ...(location !== undefined && { location }),
    related: distinct(related, location).slice(0, mostRelated),
    excerpts,
    writtenAt: writtenAt(location, primary === undefined ? own : [primary, ...own], origin, reportPath),
    notes: [
      ...finding.notes,
      ...(flag === undefined ? [] : [{ label: "where", text: `the value comes from ${flag}` }]),
      ...(archive === undefined || traced.origin === undefined ? [] : [insideOf(archive, traced, traced.origin)]),
    ],
    cut: primary === undefined && traced.cause.cut,
    // the right value is that of the field, not of what it is computed from
    fixes:
      primary === undefined ? origin?.kind === "key" : primary === own[0] && primary.how === "copy" && primary.exact && primary.isScalar,
  };
}

/** Whether most of a text is written by the template: of `/hub/health` made from a base path `/`, nobody would edit the base path. */
function isMostlyTemplate({ value, origin }: Traced, own: readonly Landed[], tracing: Tracing): boolean {
  if (typeof value !== "string" || origin?.exact !== true || own.length === 0) return false;
  const texts = own.map(({ path }) => valueAt(tracing.values, path));
  // a switch is no part of the text, and is what one would edit
  if (!texts.every((text) => typeof text === "string" && text.trim() !== "" && value.includes(text.trim()))) return false;
  const shares = texts.map((text) => String(text).trim().length);
  return shares.reduce((sum, length) => sum + length, 0) * 2 < value.length;
}

/** The line that is pointed at, and every line of which it was seen that it writes the field. */
function writtenAt(
  location: Location | undefined,
  landings: readonly Landed[],
  origin: TemplateOrigin | undefined,
  reportPath: (file: string) => string,
): NonNullable<Finding["writtenAt"]> {
  const places = [
    ...landings
      .filter(({ exact }) => exact)
      .flatMap(({ file, range, header = range.line }) => [range.line, header].map((line) => ({ file, line }))),
    ...(origin?.exact === true ? [origin] : []),
    ...(origin?.include === undefined ? [] : [origin.include]),
  ];
  const shown = location === undefined ? [] : [{ file: location.file, line: location.line }];
  const lines = [...shown, ...places.map(({ file, line }) => ({ file: reportPath(file), line }))];
  return [...new Map(lines.map((place) => [`${place.line} ${place.file}`, place])).values()];
}

/** Whether the values hold the whole element of a list; lists are not merged, so all of it is in one file. */
function isWholeElement({ at }: Traced, landing: Landing | undefined): boolean {
  return landing?.how === "whole" && typeof at.path.at(-1) === "object";
}

/** The line of the values that the field is taken from as it is. */
function copiedFrom(traced: Traced): Landed | undefined {
  return traced.landings.filter(isLanded).find((landing) => landing.how === "copy" || isWholeElement(traced, landing));
}

function isLanded(landing: Landing): landing is Landed {
  return landing.file !== undefined;
}

function firstUsed(finding: Finding, tracing: Tracing): Landed | undefined {
  for (const { at } of finding.because) {
    const traced = at === undefined ? undefined : tracing.of(at);
    const landing = traced === undefined ? undefined : copiedFrom(traced);
    if (landing !== undefined) return landing;
  }
  return undefined;
}

function templateLocation({ file, line, column, endColumn, exact }: TemplateOrigin, reportPath: (file: string) => string): Location {
  return { file: reportPath(file), line, column, endLine: line, endColumn, exact };
}

function excerptOfTemplate({ file, line, column, endColumn, text }: TemplateOrigin, of: string | undefined): Excerpt {
  const range = { line, column, endLine: line, endColumn };
  return excerptOfText(readText(file) ?? `${"\n".repeat(line - 1)}${text}`, range, of);
}

function describeOrigin({ isRendered, at }: Traced, { exact, kind }: TemplateOrigin): string {
  if (!isRendered) return `${lastKeys(at)} is not rendered`;
  if (!exact) return "rendered below this line";
  return kind === "action" ? "rendered by this action" : "rendered by";
}

/** The template line of a packed chart, in words. */
function insideOf(archive: string, { isRendered, at }: Traced, { file, line, exact }: TemplateOrigin): Note {
  const verb = isRendered ? `rendered ${exact ? "by" : "below"}` : `${lastKeys(at)} is not rendered, and belongs below`;
  return { label: "where", text: `${verb} ${relative(archive, file).split(sep).join("/")}:${line} in the archive` };
}

function lastKeys(at: Place): string {
  const [first, ...rest] = at.field.split(".").slice(-2);
  return [first, ...rest].join(".");
}

/** What is taken in place of a value that is not set, and where the template says so. */
function defaultsOf(landing: Landing, tracing: Tracing, reportPath: (file: string) => string): readonly Related[] {
  const literal = tracing.defaultOf(landing.path);
  if (literal === undefined) return [];
  const text = /^-?\d+(?:\.\d+)?$/.test(literal.literal) ? literal.literal : JSON.stringify(literal.literal);
  return [
    { file: reportPath(literal.file), line: literal.line, column: 1, message: `${pathText(landing.path)} is not set; default ${text}` },
  ];
}

/** The places that the proof used, where their own values are written. */
function becauseOf(finding: Finding, tracing: Tracing, reportPath: (file: string) => string): readonly Related[] {
  return finding.because.flatMap(({ term, value, unit, at }): Related[] => {
    const traced = at === undefined ? undefined : tracing.of(at);
    if (traced === undefined || !traced.isRendered) return [];
    const message = `${term} ${value}${unit ?? ""}`;
    const landing = copiedFrom(traced);
    if (landing !== undefined) return [{ file: reportPath(landing.file), line: landing.range.line, column: landing.range.column, message }];
    const { origin } = traced;
    return origin?.exact === true && tracing.archive === undefined
      ? [{ file: reportPath(origin.file), line: origin.line, column: origin.column, message }]
      : [];
  });
}

function push(excerpts: Excerpt[], excerpt: Excerpt | undefined): void {
  if (excerpt !== undefined) excerpts.push(excerpt);
}
