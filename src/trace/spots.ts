import { type Action, indentation, isIndenting, startsLine } from "./actions.js";
import type { LineBreaks } from "./follow.js";
import { printed, type TemplateLine } from "./lines.js";
import { type Mark, writeMark } from "./mark.js";

/** A template, read. */
export interface Template {
  readonly text: string;
  readonly actions: readonly Action[];
  readonly breaks: LineBreaks;
  readonly lines: readonly TemplateLine[];
}

/** A text to insert at an offset, in place of `cut` units. */
export interface Edit {
  readonly at: number;
  readonly text: string;
  readonly cut?: number;
}

type Spot = Omit<Mark, "kind">;

/** Marks a line that starts a key or an element; around the value when that is a block that an action prints. */
export function keyEdits(template: Template, line: TemplateLine, valueAt: number, at: Spot): readonly Edit[] {
  if (isJoined(template, line) || !isBalanced(template, line)) return [];
  const value = line.shape
    .slice(valueAt)
    .trim()
    .replace(/\s#.*$/, "")
    .trimEnd();
  const action = value === printed ? actionAt(template, line, valueAt) : undefined;
  if (action !== undefined && startsLine(action)) {
    const end = endEdit(template, line, { kind: "end", ...at });
    const start = ` ${writeMark({ kind: end === undefined ? "own" : "begin", ...at })}`;
    return [{ at: action.start, text: start }, ...(end === undefined ? [] : [end])];
  }
  const end = endEdit(template, line, { kind: "own", ...at });
  return end === undefined ? [] : [end];
}

/** Marks a line whose value is a block scalar that an action prints: `key: |{{ .Values.text | nindent 2 }}`. */
export function headerEdits(template: Template, line: TemplateLine, valueAt: number, at: Spot): readonly Edit[] {
  const action = actionAt(template, line, line.shape.indexOf(printed, valueAt));
  if (action === undefined || !startsLine(action) || isJoined(template, line)) return [];
  return [{ at: action.start, text: ` ${writeMark({ kind: "own", ...at })}` }];
}

/** Encloses what the only action of a line prints, if that is a block of lines. */
export function blockEdits(template: Template, line: TemplateLine, at: Spot): readonly Edit[] {
  const first = line.shape.indexOf(printed);
  const action = actionAt(template, line, first);
  if (action === undefined || !printsBlock(action, line) || !isBalanced(template, line)) return [];
  const { text, actions } = template;
  const before = actions[line.actions[0] + actions.slice(...line.actions).indexOf(action) - 1];
  const gap = text.slice(before?.end ?? 0, action.start);
  // the comment needs a line of its own
  if (before === undefined ? !/^\uFEFF?\s*$|\n[ \t]*$/.test(gap) : before.trimRight || !/\n[ \t]*$/.test(gap)) return [];
  if (action.trimLeft && !startsLine(action)) return [];
  const end = endEdit(template, line, { kind: "end", ...at });
  if (end === undefined) return [];
  const white = /[ \t]*$/.exec(gap)?.[0] ?? "";
  // as deep as the block: in a block scalar that nobody saw, it is then text and does not end it
  const begin = " ".repeat(indentation(action) ?? white.length) + writeMark({ kind: "begin", ...at });
  const newline = text[text.indexOf("\n", action.end) - 1] === "\r" ? "\r\n" : "\n";
  const from = action.start - white.length;
  return [{ at: from, text: action.trimLeft ? begin : begin + newline + white, cut: white.length }, end];
}

/** In a named template only what indents is a block for certain: the others may be included as a part of a scalar. */
function printsBlock(action: Action, line: TemplateLine): boolean {
  return isIndenting(action) || (!line.isNamed && /\b(?:toYaml|tpl|include|template)\b/.test(action.body));
}

/** The action that prints what stands at an index of the line's shape. */
function actionAt({ actions }: Template, { shape, offsets, actions: [from, to] }: TemplateLine, index: number): Action | undefined {
  if (shape[index] !== printed) return undefined;
  const start = offsets[index];
  return actions.slice(from, to).find((action) => action.start === start);
}

/** Whether the line is printed behind the one before it, as its first action cuts the line break. */
function isJoined({ actions }: Template, { shape, offsets, actions: [from, to] }: TemplateLine): boolean {
  const start = offsets[shape.search(/\S/)] ?? 0;
  return actions.slice(from, to).some((action) => action.trimLeft && action.start <= start);
}

/** Whether no branch that begins on the line goes on below it, and none from above ends in its middle. */
function isBalanced(template: Template, line: TemplateLine): boolean {
  return contentEnd(template, line) !== undefined;
}

/** Offset behind all that the line prints, and of the first action behind that (by index); undefined when branches cut the line. */
function contentEnd({ actions }: Template, line: TemplateLine): { readonly at: number; readonly next: number } | undefined {
  const { shape, offsets } = line;
  const start = offsets[shape.search(/\S/)] ?? 0;
  const last = offsets[shape.trimEnd().length - 1] ?? 0;
  let at = last + 1;
  let depth = 0;
  let next = line.actions[0];
  for (; next < line.actions[1]; next++) {
    const action = actions[next];
    if (action === undefined || (action.start > last && depth === 0)) break;
    if (action.end <= start) continue;
    if (action.kind === "open") depth++;
    if (action.kind === "else" && depth === 0) return undefined;
    if (action.kind === "end") depth--;
    if (depth < 0) return undefined;
    at = Math.max(at, action.end);
  }
  return depth === 0 ? { at, next } : undefined;
}

/** Writes a mark behind all that the line prints; undefined when a comment could hide what follows. */
function endEdit(template: Template, line: TemplateLine, mark: Mark): Edit | undefined {
  const end = contentEnd(template, line);
  if (end === undefined || !template.breaks(end.at, end.next)) return undefined;
  const before = template.actions[end.next - 1];
  const text = ` ${writeMark(mark)}`;
  if (before === undefined || before.end !== end.at || !before.trimRight) return { at: end.at, text };
  // the action would cut the space before the comment: another one cuts in its place
  return { at: end.at - 3, text: `}}${text}{{ "" -}}`, cut: 3 };
}
