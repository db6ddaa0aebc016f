import { isMap, isScalar, LineCounter, type Node, parseDocument, visit } from "yaml";
import type { Range } from "../manifest/types.js";
import type { ValuePath } from "./bindings.js";

/** What a `--set…` expression writes to: `a.b[0].c=1,d={x,y}` gives a.b[0].c and d. Undefined when it cannot be read. */
export function pathsOfSet(flag: string, expression: string): readonly ValuePath[] | undefined {
  if (flag === "--set-json" && /^\s*\{/.test(expression)) return jsonPaths(expression);
  const paths: ValuePath[] = [];
  let rest = expression;
  while (rest !== "") {
    const key = readKey(rest);
    if (key === undefined) return undefined;
    paths.push(key.path);
    const value = rest.slice(key.end);
    if (flag === "--set-json") {
      // what follows the first value could only be told by a JSON parser that reads on
      return isJson(value) ? paths : undefined;
    }
    rest = value.slice(endOfValue(value));
    if (rest.startsWith(",")) rest = rest.slice(1);
  }
  return paths;
}

function jsonPaths(expression: string): readonly ValuePath[] | undefined {
  try {
    return Object.keys(JSON.parse(expression) as object).map((key) => [key]);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads `a.b[0].c=`. */
function readKey(text: string): { readonly path: ValuePath; readonly end: number } | undefined {
  const path: (string | number)[] = [];
  const part = /((?:\\.|[^\\.,=[\]])*)((?:\[\d+\])*)([.=])/gsy;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    const [, key = "", indexes = "", sign] = match;
    if (key !== "") path.push(key.replace(/\\(.)/gs, "$1"));
    else if (indexes === "" || path.length === 0) return undefined;
    path.push(...[...indexes.matchAll(/\d+/g)].map(([index]) => Number(index)));
    if (sign === "=") return { path, end: part.lastIndex };
  }
  return undefined;
}

function endOfValue(text: string): number {
  if (text.startsWith("{")) {
    const list = /^\{(?:\\.|[^\\}])*\}/s.exec(text)?.[0];
    return list?.length ?? text.length;
  }
  return /^(?:\\.|[^\\,])*/s.exec(text)?.[0].length ?? 0;
}

/**
 * Where the config writes what became a `--set…` flag of the environment whose key stands at `line` and `column`: below its own `set`,
 * `setString`, `setFile` or `setJson`, else below those of the chart.
 */
export function findInConfig(text: string, at: { readonly line: number; readonly column: number }, path: ValuePath): Range | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
  const hits: { readonly range: Range; readonly own: boolean }[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      if (!isScalar(pair.key) || !/^set(?:String|File|Json)?$/.test(String(pair.key.value)) || !isMap(pair.value)) return undefined;
      const isOwn = [...ancestors].some((node) => isKeyAt((node as { key?: unknown }).key));
      const isOfChart = ancestors.length <= 6 && isMap(ancestors.at(-1)) && (ancestors.at(-1) as { has(key: string): boolean }).has("path");
      if (!isOwn && !isOfChart) return undefined;
      for (const range of rangesBelow(pair.value, [])) hits.push({ range, own: isOwn });
      return visit.SKIP;
    },
  });
  return (hits.find(({ own }) => own) ?? hits[0])?.range;

  function isKeyAt(node: unknown): boolean {
    const start = (node as Node | undefined)?.range?.[0];
    if (start === undefined) return false;
    const { line, col } = lines.linePos(start);
    return line === at.line && col === at.column;
  }

  function rangesBelow(node: unknown, above: ValuePath): readonly Range[] {
    if (!isMap(node)) return [];
    return node.items.flatMap((pair) => {
      if (!isScalar(pair.key)) return [];
      const key = String(pair.key.value);
      // a key of the first level is a path, one below it is one step
      const own = above.length > 0 ? [...above, key] : (readKey(`${key}=`)?.path ?? [key]);
      if (!own.every((step, index) => path[index] === step)) return [];
      if (own.length < path.length && isMap(pair.value)) return rangesBelow(pair.value, own);
      const range = ((isScalar(pair.value) ? pair.value : pair.key) as Node).range;
      if (range === undefined || range === null) return [];
      const { line, col } = lines.linePos(range[0]);
      return [{ line, column: col, endLine: line, endColumn: col + Math.max(1, range[1] - range[0]) }];
    });
  }
}
