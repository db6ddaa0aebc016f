import { pausedReplicas } from "./autoscaler.js";
import { asCount, dig } from "./read.js";
import type { Replicas, Workload } from "./types.js";

/** How many replicas a workload has: rules.md "Notation". A ScaledObject comes before an HPA: KEDA makes the HPA. */
export function buildReplicas(workload: Workload): Replicas {
  const { kind, manifest, environment } = workload;
  const written = manifest.at.key("spec", "replicas");
  if (kind === "DaemonSet") {
    const { nodes } = environment;
    return Object.freeze({ floor: nodes ?? 1, ceil: nodes ?? Number.POSITIVE_INFINITY, by: kind, at: manifest.at, rendered: undefined });
  }
  if (kind === "Job" || kind === "CronJob" || kind === "Pod") {
    return Object.freeze({ floor: 1, ceil: 1, by: kind, at: manifest.at, rendered: undefined });
  }
  const rendered = asCount(dig(workload.body, "spec", "replicas"));
  const scalers = workload.autoscalers;
  const paused = scalers.find((scaler) => scaler.pausedAt !== undefined);
  if (paused?.pausedAt !== undefined) {
    const at = paused.at.key("metadata", "annotations", pausedReplicas);
    return Object.freeze({ floor: paused.pausedAt, ceil: paused.pausedAt, by: "annotation", at, rendered });
  }
  const scaler = scalers.find((found) => found.kind === "ScaledObject") ?? scalers[0];
  if (scaler !== undefined) {
    const at = scaler.at.key("spec", scaler.kind === "ScaledObject" ? "minReplicaCount" : "minReplicas");
    return Object.freeze({ floor: scaler.min, ceil: scaler.max, by: `${scaler.kind}/${scaler.name}`, at, rendered });
  }
  const count = rendered ?? 1;
  return Object.freeze({ floor: count, ceil: count, by: rendered === undefined ? "default" : "spec.replicas", at: written, rendered });
}
