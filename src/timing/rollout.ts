import { type Part, part, plain, type Timed, timed } from "./timed.js";

/** A count, or a percentage such as `25%`. */
export type Share = number | string;

/** How a workload replaces its pods: a Deployment's two ways, a StatefulSet's two pod management policies, a DaemonSet. */
export type RollKind = "rolling" | "recreate" | "ordered" | "parallel" | "daemon";

/** One roll. Times in seconds: `ready` from the creation of a pod to Ready, `shutdown` from its deletion until it is gone. */
export interface Roll {
  readonly kind: RollKind;
  /** Pods that are replaced or created. */
  readonly pods: number;
  /** Resolved numbers (F10); they count for rolling and daemon only. */
  readonly surge: number;
  readonly unavailable: number;
  readonly ready: number;
  readonly minReady: number;
  readonly shutdown: number;
}

/** Who waits for a roll: Helm 3, Helm 4 (watcher), `kubectl rollout status`. */
export type Waiter = 3 | 4 | "kubectl";

/** The number of pods that a count or percentage of `pods` is; undefined when it is neither. Percentages in whole numbers, as 25 × 28 / 100 must be 7. */
export function portionOf(pods: number, share: Share, rounding: "up" | "down"): number | undefined {
  if (typeof share === "number") return Number.isFinite(share) ? share : undefined;
  const match = /^(\d+)(%?)$/.exec(share);
  if (match === null) return undefined;
  const amount = Number(match[1]);
  if (match[2] === "") return amount;
  return Math.floor((pods * amount + (rounding === "up" ? 99 : 0)) / 100);
}

/** Surge and unavailable pods of a Deployment; both default to 25%, surge rounds up, unavailable down, both 0 makes unavailable 1; F10. */
export function resolveStrategy(
  pods: number,
  surge: Share = "25%",
  unavailable: Share = "25%",
): { readonly surge: number; readonly unavailable: number } {
  const above = portionOf(pods, surge, "up") ?? portionOf(pods, "25%", "up") ?? 0;
  const below = portionOf(pods, unavailable, "down") ?? portionOf(pods, "25%", "down") ?? 0;
  return { surge: above, unavailable: Math.min(pods, above === 0 && below === 0 ? 1 : below) };
}

/** Surge and unavailable pods of a DaemonSet on `nodes` nodes: 0 and 1 by default, both round up, one of them is 0; item 87. */
export function resolveDaemonStrategy(
  nodes: number,
  surge: Share = 0,
  unavailable?: Share,
): { readonly surge: number; readonly unavailable: number } {
  const above = portionOf(nodes, surge, "up") ?? 0;
  const below = portionOf(nodes, unavailable ?? (above > 0 ? 0 : 1), "up") ?? 1;
  return { surge: above, unavailable: above === 0 && below === 0 ? 1 : below };
}

/** In how many waves a rolling update replaces its pods; F11. */
export function waves(roll: Pick<Roll, "pods" | "surge" | "unavailable">): number {
  return Math.ceil(roll.pods / (roll.surge + roll.unavailable));
}

/** How long an update takes until every pod is Available (seconds; up to 1 s more a wave when minReady > 0); F11. */
export function updateTime(roll: Roll): Timed {
  if (roll.kind === "rolling") return timed([repeated(waves(roll), roll, false)]);
  if (roll.kind === "recreate") return timed([repeated(1, roll, true)]);
  if (roll.kind === "daemon") return timed([repeated(daemonWaves(roll), roll, roll.surge === 0)]);
  return timed([repeated(roll.pods, roll, true)]);
}

/** How long a first install takes until every pod is Available (seconds); F11. */
export function installTime(roll: Roll): Timed {
  return timed([repeated(roll.kind === "ordered" ? roll.pods : Math.min(1, roll.pods), roll, false)]);
}

/** Helm 3's distance between two looks (seconds; item 168). */
export const helmPoll = 2;

/** How long a waiter has to wait for a roll (seconds): what its timeout must exceed; F13. */
export function helmWait(roll: Roll, waiter: Waiter, install: boolean): Timed {
  if (waiter !== 3) return install ? installTime(roll) : updateTime(roll);
  return timed([...helm3Parts(roll, install), part("poll", helmPoll)]);
}

/** What a progress deadline must exceed (seconds): `least`, or `safe` when both gaps might count as one; pass `shutdown` for Recreate; F12. */
export function minimumProgressDeadline(
  ready: number,
  minReady: number,
  shutdown = 0,
): { readonly least: number; readonly safe: number; readonly smallest: number } {
  const least = Math.max(ready, minReady, shutdown) + 2;
  return { least, safe: Math.max(ready + minReady, shutdown) + 2, smallest: Math.floor(least) + 1 };
}

/** What a progress deadline must exceed for one startup kill and one restart to happen before it (seconds); F12. */
export function deadlineWithRestart(times: {
  readonly pull: number;
  readonly init: number;
  /** Upper bound of F2. */
  readonly kill: number;
  /** F8. */
  readonly gone: number;
  readonly ready: number;
}): number {
  return times.pull + times.init + times.kill + times.gone + times.ready;
}

/**
 * What a tool's timeout must exceed (seconds): `wait` to cover the roll, `reason` to report the exceeded progress deadline and not its own;
 * `lastProgress` is the time of the last progress event; F14.
 */
export function consistentTimeout(
  wait: number,
  progressDeadline: number,
  lastProgress = 0,
): { readonly wait: number; readonly reason: number } {
  return { wait, reason: lastProgress + progressDeadline + 2 };
}

/**
 * The longest that a helm command can take (seconds): one timeout for the resources and, for each hook that runs, one more and one for
 * each of its delete policies that fires, at most two (Helm 3.14 and later; earlier ones and Helm 4 hookOnly do not wait for deletions); F13.
 */
export function longestCommand(timeout: number, deletePolicies: readonly number[], waitsForDeletion: boolean): number {
  return deletePolicies.reduce((sum, fired) => sum + timeout * (1 + (waitsForDeletion ? Math.min(2, fired) : 0)), timeout);
}

/** How many pods a disruption budget lets go, of `expected` pods of which `healthy` are Ready; F16. */
export function disruptionsAllowed(
  budget: { readonly minAvailable?: Share | undefined; readonly maxUnavailable?: Share | undefined },
  expected: number,
  healthy = expected,
): number {
  const desired = desiredHealthy(budget, expected);
  return expected <= 0 || desired === undefined ? 0 : Math.max(0, healthy - desired);
}

/** How many pods a disruption budget keeps healthy; undefined when it sets nothing that can be understood, and so blocks all; F16. */
export function desiredHealthy(
  budget: { readonly minAvailable?: Share | undefined; readonly maxUnavailable?: Share | undefined },
  expected: number,
): number | undefined {
  if (budget.minAvailable !== undefined) return portionOf(expected, budget.minAvailable, "up");
  if (budget.maxUnavailable === undefined) return undefined;
  const away = portionOf(expected, budget.maxUnavailable, "up");
  return away === undefined ? undefined : Math.max(0, expected - away);
}

function helm3Parts(roll: Roll, install: boolean): readonly Part[] {
  const last = part("ready", roll.ready);
  if (roll.kind === "daemon") return daemonParts(roll, install);
  if (roll.kind === "recreate") return install ? [last] : [part("shutdown", roll.shutdown), last];
  // F11: every pod of a StatefulSet, each until Available.
  if (roll.kind !== "rolling") return [repeated(install && roll.kind === "parallel" ? 1 : roll.pods, roll, !install)];
  if (roll.pods <= roll.unavailable) return [];
  if (install) return [last];
  const counted = Math.ceil((roll.pods - roll.unavailable) / (roll.surge + roll.unavailable));
  return [repeated(counted - 1, roll, false), last];
}

/** Item 170: all pods scheduled and all but `unavailable` Ready; the last wave need not be Ready unless pods surge. */
function daemonParts(roll: Roll, install: boolean): readonly Part[] {
  if (install) return roll.pods <= roll.unavailable ? [] : [part("ready", roll.ready)];
  const earlier = repeated(daemonWaves(roll) - 1, roll, roll.surge === 0);
  return [earlier, roll.surge > 0 ? part("ready", roll.ready) : part("shutdown", roll.shutdown)];
}

function daemonWaves(roll: Roll): number {
  return Math.ceil(roll.pods / (roll.surge > 0 ? roll.surge : roll.unavailable));
}

/** `3 × (30 shutdown + 20 ready + 5 minReady)`. */
function repeated(times: number, roll: Roll, withShutdown: boolean): Part {
  const steps: readonly (readonly [string, number])[] = [
    ["shutdown", withShutdown ? roll.shutdown : 0],
    ["ready", roll.ready],
    ["minReady", roll.minReady],
  ];
  const sum = steps.reduce((total, [, seconds]) => total + seconds, 0);
  const shown = steps.filter(([, seconds]) => seconds > 0).map(([step, seconds]) => `${plain(seconds)} ${step}`);
  const inner = shown.join(" + ");
  if (times === 1) return part("pods", sum, undefined, inner);
  return part("pods", times * sum, undefined, `${times} × ${shown.length > 1 ? `(${inner})` : inner}`);
}
