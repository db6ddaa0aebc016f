/** One YAML document of a render. */
export interface Piece {
  /** Text without the `---` line, but with comments; content on the `---` line itself keeps its column. */
  readonly text: string;
  /** 1-based line of the first line of `text`. */
  readonly startLine: number;
  /** The path of helm's `# Source:` line. */
  readonly source: string | undefined;
  /** 1-based line of text after the end marker `...`, which helm and kubectl never read. */
  readonly ignoredLine: number | undefined;
}

/** Splits a render or a manifest file into its documents; those that hold nothing but comments are left out. */
export function splitDocuments(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let source: string | undefined;
  let from = 0;
  let line = 1;
  for (const marker of markers(text)) {
    add(text.slice(from, marker.at), line);
    line += newlines(text, from, marker.at);
    from = marker.at;
  }
  add(text.slice(from), line);
  return pieces;

  function add(raw: string, rawLine: number): void {
    let body = raw;
    let startLine = rawLine;
    if (body.startsWith("---")) {
      const rest = body.slice(3, endOfLine(body, 0));
      if (/^\s*(?:#.*)?$/.test(rest)) {
        body = body.slice(endOfLine(body, 0) + 1);
        startLine++;
      } else body = `   ${body.slice(3)}`;
    }
    body = body.replace(/^\uFEFF/, "");
    const end = endMarker(body);
    const ignored = end === undefined ? undefined : firstContent(body, endOfLine(body, end) + 1);
    const ignoredLine = ignored === undefined || end === undefined ? undefined : startLine + newlines(body, 0, ignored);
    if (end !== undefined) body = body.slice(0, end);
    // The files of `crds/` keep their own separators, so a document without the line is from the file of the one before it.
    source = /^(?:\s*#.*\r?\n)*?# Source: ([^\r\n]+)/.exec(body)?.[1]?.trim() ?? source;
    if (firstContent(body, 0) === undefined && ignoredLine === undefined) return;
    pieces.push({ text: body, startLine, source, ignoredLine });
  }
}

/** Where each line that begins with the separator `---` starts. */
function* markers(text: string): Generator<{ at: number }> {
  for (let at = lineStart(text, "---", 0); at !== -1; at = lineStart(text, "---", at + 3)) {
    if (at > 0 && isMarker(text, at)) yield { at };
  }
}

function endMarker(text: string): number | undefined {
  for (let at = lineStart(text, "...", 0); at !== -1; at = lineStart(text, "...", at + 3)) {
    if (isMarker(text, at)) return at;
  }
  return undefined;
}

function isMarker(text: string, at: number): boolean {
  const next = text[at + 3];
  return next === undefined || next === "\n" || next === "\r" || next === " " || next === "\t";
}

function lineStart(text: string, mark: string, from: number): number {
  if (from === 0 && text.startsWith(mark)) return 0;
  const at = text.indexOf(`\n${mark}`, Math.max(0, from - 1));
  return at === -1 ? -1 : at + 1;
}

/** Offset of the first line that is neither blank, nor comment, nor directive. */
export function firstContent(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at = endOfLine(text, at) + 1) {
    const end = endOfLine(text, at);
    if (!/^(?:%.*|\s*(?:#.*)?)$/.test(text.slice(at, Math.min(end, at + 256)).replace(/\r$/, ""))) return at;
  }
  return undefined;
}

/** Offset of the newline that ends the line, or of the end of the text. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** How many newlines stand between two offsets. */
export function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
