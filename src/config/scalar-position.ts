import { Scalar } from "yaml";

/**
 * Where the characters of a scalar's value stand in a YAML text, in offsets; one more for the end. Exact but for white space that YAML folds:
 * that stands where the text before it ends.
 */
export function characterOffsets(text: string, scalar: Scalar): readonly number[] {
  const value = String(scalar.value);
  const [start = 0, end = text.length] = scalar.range ?? [];
  const isBlock = scalar.type === Scalar.BLOCK_LITERAL || scalar.type === Scalar.BLOCK_FOLDED;
  const isQuoted = scalar.type === Scalar.QUOTE_DOUBLE || scalar.type === Scalar.QUOTE_SINGLE;
  let at = isBlock ? text.indexOf("\n", start) + 1 : start + (isQuoted ? 1 : 0);
  const offsets: number[] = [];
  for (let i = 0; i < value.length; i++) {
    if (scalar.type === Scalar.QUOTE_DOUBLE && isContinued(text, at)) at = skipSpace(text, at, true);
    const isSpace = /\s/.test(value.charAt(i));
    // A line break that became a space, or one that stands for two.
    if (isSpace && !/\s/.test(text.charAt(at)) && text[at] !== "\\") {
      offsets.push(Math.min(at, end));
      continue;
    }
    if (!isSpace) at = skipSpace(text, at, scalar.type === Scalar.QUOTE_DOUBLE);
    offsets.push(Math.min(at, end));
    at += widthAt(text, at, scalar.type);
  }
  offsets.push(Math.min(at, end));
  return offsets;
}

function skipSpace(text: string, from: number, escapes: boolean): number {
  let at = from;
  while (/\s/.test(text.charAt(at)) || (escapes && isContinued(text, at))) at++;
  return at;
}

/** Whether a line of a double-quoted text ends in a backslash here: the break is no character. */
function isContinued(text: string, at: number): boolean {
  return text[at] === "\\" && /[\r\n]/.test(text.charAt(at + 1));
}

/** How many characters of the text write one of the value. */
function widthAt(text: string, at: number, type: Scalar["type"]): number {
  if (type === Scalar.QUOTE_SINGLE) return text[at] === "'" ? 2 : 1;
  if (type !== Scalar.QUOTE_DOUBLE || text[at] !== "\\") return 1;
  const wide = { x: 4, u: 6, U: 10 } as const;
  const kind = text[at + 1] ?? "";
  return kind === "x" || kind === "u" || kind === "U" ? wide[kind] : 2;
}
