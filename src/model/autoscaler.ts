import type { Manifest } from "../manifest/types.js";
import { once } from "./memo.js";
import { asCount, asName, dig } from "./read.js";
import type { Autoscaler, Environment } from "./types.js";

/** The annotation that fixes the replica count of a ScaledObject's target (item 110). */
export const pausedReplicas = "autoscaling.keda.sh/paused-replicas";

/** An HPA (minimum 1 by default, item 102) or a KEDA ScaledObject (0 and 100, item 107). */
export function buildAutoscaler(manifest: Manifest, kind: Autoscaler["kind"], environment: Environment): Autoscaler {
  const spec = dig(manifest.body, "spec");
  const keda = kind === "ScaledObject";
  const namespace = manifest.namespace ?? environment.namespace;
  const target = Object.freeze({
    kind: asName(dig(spec, "scaleTargetRef", "kind")) ?? (keda ? "Deployment" : ""),
    name: asName(dig(spec, "scaleTargetRef", "name")) ?? "",
    at: manifest.at.key("spec", "scaleTargetRef"),
  });
  const paused = keda ? manifest.annotations[pausedReplicas] : undefined;
  const workload = once(() =>
    environment.workloads.find((found) => found.kind === target.kind && found.name === target.name && found.namespace === namespace),
  );
  return Object.freeze({
    kind,
    name: manifest.name,
    namespace,
    at: manifest.at,
    target,
    min: asCount(dig(spec, keda ? "minReplicaCount" : "minReplicas")) ?? (keda ? 0 : 1),
    max: asCount(dig(spec, keda ? "maxReplicaCount" : "maxReplicas")) ?? (keda ? 100 : Number.POSITIVE_INFINITY),
    pausedAt: paused !== undefined && /^\d{1,9}$/.test(paused) ? Number(paused) : undefined,
    manifest,
    get workload() {
      return workload();
    },
  });
}
