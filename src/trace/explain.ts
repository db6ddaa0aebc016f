import { isSecretKey } from "../secret-names.js";
import { pathText } from "./bindings.js";
import type { Landing } from "./landing.js";
import { valueAt } from "./leaves.js";
import { isSecretPath } from "./secrets.js";
import { mostRenders, type Traced, type Tracing } from "./tracing.js";

/** A line of a file, as reports name it; 1-based. */
export interface FileLine {
  readonly file: string;
  readonly line: number;
}

/** Why a field is what it is. */
export interface Explanation {
  readonly environment: string;
  /** `Deployment/web`. */
  readonly object: string;
  readonly field: string;
  readonly rendered: boolean;
  /** Secrets as `***`; absent when the field is not rendered. */
  readonly value?: unknown;
  /** `exact` is false when only the line of an ancestor is known. */
  readonly template?: FileLine & { readonly exact: boolean; readonly includedAt?: FileLine };
  readonly movedBy: readonly MovedBy[];
  /** Values that were changed while the field stayed as it was. */
  readonly notMovedBy: readonly string[];
  /** The renders ran out before all values were tried, and none was seen to move the field. */
  readonly cut?: true;
}

/** A value that was seen to move the field, and where it is written. */
export interface MovedBy extends Partial<FileLine> {
  readonly path: string;
  readonly value?: unknown;
  /** `copy`, `whole`, `unset` (would be shown), `change` (the field is computed from it). */
  readonly how: Landing["how"];
  /** The flag that sets it. */
  readonly flag?: string;
  /** What a template takes when the value is not set. */
  readonly default?: string;
  readonly overrides: readonly (FileLine & { readonly value?: unknown })[];
}

const mask = "***";

/** Puts what was traced of a field into words for a person who asks why. */
export function explainField(traced: Traced, tracing: Tracing, environment: string, reportPath: (file: string) => string): Explanation {
  const { at, origin, isRendered, value } = traced;
  const isSecret = at.object.kind === "Secret" || isSecretKey(at.field.split(".").slice(-2).join("."));
  const include = origin?.include;
  return {
    environment,
    object: at.subject,
    field: at.field,
    rendered: isRendered,
    ...(isRendered && { value: isSecret && typeof value !== "number" && typeof value !== "boolean" ? mask : value }),
    ...(origin !== undefined && {
      template: {
        file: reportPath(origin.file),
        line: origin.line,
        exact: origin.exact,
        ...(include !== undefined && { includedAt: { file: reportPath(include.file), line: include.line } }),
      },
    }),
    movedBy: traced.landings.map((landing) => movedBy(landing, tracing, reportPath)),
    notMovedBy: traced.cause.still.map(pathText),
    ...(traced.cause.cut && { cut: true }),
  };
}

function movedBy(landing: Landing, tracing: Tracing, reportPath: (file: string) => string): MovedBy {
  const { path, how, file, range, flag } = landing;
  const hide = (value: unknown) => (isSecretPath(path) && typeof value === "string" ? mask : value);
  const value = valueAt(tracing.values, path);
  const literal = how === "unset" ? tracing.defaultOf(path)?.literal : undefined;
  return {
    path: pathText(path),
    ...(value !== undefined && { value: hide(value) }),
    how,
    ...(file !== undefined && { file: reportPath(file), line: range.line }),
    ...(flag !== undefined && { flag }),
    ...(literal !== undefined && { default: literal }),
    overrides: landing.overridden.flatMap(({ layer, found }) => {
      if (layer.kind === "flag" || layer.kind === "packed" || found?.state !== "set") return [];
      return [{ value: hide(found.value), file: reportPath(layer.values.file), line: found.range.line }];
    }),
  };
}

/** The text of an explanation: value and template line, `moved by`, `not moved by`. */
export function formatExplanation(explanation: Explanation): string {
  const { rendered, value, template, movedBy: movers, notMovedBy, cut } = explanation;
  const place = template === undefined ? "" : `${template.file}:${template.line}`;
  const included = template?.includedAt === undefined ? "" : `, included at ${template.includedAt.file}:${template.includedAt.line}`;
  const verb = !rendered ? "would stand below" : template?.exact === false ? "written below" : "written by";
  const head = `${rendered ? shown(value) : "not rendered"}${place === "" ? "" : `   = ${verb}  ${place}${included}`}`;
  const rows = movers.map((mover) => [mover.path, valueText(mover), whereText(mover), overridesText(mover)]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `  ${row.map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3)).join("")}`.trimEnd());
  const tried = cut === true ? ` (the ${mostRenders} renders ran out)` : "";
  const still = notMovedBy.length === 0 ? [] : ["not moved by", `  ${notMovedBy.join(", ")}`];
  return [
    head,
    ...(lines.length === 0
      ? [
          template?.exact === true && notMovedBy.length === 0 && cut !== true
            ? "no value was seen to move it"
            : `no value that was tried moves it${tried}`,
        ]
      : ["moved by", ...lines]),
    ...still,
  ].join("\n");
}

function valueText({ value, how, default: literal }: MovedBy): string {
  if (how !== "unset" || (value !== undefined && value !== null && value !== "")) return shown(value);
  return literal === undefined ? "not set" : `not set, default ${shown(literal)}`;
}

function whereText({ file, line, flag }: MovedBy): string {
  const place = file === undefined ? "" : `${file}:${line}`;
  return [flag, place].filter((text) => text !== undefined && text !== "").join(" at ");
}

function overridesText({ overrides }: MovedBy): string {
  if (overrides.length === 0) return "";
  return `overrides ${overrides.map(({ value, file, line }) => `${shown(value)} (${file}:${line})`).join(", ")}`;
}

function shown(value: unknown): string {
  const isWord = typeof value === "string" && /^[\w./:@-]+$/.test(value) && !/^(?:true|false|null|[-+]?[\d.]+)$/.test(value);
  const text = isWord ? value : JSON.stringify(value ?? null);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
