import { isMap, isScalar, isSeq, type Node, type Pair, visit } from "yaml";
import { harmless, isSecretKey, maskLines } from "../secret-names.js";
import type { ValuePath } from "./bindings.js";
import type { ValuesFile } from "./values-file.js";

const mask = "***";

/** Whether the value at a path may be shown. */
export function isSecretPath(path: ValuePath): boolean {
  return path.some((step) => typeof step === "string" && isSecretKey(step));
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
  return maskLines(text.split(/\r?\n/));
}

function keyIs(pair: Pair<unknown, unknown>, name: string): boolean {
  return isScalar(pair.key) && pair.key.value === name;
}
