import type { Segment } from "../manifest/place.js";
import type { Includes } from "./include.js";
import type { Mark } from "./mark.js";
import type { MarkedLines } from "./spans.js";
import type { TemplateOrigin } from "./types.js";

/** The templates of a marked chart, by the numbers in its marks. */
export interface Sources {
  readonly files: readonly string[];
  /** The text of a line (1-based), without its line end. */
  lineText(file: number, line: number): string | undefined;
  readonly includes: Includes;
}

/** A line of a marked document, and of which template the document is. */
export interface Spot {
  readonly marks: MarkedLines;
  /** 0-based. */
  readonly index: number;
  readonly source: number | undefined;
}

/** What a template line is said to have written. */
export type Claim = Omit<TemplateOrigin, "exact" | "include"> & { readonly mark: Omit<Mark, "kind"> };

/** The template line that wrote the key on a rendered line; undefined when that is not certain. */
export function claimLine({ marks, index }: Spot, segment: Segment, sources: Sources): Claim | undefined {
  const own = marks.ownMarks(index).flatMap((mark) => claimMark(mark, segment, sources, true) ?? []);
  const [span] = marks.spansAt(index);
  return own.find(({ kind }) => kind === "key") ?? own.at(-1) ?? (span && claimMark(span, segment, sources, false));
}

function claimMark(mark: Omit<Mark, "kind">, segment: Segment, sources: Sources, isOwn: boolean): Claim | undefined {
  const file = sources.files[mark.file];
  const text = sources.lineText(mark.file, mark.line);
  if (file === undefined || text === undefined) return undefined;
  const written = isOwn ? keyRange(text, segment) : undefined;
  const range = written ?? actionRange(text);
  if (range === undefined) return undefined;
  return {
    file,
    line: mark.line,
    column: range[0] + 1,
    endColumn: range[1] + 1,
    kind: written === undefined ? "action" : "key",
    text,
    mark,
  };
}

type Columns = readonly [from: number, to: number];

/** Columns (0-based) of a key as the template line has it, literally or printed by an action; of a list element the whole of it. */
function keyRange(text: string, segment: Segment): Columns | undefined {
  if (typeof segment !== "string") {
    const element = /^(\s*(?:\{\{[^}]*\}\}\s*)?)-(?:\s|$)/.exec(text);
    const from = element === null ? text.indexOf("[") : (element[1]?.length ?? 0);
    return from === -1 ? undefined : [from, text.trimEnd().length];
  }
  const key = segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const literal = new RegExp(`(^|[\\s{,"'])(${key})["']?\\s*:`).exec(text);
  if (literal !== null) {
    const from = literal.index + (literal[1]?.length ?? 0);
    return [from, from + segment.length];
  }
  const computed = /^(\s*(?:-\s+)*["']?)((?:[\w./-]*\{\{(?:(?!\}\}).)*\}\})+[\w./-]*)["']?\s*:(?:\s|$)/.exec(text);
  return computed === null ? undefined : [computed[1]?.length ?? 0, (computed[1]?.length ?? 0) + (computed[2]?.length ?? 0)];
}

/** Columns (0-based) of what the first action of a line prints; of an action that goes on below up to the end of the line. */
function actionRange(text: string): Columns | undefined {
  const from = text.indexOf("{{");
  if (from === -1) return undefined;
  const end = text.indexOf("}}", from);
  return [from, end === -1 ? text.trimEnd().length : end + 2];
}

/** The line of the document's own template that includes a helper's line; undefined when that is not certain. */
export function includingLine({ marks, index, source }: Spot, mark: Omit<Mark, "kind">, sources: Sources): TemplateOrigin["include"] {
  const file = sources.files[source ?? -1];
  if (source === undefined || file === undefined || mark.file === source) return undefined;
  const span = marks.spansAt(index).find((one) => one.file === source);
  if (span !== undefined) return { file, line: span.line };
  const [line, ...others] = sources.includes.linesFor(source, mark.file, mark.line);
  return line === undefined || others.length > 0 ? undefined : { file, line };
}
