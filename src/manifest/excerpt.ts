import { isMap, isScalar, type Node, type Pair, visit } from "yaml";
import { maskLines } from "../secret-names.js";
import { syntaxOf } from "./syntaxes.js";
import type { Manifest } from "./types.js";

type Span = readonly [start: number, end: number];

const mask = "***";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Lines of a manifest's document around a line of the render; `from` is the render line (1-based) of the first. Control characters are
 * left as they are. Values of Secrets are replaced by `***`.
 */
export function excerptLines(
  manifest: Manifest,
  line: number,
  context: number,
): { readonly from: number; readonly lines: readonly string[] } {
  const lines = displayText(manifest).split(/\r?\n/);
  if (lines.at(-1) === "" && lines.length > 1) lines.pop();
  const wanted = Math.min(Math.max(line - manifest.startLine, 0), lines.length - 1);
  const first = Math.max(wanted - context, 0);
  return { from: manifest.startLine + first, lines: maskLines(lines).slice(first, wanted + context + 1) };
}

function displayText(manifest: Manifest): string {
  // A list of objects may hold a Secret beside the object in question.
  const mayHoldSecret = manifest.kind === "Secret" || (manifest.prefix !== undefined && manifest.text.includes("Secret"));
  return mayHoldSecret ? maskSecrets(manifest) : manifest.text;
}

function maskSecrets(manifest: Manifest): string {
  const { text } = manifest;
  const document = syntaxOf(manifest)?.document;
  // Without a syntax tree nobody knows where the values are.
  if (document === undefined) return maskAll(text);
  const ranges: Span[] = [];
  visit(document, {
    Pair(_, pair) {
      const key = isScalar(pair.key) ? pair.key.value : undefined;
      if (key === lastApplied) ranges.push(...valueRanges(pair));
      if (key !== "data" && key !== "stringData") return undefined;
      ranges.push(...valueRanges(pair));
      return visit.SKIP;
    },
  });
  // Values that stand elsewhere, behind an alias, cannot be told from others.
  if (ranges.some(([start]) => text[start] === "*")) return maskAll(text);
  let shown = text;
  for (const [start, end] of ranges.sort((a, b) => b[0] - a[0])) {
    shown = shown.slice(0, start) + maskAll(shown.slice(start, end)) + shown.slice(end);
  }
  return shown;
}

/** Ranges of the values below a pair, keys left out. */
function valueRanges(pair: Pair<unknown, unknown>): Span[] {
  if (isMap(pair.value)) return pair.value.items.flatMap(valueRanges);
  const range = (pair.value as Node | null)?.range;
  return range === undefined || range === null || range[0] === range[1] ? [] : [[range[0], range[1]]];
}

function maskAll(value: string): string {
  return value.replace(/[^\s].*/g, mask);
}
