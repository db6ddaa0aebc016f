import { pairActions, readActions } from "./actions.js";
import { lineNumbers } from "./lines.js";

/** A named template: where it stands, and what it includes. */
interface Definition {
  readonly file: number;
  /** 1-based, both inclusive. */
  readonly first: number;
  readonly last: number;
  readonly name: string;
  readonly includes: ReadonlySet<string>;
}

/** Says which line of a template includes a line of a helper, from the texts alone. */
export interface Includes {
  /** The lines (1-based) of the template `from` that include the named template around a line, directly or through others. */
  linesFor(from: number, file: number, line: number): readonly number[];
}

const included = /\b(?:include|template|block)\s+(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g;

/** Reads who includes whom; `texts` are the templates by number. */
export function readIncludes(texts: readonly string[]): Includes {
  let definitions: readonly Definition[] | undefined;
  return {
    linesFor(from, file, line) {
      definitions ??= texts.flatMap(readDefinitions);
      const target = definitions.find((one) => one.file === file && one.first <= line && line <= one.last)?.name;
      if (target === undefined) return [];
      const users = usersOf(target, definitions);
      const own = definitions.filter((one) => one.file === from);
      const isOutside = (number: number) => !own.some(({ first, last }) => first <= number && number <= last);
      return [
        ...new Set(
          listIncludes(texts[from] ?? "").flatMap(({ name, line: number }) => (users.has(name) && isOutside(number) ? [number] : [])),
        ),
      ];
    },
  };
}

/** The names whose templates include `target`, itself among them. */
function usersOf(target: string, definitions: readonly Definition[]): ReadonlySet<string> {
  const users = new Set([target]);
  for (let before = 0; before !== users.size; ) {
    before = users.size;
    for (const { name, includes } of definitions) if ([...users].some((user) => includes.has(user))) users.add(name);
  }
  return users;
}

function readDefinitions(text: string, file: number): readonly Definition[] {
  if (!/\{\{-?\s*define\b/.test(text)) return [];
  const actions = readActions(text) ?? [];
  const pairing = pairActions(actions);
  if (pairing === undefined) return [];
  const lineAt = lineNumbers(text);
  return actions.flatMap((action, index) => {
    const end = actions[pairing.ends.get(index) ?? -1];
    const name = action.word === "define" ? /^define\s+["`]([^"`]*)["`]/.exec(action.body)?.[1] : undefined;
    if (name === undefined || end === undefined) return [];
    const includes = new Set(listIncludes(text.slice(action.end, end.start)).map((one) => one.name));
    return [{ file, name, includes, first: lineAt(action.start), last: lineAt(end.end) }];
  });
}

function listIncludes(text: string): readonly { readonly name: string; readonly line: number }[] {
  const lineAt = lineNumbers(text);
  return [...text.matchAll(included)].map((match) => ({ name: match[1] ?? match[2] ?? "", line: lineAt(match.index) }));
}
