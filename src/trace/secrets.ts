import { isMap, isScalar, isSeq, type Node, type Pair, visit } from "yaml";
import type { ValuePath } from "./bindings.js";
import type { ValuesFile } from "./values-file.js";

const mask = "***";
const words =
  "pass(?:word|wd|phrase)?|pwd|secret|token|credential|private|api[-_]?key|access[-_]?key|connection[-_]?string|dsn|salt|cert|auth";
const secretive = new RegExp(`${words}|key$`, "i");
const assigned = new RegExp(`((?:${words}|key)[\\w.-]*["']?\\s*[:=]\\s*)(?![\\s{&*|>]|\\{\\{)(?:"[^"]*"|'[^']*'|[^\\s,}#]+)`, "gi");
const inAddress = /(:\/\/[^\s:/@]+:)[^\s@/]+(?=@)/g;
const harmless = /^(?:-?\d+(?:\.\d+)?|true|false|null|~|\{\}|\[\]|""|'')$/;

/** Whether a key names something that is kept secret. */
export function isSecretKey(key: string): boolean {
  return secretive.test(key);
}

/** Whether the value at a path may be shown. */
export function isSecretPath(path: ValuePath): boolean {
  return path.some((step) => typeof step === "string" && isSecretKey(step));
}

/** A line of text with what looks like a secret left out. */
export function maskLine(line: string): string {
  return line
    .replace(inAddress, `$1${mask}`)
    .replace(assigned, (all, key: string) => (harmless.test(all.slice(key.length)) ? all : `${key}${mask}`));
}

/** The lines of a values file with the values of keys that look like secrets replaced by `***`. */
export function maskedLines(values: ValuesFile): readonly string[] {
  const spans: [number, number][] = [];
  const hide = (node: unknown) => {
    if (isMap(node)) for (const pair of node.items) hide(pair.value);
    else if (isSeq(node)) for (const item of node.items) hide(item);
    else if (isScalar(node) && node.range && !harmless.test(values.text.slice(node.range[0], node.range[1]).trim()))
      spans.push([node.range[0], node.range[1]]);
  };
  visit(values.document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || !isSecretKey(String(pair.key.value))) return undefined;
      hide(pair.value);
      return visit.SKIP;
    },
    Map(_, map) {
      // `name: DB_PASSWORD` with its `value` beside it
      const name = map.items.find((pair) => keyIs(pair, "name"))?.value;
      if (isScalar(name) && isSecretKey(String(name.value)))
        hide(map.items.find((pair) => keyIs(pair, "value"))?.value as Node | undefined);
    },
  });
  let text = values.text;
  for (const [start, end] of spans.sort((a, b) => b[0] - a[0]))
    text = text.slice(0, start) + text.slice(start, end).replace(/[^\s].*/g, mask) + text.slice(end);
  return text.split(/\r?\n/).map(maskLine);
}

function keyIs(pair: Pair<unknown, unknown>, name: string): boolean {
  return isScalar(pair.key) && pair.key.value === name;
}
