import { Place, type Segment } from "../manifest/place.js";
import type { Manifests } from "../manifest/types.js";
import { templatePaths } from "../model/kinds.js";
import type { Difference } from "../model/reruns.js";
import { twinsIn } from "../trace/fields.js";

/** The fields of a render whose values another render does not share, in order; at most two hundred, or as many as asked for. Objects that are not in both are left out. */
export function differencesBetween(one: Manifests, other: Manifests, most = 200): readonly Difference[] {
  const twins = twinsIn(one, other);
  const found: Difference[] = [];
  for (const manifest of one.all) {
    const twin = twins.of(manifest.at);
    if (twin === undefined || twin.text === manifest.text) continue;
    const template = (templatePaths as Readonly<Record<string, readonly string[]>>)[manifest.kind];
    const visit = (a: unknown, b: unknown, path: readonly Segment[]): void => {
      if (found.length >= most || path.length > 60) return;
      if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
        for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
          const item = a[key];
          visit(item, b[key], [...path, Array.isArray(a) ? element(Number(key), item) : key]);
        }
        return;
      }
      if (a === b) return;
      const inPodTemplate = template !== undefined && template.length > 0 && template.every((key, index) => path[index] === key);
      found.push({ at: new Place(manifest.at.object, path), inPodTemplate });
    };
    visit(manifest.body, twin.body, []);
  }
  return found;
}

function element(index: number, item: unknown): Segment {
  const name = isContainer(item) ? item["name"] : undefined;
  return typeof name === "string" ? { index, name } : { index };
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
