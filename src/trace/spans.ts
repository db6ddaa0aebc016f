import { type Mark, readMarks } from "./mark.js";

/** The lines (0-based, both inclusive) that the action of a template line printed. */
export interface Span extends Omit<Mark, "kind"> {
  readonly first: number;
  readonly last: number;
}

/** The marks of a rendered document, read. */
export interface MarkedLines {
  /** The template lines that a line may start on, from left to right: its own behind those of a helper that printed its value. */
  ownMarks(index: number): readonly Mark[];
  /** The actions that printed a line, the innermost first. */
  spansAt(index: number): readonly Span[];
}

/** Reads the marks of a document. */
export function readMarkedLines(lines: readonly string[]): MarkedLines {
  const own = new Map<number, readonly Mark[]>();
  const spans: Span[] = [];
  const open: { readonly mark: Mark; readonly first: number }[] = [];
  for (const [index, line] of lines.entries()) {
    const marks = readMarks(line);
    const starting = marks.filter(({ kind }) => kind !== "end");
    if (starting.length > 0 && !/^\s*#@hi/.test(line)) own.set(index, starting);
    for (const mark of marks) {
      if (mark.kind === "begin") open.push({ mark, first: index + 1 });
      if (mark.kind !== "end") continue;
      const at = open.findLastIndex(({ mark: { file, line: number } }) => file === mark.file && number === mark.line);
      const begin = open[at];
      if (begin === undefined) continue;
      open.splice(at);
      spans.push({ file: mark.file, line: mark.line, first: begin.first, last: index });
    }
  }
  return {
    ownMarks: (index) => own.get(index) ?? [],
    // spans nest, and an inner one ends first
    spansAt: (index) => spans.filter(({ first, last }) => first <= index && index <= last),
  };
}
