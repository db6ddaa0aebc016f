import type { DeclaredAt } from "../config/types.js";
import type { Term } from "../findings.js";

/** A term of a proof that is a declared fact, with the line of the config that declares it; `path` leads to it (`boot`, `endpoints./health.latency`). */
export function asDeclared<T extends Term>(term: T, facts: { readonly declaredAt?: DeclaredAt } | undefined, path: string): T {
  const origin = facts?.declaredAt?.[path];
  return origin === undefined ? term : { ...term, origin };
}
