/**
 * A trailing comment of a marked render that names a template line. `own`: the line before it starts there; `begin` and `end` enclose the
 * lines that the action of a template line printed (a `begin` behind text is the text's own mark too).
 */
export interface Mark {
  readonly kind: "own" | "begin" | "end";
  readonly file: number;
  /** 1-based. */
  readonly line: number;
}

const signs = { own: ":", begin: "<", end: ">" } as const;
const pattern = /[ \t]*#@hi([:<>])(\d+):(\d+)@/g;
const kinds: Readonly<Record<string, Mark["kind"]>> = { ":": "own", "<": "begin", ">": "end" };

/** The text of a mark, without the space before it. */
export function writeMark({ kind, file, line }: Mark): string {
  return `#@hi${signs[kind]}${file}:${line}@`;
}

/** The marks of a line, from left to right. */
export function readMarks(line: string): readonly Mark[] {
  if (!line.includes("#@hi")) return [];
  return [...line.matchAll(pattern)].map(([, sign = "", file, number]) => ({
    kind: kinds[sign] ?? "own",
    file: Number(file),
    line: Number(number),
  }));
}

/** A text without its marks. */
export function withoutMarks(text: string): string {
  return text.replace(pattern, "");
}
