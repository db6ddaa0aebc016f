import { Scalar } from "yaml";

/**
 * Where the characters of a scalar's value stand in a YAML text, in offsets; one more for the end. Exact but for white space, which YAML folds:
 * that stands where its run begins.
 */
export function characterOffsets(text: string, scalar: Scalar): readonly number[] {
  const value = String(scalar.value);
  const [start = 0, end = text.length] = scalar.range ?? [];
  const { type } = scalar;
  const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
  const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
  let at = isBlock ? text.indexOf("\n", start) + 1 : start + (isQuoted ? 1 : 0);
  const offsets: number[] = [];
  let i = 0;
  while (i < value.length) {
    const begin = at;
    at = skipSpace(text, at, type === Scalar.QUOTE_DOUBLE);
    while (i < value.length && /\s/.test(value.charAt(i))) {
      offsets.push(Math.min(begin, end));
      i++;
    }
    if (i === value.length) break;
    offsets.push(Math.min(at, end));
    at += widthAt(text, at, type);
    i++;
  }
  offsets.push(Math.min(at, end));
  return offsets;
}

const space = /\s*/y;
/** White space, lines that go on in the next one, and escapes that are white space. */
const escapedSpace = /(?:\s|\\(?:\r?\n|[ntrvf_LP \t]|x(?:20|0[9a-dA-D]|[aA]0)|u00(?:20|0[9a-dA-D]|[aA]0)))*/y;

function skipSpace(text: string, from: number, escapes: boolean): number {
  const pattern = escapes ? escapedSpace : space;
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}

/** How many characters of the text write one of the value. */
function widthAt(text: string, at: number, type: Scalar["type"]): number {
  if (type === Scalar.QUOTE_SINGLE) return text[at] === "'" ? 2 : 1;
  if (type !== Scalar.QUOTE_DOUBLE || text[at] !== "\\") return 1;
  const wide = { x: 4, u: 6, U: 10 } as const;
  const kind = text[at + 1] ?? "";
  return kind === "x" || kind === "u" || kind === "U" ? wide[kind] : 2;
}
