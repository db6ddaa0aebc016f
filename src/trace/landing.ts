import { readFileSync } from "node:fs";
import type { Excerpt, Location, Related } from "../findings.js";
import type { Place } from "../manifest/place.js";
import type { Range } from "../manifest/types.js";
import type { RenderJob } from "../plan.js";
import { keyOf, pathText, type ValuePath } from "./bindings.js";
import type { Cause, Mover } from "./cause.js";
import { excerptOfText, excerptOfValues } from "./excerpt.js";
import { chainOf, type Layer, nearestAncestor, type Setting } from "./layers.js";
import { sameScalar, valueAt } from "./leaves.js";
import { scalarLine } from "./scalar-line.js";
import { isSecretPath } from "./secrets.js";
import { findInConfig } from "./set-flags.js";
import { onlyLine } from "./text-lines.js";

/** The line that decides about a value. */
export interface Landing {
  readonly path: ValuePath;
  readonly how: Mover["how"];
  /** Absolute file; undefined when only a flag of the command line sets the value. */
  readonly file?: string;
  readonly range: Range;
  readonly exact: boolean;
  /** Whether the range is that of a scalar (or of a line of it), so that another can be written in its place. */
  readonly isScalar: boolean;
  /** Where the text starts whose line this is; 1-based. */
  readonly header?: number;
  /** How high its layer is; what a user wrote for the environment is higher than the chart's defaults. */
  readonly rank: number;
  /** The flag that sets it: `--set image.tag`. */
  readonly flag?: string;
  /** Layers below that also set it, highest first. */
  readonly overridden: readonly Setting[];
  /** Nothing sets the value: the line is that of an ancestor. */
  readonly missing: boolean;
  excerpt(of?: string): Excerpt | undefined;
}

const nowhere: Range = { line: 1, column: 1, endLine: 1, endColumn: 2 };

/**
 * Where the movers of a field are written, the likeliest to be edited first: a plain copy before arithmetic, of the parts of a text the one
 * that is called like the field, overlays before the chart.
 */
export function landingsOf(cause: Cause, at: Place, layers: readonly Layer[], values: unknown, job: RenderJob): readonly Landing[] {
  const order = ["copy", "whole", "unset", "change"];
  const key = at.path.findLast((step) => typeof step === "string");
  const isOther = ({ how, path }: Landing) => Number(how === "copy" && path.at(-1) !== key);
  return cause.movers
    .flatMap((mover, index) => {
      const landing = landOn(mover, layers, values, job);
      return landing === undefined ? [] : [{ landing, index }];
    })
    .sort(
      ({ landing: a, index }, { landing: b, index: other }) =>
        order.indexOf(a.how) - order.indexOf(b.how) || isOther(a) - isOther(b) || b.rank - a.rank || index - other,
    )
    .map(({ landing }) => landing);
}

/** Where one mover is written; undefined when no layer says what helm says. */
function landOn({ path, how, line }: Mover, layers: readonly Layer[], values: unknown, job: RenderJob): Landing | undefined {
  const chain = chainOf(layers, path);
  const winner = chain.at(-1);
  const rank = winner === undefined ? -1 : layers.indexOf(winner.layer);
  const base = { path, how, rank, overridden: chain.slice(0, -1).toReversed(), missing: false, isScalar: false };
  if (winner?.layer.kind === "flag") return landOnFlag(base, winner.layer, job);
  if (winner?.layer.kind === "packed") {
    const { file, range } = winner.layer;
    return { ...base, file, range, exact: false, excerpt: (of) => excerptOfText(readFileSync(file, "utf8"), range, of) };
  }
  if (winner !== undefined && winner.found?.state === "set") {
    const { values: file } = winner.layer;
    const { range: whole, key, node, value } = winner.found;
    const isUnset = how === "unset" && (value === null || isEmpty(value));
    if (!isUnset && !same(value, valueAt(values, path))) return undefined;
    const inside = line ?? (typeof value === "string" ? onlyLine(value) : undefined);
    const range = (whole === key && inside !== undefined ? scalarLine(file, node, inside) : undefined) ?? whole;
    const header = range === whole ? {} : { header: key.line };
    return {
      ...base,
      ...header,
      file: file.file,
      range,
      exact: true,
      isScalar: range !== key,
      excerpt: (of) => excerptOfValues(file, range, of),
    };
  }
  const ancestor = how === "unset" ? nearestAncestor(layers, path) : undefined;
  if (ancestor === undefined) return undefined;
  const { values: file, range } = ancestor;
  return {
    ...base,
    file: file.file,
    range,
    exact: false,
    missing: true,
    rank: layers.indexOf(ancestor.layer),
    excerpt: (of) => excerptOfValues(file, range, of),
  };
}

type Base = Pick<Landing, "path" | "how" | "rank" | "overridden" | "missing" | "isScalar">;

/** A flag of the config stands on a line of it; one of the command line on none. */
function landOnFlag(base: Base, { flag }: Extract<Layer, { kind: "flag" }>, job: RenderJob): Landing {
  const named = { ...base, flag: `${flag.flag} ${pathText(base.path)}` };
  if (job.origin === undefined) return { ...named, range: nowhere, exact: false, excerpt: () => undefined };
  const { file, line, column } = job.origin;
  const text = readFileSync(file, "utf8");
  const found = findInConfig(text, { line, column }, base.path);
  const range = found ?? { line, column, endLine: line, endColumn: column + 1 };
  return {
    ...named,
    file,
    range,
    exact: found !== undefined,
    isScalar: found !== undefined,
    excerpt: (of) => excerptOfText(text, range, of),
  };
}

/** Whether a layer says what helm says of a value. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a === "object" || typeof b === "object") return keyText(a) === keyText(b);
  return sameScalar(a, b);
}

/** A mapping can get more keys from other layers, so of two mappings only the kind is compared. */
function keyText(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  return typeof value === "object" && value !== null ? "mapping" : JSON.stringify(value ?? null);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** A landing as the location of a finding. */
export function locationOf(landing: Landing & { readonly file: string }, reportPath: (file: string) => string): Location {
  return { file: reportPath(landing.file), ...landing.range, exact: landing.exact };
}

/** The lower layers of a value: `overridden: chart default 5`. */
export function overriddenBy(landing: Landing, reportPath: (file: string) => string): readonly Related[] {
  return landing.overridden.flatMap(({ layer, found }) => {
    if (layer.kind === "flag" || layer.kind === "packed" || found?.state !== "set") return [];
    const { line, column } = found.range;
    const what = layer.kind === "chart" ? "chart default" : "overlay";
    return [{ file: reportPath(layer.values.file), line, column, message: `overridden: ${what}${shown(landing.path, found.value)}` }];
  });
}

/** A value to be shown behind a word: ` 5`, or nothing when it may be secret or is no scalar. */
export function shown(path: ValuePath, value: unknown): string {
  if (value === undefined || (typeof value === "object" && value !== null)) return "";
  if (isSecretPath(path) && typeof value === "string") return "";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? ` ${text.slice(0, 59)}…` : ` ${text}`;
}

/** Equal for landings on the same line. */
export function lineKey(landing: Landing): string {
  return keyOf([landing.file ?? "", landing.range.line]);
}

/** One entry a line, and none for the line that the finding is on. */
export function distinct(related: readonly Related[], location: Location | undefined): readonly Related[] {
  const seen = new Set(location === undefined ? [] : [`${location.line} ${location.file}`]);
  return related.filter(({ file, line }) => {
    const key = `${line} ${file}`;
    return !seen.has(key) && seen.add(key);
  });
}
