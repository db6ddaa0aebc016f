import type { Manifest } from "../manifest/types.js";
import { renderedIn } from "./pod-references.js";
import { asMapping, asName, asStrings, dig, mappingsOf } from "./read.js";
import { buildSelector } from "./selector.js";
import type { Volume, Workload } from "./types.js";

/** A rendered claim that the pods of a workload share and that only one node, or only one pod, can use at a time. */
export interface ExclusiveClaim {
  readonly volume: Volume;
  readonly claim: Manifest;
  readonly mode: "ReadWriteOnce" | "ReadWriteOncePod";
}

/**
 * The claims of a workload's `volumes` that are rendered with ReadWriteOnce or ReadWriteOncePod and no wider mode. A claim that is not
 * rendered is unknown and left out; so are volumeClaimTemplates and ephemeral claims, of which every pod has its own.
 */
export function exclusiveClaims(workload: Workload): readonly ExclusiveClaim[] {
  return workload.pod.volumes.flatMap((volume): readonly ExclusiveClaim[] => {
    if (volume.type !== "persistentVolumeClaim" || volume.target === undefined) return [];
    const [claim] = renderedIn(workload.environment, workload.namespace, "PersistentVolumeClaim", volume.target);
    const modes = asStrings(dig(claim?.body, "spec", "accessModes"));
    if (claim === undefined || modes.length === 0) return [];
    if (modes.every((mode) => mode === "ReadWriteOncePod")) return [{ volume, claim, mode: "ReadWriteOncePod" }];
    const single = modes.every((mode) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod");
    return single ? [{ volume, claim, mode: "ReadWriteOnce" }] : [];
  });
}

/** Whether all pods of a workload run on one node for certain: one node in the cluster, a pinned host name, or a required affinity to themselves. */
export function runsOnOneNode(workload: Workload): boolean {
  const { body } = workload.pod;
  if (workload.environment.nodes === 1 || asName(body["nodeName"]) !== undefined) return true;
  if (asName(dig(body, "nodeSelector", "kubernetes.io/hostname")) !== undefined) return true;
  return requiredTerms(workload, "podAffinity").some(({ topologyKey }) => topologyKey === "kubernetes.io/hostname");
}

/** Required anti-affinity of a workload's pods to themselves: the topology keys of whose domains each takes one pod. */
export function selfRepulsion(workload: Workload): readonly string[] {
  return requiredTerms(workload, "podAntiAffinity").map(({ topologyKey }) => topologyKey);
}

/** Required terms of an affinity that match the workload's own pods, old and new ones alike. */
function requiredTerms(workload: Workload, affinity: "podAffinity" | "podAntiAffinity"): readonly { readonly topologyKey: string }[] {
  const { body, at, labels } = workload.pod;
  return mappingsOf(dig(body, "affinity", affinity, "requiredDuringSchedulingIgnoredDuringExecution")).flatMap(({ body: term }) => {
    const topologyKey = asName(term["topologyKey"]);
    const selector = buildSelector(term["labelSelector"], at);
    if (topologyKey === undefined || selector?.matches(labels) !== true) return [];
    // matchLabelKeys with the template's hash, or a namespace of others: pods of another revision do not count.
    if (asStrings(term["matchLabelKeys"]).length > 0 || asStrings(term["mismatchLabelKeys"]).length > 0) return [];
    const namespaces = asStrings(term["namespaces"]);
    const elsewhere = namespaces.length > 0 && !namespaces.includes(workload.namespace);
    return elsewhere || (namespaces.length === 0 && asMapping(term["namespaceSelector"]) !== undefined) ? [] : [{ topologyKey }];
  });
}
