import { type Autoscaler, defineRule, dig, type Environment, listed, type Problem, utilizationMetrics, type Workload } from "../src/api.js";

const kinds = ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "Rollout"];

export default defineRule({
  id: "autoscaler-can-scale",
  summary: "An autoscaler has a range, a target that exists, and the requests that its metrics are measured against",
  scope: "manifest",
  severity: "error",
  category: "availability",
  kinds: ["HorizontalPodAutoscaler", "ScaledObject"],
  *check(manifest, { environment, judged }) {
    const scaler = environment.autoscalers.find((found) => found.manifest === manifest);
    if (scaler === undefined) return;
    judged();
    yield* range(scaler);
    if (scaler.workload === undefined) yield* target(scaler, environment);
    else if (scaler.workload.containers.length > 0) yield* requests(scaler, scaler.workload, environment);
  },
});

function* range(scaler: Autoscaler): Iterable<Problem> {
  const { kind, name, at, min, max, manifest } = scaler;
  const keda = kind === "ScaledObject";
  const [least, most] = keda ? ["minReplicaCount", "maxReplicaCount"] : ["minReplicas", "maxReplicas"];
  const refused = keda ? "KEDA makes no autoscaler of it" : "the API server refuses it";
  if (!Number.isFinite(max)) {
    yield {
      at: at.key("spec", most),
      message: `${kind} "${name}" has no ${most}, which has no default: ${refused}`,
      hint: `set ${most} to the number of replicas that the cluster can carry`,
    };
  } else if (min > max || max < 1) {
    const written = dig(manifest.body, "spec", least) !== undefined;
    yield {
      at: at.key("spec", written && max >= 1 ? least : most),
      message: `${kind} "${name}" has ${least} ${min}${written ? "" : " (the default)"} above ${most} ${max}: ${refused}`,
      hint: `set ${most} to ${Math.max(1, min)} or more`,
      because: [{ term: most, value: max, at: at.key("spec", most) }],
    };
  }
  const idle = dig(manifest.body, "spec", "idleReplicaCount");
  if (keda && typeof idle === "number" && idle >= min) {
    yield {
      at: at.key("spec", "idleReplicaCount"),
      message: `ScaledObject "${name}" has idleReplicaCount ${idle}, expected less than minReplicaCount ${min}: KEDA refuses it`,
      hint: "set idleReplicaCount: 0 with minReplicaCount 1 or more, or take it out",
    };
  }
}

/** Judged only where the target would be seen: a workload of its kind is rendered, or one of its name. */
function* target(scaler: Autoscaler, environment: Environment): Iterable<Problem> {
  const { kind, name } = scaler.target;
  const known = environment.workloads.filter((workload) => workload.namespace === scaler.namespace && workload.longRunning);
  const sameName = known.find((workload) => workload.name === name && kinds.includes(workload.kind));
  const sameKind = known.filter((workload) => workload.kind === kind);
  if (!kinds.includes(kind) && kind !== "DaemonSet") return;
  if ((sameKind.length === 0 && sameName === undefined) || environment.isExternal(`${kind}/${name}`)) return;
  const shown = sameKind.slice(0, 4).map((workload) => `"${workload.name}"`);
  const more = sameKind.length - shown.length;
  const instead = sameName !== undefined ? `a ${sameName.kind} of that name` : listed(more > 0 ? [...shown, `${more} more`] : shown);
  yield {
    at: scaler.target.at.key(sameName === undefined ? "name" : "kind"),
    message: `${scaler.kind} "${scaler.name}" scales ${kind} "${name}", which is not rendered: there is ${instead}, and nothing is ever scaled`,
    hint: "let scaleTargetRef use the same template for the name as the workload, or render the autoscaler only together with it",
  };
}

function* requests(scaler: Autoscaler, workload: Workload, environment: Environment): Iterable<Problem> {
  // A LimitRange may fill requests in.
  if (environment.manifests.ofKind("LimitRange").length > 0) return;
  const pods = [...workload.sidecars, ...workload.appContainers];
  for (const { resource, container, at } of utilizationMetrics(scaler)) {
    if (dig(workload.pod.body, "resources", "requests", resource) !== undefined) continue;
    const measured = container === undefined ? pods : pods.filter(({ name }) => name === container);
    const without = measured.filter((found) => found.requests[resource] === undefined);
    const subject = `${scaler.kind} "${scaler.name}" measures ${resource} as a share of requests`;
    const blind = "the metric cannot be computed, and nothing is scaled by it";
    if (container !== undefined && measured.length === 0) {
      yield { at, message: `${subject} of container "${container}", which ${workload.kind} "${workload.name}" does not have: ${blind}` };
    }
    const [first] = without;
    if (first === undefined) continue;
    const names = listed(without.map(({ name }) => `"${name}"`));
    const alone = pods.length > without.length && container === undefined;
    yield {
      at: first.at.key("resources", "requests", resource),
      message: `${subject}, but ${names} of ${workload.kind} "${workload.name}" ${without.length === 1 ? "requests" : "request"} no ${resource}: ${blind}`,
      hint: `give every container a ${resource} request${alone ? ", or measure one container by a ContainerResource metric" : ""}`,
      because: [{ term: "metric", value: resource, at }],
    };
  }
}
