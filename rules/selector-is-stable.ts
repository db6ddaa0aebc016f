import { type Difference, defineRule, dig, type Mapping, mappingsOf, type Place, type Problem, type Workload } from "../src/api.js";

const moving = ["helm.sh/chart", "app.kubernetes.io/version", "chart"];
const kinds = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Rollout"];

export default defineRule({
  id: "selector-is-stable",
  summary: "Nothing that cannot be changed later carries the version of the chart or of the app",
  scope: "environment",
  severity: "error",
  category: "rollouts",
  *check({ workloads, services }, { reruns, judged }) {
    for (const workload of workloads) {
      if (workload.isTest || !kinds.includes(workload.kind)) continue;
      judged();
      const found = [...ofWorkload(workload)];
      yield* found;
      // Seen by rendering again with other versions; what the labels already told is not said twice.
      if (found.length === 0) yield* movedIn(workload, reruns?.bumped ?? []);
    }
    for (const { name, selector = {}, manifest, at } of services) {
      if (manifest.hooks.length > 0 || Object.keys(selector).length === 0) continue;
      judged();
      for (const key of moving.filter((label) => label in selector)) {
        yield {
          at: at.key("spec", "selector", key),
          message: `Service "${name}" selects by ${key} ("${selector[key]}"): an upgrade moves the selector at once, and until the new pods are ready nothing answers`,
          hint: `take ${key} out of the selector; keep it as a label`,
        };
      }
    }
  },
});

function* ofWorkload(workload: Workload): Iterable<Problem> {
  const { kind, name, body, at } = workload;
  const selector = at.key("spec", "selector");
  const fatal = `it cannot be changed, so the next version of the ${kind} is refused and has to be deleted first`;
  for (const [key, place] of selectorKeys(dig(body, "spec", "selector"), selector)) {
    yield {
      at: place,
      message: `${kind} "${name}" has ${key} in its selector: ${fatal}`,
      hint: `take ${key} out of the selector; keep it as a label of the pods`,
    };
  }
  for (const { body: template, index } of mappingsOf(dig(body, "spec", "volumeClaimTemplates"))) {
    const named = dig(template, "metadata", "name");
    const labels = dig(template, "metadata", "labels") as Mapping | undefined;
    for (const key of moving.filter((label) => labels !== undefined && labels !== null && label in Object(labels))) {
      yield {
        at: at
          .key("spec", "volumeClaimTemplates")
          .item(index, typeof named === "string" ? named : undefined)
          .key("metadata", "labels", key),
        message: `${kind} "${name}" has ${key} among the labels of volumeClaimTemplates: ${fatal}`,
        hint: `take ${key} out of the labels of the claim`,
      };
    }
  }
  const service = dig(body, "spec", "serviceName");
  const version = typeof service === "string" ? versionsOf(workload).find((text) => service.includes(text)) : undefined;
  if (version !== undefined) {
    yield {
      at: at.key("spec", "serviceName"),
      message: `${kind} "${name}" has serviceName "${service}", with version ${version} in it: ${fatal}`,
      hint: "name the Service after the release, without a version",
    };
  }
}

const immutable = /^spec\.(?:selector|volumeClaimTemplates|serviceName)(?:[.[]|$)/;

function* movedIn({ at, kind, name }: Workload, bumped: readonly Difference[]): Iterable<Problem> {
  for (const { at: moved } of bumped) {
    if (moved.object.document !== at.object.document || !immutable.test(moved.field)) continue;
    yield {
      at: moved,
      message: `${moved.field} of ${kind} "${name}" moves with the version of the chart or of the app: it cannot be changed, so the next version is refused`,
      hint: "keep the version out of it",
    };
    return;
  }
}

function* selectorKeys(selector: unknown, at: Place): Iterable<readonly [string, Place]> {
  const labels = dig(selector, "matchLabels");
  for (const key of moving) if (dig(labels, key) !== undefined) yield [key, at.key("matchLabels", key)];
  for (const { body, index } of mappingsOf(dig(selector, "matchExpressions"))) {
    const key = moving.find((label) => label === body["key"]);
    if (key !== undefined) yield [key, at.key("matchExpressions").item(index).key("key")];
  }
}

/** Versions of chart and app as a name can carry them; a bare number would be found everywhere. */
function versionsOf({ manifest, pod }: Workload): readonly string[] {
  return [manifest.labels, pod.labels].flatMap((labels) => {
    const chart = /-v?(\d+\.\d+[\w.+-]*)$/.exec(labels["helm.sh/chart"] ?? labels["chart"] ?? "")?.[1];
    const app = labels["app.kubernetes.io/version"]?.replace(/^v/, "");
    return [chart, app].flatMap((text) => (text !== undefined && /\d[.]\d/.test(text) ? [text, text.replaceAll(/[.+_]/g, "-")] : []));
  });
}
