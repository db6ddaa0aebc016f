import type { Bounds } from "./timed.js";

/** A Compose or Docker health check (seconds and a count); an absent value or 0 is the default; item 175. */
export interface HealthCheck {
  readonly interval?: number;
  readonly timeout?: number;
  readonly retries?: number;
  readonly startPeriod?: number;
  readonly startInterval?: number;
}

/** A health check with Docker's defaults filled in: 30 s, 30 s, 3, 0 s, 5 s (seconds; item 175). */
export function healthCheckDefaults(check: HealthCheck): Required<HealthCheck> {
  return {
    interval: check.interval || 30,
    timeout: check.timeout || 30,
    retries: check.retries || 3,
    startPeriod: check.startPeriod || 0,
    startInterval: check.startInterval || 5,
  };
}

/** When a container that never answers becomes unhealthy, counted from its start (seconds; starting the check not included); F18. */
export function composeUnhealthy(check: HealthCheck): Bounds {
  const { interval, timeout, retries, startPeriod, startInterval } = healthCheckDefaults(check);
  // The timer is re-armed after a check ends, so a cycle is interval plus check, unlike the kubelet's.
  const cycle = interval + timeout;
  if (startPeriod === 0) return { earliest: retries * interval, latest: retries * cycle };
  return {
    earliest: Math.max(startPeriod, startInterval) + (retries - 1) * interval,
    latest: startPeriod + Math.max(startInterval, cycle) + timeout + (retries - 1) * cycle,
  };
}
