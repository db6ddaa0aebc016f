import type { Excerpt } from "../findings.js";
import { visibleCharacter } from "./escape.js";
import { displayWidth, graphemes } from "./width.js";

/** A source line as it is shown, and the columns (0-based, in terminal cells) that its mark covers. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  readonly mark?: { readonly from: number; readonly length: number };
}

interface Cell {
  readonly text: string;
  readonly from: number;
  readonly width: number;
}

function cellsOf(line: string): { cells: Cell[]; columnAt: (offset: number) => number } {
  const cells: Cell[] = [];
  const offsets: number[] = [];
  let offset = 0;
  let from = 0;
  for (const character of graphemes(line)) {
    const text = [...character].map(visibleCharacter).join("");
    const width = displayWidth(text);
    offsets.push(offset);
    cells.push({ text, from, width });
    offset += character.length;
    from += width;
  }
  const columnAt = (wanted: number) => {
    const index = offsets.findLastIndex((start) => start <= wanted);
    const cell = cells[index];
    if (cell === undefined || wanted >= offset) return from + Math.max(0, wanted - offset);
    return cell.from;
  };
  return { cells, columnAt };
}

/** Cuts cells to `width` columns around [from, from + length); what is left out shows as `…`. */
function cut(cells: readonly Cell[], width: number, from: number, length: number): { text: string; shift: number } {
  const last = cells.at(-1);
  const total = last === undefined ? 0 : last.from + last.width;
  if (total <= width) return { text: cells.map((cell) => cell.text).join(""), shift: 0 };
  const room = width - 2;
  const centred = from + Math.floor(Math.min(length, room) / 2) - Math.floor(room / 2);
  const begin = from + length <= width - 1 ? 0 : Math.max(0, Math.min(from, centred, total - room));
  const kept = cells.filter((cell) => cell.from >= begin && cell.from + cell.width <= begin + room);
  const first = kept[0]?.from ?? begin;
  const head = begin > 0 ? "…" : "";
  const end = kept.at(-1);
  const tail = end !== undefined && end.from + end.width < total ? "…" : "";
  return { text: head + kept.map((cell) => cell.text).join("") + tail, shift: first - head.length };
}

/** The lines of an excerpt: unseen characters written out, tabs as four spaces, lines longer than `width` columns cut around the mark. */
export function showExcerpt(excerpt: Excerpt, width: number): readonly ShownLine[] {
  return excerpt.lines.map((line, index) => {
    const number = excerpt.from + index;
    const { cells, columnAt } = cellsOf(line);
    const mark = excerpt.mark?.line === number ? excerpt.mark : undefined;
    const from = mark === undefined ? 0 : columnAt(mark.column - 1);
    const length = mark === undefined ? 0 : Math.max(1, columnAt(mark.endColumn - 1) - from);
    const { text, shift } = cut(cells, width, from, length);
    if (mark === undefined) return { number, text: text.trimEnd() };
    const room = Math.max(1, displayWidth(text) - (from - shift));
    return { number, text: text.trimEnd(), mark: { from: from - shift, length: Math.min(length, room) } };
  });
}
