/** Functions of templates whose result can be told when all arguments are known strings. */
const table: Readonly<Record<string, (...args: string[]) => string | undefined>> = {
  trim: (text) => text?.trim(),
  lower: (text) => text?.toLowerCase(),
  upper: (text) => text?.toUpperCase(),
  nospace: (text) => text?.replace(/\s/g, ""),
  untitle: (text) => text?.replace(/(^|\s)[A-Z]/g, (start) => start.toLowerCase()),
  trimSuffix: (suffix, text) => (suffix !== undefined && text?.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text),
  trimPrefix: (prefix, text) => (prefix !== undefined && text?.startsWith(prefix) ? text.slice(prefix.length) : text),
  replace: (from, to, text) => (from === undefined || to === undefined || from === "" ? undefined : text?.replaceAll(from, to)),
  // Words of other characters are joined by rules of their own.
  camelcase: (text) =>
    text !== undefined && /^[a-z]+(_[a-z]+)*$/.test(text)
      ? text.replace(/(^|_)([a-z])/g, (_, __, letter) => letter.toUpperCase())
      : undefined,
  print: (...texts) => texts.join(""),
  printf: (format, ...args) => {
    const verbs = format?.match(/%./g) ?? [];
    if (format === undefined || verbs.length !== args.length || verbs.some((verb) => verb !== "%s" && verb !== "%v")) return undefined;
    return format.split(/%[sv]/).reduce((text, part, index) => text + (args[index - 1] ?? "") + part);
  },
};

/** The result of a function over known strings; undefined when it cannot be told. */
export function foldText(name: string, args: readonly string[]): string | undefined {
  const fold = Object.hasOwn(table, name) ? table[name] : undefined;
  return fold?.(...args);
}

/** Whether the function is one that may be told. */
export function isFoldable(name: string): boolean {
  return Object.hasOwn(table, name);
}
