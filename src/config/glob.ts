import { globMatcher } from "../glob.js";

/** Whether a pattern is a glob that can be read: not empty, each `{` closed, none inside another, and no `[`. */
export function isGlob(pattern: string): boolean {
  return pattern !== "" && /^(?:[^{}[]|\{[^{}[]*\})*$/.test(pattern) && reads(pattern);
}

/** Whether a pattern has a wildcard (`*`, `?`, `{a,b}`). */
export function hasWildcard(pattern: string): boolean {
  return /[*?{]/.test(pattern);
}

function reads(pattern: string): boolean {
  try {
    globMatcher(pattern);
    return true;
  } catch {
    return false;
  }
}
