/** Where a line of a text can get a mark so that a text that is YAML stays YAML. */
export interface MarkableLine {
  /** 0-based. */
  readonly line: number;
  /** Offset in the line. */
  readonly at: number;
}

const mostLines = 200;

/** The lines of a text of which each can be changed by itself. */
export function markableLines(text: string): readonly MarkableLine[] {
  return text
    .split("\n")
    .flatMap((content, line) => {
      const at = markableAt(content);
      return at === undefined ? [] : [{ line, at }];
    })
    .slice(0, mostLines);
}

/** Behind the value, or inside of its quotes; undefined where more than a value could change. */
function markableAt(line: string): number | undefined {
  const content = line.replace(/\s+#.*$/, "").trimEnd();
  const start = content.search(/\S/);
  if (start === -1 || /^(?:#|\{\{|---|\.\.\.)/.test(content.slice(start))) return undefined;
  // without these an object is not found again
  if (/^\s*(?:- +)?["']?(?:apiVersion|kind)["']?\s*:/.test(content)) return undefined;
  if (/[:\s][|>][-+\d]*$|[&*][\w-]+$|^[\s-]+$/.test(content)) return undefined;
  const quote = /["']$/.exec(content)?.[0];
  if (quote !== undefined) return content.indexOf(quote) < content.length - 1 ? content.length - 1 : undefined;
  if (/[^-]\}\}$/.test(content)) return /\bn?indent\b/.test(content) ? undefined : content.length;
  return /[\w./%*+-]$/.test(content) ? content.length : undefined;
}

/** The only line of a text that has something in it; 0-based. */
export function onlyLine(text: string): number | undefined {
  const [only, ...others] = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [index]));
  return others.length === 0 ? only : undefined;
}

/** Whether a line of a text writes a key. */
export function writesKey(line: string, key: string): boolean {
  return /^\s*(?:- +)*["']?([^"'\s:]+)["']?\s*:/.exec(line)?.[1] === key;
}
