import { globMatcher } from "./glob.js";

const matchers = new Map<string, (name: string) => boolean>();

/** Whether a glob matches a whole name; `*` crosses `/`, `{a,b}` is either. A glob that cannot be read matches nothing. */
export function matchesName(pattern: string, name: string): boolean {
  const known = matchers.get(pattern);
  if (known !== undefined) return known(name);
  const matcher = compile(pattern);
  matchers.set(pattern, matcher);
  return matcher(name);
}

function compile(pattern: string): (name: string) => boolean {
  try {
    return globMatcher(pattern);
  } catch {
    return () => false;
  }
}

/**
 * Whether `Kind/name[/container]` (a glob; `*` crosses `/`) stands for a workload, or for one of its containers. A pattern without a container
 * stands for all of the workload's; one with a container for that container only, never for the workload as a whole.
 */
export function matchesSubject(pattern: string, kind: string, name: string, container?: string): boolean {
  const workload = `${kind}/${name}`;
  return matchesName(pattern, workload) || (container !== undefined && matchesName(pattern, `${workload}/${container}`));
}

/** Whether an `in:` list stands for an environment; an absent list stands for all. */
export function isIn(environments: readonly string[] | undefined, environment: string): boolean {
  return environments === undefined || environments.some((pattern) => matchesName(pattern, environment));
}
