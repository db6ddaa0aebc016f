import type { Manifest } from "../manifest/types.js";
import { once } from "./memo.js";
import { asIntOrString, dig } from "./read.js";
import { buildSelector } from "./selector.js";
import type { Budget, Environment, Selector } from "./types.js";

/** A PodDisruptionBudget with the rendered workloads whose pods it selects; Helm tests are left out. */
export function buildBudget(manifest: Manifest, environment: Environment): Budget {
  const { at } = manifest;
  const namespace = manifest.namespace ?? environment.namespace;
  const selector = readSelector(manifest);
  const workloads = once(() => {
    const selected = environment.workloads.filter(
      (workload) => !workload.isTest && workload.namespace === namespace && selector?.matches(workload.pod.labels) === true,
    );
    return Object.freeze(selected);
  });
  return Object.freeze({
    name: manifest.name,
    namespace,
    at,
    minAvailable: asIntOrString(dig(manifest.body, "spec", "minAvailable")),
    maxUnavailable: asIntOrString(dig(manifest.body, "spec", "maxUnavailable")),
    selector,
    manifest,
    get workloads() {
      return workloads();
    },
  });
}

/** An empty selector matches every pod in policy/v1 and none in v1beta1 (item 96). */
function readSelector(manifest: Manifest): Selector | undefined {
  const selector = buildSelector(dig(manifest.body, "spec", "selector"), manifest.at.key("spec", "selector"));
  if (selector === undefined || manifest.apiVersion !== "policy/v1beta1") return selector;
  const empty = [selector.body["matchLabels"], selector.body["matchExpressions"]].every((part) => Object.keys(part ?? {}).length === 0);
  return empty ? Object.freeze({ ...selector, matches: () => false }) : selector;
}
