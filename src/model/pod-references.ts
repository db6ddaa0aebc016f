import type { Place } from "../manifest/place.js";
import type { Manifest } from "../manifest/types.js";
import { asMapping, asName, dig, mappingsOf } from "./read.js";
import type { Environment, Workload } from "./types.js";

/** An object that a pod names and that the kubelet, or the controller that makes the pod, looks up. */
export interface PodReference {
  readonly kind: "ConfigMap" | "Secret" | "PersistentVolumeClaim" | "ServiceAccount";
  readonly name: string;
  /** Where the pod writes the name. */
  readonly at: Place;
  /** Whether the pod starts without it: `optional: true`, or a pull secret, which only a private image misses. */
  readonly optional: boolean;
  /** `imagePullSecrets` names it. */
  readonly pulls: boolean;
}

/** Every ConfigMap, Secret, claim and ServiceAccount (but `default`) that the pods of a workload name, in the order of the manifest. */
export function podReferences(workload: Workload): readonly PodReference[] {
  const { body, at } = workload.pod;
  const found: PodReference[] = [];
  const add = (kind: PodReference["kind"], name: unknown, place: Place, optional: unknown = false, pulls = false): void => {
    const text = asName(name);
    if (text !== undefined) found.push({ kind, name: text, at: place, optional: optional === true, pulls });
  };
  const account = asName(body["serviceAccountName"]) === undefined ? "serviceAccount" : "serviceAccountName";
  if (body[account] !== "default") add("ServiceAccount", body[account], at.key(account));
  for (const { body: secret, index } of mappingsOf(body["imagePullSecrets"])) {
    add("Secret", secret["name"], at.key("imagePullSecrets").item(index, asName(secret["name"])).key("name"), true, true);
  }
  for (const { name, body: volume, at: place } of workload.pod.volumes) addVolume(volume, place, name);
  for (const { body: container, at: place } of workload.containers) {
    for (const { body: source, index } of mappingsOf(container["envFrom"])) addKeyed(source, place.key("envFrom").item(index), "Ref");
    for (const { body: entry, index } of mappingsOf(container["env"])) {
      addKeyed(entry["valueFrom"], place.key("env").item(index, asName(entry["name"])).key("valueFrom"), "KeyRef");
    }
  }
  return found;

  function addKeyed(source: unknown, place: Place, suffix: string): void {
    for (const [key, kind] of [[`configMap${suffix}`, "ConfigMap"] as const, [`secret${suffix}`, "Secret"] as const]) {
      const reference = asMapping(dig(source, key));
      if (reference !== undefined) add(kind, reference["name"], place.key(key, "name"), reference["optional"]);
    }
  }

  function addVolume(volume: unknown, place: Place, name: string): void {
    add("PersistentVolumeClaim", dig(volume, "persistentVolumeClaim", "claimName"), place.key("persistentVolumeClaim", "claimName"));
    add("ConfigMap", dig(volume, "configMap", "name"), place.key("configMap", "name"), dig(volume, "configMap", "optional"));
    add("Secret", dig(volume, "secret", "secretName"), place.key("secret", "secretName"), dig(volume, "secret", "optional"));
    for (const { body: source, index } of mappingsOf(dig(volume, "projected", "sources"))) {
      const at = place.key("projected", "sources").item(index, name);
      add("ConfigMap", dig(source, "configMap", "name"), at.key("configMap", "name"), dig(source, "configMap", "optional"));
      add("Secret", dig(source, "secret", "name"), at.key("secret", "name"), dig(source, "secret", "optional"));
    }
  }
}

/** Rendered objects of a kind and name in a namespace; several when a chart renders one object twice, as a hook and as none. */
export function renderedIn(environment: Environment, namespace: string, kind: string, name: string): readonly Manifest[] {
  return environment.manifests
    .ofKind(kind)
    .filter((manifest) => manifest.name === name && (manifest.namespace ?? environment.namespace) === namespace);
}
