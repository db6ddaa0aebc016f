import { differencesBetween } from "./deep/differences.js";
import type { Finding } from "./findings.js";
import { manifestOf } from "./manifest/parse.js";
import type { Manifests } from "./manifest/types.js";
import { readField, twinsIn } from "./trace/fields.js";

/** A run as far as its renders are concerned. */
interface Run {
  readonly manifests: ReadonlyMap<string, Manifests>;
}

/** A new value, and the finding that it is for. */
interface NewValue {
  readonly value: number | string;
  readonly finding: Finding;
}

/**
 * A field of another name that shows the new value of an edit where it had another one: the value was shared, by an anchor or by a template. In words:
 * `Deployment/web spec.replicas becomes 10`. Values that are random, or computed, are no matter.
 */
export function strayOf(before: Run, after: Run, edits: readonly NewValue[]): string | undefined {
  const names = new Set(edits.map(({ finding }) => lastName(finding.field)));
  const values = new Set(edits.map(({ value }) => String(value)));
  for (const [environment, manifests] of after.manifests) {
    const old = before.manifests.get(environment);
    if (old === undefined) continue;
    const twins = twinsIn(manifests, old);
    for (const { at } of differencesBetween(manifests, old, Number.POSITIVE_INFINITY)) {
      const { value } = readField(manifestOf(manifests, at), at.path);
      const isExchanged = readField(twins.of(at), at.path).exists && (typeof value !== "object" || value === null);
      const name = at.path.findLast((step) => typeof step === "string") ?? "";
      if (isExchanged && values.has(String(value)) && !names.has(name)) return `${at.subject} ${at.field} becomes ${value}`;
    }
  }
  return undefined;
}

/** The key at the end of `spec.containers[web].livenessProbe.timeoutSeconds`. */
function lastName(field: string): string {
  return /([^.[\]"]+)"?\]?$/.exec(field)?.[1] ?? "";
}
