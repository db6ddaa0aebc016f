import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeUnhealthy } from "../src/timing/docker.js";
import {
  livenessKill,
  probeKillBackoff,
  readinessLag,
  readinessRemoval,
  reliableBudget,
  restartBackoff,
  startupBudget,
  startupKill,
  startupKillWhenHanging,
  timeToReady,
  timeToStarted,
} from "../src/timing/probe.js";
import { disruptionsAllowed, helmWait, installTime, type RollKind, resolveStrategy, updateTime, waves } from "../src/timing/rollout.js";
import { goneAfter, shutdownNeeded, timeForApp } from "../src/timing/shutdown.js";
import type { ProbeNumbers } from "../src/timing/timed.js";

const seed = Number(process.env["FC_SEED"] ?? 20260917);
fc.configureGlobal({ seed, numRuns: 1000 });

const probes = fc.record({
  delay: fc.integer({ min: 0, max: 120 }),
  period: fc.integer({ min: 1, max: 60 }),
  timeout: fc.integer({ min: 1, max: 90 }),
  failures: fc.integer({ min: 1, max: 200 }),
  successes: fc.integer({ min: 1, max: 5 }),
});
const fields = ["delay", "period", "timeout", "failures"] as const;
const shares = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);

describe(`timing properties, seed ${seed}`, () => {
  it("an event is never later than at the latest", () => {
    fc.assert(
      fc.property(probes, fc.boolean(), (p, inFlight) => {
        for (const bounds of [startupKill(p), startupKillWhenHanging(p), livenessKill(p, inFlight), readinessRemoval(p, inFlight)]) {
          expect(bounds.earliest).toBeGreaterThanOrEqual(0);
          expect(bounds.earliest).toBeLessThanOrEqual(bounds.latest);
        }
        expect(startupKillWhenHanging(p).earliest).toBeGreaterThanOrEqual(startupKill(p).earliest);
        expect(livenessKill(p, true).earliest).toBeLessThanOrEqual(livenessKill(p, false).earliest);
        expect(reliableBudget(p).seconds).toBeLessThanOrEqual(startupKill(p).earliest);
      }),
    );
  });

  it("a larger field never makes a latest bound or a budget smaller", () => {
    const measures: ((p: ProbeNumbers) => number)[] = [
      (p) => startupKill(p).latest,
      (p) => startupKillWhenHanging(p).latest,
      (p) => startupKillWhenHanging(p).earliest,
      (p) => startupBudget(p).seconds,
      (p) => reliableBudget(p).seconds,
      (p) => livenessKill(p, false).latest,
      (p) => readinessRemoval(p, true).latest,
      (p) => timeToStarted(p, 30, 0.5).worst.seconds,
      (p) => readinessLag(p, 0.5).seconds,
    ];
    fc.assert(
      fc.property(probes, fc.constantFrom(...fields), fc.integer({ min: 1, max: 50 }), (p, field, more) => {
        const larger = { ...p, [field]: p[field] + more };
        for (const measure of measures) expect(measure(larger)).toBeGreaterThanOrEqual(measure(p));
      }),
    );
  });

  it("best, nominal and worst come in that order", () => {
    const answers = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(probes, answers, answers, answers, (p, boot, started, share) => {
        const answer = (p.timeout * share) / 100;
        const started4 = timeToStarted(p, boot, answer);
        expect(started4.best.seconds).toBeLessThanOrEqual(started4.worst.seconds);
        const ready = timeToReady(p, started, boot, answer);
        expect(ready.best).toBeLessThanOrEqual(ready.worst + 1e-9);
        expect(ready.nominal).toBeLessThanOrEqual(ready.worst + 1e-9);
      }),
    );
  });

  it("the terms of a sum add up to it", () => {
    fc.assert(
      fc.property(probes, (p) => {
        for (const sum of [startupBudget(p), reliableBudget(p), readinessLag(p, 0.5), timeToStarted(p, 7, 0.5).worst]) {
          expect(sum.terms.reduce((total, { value }) => total + Number(value), 0)).toBeCloseTo(sum.seconds, 6);
        }
      }),
    );
  });

  it("a rolling update can always move, and never takes more than there is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), shares, shares, (pods, surgeGiven, unavailableGiven) => {
        const { surge, unavailable } = resolveStrategy(pods, surgeGiven, unavailableGiven);
        expect(surge + unavailable).toBeGreaterThanOrEqual(1);
        expect(unavailable).toBeLessThanOrEqual(pods);
        expect(unavailable).toBeGreaterThanOrEqual(0);
        const count = waves({ pods, surge, unavailable });
        expect(count).toBeGreaterThanOrEqual(1);
        expect(count).toBeLessThanOrEqual(pods);
      }),
    );
  });

  it("Helm 3 never waits longer than until all pods are Available, and its poll", () => {
    const kinds = fc.constantFrom<RollKind>("rolling", "recreate", "ordered", "parallel", "daemon");
    const numbers = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(
        kinds,
        fc.integer({ min: 1, max: 30 }),
        shares,
        shares,
        numbers,
        numbers,
        numbers,
        fc.boolean(),
        (kind, pods, s, u, ...rest) => {
          const [ready, minReady, shutdown, install] = rest;
          const roll = { kind, pods, ...resolveStrategy(pods, s, u), ready, minReady, shutdown };
          if (kind === "daemon" && roll.surge > 0) roll.unavailable = 0;
          const full = install ? installTime(roll) : updateTime(roll);
          expect(helmWait(roll, 4, install).seconds).toBe(full.seconds);
          // On its own a DaemonSet may take a node's pod away before Helm counts: the shutdown is part of both.
          expect(helmWait(roll, 3, install).seconds).toBeLessThanOrEqual(full.seconds + 2);
        },
      ),
    );
  });

  it("a budget lets go no fewer than none and no more than there are", () => {
    const budgets = fc.record({ minAvailable: shares, maxUnavailable: shares }, { requiredKeys: [] });
    fc.assert(
      fc.property(budgets, fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 120 }), (budget, expected, healthy) => {
        const allowed = disruptionsAllowed(budget, expected, healthy);
        expect(allowed).toBeGreaterThanOrEqual(0);
        expect(allowed).toBeLessThanOrEqual(healthy);
      }),
    );
  });

  it("shutdown fits into the time that it asks for", () => {
    const drains = fc.array(
      fc.record({
        name: fc.constantFrom("a", "b"),
        role: fc.constantFrom("app" as const, "sidecar" as const),
        preStop: fc.integer({ min: 0, max: 60 }),
        drain: fc.integer({ min: 0, max: 60 }),
      }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(drains, fc.integer({ min: 0, max: 120 }), (containers, grace) => {
        const needed = shutdownNeeded(containers).seconds;
        for (const { preStop, drain } of containers) expect(needed).toBeGreaterThanOrEqual(preStop + drain);
        expect(needed).toBeLessThanOrEqual(containers.reduce((sum, { preStop, drain }) => sum + preStop + drain, 0));
        expect(timeForApp(grace, needed)).toBeGreaterThanOrEqual(2);
        expect(goneAfter(grace, false)).toBeLessThanOrEqual(goneAfter(grace, true));
      }),
    );
  });

  it("back-off is between 0 and 300 s, and Docker's bounds are in order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 20 }), (run, kills) => {
        for (const wait of probeKillBackoff(run, kills)) {
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(300);
        }
        expect(restartBackoff(kills + 1)).toBeGreaterThanOrEqual(restartBackoff(kills));
        const { earliest, latest } = composeUnhealthy({ interval: run, timeout: kills, retries: 3, startPeriod: run % 90 });
        expect(earliest).toBeLessThanOrEqual(latest);
      }),
    );
  });
});
