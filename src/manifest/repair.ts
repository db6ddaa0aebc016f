/** A text that means the same to helm and that a stricter parser takes too; its lines are those of the original. */
export interface Repaired {
  readonly text: string;
  /** The offset in the original of an offset in the text. */
  readonly original: (offset: number) => number;
}

/** `cut` characters at an offset of the original give way to `put`. */
interface Edit {
  readonly at: number;
  readonly cut: number;
  readonly put: string;
}

const isBlank = (char: string | undefined) => char === undefined || char === " " || char === "\t" || char === "\n" || char === "\r";
const marker = /(?:---|\.\.\.)(?![^ \t\r\n])/y;
const blockHeader = /[|>](?:[+-]?([1-9])?)[+-]?[^\n]*/y;
const keyMark = /[ \t]*:(?![^ \t\r\n])/y;
const spaces = / */y;
const content = /[^ \t\r\n]/g;
/** Line breaks to helm, and none to the parser: whatever is repaired around them would come to mean something else. */
const oddBreak = /\r(?!\n)|[\u0085\u2028\u2029]/;

/**
 * Rewrites what helm (go-yaml) takes and YAML forbids: lines of quoted scalars and of flow collections that are not indented deeper than
 * what they belong to, the header of a block scalar below its key and as deep, comments in flow collections without a blank before them,
 * and the escape `\'`. Undefined when there is nothing of the kind, or no sense in the text.
 */
export function repair(text: string): Repaired | undefined {
  const edits = oddBreak.test(text) ? undefined : findEdits(text);
  return edits === undefined || edits.length === 0 ? undefined : apply(text, edits);
}

/** Follows the tokens of one document the way libyaml does, as far as it takes to know quotes, flow collections and their indentation. */
function findEdits(text: string): readonly Edit[] | undefined {
  const edits: Edit[] = [];
  /** Columns of the open block collections. */
  const open: number[] = [];
  let depth = 0;
  let at = 0;
  let line = 0;
  /** Where the node starts that may turn out to be a key: its anchor or tag, or the outermost bracket. */
  let node: number | undefined;
  /** Whether the last token was a colon, or what may stand between it and its value. */
  let afterColon = false;
  let senseless = false;

  while (at < text.length && !senseless) step();
  return senseless ? undefined : edits;

  function step(): void {
    const char = text[at];
    if (char === "\n") {
      enterLine(at + 1);
      if (depth > 0) pad();
      else node = undefined;
      return;
    }
    if (isBlank(char)) {
      at++;
      return;
    }
    if (char === "#") {
      skipComment();
      return;
    }
    if (at === line && (isMarker() || char === "%")) {
      at += char === "%" ? lineEnd() - at : 3;
      open.length = 0;
      return;
    }
    if (depth === 0) close(at - line);
    if (!readIndicator(char)) readNode(char);
  }

  function readIndicator(char: string | undefined): boolean {
    const isAlone = isBlank(text[at + 1]);
    if (depth === 0 && isAlone && (char === "-" || char === "?" || char === ":")) {
      enter(at - line);
      node = undefined;
    } else if (depth === 0 || !(char === "," || char === ":" || (char === "?" && isAlone))) return false;
    afterColon = char === ":";
    at++;
    return true;
  }

  function readNode(char: string | undefined): void {
    const start = node ?? at;
    const from = line;
    if (char === "[" || char === "{") {
      node = start;
      depth++;
      at++;
      return;
    }
    if (char === "]" || char === "}") {
      if (depth === 0) senseless = true;
      depth--;
      at++;
      if (depth > 0) return;
    } else if (char === "&" || char === "!") {
      if (depth === 0) node = start;
      skipWord();
      return;
    } else if (char === "*") skipWord();
    else if (char === '"' || char === "'") skipQuoted(char);
    else if (depth === 0 && (char === "|" || char === ">")) skipBlockScalar();
    else skipPlain();
    afterColon = false;
    if (depth === 0) endNode(start, from);
  }

  /** A node on one line with a colon behind it is a key, and opens a mapping where it starts. */
  function endNode(start: number, from: number): void {
    node = undefined;
    keyMark.lastIndex = at;
    if (line !== from || start < from || !keyMark.test(text)) return;
    at = keyMark.lastIndex;
    enter(start - line);
    afterColon = true;
  }

  function close(column: number): void {
    while ((open.at(-1) ?? -1) > column) open.pop();
  }

  function enter(column: number): void {
    if ((open.at(-1) ?? -1) < column) open.push(column);
  }

  function enterLine(start: number): void {
    at = start;
    line = start;
  }

  /** Indents the line that starts here as deep as what goes on in it must be. */
  function pad(): void {
    spaces.lastIndex = line;
    spaces.test(text);
    const end = spaces.lastIndex;
    // A comment needs a blank before it, even at the start of a line.
    const wanted = Math.max((open.at(-1) ?? -1) + 1, text[end] === "#" ? 1 : 0);
    if (isMarker()) senseless = true;
    if (end - line < wanted && !/[\r\n]|^$/.test(text.charAt(end))) edits.push({ at: line, cut: 0, put: " ".repeat(wanted - end + line) });
  }

  function isMarker(): boolean {
    marker.lastIndex = line;
    return marker.test(text);
  }

  function lineEnd(): number {
    const end = text.indexOf("\n", at);
    return end === -1 ? text.length : end;
  }

  function skipComment(): void {
    if (at > line && !isBlank(text[at - 1])) edits.push({ at, cut: 0, put: " " });
    at = lineEnd();
  }

  function skipWord(): void {
    while (!isBlank(text[at]) && !(depth > 0 && /[,[\]{}]/.test(text.charAt(at)))) at++;
  }

  function skipQuoted(quote: string): void {
    for (at++; at < text.length && !senseless; at++) {
      const char = text[at];
      if (char === "\n") {
        enterLine(at + 1);
        pad();
        at--;
      } else if (char === quote) {
        if (quote === '"' || text[at + 1] !== quote) break;
        at++;
      } else if (char === "\\" && quote === '"' && text[at + 1] !== "\n") {
        if (text[at + 1] === "'") edits.push({ at, cut: 1, put: "" });
        at++;
      }
    }
    if (at >= text.length) senseless = true;
    at++;
  }

  function skipPlain(): void {
    for (; at < text.length && !senseless; at++) {
      const char = text.charAt(at);
      if (char === "\n") {
        if (depth === 0 && !goesOn()) return;
        enterLine(at + 1);
        if (depth > 0) pad();
        at--;
      } else if (char === ":" && (isBlank(text[at + 1]) || (depth > 0 && /[,[\]{}]/.test(text.charAt(at + 1))))) return;
      else if (char === "#" && isBlank(text[at - 1])) return;
      else if (depth > 0 && /[,[\]{}]/.test(char)) return;
    }
  }

  /** Moves to the end of the last empty line; tells whether the plain scalar before them goes on below. */
  function goesOn(): boolean {
    content.lastIndex = at;
    const next = content.exec(text)?.index ?? text.length;
    at = text.lastIndexOf("\n", next - 1);
    return next < text.length && next - at - 1 > (open.at(-1) ?? -1);
  }

  function skipBlockScalar(): void {
    const parent = open.at(-1) ?? -1;
    blockHeader.lastIndex = at;
    const digit = blockHeader.exec(text)?.[1];
    if (afterColon && at - line === parent && /^ *$/.test(text.slice(line, at))) edits.push({ at: line, cut: 0, put: " " });
    let indent = digit === undefined ? undefined : Math.max(parent, 0) + Number(digit);
    let widest = 0;
    for (at = lineEnd(); at < text.length; at = lineEnd()) {
      spaces.lastIndex = at + 1;
      spaces.test(text);
      const width = spaces.lastIndex - at - 1;
      if (/[\r\n]|^$/.test(text.charAt(spaces.lastIndex))) widest = Math.max(widest, width);
      else {
        indent ??= Math.max(width, widest, parent + 1);
        if (width < indent) return;
      }
      enterLine(at + 1);
    }
  }
}

function apply(text: string, edits: readonly Edit[]): Repaired {
  const parts: string[] = [];
  /** Where each edit ends, in the repaired text and in the original. */
  const ends: { readonly repaired: number; readonly original: number }[] = [];
  let from = 0;
  let length = 0;
  for (const { at, cut, put } of edits) {
    parts.push(text.slice(from, at), put);
    length += at - from + put.length;
    from = at + cut;
    ends.push({ repaired: length, original: from });
  }
  parts.push(text.slice(from));
  return {
    text: parts.join(""),
    original: (offset) => {
      let low = 0;
      let high = ends.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle]?.repaired ?? 0) <= offset) low = middle + 1;
        else high = middle;
      }
      const before = ends[low - 1] ?? { repaired: 0, original: 0 };
      // What is inside of an insertion stands where that was made.
      return Math.min(before.original + offset - before.repaired, edits[low]?.at ?? text.length);
    },
  };
}
