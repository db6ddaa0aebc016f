import type { HealthCheck } from "./docker.js";
import { healthCheckDefaults } from "./docker.js";
import type { ProbeNumbers } from "./timed.js";

/** How one attempt ends: after `takes` seconds, at most the timeout. A discarded one changes no counter (item 28). */
export interface Outcome {
  readonly takes: number;
  readonly result: "success" | "failure" | "discarded";
}

/** An attempt that was made (seconds after container start). */
export interface Attempt extends Outcome {
  readonly start: number;
  readonly end: number;
}

/** One container under one probe; times in seconds after container start. */
export interface ProbeRun {
  readonly probe: ProbeNumbers;
  /** The first tick after container start, in [0, P): the worker is older than the container (item 10). */
  readonly phase: number;
  /** What storing `startedAt` in whole seconds takes off the delay, in [0, 1) (item 13). */
  readonly truncated?: number;
  /** From when on the container is seen (item 16), or Started (item 34). */
  readonly from?: number;
  /** Extra runs of a readiness probe (item 19), ascending; each restarts the ticker (item 20). */
  readonly triggers?: readonly number[];
  /** The stored result at the beginning: success for liveness, failure for readiness, unknown for startup (item 30). */
  readonly initial: "success" | "failure" | "unknown";
  readonly until: number;
  attempt(start: number, index: number): Outcome;
}

/** A change of the stored result. */
export interface Verdict {
  readonly at: number;
  readonly result: "success" | "failure";
}

/** What the kubelet's worker does with one probe, step by step (items 9 to 34): every attempt and every change of the stored result. */
export function simulateProbe(run: ProbeRun): { readonly attempts: readonly Attempt[]; readonly verdicts: readonly Verdict[] } {
  const { probe, initial } = run;
  const attempts: Attempt[] = [];
  const verdicts: Verdict[] = [];
  let stored: ProbeRun["initial"] = initial;
  let last: Outcome["result"] | undefined;
  let equal = 0;

  for (const start of starts(run, attempts)) {
    const { takes, result } = run.attempt(start, attempts.length);
    const end = start + Math.min(takes, probe.timeout);
    attempts.push({ start, end, takes: end - start, result });
    if (result === "discarded") continue;
    equal = result === last ? equal + 1 : 1;
    last = result;
    if (equal < (result === "success" ? probe.successes : probe.failures) || stored === result) continue;
    stored = result;
    verdicts.push({ at: end, result });
    // Item 33: after a liveness failure or either startup verdict the worker rests until there is a new container.
    if (initial === "unknown" || (initial === "success" && result === "failure")) break;
  }
  return { attempts, verdicts };
}

/** Start times of attempts: one pending tick at most, taken the moment the attempt before it ends (item 18). */
function* starts(run: ProbeRun, attempts: readonly Attempt[]): Generator<number> {
  const { probe, phase, until } = run;
  const triggers = [...(run.triggers ?? [])];
  let origin = phase;
  let tick = 0;
  let wake = phase;
  for (;;) {
    const trigger = triggers[0];
    if (trigger !== undefined && trigger <= wake) {
      triggers.shift();
      wake = Math.max(trigger, attempts.at(-1)?.end ?? 0);
      origin = wake;
      tick = 0;
    }
    if (wake > until) return;
    const seen = wake >= (run.from ?? 0) && Math.floor(wake + (run.truncated ?? 0)) >= probe.delay;
    if (seen) yield wake;
    // Ticks are counted, not divided: a rounding error would run the same tick twice.
    do tick++;
    while (origin + tick * probe.period <= wake);
    wake = Math.max(origin + tick * probe.period, seen ? (attempts.at(-1)?.end ?? 0) : 0);
  }
}

/** The checks of Docker's health monitor until unhealthy (items 176 to 180); undefined when it does not come to that (seconds). */
export function simulateHealthCheck(check: HealthCheck, until: number, attempt: (start: number) => Outcome): number | undefined {
  const { interval, timeout, retries, startPeriod, startInterval } = healthCheckDefaults(check);
  let healthy = false;
  let failures = 0;
  let ended = 0;
  while (ended <= until) {
    const start = ended + (!healthy && ended < startPeriod ? startInterval : interval);
    const { takes, result } = attempt(start);
    ended = start + Math.min(takes, timeout);
    if (result === "success") {
      healthy = true;
      failures = 0;
      continue;
    }
    if (!healthy && start < startPeriod) continue;
    failures++;
    if (failures >= retries) return ended;
  }
  return undefined;
}

/** A rolling update, step by step. Times in seconds after its start. */
export interface RollingRun {
  readonly pods: number;
  readonly surge: number;
  readonly unavailable: number;
  readonly minReady: number;
  /** Creation of the i-th new pod to Ready. */
  ready(pod: number): number;
}

/** What a Deployment does on an update (items 64 to 66): when Helm 3 stops waiting, when all pods are Available, and how few and how many there were. */
export function simulateRoll(run: RollingRun): {
  readonly helm3: number;
  readonly complete: number;
  readonly fewestAvailable: number;
  readonly mostPods: number;
} {
  const { pods, surge, unavailable, minReady } = run;
  const created: { readonly ready: number; readonly available: number }[] = [];
  let old = pods;
  let now = 0;
  let helm3: number | undefined;
  let fewestAvailable = pods;
  let mostPods = pods;
  for (;;) {
    const available = () => created.filter((pod) => pod.available <= now).length;
    for (let moved = true; moved; ) {
      const grow = Math.min(pods + surge - old - created.length, pods - created.length);
      for (let i = 0; i < grow; i++) {
        const ready = now + run.ready(created.length);
        created.push({ ready, available: ready + minReady });
      }
      // Old pods go while at least pods - unavailable stay Available.
      const shrink = Math.max(0, Math.min(old, old + available() - (pods - unavailable)));
      old -= shrink;
      mostPods = Math.max(mostPods, old + created.length);
      fewestAvailable = Math.min(fewestAvailable, old + available());
      moved = shrink > 0;
    }
    if (created.filter((pod) => pod.ready <= now).length >= pods - unavailable) helm3 ??= now;
    if (old === 0 && available() === pods) return { helm3: helm3 ?? now, complete: now, fewestAvailable, mostPods };
    now = Math.min(...created.flatMap((pod) => [pod.ready, pod.available]).filter((at) => at > now));
  }
}
