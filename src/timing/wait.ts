import type { Workload } from "../model/types.js";
import { helmWait, type Roll, resolveDaemonStrategy, type Waiter } from "./rollout.js";
import { podGoneAfter } from "./shutdown.js";
import { part, type Timed, timed } from "./timed.js";

/**
 * How long a deploy tool has to wait for a workload (seconds), when a pod takes `ready` from creation to Ready; what it does not wait for
 * takes 0, with no terms: Jobs (Helm awaits them only with --wait-for-jobs), CronJobs, hooks, OnDelete, and for Helm Argo Rollouts.
 * `shutdown` is the time until a deleted pod is gone, by default its upper bound; F13, items 167 to 172.
 */
export function rolloutWait(
  workload: Workload,
  ready: number,
  waiter: Waiter,
  install: boolean,
  shutdown: number = podGoneAfter(workload),
): Timed {
  if (workload.hooks.length > 0 || workload.strategy.type === "OnDelete") return timed([]);
  const roll = rollOf(workload, ready, shutdown, install);
  if (roll !== undefined) return workload.kind === "Rollout" && waiter !== "kubectl" ? timed([]) : helmWait(roll, waiter, install);
  if (workload.kind === "Job" || workload.kind === "CronJob") return timed([]);
  return timed([part("ready", ready), part("poll", waiter === 3 ? 2 : 0)]);
}

/** The roll of a workload at its floor; undefined for kinds that do not roll. A floor of 0 counts as 1. */
export function rollOf(workload: Workload, ready: number, shutdown: number, install: boolean): Roll | undefined {
  const { strategy } = workload;
  const pods = Math.max(1, workload.replicas.floor);
  const times = { ready, minReady: workload.minReady.value, shutdown };
  if (workload.kind === "Deployment" || workload.kind === "Rollout") {
    const kind = strategy.type === "Recreate" ? "recreate" : "rolling";
    return { kind, pods, surge: strategy.surge, unavailable: strategy.unavailable, ...times };
  }
  if (workload.kind === "StatefulSet") {
    const kind = workload.podManagementPolicy === "Parallel" ? "parallel" : "ordered";
    return { kind, pods: install ? pods : Math.max(0, pods - strategy.partition), surge: 0, unavailable: 1, ...times };
  }
  if (workload.kind !== "DaemonSet") return undefined;
  const nodes = Math.max(1, workload.environment.nodes ?? workload.replicas.floor);
  return { kind: "daemon", pods: nodes, ...resolveDaemonStrategy(nodes, strategy.surgeGiven, strategy.unavailableGiven), ...times };
}
