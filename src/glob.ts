/** A matcher for names: `*` is any run of characters (a slash too), `?` one character, `{a,b}` alternatives; everything else is literal. Throws on an open brace. */
export function globMatcher(pattern: string): (name: string) => boolean {
  const parts = expandBraces(pattern, 0);
  const matchers = parts.map((part) => matchOne(part));
  return (name) => matchers.some((matches) => matches(name));
}

/** Alternatives of one brace level at a time; bounded, so that a pattern cannot explode. */
function expandBraces(pattern: string, depth: number): string[] {
  const open = pattern.indexOf("{");
  if (open < 0) return [pattern];
  const close = pattern.indexOf("}", open);
  if (close < 0) throw new Error(`"{" without "}"`);
  if (depth > 8) throw new Error("too many alternatives");
  const inner = pattern.slice(open + 1, close).split(",");
  return inner.flatMap((choice) => expandBraces(pattern.slice(0, open) + choice + pattern.slice(close + 1), depth + 1));
}

/** Linear-time wildcard match (no regular expression: patterns come from files). */
function matchOne(pattern: string): (name: string) => boolean {
  return (name) => {
    let p = 0;
    let n = 0;
    let star = -1;
    let mark = 0;
    while (n < name.length) {
      if (p < pattern.length && pattern[p] === "*") {
        star = p++;
        mark = n;
        continue;
      }
      if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
        p++;
        n++;
        continue;
      }
      if (star < 0) return false;
      p = star + 1;
      n = ++mark;
    }
    while (pattern[p] === "*") p++;
    return p === pattern.length;
  };
}
