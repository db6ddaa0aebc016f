import type { Manifest } from "../manifest/types.js";

/** Helm's order of kinds at install; a kind that is not listed comes last (item 136). */
const installOrder = [
  ..."PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount".split(" "),
  ..."Secret SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole".split(" "),
  ..."ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet".split(" "),
  ..."Pod ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress".split(" "),
  ..."APIService MutatingWebhookConfiguration ValidatingWebhookConfiguration".split(" "),
];

/** The weight of a hook, 0 by default; what is no integer counts as 0, as in Helm. */
export function hookWeight(manifest: Manifest): number {
  const text = manifest.annotations["helm.sh/hook-weight"] ?? "0";
  return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** The order in which Helm's documentation lets two hooks of one event run: weight, kind, name; negative when `a` comes first. */
export function compareHooks(a: Manifest, b: Manifest): number {
  return hookWeight(a) - hookWeight(b) || kindRank(a.kind) - kindRank(b.kind) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/** Whether an object is made only after the release's own objects: a hook of post-install or post-upgrade and of nothing earlier. */
export function isPostHook(manifest: Manifest): boolean {
  const { hooks } = manifest;
  return hooks.some((event) => /^post-(?:install|upgrade)$/.test(event)) && !hooks.some((event) => /^pre-(?:install|upgrade)$/.test(event));
}

function kindRank(kind: string): number {
  const rank = installOrder.indexOf(kind);
  return rank < 0 ? installOrder.length : rank;
}
