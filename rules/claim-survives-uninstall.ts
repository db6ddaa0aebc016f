import { defineRule, dig, isClaimUsed, type Manifest, type Problem, parseQuantity } from "../src/api.js";

export default defineRule({
  id: "claim-survives-uninstall",
  summary: "A volume claim that the chart creates is sized, classed, mounted, and kept when the release is uninstalled",
  scope: "manifest",
  severity: "warning",
  category: "configuration",
  kinds: ["PersistentVolumeClaim"],
  *check(claim, { environment, judged }) {
    if (claim.apiVersion !== "v1") return;
    judged();
    yield* kept(claim);
    yield* sized(claim);
    yield* classed(claim);
    if (!isClaimUsed(claim, environment)) {
      yield {
        at: claim.at.key("metadata", "name"),
        message: `PersistentVolumeClaim "${claim.name}" is mounted by nothing that is rendered: the data goes somewhere else, or the claim is left over`,
        hint: "mount the claim, or render it only together with what mounts it",
      };
    }
  },
});

function* kept(claim: Manifest): Iterable<Problem> {
  const policy = claim.annotations["helm.sh/resource-policy"];
  // Helm does not remove what a hook made; a claim on a volume that is named was made by hand, and its volume stays.
  if (policy === "keep" || claim.hooks.length > 0 || hasText(dig(claim.body, "spec", "volumeName"))) return;
  yield {
    at: claim.at.key("metadata", "annotations", "helm.sh/resource-policy"),
    message: `PersistentVolumeClaim "${claim.name}" ${policy === undefined ? "has no" : `has "${policy}" as its`} helm.sh/resource-policy, expected "keep": helm uninstall deletes the claim, and the data with it unless the volume's reclaim policy is Retain`,
    hint: "annotate the claim with helm.sh/resource-policy: keep; an uninstall, or an upgrade that no longer renders the claim, then leaves it alone",
    fix: { value: "keep" },
  };
}

function* sized(claim: Manifest): Iterable<Problem> {
  const size = dig(claim.body, "spec", "resources", "requests", "storage");
  const quantity = parseQuantity(size);
  if (quantity !== undefined && quantity > 0) return;
  yield {
    at: claim.at.key("spec", "resources", "requests", "storage"),
    message: `PersistentVolumeClaim "${claim.name}" asks for ${size === undefined || size === null ? "no size" : `the size "${String(size)}"`}, expected a quantity above 0: the API server refuses it`,
    hint: "set spec.resources.requests.storage, for example 10Gi",
  };
}

function* classed(claim: Manifest): Iterable<Problem> {
  // The empty class is a decision as well: no volume is made for the claim.
  if (typeof dig(claim.body, "spec", "storageClassName") === "string" || hasText(dig(claim.body, "spec", "volumeName"))) return;
  if (claim.annotations["volume.beta.kubernetes.io/storage-class"] !== undefined) return;
  yield {
    at: claim.at.key("spec", "storageClassName"),
    message: `PersistentVolumeClaim "${claim.name}" names no storage class: the cluster's default decides what the data is kept on, and without a default the pod stays pending`,
    hint: "set spec.storageClassName for every environment whose data matters",
    severity: "note",
  };
}

function hasText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
