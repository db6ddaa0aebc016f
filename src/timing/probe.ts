import { type Bounds, type Part, type ProbeNumbers, part, type Timed, timed } from "./timed.js";

/** How long the status of a started container may take to be seen (seconds; `e` of the formulas, item 17). */
export const statusLag = 2;

/** `startedAt` is stored in whole seconds, so a delay above 0 can end up to this much early: 1 or 0 (seconds; item 13). */
export function delayRounding(p: ProbeNumbers): number {
  return p.delay > 0 ? 1 : 0;
}

/** When a startup or liveness probe is first tried after container start (seconds); `latest` itself is not reached; F1. */
export function firstAttempt(p: ProbeNumbers): Bounds {
  return { earliest: p.delay, latest: p.delay + p.period };
}

/** When a container whose endpoint never answers is killed, counted from its start (seconds; the lower end `delayRounding` less); F2. */
export function startupKill(p: ProbeNumbers): Bounds {
  return { earliest: p.delay + (p.failures - 1) * p.period, latest: startupBudget(p).seconds };
}

/** The same when every attempt runs into its timeout (seconds; the lower end `delayRounding` less); F2. */
export function startupKillWhenHanging(p: ProbeNumbers): Bounds {
  return { earliest: p.delay + (p.failures - 1) * spacing(p) + p.timeout, latest: startupBudget(p).seconds };
}

/** The upper bound of F2 with its terms (seconds): `10 period + 179 × 10 + 5 timeout`. */
export function startupBudget(p: ProbeNumbers): Timed {
  return timed([delayPart(p), part("period", p.period, p.at?.key("periodSeconds")), attemptsPart(p, spacing(p)), timeoutPart(p)]);
}

/** The start-up time that an app can rely on (seconds): D + (F−1)·P, 1 s less when D > 0; F3. Liveness without a startup probe alike (F7). */
export function reliableBudget(p: ProbeNumbers): Timed {
  return timed([delayPart(p), attemptsPart(p, p.period), part("rounding", 0 - delayRounding(p))]);
}

/**
 * Container start to Started (seconds), when the endpoint answers from `boot` on and an answer takes `answer`; F4.
 * Without a startup probe: the status lag.
 */
export function timeToStarted(p: ProbeNumbers | undefined, boot: number, answer: number): { readonly best: Timed; readonly worst: Timed } {
  if (p === undefined) return { best: timed([]), worst: timed([part("status lag", statusLag)]) };
  const begin = boot >= p.delay ? part("boot", boot) : delayPart(p);
  const end = part("answer", answer);
  return { best: timed([begin, end]), worst: timed([begin, spacingPart(p), end]) };
}

/**
 * Container start to Ready (seconds), when `started` is the time of Started, the endpoint answers from `boot` on and an
 * answer takes `answer`; F5. Without a readiness probe: `started`.
 */
export function timeToReady(
  p: ProbeNumbers | undefined,
  started: number,
  boot: number,
  answer: number,
): { readonly best: number; readonly nominal: number; readonly worst: number } {
  if (p === undefined) return { best: started, nominal: started, worst: started };
  const begin = Math.max(started, p.delay, boot);
  return {
    best: begin + p.successes * answer,
    nominal: begin + answer + (p.successes - 1) * p.period,
    worst: begin + readinessLag(p, answer).seconds,
  };
}

/** From the moment at which readiness could pass to Ready, at worst (seconds): max(P,T) + (S−1)·max(P,d) + d; F5. */
export function readinessLag(p: ProbeNumbers, answer: number): Timed {
  const gap = Math.max(p.period, answer);
  const more = p.successes - 1;
  return timed([
    spacingPart(p),
    part("further successes", more * gap, p.at?.key("successThreshold"), `${more} × ${gap}`),
    part("answer", answer),
  ]);
}

/** When liveness kills, counted from the moment at which the endpoint stops answering (seconds); `inFlight`: a check hangs at that moment; F7. */
export function livenessKill(p: ProbeNumbers, inFlight: boolean): Bounds {
  return failureVerdict(p, inFlight);
}

/** When readiness takes the pod out, counted from the moment at which the endpoint stops answering (seconds); F9. */
export function readinessRemoval(p: ProbeNumbers, inFlight: boolean): Bounds {
  return failureVerdict(p, inFlight);
}

/** Whether a pod is surely out of its Services before liveness kills it; F9. */
export function drainedBeforeKilled(readiness: ProbeNumbers, liveness: ProbeNumbers): boolean {
  return readinessRemoval(readiness, true).latest < livenessKill(liveness, true).earliest;
}

/** Delay before the j-th restart after an exit of its own, j from 1 (seconds); F17. */
export function restartBackoff(j: number): number {
  return j <= 1 ? 0 : Math.min(10 * 2 ** (j - 2), backoffCap);
}

/** What the restart may come later than its delay (seconds), by minor version of Kubernetes 1.x; F17. */
export function restartLag(delay: number, kubeMinor: number): number {
  return kubeMinor >= 35 ? 0.5 * Math.min(delay, 60) : 15;
}

/** Waits before the restarts that follow probe kills 1..kills, when every instance runs `run` seconds (seconds); item 44. */
export function probeKillBackoff(run: number, kills: number): readonly number[] {
  const waits: number[] = [];
  let entry: { readonly delay: number; readonly decided: number } | undefined;
  let previousExit: number | undefined;
  let started = 0;
  for (let kill = 1; kill <= kills; kill++) {
    const now = started + run;
    if (entry !== undefined && now - entry.decided > forgetAfter) entry = undefined;
    // The kubelet judges by the status from before the kill: the exit that it knows is the previous instance's.
    const refused = entry !== undefined && previousExit !== undefined && now - previousExit < entry.delay;
    const restart: number = refused && entry !== undefined ? Math.min(now + entry.delay, Math.max(now, entry.decided + forgetAfter)) : now;
    if (previousExit !== undefined) {
      const known: boolean = entry !== undefined && restart - entry.decided < forgetAfter;
      entry = { delay: known && entry !== undefined ? Math.min(entry.delay * 2, backoffCap) : 10, decided: restart };
    }
    waits.push(restart - now);
    previousExit = now;
    started = restart;
  }
  return waits;
}

const backoffCap = 300;
const forgetAfter = 600;

/** Distance of two attempts that both hang: a probe longer than its period makes the next one start when it ends (item 18). */
function spacing(p: ProbeNumbers): number {
  return Math.max(p.period, p.timeout);
}

function failureVerdict(p: ProbeNumbers, inFlight: boolean): Bounds {
  // How far before the outage the first failing attempt, or the tick that it answers to, can lie.
  const ahead = p.timeout < p.period ? (inFlight ? p.timeout : 0) : inFlight ? 2 * p.period : p.period;
  return {
    earliest: Math.max(0, (p.failures - 1) * p.period - ahead),
    latest: p.period + (p.failures - 1) * spacing(p) + p.timeout,
  };
}

function delayPart(p: ProbeNumbers): Part {
  return part("delay", p.delay, p.at?.key("initialDelaySeconds"));
}

function timeoutPart(p: ProbeNumbers): Part {
  return part("timeout", p.timeout, p.at?.key("timeoutSeconds"));
}

function spacingPart(p: ProbeNumbers): Part {
  return p.timeout > p.period ? timeoutPart(p) : part("period", p.period, p.at?.key("periodSeconds"));
}

function attemptsPart(p: ProbeNumbers, gap: number): Part {
  const times = p.failures - 1;
  return part("attempts", times * gap, p.at?.key("failureThreshold"), `${times} × ${gap}`);
}
