import type { Place } from "../manifest/place.js";
import type { Manifest, Mapping } from "../manifest/types.js";
import { objectsOf, templatePaths } from "./kinds.js";
import { once } from "./memo.js";
import { asCount, asMapping, asName, asTextRecord, dig, emptyMapping, mappingsOf } from "./read.js";
import type { Pod, Volume, Workload } from "./types.js";

/** The pod of a workload; an empty one when it writes no template (an Argo Rollout with workloadRef). `body` and `at` are those of the pod spec. */
export function buildPod(workload: Workload): Pod {
  const path = templatePaths[workload.kind];
  const template = path.length === 0 ? workload.body : asMapping(dig(workload.body, ...path));
  const body = asMapping(template?.["spec"]) ?? emptyMapping;
  const metadataAt = workload.manifest.at.key(...path, "metadata");
  const at = workload.manifest.at.key(...path, "spec");
  const grace = asCount(body["terminationGracePeriodSeconds"]);
  const serviceAccount = asName(body["serviceAccountName"]) ?? asName(body["serviceAccount"]);
  const volumes = once(() => readVolumes(body["volumes"], at.key("volumes")));
  const pullSecrets = once(() => readPullSecrets(body, serviceAccount ?? "default", workload));
  return Object.freeze({
    at,
    metadataAt,
    labels: asTextRecord(dig(template, "metadata", "labels")),
    annotations: asTextRecord(dig(template, "metadata", "annotations")),
    grace: Object.freeze({ value: grace ?? 30, isDefault: grace === undefined, at: at.key("terminationGracePeriodSeconds") }),
    hostNetwork: body["hostNetwork"] === true,
    serviceAccount,
    restartPolicy: asName(body["restartPolicy"]) ?? "Always",
    body,
    get volumes() {
      return volumes();
    },
    get pullSecrets() {
      return pullSecrets();
    },
  });
}

/** The service account's pull secrets count only for a pod that names none: that is how admission adds them. */
function readPullSecrets(body: Mapping, account: string, workload: Workload): readonly string[] {
  const own = namesIn(body["imagePullSecrets"]);
  if (own.length > 0) return own;
  const { environment, namespace } = workload;
  const found = objectsOf(environment.manifests, "ServiceAccount").find(
    (manifest: Manifest) => manifest.name === account && (manifest.namespace ?? environment.namespace) === namespace,
  );
  return namesIn(found?.body["imagePullSecrets"]);
}

function namesIn(value: unknown): readonly string[] {
  return Object.freeze(mappingsOf(value).flatMap(({ body }) => asName(body["name"]) ?? []));
}

function readVolumes(value: unknown, at: Place): readonly Volume[] {
  const volumes = mappingsOf(value).map(({ body, index }) => {
    const name = asName(body["name"]);
    // A volume that names no source is an emptyDir: SetDefaults_Volume.
    const type = Object.keys(body).find((key) => key !== "name" && asMapping(body[key]) !== undefined) ?? "emptyDir";
    return Object.freeze({ name: name ?? "", type, target: targetOf(type, body[type]), body, at: at.item(index, name) });
  });
  return Object.freeze(volumes);
}

function targetOf(type: string, source: unknown): string | undefined {
  if (type === "persistentVolumeClaim") return asName(dig(source, "claimName"));
  if (type === "configMap") return asName(dig(source, "name"));
  if (type === "secret") return asName(dig(source, "secretName"));
  if (type === "csi") return asName(dig(source, "volumeAttributes", "secretProviderClass"));
  return undefined;
}
