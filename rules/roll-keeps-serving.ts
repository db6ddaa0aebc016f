import { defineRule, gateHolders, gateState, listed, type Place, portionOf, type Workload } from "../src/api.js";

export default defineRule({
  id: "roll-keeps-serving",
  summary: "A rollout leaves at least one pod serving at every moment",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["gates"],
  *check(workload, { factsOf, judged }) {
    const { kind, name, replicas, strategy } = workload;
    if (!workload.longRunning || !["Deployment", "Rollout", "StatefulSet", "DaemonSet"].includes(kind)) return;
    const gates = gateHolders(workload, factsOf).flatMap(({ container, gate }) =>
      gateState(container, gate).armed === true ? [gate.name] : [],
    );
    const surging = strategy.type === "RollingUpdate" && (kind === "Deployment" || kind === "Rollout");
    const pods = Math.max(1, replicas.floor);
    // Only the two kinds that can surge have a choice: of the others a roll always takes a pod first, which matters to a gate alone.
    if (!surging && gates.length === 0) return;
    // Nothing is replaced by itself.
    if (strategy.type === "OnDelete" || strategy.partition >= pods) return;
    judged();
    const left = pods - Math.min(pods, strategy.unavailable);
    if (left >= 1) return;
    const because = [{ term: "replicas", value: pods, at: replicas.at }];
    const gone = pods === 1 ? "the only pod goes first" : `all ${pods} pods go at once`;
    const gated =
      gates.length === 0 ? "" : `, before ${gates.length === 1 ? "gate" : "gates"} ${listed(gates.map((gate) => `"${gate}"`))} can speak`;
    // F13: Helm 3 takes a Deployment as ready at replicas - maxUnavailable, and looks at no Rollout at all.
    const unseen =
      kind === "Deployment" && surging
        ? `, and Helm 3 waits for nothing (it is content with replicas - maxUnavailable = ${left} ready)`
        : "";
    const { at, cause, hint, fix } = surging ? surgingCause(workload, pods) : otherCause(workload);
    yield {
      at,
      message: `a roll of ${kind} "${name}" leaves ${pods} - ${pods - left} = ${left} pods serving (${cause}): ${gone}${gated}${unseen}`,
      hint,
      because,
      ...(fix === undefined ? {} : { fix: { value: fix } }),
      severity: replicas.floor >= 2 || gates.length > 0 ? "error" : "warning",
    };
  },
});

interface Cause {
  readonly at: Place;
  readonly cause: string;
  readonly hint: string;
  readonly fix?: number;
}

function surgingCause({ strategy }: Workload, pods: number): Cause {
  const unavailable = strategy.unavailableGiven ?? "25%";
  const rounded = portionOf(pods, unavailable, "down") === 0;
  const hint = "set maxUnavailable: 0 and maxSurge: 1; if two pods must never run at once, say so with type Recreate";
  if (!rounded) {
    const fixable = strategy.surge > 0 ? { fix: 0 } : {};
    return { at: strategy.unavailableAt, cause: `maxUnavailable ${unavailable} of ${pods}`, hint, ...fixable };
  }
  const cause = `maxSurge ${strategy.surgeGiven ?? "25%"} and maxUnavailable ${unavailable} of ${pods} both come to 0, and then one pod is taken away`;
  return { at: strategy.surgeAt, cause, hint, fix: 1 };
}

function otherCause({ kind, strategy }: Workload): Cause {
  const hint = "a gate protects only what rolls while its old pods serve: a Deployment with maxUnavailable: 0 and maxSurge: 1";
  if (strategy.type === "Recreate") return { at: strategy.at.key("type"), cause: "strategy Recreate", hint };
  if (strategy.unavailableGiven === undefined) return { at: strategy.at, cause: `a ${kind} replaces a pod by taking it away`, hint };
  return { at: strategy.unavailableAt, cause: `maxUnavailable ${strategy.unavailableGiven}`, hint };
}
