import { globMatcher } from "../glob.js";

const matchers = new Map<string, (name: string) => boolean>();

/** Whether a pattern is a glob that can be read: not empty, each `{` closed, none inside another, and no `[`. */
export function isGlob(pattern: string): boolean {
  return pattern !== "" && /^(?:[^{}[]|\{[^{}[]*\})*$/.test(pattern) && matcherOf(pattern) !== undefined;
}

/** Whether a pattern has a wildcard (`*`, `?`, `{a,b}`). */
export function hasWildcard(pattern: string): boolean {
  return /[*?{]/.test(pattern);
}

/** Whether a glob matches a whole text; `*` and `?` cross `/`. One that cannot be read matches nothing. */
export function globMatches(pattern: string, text: string): boolean {
  return matcherOf(pattern)?.(text) ?? false;
}

function matcherOf(pattern: string): ((name: string) => boolean) | undefined {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  try {
    const matcher = globMatcher(pattern);
    matchers.set(pattern, matcher);
    return matcher;
  } catch {
    return undefined;
  }
}
