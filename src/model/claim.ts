import type { Manifest } from "../manifest/types.js";
import { asName, dig, mappingsOf } from "./read.js";
import type { Environment } from "./types.js";

/** Whether anything that is rendered uses a claim: a pod's volume, a StatefulSet that adopts it by name, or an object of another kind that names it. */
export function isClaimUsed(claim: Manifest, environment: Environment): boolean {
  const namespace = claim.namespace ?? environment.namespace;
  for (const workload of environment.workloads) {
    if (workload.namespace !== namespace) continue;
    if (workload.pod.volumes.some(({ type, target }) => type === "persistentVolumeClaim" && target === claim.name)) return true;
    const templates = mappingsOf(dig(workload.body, "spec", "volumeClaimTemplates"));
    const adopts = templates.some(({ body }) => {
      const prefix = `${asName(dig(body, "metadata", "name")) ?? ""}-${workload.name}-`;
      return claim.name.startsWith(prefix) && /^\d+$/.test(claim.name.slice(prefix.length));
    });
    if (adopts) return true;
  }
  return environment.manifests.all.some(
    ({ document, kind, text }) => document !== claim.document && kind !== "PersistentVolumeClaim" && mentions(text, claim.name),
  );
}

/** Whether a text has the name as a whole word, with a claim or volume spoken of on that line or the two before. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (/[\w.-]/.test(text.charAt(at - 1)) || /[\w.-]/.test(text.charAt(at + name.length))) continue;
    if (/claim|pvc|volume/i.test(text.slice(0, at).split("\n").slice(-3).join("\n").slice(-400))) return true;
  }
  return false;
}
