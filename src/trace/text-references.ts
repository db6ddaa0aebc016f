import type { ValuePath } from "./bindings.js";
import { writesKey } from "./text-lines.js";

/** The values that the actions in a text of the values name, for templates that hand it to `tpl`; of a text of several lines those on lines with the key. */
export function namedInText(text: string, key: string | undefined): readonly ValuePath[] {
  if (!text.includes("{{")) return [];
  const lines = text.trim().split("\n");
  const own = lines.length === 1 || key === undefined ? lines : lines.filter((line) => writesKey(line, key));
  const actions = own.flatMap((line) => line.match(/\{\{.*?\}\}/g) ?? []).join("\n");
  return [...actions.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, keys = ""]) => keys.slice(1).split("."));
}
