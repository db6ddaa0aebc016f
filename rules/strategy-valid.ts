import { defineRule, dig, type Problem, type Workload } from "../src/api.js";

const types: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["RollingUpdate", "Recreate"],
  StatefulSet: ["RollingUpdate", "OnDelete"],
  DaemonSet: ["RollingUpdate", "OnDelete"],
};

export default defineRule({
  id: "strategy-valid",
  summary: "The update strategy is one that the API server takes and that a deploy gets through",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["deploy"],
  *check(workload, { environment: { deploy }, judged, ask }) {
    const { kind, name, strategy, replicas } = workload;
    if (!workload.longRunning || (types[kind] === undefined && kind !== "Rollout")) return;
    judged();
    yield* shape(workload);
    const floor = Math.max(1, replicas.floor);
    const onDelete = kind !== "Rollout" && strategy.type === "OnDelete";
    const parted = kind === "StatefulSet" && strategy.type === "RollingUpdate" && strategy.partition >= floor;
    if (!onDelete && !parted) return;
    if (deploy === undefined) ask("deploy");
    // Who declares a deploy and nothing else about it means one that runs by itself.
    if (deploy === undefined || deploy.automatic === false) return;
    const what = onDelete
      ? "has strategy OnDelete"
      : `keeps every pod below partition ${strategy.partition} as it is, and has ${floor} (${replicas.by})`;
    yield {
      at: onDelete ? strategy.at.key("type") : strategy.at.key("rollingUpdate", "partition"),
      message: `${kind} "${name}" ${what}: an automatic deploy reports success and replaces no pod`,
      hint: onDelete
        ? "set type RollingUpdate, or delete the pods as a step of the deploy"
        : `set partition below ${floor}, or lower it as a step of the deploy`,
      because: onDelete ? [] : [{ term: "replicas", value: floor, at: replicas.at }],
    };
  },
});

function* shape(workload: Workload): Iterable<Problem> {
  const { kind, name, strategy } = workload;
  const refused = "the API server refuses it";
  const allowed = types[kind];
  if (allowed !== undefined && !allowed.includes(strategy.type)) {
    yield {
      at: strategy.at.key("type"),
      message: `${kind} "${name}" has strategy "${strategy.type}", expected ${allowed.join(" or ")}: ${refused}`,
      hint: `set type ${allowed.join(" or ")}`,
    };
    return;
  }
  const field = kind === "Deployment" ? "strategy" : "updateStrategy";
  const block = dig(workload.body, "spec", field, "rollingUpdate");
  if (allowed !== undefined && strategy.type !== "RollingUpdate") {
    if (typeof block !== "object" || block === null) return;
    const ignored = kind === "DaemonSet";
    yield {
      at: strategy.at.key("rollingUpdate"),
      message: `${kind} "${name}" has a rollingUpdate block beside type ${strategy.type}: ${ignored ? "it has no effect" : refused}`,
      hint: "render rollingUpdate only with type RollingUpdate; values that merge over a default block need rollingUpdate: null",
      ...(ignored ? { severity: "warning" as const } : {}),
    };
    return;
  }
  yield* numbers(workload, refused);
}

/** Items 59 and 87: a Deployment must not have both at 0, a DaemonSet has to have exactly one of them at 0. */
function* numbers({ kind, name, strategy }: Workload, refused: string): Iterable<Problem> {
  if (kind === "StatefulSet") return;
  const daemon = kind === "DaemonSet";
  const surge = strategy.surgeGiven ?? (daemon ? 0 : "25%");
  const unavailable = strategy.unavailableGiven ?? (daemon ? 1 : "25%");
  const because = [{ term: "maxUnavailable", value: unavailable, at: strategy.unavailableAt }];
  const byDefault = strategy.unavailableGiven === undefined ? " (the default)" : "";
  if (isZero(surge) && isZero(unavailable)) {
    const message = `${kind} "${name}" has maxSurge ${surge} and maxUnavailable ${unavailable}: no pod may be added and none taken away, ${refused}`;
    yield { at: strategy.unavailableAt, message, hint: daemon ? "set maxUnavailable: 1" : "set maxSurge: 1, or maxUnavailable: 1" };
  } else if (daemon && !isZero(surge) && !isZero(unavailable)) {
    const message = `DaemonSet "${name}" has maxSurge ${surge} and maxUnavailable ${unavailable}${byDefault}, expected one of them to be 0: ${refused}`;
    yield { at: strategy.surgeAt, message, hint: "write maxUnavailable: 0 beside maxSurge, or leave maxSurge out", because };
  }
}

function isZero(share: string | number): boolean {
  return /^0+%?$/.test(String(share));
}
