import type { Reading } from "../config/types.js";
import type { Note } from "../findings.js";
import { formatHours, formatSeconds } from "./duration.js";

/** How the mean answer moved between the last two dated entries (seconds). `elapsed` lies between them. */
export interface Growth {
  readonly from: number;
  readonly to: number;
  readonly elapsed: number;
}

/** The movement of the means of the last two dated entries with samples; entries of one instant count as one. Undefined with fewer than two. */
export function growthOf(readings: readonly Reading[]): Growth | undefined {
  const entries = new Map<number, number[]>();
  for (const { at, samples } of readings) {
    const instant = Date.parse(at);
    if (samples.length === 0 || Number.isNaN(instant)) continue;
    entries.set(instant, [...(entries.get(instant) ?? []), ...samples]);
  }
  const [before, last] = [...entries].sort(([a], [b]) => a - b).slice(-2);
  if (before === undefined || last === undefined) return undefined;
  return { from: mean(before[1]), to: mean(last[1]), elapsed: (last[0] - before[0]) / 1000 };
}

/** Seconds after the last entry at which a growing mean reaches `limit` along a line; undefined when it does not grow or is there already. */
export function crossing(growth: Growth, limit: number): number | undefined {
  if (growth.to <= growth.from || growth.to >= limit) return undefined;
  return ((limit - growth.to) * growth.elapsed) / (growth.to - growth.from);
}

/** `mean 0.445s → 1.66s in 5.4h`. */
export function formatGrowth(growth: Growth): string {
  return `mean ${formatMean(growth.from)} → ${formatMean(growth.to)} in ${formatElapsed(growth.elapsed)}`;
}

/** Seconds to three digits: `3.04s`. */
function formatMean(seconds: number): string {
  return formatSeconds(Number(seconds.toPrecision(3)));
}

/** A span of time as people say it: `40s`, `29 min`, `5.4h`, `3.2 days`. */
function formatElapsed(seconds: number): string {
  if (seconds < 60) return formatSeconds(Math.round(seconds));
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? formatHours(seconds) : `${(seconds / 86_400).toFixed(1)} days`;
}

/** The range of samples: `8.12s to 13.55s`. */
export function formatSpread(samples: readonly number[]): string {
  const [fastest, slowest] = [Math.min(...samples), Math.max(...samples)];
  return fastest === slowest ? formatSeconds(slowest) : `${formatSeconds(fastest)} to ${formatSeconds(slowest)}`;
}

/** How many times a latency fits a timeout, rounded down: `2.2×`. */
export function formatHeadroom(timeout: number, latency: number): string {
  return `${(Math.floor((timeout / latency) * 10 + 1e-9) / 10).toFixed(1)}×`;
}

/** What was measured, when, and from where: `2026-09-17 14:53Z 8.12s 9.62s · 15:22Z 10.71s, from outside, on serving pods (a starting one is slower)`. */
function formatSeen(readings: readonly Reading[]): string {
  const measured = readings.filter(({ samples }) => samples.length > 0);
  let day = "";
  const entries = measured.map(({ at, samples }) => {
    const [date = at, time] = at.split("T");
    const when = date === day ? (time ?? date) : at.replace("T", " ");
    day = date;
    return `${when} ${samples.map(formatSeconds).join(" ")}`;
  });
  const vantage = only(measured.map((reading) => reading.vantage));
  const phase = only(measured.map((reading) => reading.phase));
  const seenFrom = { outside: ", from outside", pod: ", from inside the pod", kubelet: ", from the kubelet" };
  const seenOn = { serving: ", on serving pods (a starting one is slower)", starting: ", on starting pods" };
  return `${entries.join(" · ")}${vantage === undefined ? "" : seenFrom[vantage]}${phase === undefined ? "" : seenOn[phase]}`;
}

/** Which checks the newest attribution blames, `required_modules 10.068s of 10.068s`: those of a tenth or more, three at most. */
function formatCost(readings: readonly Reading[]): string | undefined {
  const newest = readings.filter(({ total, slowest }) => total !== undefined || Object.keys(slowest).length > 0).at(-1);
  if (newest === undefined) return undefined;
  const { total, slowest } = newest;
  const of = total === undefined ? "" : ` of ${formatSeconds(total)}`;
  const named = Object.entries(slowest)
    .filter(([, seconds]) => total === undefined || seconds >= total / 10)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([check, seconds]) => `${check} ${formatSeconds(seconds)}${of}`);
  if (named.length > 0) return named.join(", ");
  return `${formatSeconds(total ?? 0)} in all, spread over many checks: no single one is to blame`;
}

/** What a message about a timeout (seconds) has to show beside its numbers: `seen`, `trend`, `cost`. */
export function readingNotes(readings: readonly Reading[], timeout: number): readonly Note[] {
  const texts = { seen: formatSeen(readings), trend: formatTrend(readings, timeout), cost: formatCost(readings) };
  return Object.entries(texts).flatMap(([label, text]) => (text === undefined || text === "" ? [] : [{ label, text }]));
}

/** `mean +3.04s in 29 min: a larger timeout buys the time until the next growth`, or when the timeout is reached; undefined when answers do not grow slower. */
function formatTrend(readings: readonly Reading[], timeout: number): string | undefined {
  const growth = growthOf(readings);
  if (growth === undefined || growth.to <= growth.from) return undefined;
  const reached = crossing(growth, timeout);
  const treadmill = "a larger timeout buys the time until the next growth";
  const pace = reached === undefined ? treadmill : `at that pace ${formatSeconds(timeout)} is reached in ${formatElapsed(reached)}`;
  return `mean +${formatMean(growth.to - growth.from)} in ${formatElapsed(growth.elapsed)}: ${pace}`;
}

function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

/** The one value that all entries share. */
function only<T>(values: readonly T[]): T | undefined {
  return new Set(values).size === 1 ? values[0] : undefined;
}
