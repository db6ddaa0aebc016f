import { isScalar, type Scalar } from "yaml";
import type { Range } from "../manifest/types.js";
import { between, type ValuesFile } from "./values-file.js";

/** Where a line (0-based) of a text that goes over several lines of the file is written; undefined when that is not certain. */
export function scalarLine(values: ValuesFile, node: unknown, line: number): Range | undefined {
  if (!isScalar(node) || typeof node.value !== "string" || !node.range) return undefined;
  const [start, end] = node.range;
  const content = node.value.split("\n")[line]?.trim() ?? "";
  const written = linesOf(values.text, start, end).map(({ from, to }, index) => bare(node, values.text, { from, to }, index));
  const hits = written.filter(({ from, to }) => from < to && values.text.slice(from, to) === content);
  // a literal block has the lines of its text below its header; others fold them
  const found = node.type === "BLOCK_LITERAL" ? written[line + 1] : hits.length === 1 ? hits[0] : undefined;
  if (found === undefined || !hits.includes(found)) return undefined;
  const [key = ""] = /^(?:- +)*["']?[\w./-]+["']?:\s+(?=\S)|^- +(?=\S)/.exec(content) ?? [];
  return between(values, found.from + key.length, found.from + content.replace(/\s+#.*$/, "").length);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function linesOf(text: string, start: number, end: number): readonly Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    const newline = text.indexOf("\n", from);
    const to = newline === -1 || newline > end ? end : newline;
    spans.push({ from, to });
    from = to + 1;
  }
  return spans;
}

/** A line without the white space and the quotes around it; nothing of the header of a block. */
function bare({ type }: Scalar, text: string, { from, to }: Span, index: number): Span {
  const isBlock = type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED";
  if (isBlock && index === 0) return { from, to: from };
  const quote = type === "QUOTE_DOUBLE" ? '"' : type === "QUOTE_SINGLE" ? "'" : "";
  const own = text.slice(from, to);
  const open = index === 0 ? quote.length : own.length - own.trimStart().length;
  const trimmed = own.trimEnd();
  const close = quote !== "" && trimmed.endsWith(quote) ? quote.length : 0;
  return { from: from + open, to: from + Math.max(open, trimmed.length - close) };
}
