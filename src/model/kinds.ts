import type { Manifest, Manifests } from "../manifest/types.js";
import type { WorkloadKind } from "./types.js";

/** Where the pod template of each workload kind stands; empty when the object itself is the pod. */
export const templatePaths: Readonly<Record<WorkloadKind, readonly string[]>> = {
  Deployment: ["spec", "template"],
  StatefulSet: ["spec", "template"],
  DaemonSet: ["spec", "template"],
  Job: ["spec", "template"],
  CronJob: ["spec", "jobTemplate", "spec", "template"],
  Pod: [],
  Rollout: ["spec", "template"],
  ReplicaSet: ["spec", "template"],
  ReplicationController: ["spec", "template"],
};

/** The workload kinds that the model knows. */
export const workloadKinds = Object.keys(templatePaths) as readonly WorkloadKind[];

/** API groups in which a kind means what the model takes it for; `""` is the core group. A `Deployment` of another group is somebody's CRD. */
const groups = {
  Deployment: ["apps", "extensions"],
  StatefulSet: ["apps"],
  DaemonSet: ["apps", "extensions"],
  ReplicaSet: ["apps", "extensions"],
  Job: ["batch"],
  CronJob: ["batch"],
  Pod: [""],
  ReplicationController: [""],
  Rollout: ["argoproj.io"],
  Service: [""],
  ServiceAccount: [""],
  ConfigMap: [""],
  Secret: [""],
  PodDisruptionBudget: ["policy"],
  HorizontalPodAutoscaler: ["autoscaling"],
  ScaledObject: ["keda.sh"],
  ExternalSecret: ["external-secrets.io"],
  SealedSecret: ["bitnami.com"],
  SecretProviderClass: ["secrets-store.csi.x-k8s.io", "secrets-store.csi.k8s.io"],
} as const satisfies Record<string, readonly string[]>;

/** A kind that the model reads. */
export type KnownKind = keyof typeof groups;

/** Objects of one kind and of its real API groups, in render order. */
export function objectsOf(manifests: Manifests, kind: KnownKind): readonly Manifest[] {
  const allowed: readonly string[] = groups[kind];
  return manifests.ofKind(kind).filter((manifest) => allowed.includes(apiGroup(manifest.apiVersion)));
}

function apiGroup(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
