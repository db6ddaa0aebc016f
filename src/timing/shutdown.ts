import { literalSleep } from "../model/shell.js";
import type { Container, ContainerRole, Workload } from "../model/types.js";
import { type Part, part, type Timed, timed } from "./timed.js";

/** A container on its way down: how long its preStop hook and then the app itself take (seconds). */
export interface Drain {
  readonly name: string;
  readonly role: ContainerRole;
  readonly preStop: number;
  readonly drain: number;
}

/** The least that an app gets after the stop signal (seconds; item 125). */
export const leastGrace = 2;

/** Time that an app has after the stop signal, of a grace period and a preStop hook that takes `preStop` (seconds); F15. */
export function timeForApp(grace: number, preStop = 0): number {
  const whole = effectiveGrace(grace);
  return preStop > whole ? leastGrace : Math.max(leastGrace, whole - Math.floor(preStop));
}

/** Decision to kill to container gone, at most (seconds); `grace` is the probe's own value or the pod's; F8. */
export function goneAfter(grace: number, hasPreStop: boolean): number {
  const whole = effectiveGrace(grace);
  return hasPreStop ? whole + leastGrace : Math.max(leastGrace, whole);
}

/** Deletion to pod gone, at most (seconds): G + 2, before G + 3 with sidecars; F15. */
export function podGoneAfter(workload: Workload): number {
  const grace = workload.pod.grace.value;
  if (workload.sidecars.length > 0) return effectiveGrace(grace) + 3;
  return goneAfter(
    grace,
    workload.containers.some((container) => container.preStop !== undefined),
  );
}

/** The grace period that a pod needs (seconds): the slowest app container, then each sidecar, the last one first; F15. */
export function shutdownNeeded(containers: readonly Drain[]): Timed {
  let parts: readonly Part[] = [];
  for (const container of containers.filter(({ role }) => role === "app")) {
    const own = [part(`preStop ${container.name}`, container.preStop), part(`drain ${container.name}`, container.drain)];
    if (total(own) > total(parts)) parts = own;
  }
  for (const sidecar of containers.filter(({ role }) => role === "sidecar").reverse()) {
    // All preStop hooks start at once; only the stop signal waits for those before.
    if (sidecar.preStop > total(parts)) parts = [part(`preStop ${sidecar.name}`, sidecar.preStop)];
    parts = [...parts, part(`drain ${sidecar.name}`, sidecar.drain)];
  }
  return timed(parts);
}

/** How long the preStop hook of a container sleeps for certain (seconds): a native sleep, or literal `sleep`s of an exec; undefined when nothing tells. */
export function preStopSleep({ preStop }: Container): number | undefined {
  return preStop?.sleep ?? (preStop?.type === "exec" ? literalSleep(preStop.command ?? []) : undefined);
}

/** The kubelet never works with 0: it takes 1 s, also for a negative value (item 124). */
function effectiveGrace(grace: number): number {
  return Math.max(1, grace);
}

function total(parts: readonly Part[]): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}
