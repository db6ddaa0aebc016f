import { type Action, isIndenting, pairActions, readActions } from "./actions.js";
import { lineBreaks } from "./follow.js";
import { beginningOf, closeQuote, flowDepth, lineNumbers, printed, restOf, splitLines, type TemplateLine } from "./lines.js";
import { blockEdits, type Edit, headerEdits, keyEdits, type Template } from "./spots.js";

/** A template whose lines say in the render where they come from. */
export interface MarkedTemplate {
  readonly text: string;
  /** The marked lines (1-based): one that starts a key or list element, or one whose action prints a block. */
  readonly lines: ReadonlyMap<number, "key" | "action">;
}

/** What a line leaves open. `indent`: only deeper lines belong to it. */
type Open =
  | { readonly kind: "block" | "plain"; readonly indent: number }
  | { readonly kind: "quoted"; readonly quote: string }
  | { readonly kind: "flow"; readonly depth: number };

/** What becomes of a line. */
interface Made {
  readonly edits: readonly Edit[];
  readonly kind: "key" | "action";
  readonly open?: Open;
}

/**
 * Writes a trailing comment with file and line behind each line of a template that starts a YAML key or list element, and around each
 * action that prints a block of lines. Lines of which it is not certain that a comment may stand there are left alone.
 */
export function markTemplate(text: string, file: number): MarkedTemplate {
  const marked = new Map<number, "key" | "action">();
  const template = holdsOnlyDefinitions(text) ? undefined : readTemplate(text);
  if (template === undefined) return { text, lines: marked };
  const edits: Edit[] = [];
  const numberAt = lineNumbers(text);
  let open: Open | undefined;
  for (const [index, line] of template.lines.entries()) {
    const { shape } = line;
    const start = shape.search(/\S/);
    if (line.isBoundary || /^(?:---|\.\.\.)(?:\s|$)/.test(shape)) open = undefined;
    if (line.isBoundary || start === -1) continue;
    if (open !== undefined) {
      const isInside = belongsTo(open, shape, start);
      if (isInside) open = goOn(open, shape);
      if (isInside) continue;
      open = undefined;
    }
    if (shape[start] === "#" || shape[start] === "\t") continue;
    const number = numberAt(line.offsets[start] ?? 0);
    const made = isLoneAction(shape)
      ? markAction(template, line, { file, line: number })
      : markKey(template, index, { file, line: number });
    open = made?.open;
    if (made === undefined || made.edits.length === 0) continue;
    edits.push(...made.edits);
    marked.set(number, made.kind);
  }
  return { text: apply(text, edits), lines: marked };
}

function readTemplate(text: string): Template | undefined {
  const actions = readActions(text);
  const pairing = actions === undefined ? undefined : pairActions(actions);
  if (actions === undefined || pairing === undefined) return undefined;
  const lines = splitLines(text, actions, pairing);
  const breaks = lineBreaks(text, actions, pairing);
  return { text, actions, breaks, lines };
}

/** Their descriptions are long, and nobody looks for faults in them. */
function holdsOnlyDefinitions(text: string): boolean {
  const kinds = text.match(/^kind:.*$/gm) ?? [];
  return kinds.length > 0 && kinds.every((kind) => /^kind:\s*["']?CustomResourceDefinition\b/.test(kind));
}

function isLoneAction(shape: string): boolean {
  return (
    shape
      .trim()
      .replace(/\s#.*$/, "")
      .trimEnd() === printed
  );
}

function belongsTo(open: Open, shape: string, start: number): boolean {
  if (open.kind === "quoted" || open.kind === "flow") return true;
  // what an action prints in a block scalar is indented by the action
  return start > open.indent || (open.kind === "block" && /^[\s\u0001]+$/.test(shape));
}

function goOn(open: Open, shape: string): Open | undefined {
  if (open.kind === "quoted") return closeQuote(shape, 0, open.quote) === undefined ? open : undefined;
  if (open.kind !== "flow") return open.kind === "plain" ? (blockIn(shape) ?? open) : open;
  const depth = flowDepth(shape, open.depth);
  return depth === 0 ? undefined : { kind: "flow", depth };
}

/** What looks like a plain scalar may be none, and hold a block scalar. */
function blockIn(shape: string): Open | undefined {
  const beginning = beginningOf(shape);
  return beginning !== undefined && restOf(beginning.value).kind === "block" ? { kind: "block", indent: beginning.indent } : undefined;
}

function markAction(template: Template, line: TemplateLine, at: { file: number; line: number }): Made {
  return { edits: blockEdits(template, line, at), kind: "action" };
}

function markKey(template: Template, index: number, at: { file: number; line: number }): Made | undefined {
  const line = template.lines[index];
  if (line === undefined) return undefined;
  const beginning = beginningOf(line.shape);
  if (beginning === undefined) {
    const rest = restOf(line.shape.trim());
    return rest.kind === "flow" ? { edits: [], kind: "key", open: rest } : undefined;
  }
  const { indent, value, valueAt } = beginning;
  const rest = restOf(value);
  if (rest.kind === "quoted" || rest.kind === "flow") return { edits: [], kind: "key", open: rest };
  if (rest.kind === "odd") return { edits: [], kind: "key", ...(/^[|>]/.test(value) && { open: { kind: "block", indent } }) };
  if (rest.kind === "block") {
    const edits = value.includes(printed) ? headerEdits(template, line, valueAt, at) : keyEdits(template, line, valueAt, at);
    return { edits, kind: "key", open: { kind: "block", indent } };
  }
  if (rest.kind === "plain" && mayGoOn(template, index, indent, value)) return { edits: [], kind: "key", open: { kind: "plain", indent } };
  return { edits: keyEdits(template, line, valueAt, at), kind: "key" };
}

/** Whether the next line that holds something may be a part of a plain scalar. */
function mayGoOn({ lines, actions }: Template, index: number, indent: number, value: string): boolean {
  const line = lines[index];
  if (line !== undefined && isLoneAction(value) && printsLines(outputOf(line, actions))) return false;
  for (let at = index + 1; at < lines.length; at++) {
    const next = lines[at];
    if (next === undefined || next.isBoundary) return false;
    const start = next.shape.search(/\S/);
    if (start === -1 || next.shape[start] === "#") continue;
    if (isLoneAction(next.shape) && printsLines(outputOf(next, actions))) return false;
    return start > indent;
  }
  return false;
}

function outputOf({ actions: [from, to] }: TemplateLine, actions: readonly Action[]): Action | undefined {
  return actions.slice(from, to).find((action) => action.kind === "output");
}

function printsLines(action: Action | undefined): boolean {
  return action !== undefined && isIndenting(action);
}

function apply(text: string, edits: readonly Edit[]): string {
  let from = 0;
  let result = "";
  for (const edit of edits) {
    result += text.slice(from, edit.at) + edit.text;
    from = edit.at + (edit.cut ?? 0);
  }
  return result + text.slice(from);
}
