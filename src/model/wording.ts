import { livenessKill, reliableBudget, startupKill } from "../timing/probe.js";
import { formatSeconds, formatSpan } from "./duration.js";
import type { Probe } from "./types.js";

/** A list for a sentence: `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** A number with its noun: `1 reading`, `5 readings`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** When a failing startup or liveness probe kills: `10790s to 10805s (3.0h) after it starts`, `75s to 100s after the trouble begins`; F2, F7. */
export function formatKill(probe: Probe, trouble = "the trouble"): string {
  if (probe.role === "startup") return `${formatSpan(reliableBudget(probe).seconds, startupKill(probe).latest)} after it starts`;
  const { earliest, latest } = livenessKill(probe, false);
  return `${formatSpan(earliest, latest)} after ${trouble} begins`;
}

/** The earliest kill by liveness with no check in flight, and with one; equal ones once: `75s (65s if a check was hanging)`; F7. */
export function formatEarliestKill(liveness: Probe): string {
  const calm = formatSeconds(livenessKill(liveness, false).earliest);
  const hanging = formatSeconds(livenessKill(liveness, true).earliest);
  return calm === hanging ? calm : `${calm} (${hanging} if a check was hanging)`;
}
