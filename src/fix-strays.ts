import type { Finding } from "./findings.js";
import type { Manifest, Manifests } from "./manifest/types.js";

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
    const known = new Map((before.manifests.get(environment)?.all ?? []).map((manifest) => [identityOf(manifest), manifest]));
    for (const manifest of manifests.all) {
      const old = known.get(identityOf(manifest));
      if (old === undefined || old.text === manifest.text) continue;
      for (const { path, value } of changes(old.body, manifest.body, [])) {
        const name = path.findLast((step) => !/^\d+$/.test(step)) ?? "";
        if (values.has(String(value)) && !names.has(name)) return `${manifest.at.subject} ${path.join(".")} becomes ${value}`;
      }
    }
  }
  return undefined;
}

function identityOf({ at, namespace, source }: Manifest): string {
  return `${at.subject} ${namespace ?? ""} ${source ?? ""}`;
}

/** The key at the end of `spec.containers[web].livenessProbe.timeoutSeconds`. */
function lastName(field: string): string {
  return /([^.[\]"]+)"?\]?$/.exec(field)?.[1] ?? "";
}

/** Scalars that are others than before; list elements by their index. */
function* changes(
  old: unknown,
  now: unknown,
  path: readonly string[],
): Iterable<{ readonly path: readonly string[]; readonly value: unknown }> {
  if (typeof now !== "object" || now === null) {
    if (now !== old && old !== undefined) yield { path, value: now };
    return;
  }
  for (const [key, value] of Object.entries(now)) {
    const other = typeof old === "object" && old !== null ? (old as Readonly<Record<string, unknown>>)[key] : undefined;
    yield* changes(other, value, [...path, key]);
  }
}
