import type { ValuePath } from "./bindings.js";
import { chainOf, type Layer } from "./layers.js";
import { leavesOf, sameScalar, valueAt } from "./leaves.js";

/** The layers that count: helm 3 reads the first document of a values file, helm 4 merges all of them. `values` tell which helm it was. */
export function liveLayers(layers: readonly Layer[], values: unknown): readonly Layer[] {
  const first = layers.filter((layer) => !isLater(layer));
  if (first.length === layers.length) return layers;
  const isMerged = layers.some((layer) => {
    if (!isLater(layer)) return false;
    return leavesOf(layer.values.root).some(({ path }) => {
      const whole = [...layer.prefix, ...path];
      return says(layers, whole, values) && !says(first, whole, values);
    });
  });
  return isMerged ? layers : first;
}

function isLater(layer: Layer): layer is Extract<Layer, { kind: "chart" | "overlay" }> {
  return (layer.kind === "chart" || layer.kind === "overlay") && (layer.document ?? 0) > 0;
}

/** Whether the layer that wins says what helm says. */
function says(layers: readonly Layer[], path: ValuePath, values: unknown): boolean {
  const found = chainOf(layers, path).at(-1)?.found;
  return found?.state === "set" && typeof found.value !== "object" && sameScalar(found.value, valueAt(values, path));
}
