import type { Place } from "../manifest/place.js";
import { portionOf, resolveDaemonStrategy, resolveStrategy } from "../timing/rollout.js";
import { asCount, asMapping, asName, asString, dig } from "./read.js";
import type { Strategy, Workload } from "./types.js";

type Given = string | number | undefined;

/** The update strategy, resolved at the floor of the replicas, a floor of 0 counting as 1 (F10, items 56 to 62, 83 to 88). */
export function buildStrategy(workload: Workload): Strategy {
  const pods = Math.max(1, workload.replicas.floor);
  switch (workload.kind) {
    case "Deployment":
      return ofDeployment(workload, pods);
    case "Rollout":
      return ofRollout(workload, pods);
    case "StatefulSet":
      return ofStatefulSet(workload, pods);
    case "DaemonSet":
      return ofDaemonSet(workload, pods);
    default:
      // Nothing replaces the pods of these kinds when the template moves.
      return strategy("OnDelete", workload.at.key("spec"), { surge: 0, unavailable: 0 });
  }
}

function ofDeployment(workload: Workload, pods: number): Strategy {
  const at = workload.at.key("spec", "strategy");
  const type = asName(dig(workload.body, "spec", "strategy", "type")) ?? "RollingUpdate";
  if (type === "Recreate") return strategy(type, at, { surge: 0, unavailable: pods });
  const given = readGiven(dig(workload.body, "spec", "strategy", "rollingUpdate"));
  return strategy(type, at, resolveStrategy(pods, given.surge, given.unavailable), given, at.key("rollingUpdate"));
}

/** Canary rolls like a Deployment; blueGreen brings up a full second set first. Both count as RollingUpdate. */
function ofRollout(workload: Workload, pods: number): Strategy {
  const at = workload.at.key("spec", "strategy");
  if (asMapping(dig(workload.body, "spec", "strategy", "blueGreen")) !== undefined) {
    return strategy("RollingUpdate", at, { surge: pods, unavailable: 0 }, nothingGiven, at.key("blueGreen"));
  }
  const given = readGiven(dig(workload.body, "spec", "strategy", "canary"));
  return strategy("RollingUpdate", at, resolveStrategy(pods, given.surge, given.unavailable), given, at.key("canary"));
}

function ofStatefulSet(workload: Workload, pods: number): Strategy {
  const at = workload.at.key("spec", "updateStrategy");
  const type = asName(dig(workload.body, "spec", "updateStrategy", "type")) ?? "RollingUpdate";
  if (type === "OnDelete") return strategy(type, at, { surge: 0, unavailable: 0 });
  const rolling = dig(workload.body, "spec", "updateStrategy", "rollingUpdate");
  const unavailable = readGiven(rolling).unavailable;
  const given = { surge: undefined, unavailable };
  // A percentage rounds down, and at least one pod moves (item 85).
  const moved = unavailable === undefined ? 1 : Math.max(1, portionOf(pods, unavailable, "down") ?? 1);
  const partition = asCount(dig(rolling, "partition")) ?? 0;
  return strategy(type, at, { surge: 0, unavailable: Math.min(pods, moved) }, given, at.key("rollingUpdate"), partition);
}

/** Both percentages round up here (item 87). */
function ofDaemonSet(workload: Workload, pods: number): Strategy {
  const at = workload.at.key("spec", "updateStrategy");
  const type = asName(dig(workload.body, "spec", "updateStrategy", "type")) ?? "RollingUpdate";
  if (type === "OnDelete") return strategy(type, at, { surge: 0, unavailable: 0 });
  const given = readGiven(dig(workload.body, "spec", "updateStrategy", "rollingUpdate"));
  return strategy(type, at, resolveDaemonStrategy(pods, given.surge, given.unavailable), given, at.key("rollingUpdate"));
}

const nothingGiven = { surge: undefined, unavailable: undefined };

function readGiven(rolling: unknown): { readonly surge: Given; readonly unavailable: Given } {
  return { surge: readShare(dig(rolling, "maxSurge")), unavailable: readShare(dig(rolling, "maxUnavailable")) };
}

function readShare(value: unknown): Given {
  return asCount(value) ?? asString(value);
}

function strategy(
  type: string,
  at: Place,
  resolved: { readonly surge: number; readonly unavailable: number },
  given: { readonly surge: Given; readonly unavailable: Given } = nothingGiven,
  fields: Place = at,
  partition = 0,
): Strategy {
  return Object.freeze({
    type,
    at,
    surge: resolved.surge,
    unavailable: resolved.unavailable,
    surgeGiven: given.surge,
    unavailableGiven: given.unavailable,
    surgeAt: fields.key("maxSurge"),
    unavailableAt: fields.key("maxUnavailable"),
    partition,
  });
}
