import {
  type ContainerPort,
  defineRule,
  exclusiveClaims,
  listed,
  type Problem,
  runsOnOneNode,
  selfRepulsion,
  type Workload,
} from "../src/api.js";

export default defineRule({
  id: "surge-can-schedule",
  summary: "The additional pod of a rollout can be scheduled beside the ones that it replaces",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["nodes"],
  *check(workload, { environment, judged, ask }) {
    const { kind, strategy } = workload;
    if (!workload.longRunning || !["Deployment", "Rollout", "StatefulSet", "DaemonSet"].includes(kind)) return;
    const ports = hostPorts(workload);
    if (kind === "DaemonSet") {
      if (ports.length === 0) return;
      judged();
      if (strategy.surge > 0) yield daemon(workload, ports);
      return;
    }
    if (kind !== "StatefulSet") yield* claims(workload, environment.nodes, judged, () => ask("nodes"));
    const keys = strategy.unavailable >= 1 || strategy.type === "Recreate" ? [] : selfRepulsion(workload);
    if (ports.length === 0 && keys.length === 0) return;
    if (environment.nodes === undefined) {
      ask("nodes");
      return;
    }
    judged();
    yield* spread(workload, environment.nodes, ports, keys);
  },
});

function* claims(workload: Workload, nodes: number | undefined, judged: () => void, ask: () => void): Iterable<Problem> {
  const { kind, name, strategy, replicas } = workload;
  for (const { volume, claim, mode } of exclusiveClaims(workload)) {
    const once = mode === "ReadWriteOncePod";
    if (!once && nodes === undefined) ask();
    judged();
    if (strategy.surge === 0 || (!once && runsOnOneNode(workload))) continue;
    const stuck = strategy.unavailable === 0;
    const where = once ? "only one pod can use it at a time" : "only one node can use it at a time";
    const sure = once || (nodes ?? 1) >= 2;
    const end = stuck
      ? `${once ? "" : "on another node "}the new pod waits for the claim and the old one for the new pod`
      : "the new pod waits for the claim until the old one is gone";
    yield {
      at: strategy.surgeGiven === undefined ? strategy.at.key("type") : strategy.surgeAt,
      message: `a roll of ${kind} "${name}" starts ${strategy.surge} pod${strategy.surge === 1 ? "" : "s"} beside the old ${Math.max(1, replicas.floor) === 1 ? "one" : "ones"} (maxSurge ${strategy.surgeGiven ?? "25%, the default"}), and both mount PersistentVolumeClaim "${claim.name}" (${mode}): ${where}, so ${end}`,
      hint: "set strategy type Recreate, or maxSurge: 0 with maxUnavailable: 1; or give the claim ReadWriteMany",
      because: [
        { term: "access mode", value: mode, at: claim.at.key("spec", "accessModes") },
        { term: "volume", value: volume.name, at: volume.at },
      ],
      ...(sure && stuck ? {} : { severity: "warning" as const }),
      ...(sure || nodes !== undefined ? {} : { ask: ["nodes"] }),
    };
  }
}

function daemon({ name, strategy }: Workload, ports: readonly number[]): Problem {
  return {
    at: strategy.surgeAt,
    message: `a roll of DaemonSet "${name}" starts the new pod beside the old one on the same node (maxSurge ${strategy.surgeGiven}), and both need host port ${listed(ports.map(String))}: the new pod is never scheduled, and the old one waits for it`,
    hint: "set maxSurge: 0 and maxUnavailable: 1",
  };
}

function* spread(workload: Workload, nodes: number, ports: readonly number[], keys: readonly string[]): Iterable<Problem> {
  const { kind, name, strategy, replicas } = workload;
  const floor = Math.max(1, replicas.floor);
  const need = floor + strategy.surge;
  if (nodes >= need) return;
  const stuck = strategy.unavailable === 0 || nodes < floor;
  const [key] = keys;
  const reason = ports.length > 0 ? `host port ${listed(ports.map(String))}` : `required anti-affinity to itself on ${key}`;
  const end = stuck
    ? "the pod that finds no place stays pending, and the rollout never ends"
    : "one pod stays pending until an old one is gone";
  yield {
    at: strategy.surge > 0 ? strategy.surgeAt : replicas.at,
    message: `a roll of ${kind} "${name}" needs ${floor} replicas + ${strategy.surge} surge = ${need} nodes (${reason}), and there are ${nodes}: ${end}`,
    hint:
      strategy.surge > 0
        ? "set maxSurge: 0 with maxUnavailable: 1, or run fewer replicas than there are nodes"
        : `run at most ${nodes} replicas, or add nodes`,
    because: [{ term: "replicas", value: floor, at: replicas.at }],
    ...(stuck ? {} : { severity: "warning" as const }),
  };
}

/** Ports that a pod takes on its node; with hostNetwork every declared port is one. */
function hostPorts({ pod, appContainers, sidecars }: Workload): readonly number[] {
  const taken = ({ hostPort, number }: ContainerPort) => (pod.hostNetwork ? number : hostPort);
  return [...new Set([...sidecars, ...appContainers].flatMap(({ ports }) => ports.flatMap((port) => taken(port) ?? [])))];
}
