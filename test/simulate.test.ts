import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeUnhealthy } from "../src/timing/docker.js";
import {
  delayRounding,
  firstAttempt,
  livenessKill,
  readinessLag,
  readinessRemoval,
  reliableBudget,
  startupKill,
  startupKillWhenHanging,
  timeToReady,
  timeToStarted,
} from "../src/timing/probe.js";
import { helmWait, type Roll, resolveStrategy, updateTime } from "../src/timing/rollout.js";
import { type Outcome, type ProbeRun, simulateHealthCheck, simulateProbe, simulateRoll } from "../src/timing/simulate.js";
import type { Bounds, ProbeNumbers } from "../src/timing/timed.js";

const seed = Number(process.env["FC_SEED"] ?? 20260917);
fc.configureGlobal({ seed, numRuns: Number(process.env["FC_RUNS"] ?? 2500) });
const close = 1e-6;

const probes = fc.record({
  delay: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
  period: fc.integer({ min: 1, max: 20 }),
  timeout: fc.integer({ min: 1, max: 30 }),
  failures: fc.integer({ min: 1, max: 6 }),
  successes: fc.integer({ min: 1, max: 4 }),
});
/** Parts of one, both ends often. */
const parts = fc.oneof(
  fc.constant(0),
  fc.constant(1),
  fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000),
);
const below1 = parts.map((n) => Math.min(n, 0.999));
const many = fc.array(parts, { minLength: 60, maxLength: 60 });

interface World {
  readonly phase: number;
  readonly truncated: number;
  readonly takes: readonly number[];
}
const worlds: fc.Arbitrary<World> = fc.record({ phase: below1, truncated: below1, takes: many });

/** The part of the timeout that the n-th attempt takes. */
function share(world: World, index: number): number {
  return world.takes[index % world.takes.length] ?? 0;
}

function run(p: ProbeNumbers, world: World, initial: ProbeRun["initial"], attempt: ProbeRun["attempt"], rest: Partial<ProbeRun> = {}) {
  return simulateProbe({ probe: p, phase: world.phase * p.period, truncated: world.truncated, initial, until: 5000, attempt, ...rest });
}

/** An endpoint that fails until `boot` and from then on answers in `answer`. */
function booting(p: ProbeNumbers, world: World, boot: number, answer: number): ProbeRun["attempt"] {
  return (start, index) =>
    start < boot ? { takes: share(world, index) * p.timeout, result: "failure" } : { takes: answer, result: "success" };
}

/** An endpoint that answers until `outage`; a check in flight at that moment fails. */
function failing(p: ProbeNumbers, world: World, outage: number): ProbeRun["attempt"] {
  return (start, index): Outcome => {
    const takes = share(world, index) * p.timeout;
    if (start >= outage) return { takes, result: "failure" };
    if (start + takes < outage) return { takes, result: "success" };
    return { takes: Math.max(takes, outage - start), result: "failure" };
  };
}

function within(at: number | undefined, { earliest, latest }: Bounds, rounding = 0): void {
  expect(at).toBeDefined();
  expect(at).toBeGreaterThanOrEqual(earliest - rounding - close);
  expect(at).toBeLessThanOrEqual(latest + close);
}

describe(`the formulas against a simulated kubelet, seed ${seed}`, () => {
  it("F1, F2: first attempt and startup kill", () => {
    fc.assert(
      fc.property(probes, worlds, (p, world) => {
        const { attempts, verdicts } = run(p, world, "unknown", (_, index) => ({
          takes: share(world, index) * p.timeout,
          result: "failure",
        }));
        within(attempts[0]?.start, firstAttempt(p), delayRounding(p));
        within(verdicts[0]?.at, startupKill(p), delayRounding(p));
        const hanging = run(p, world, "unknown", () => ({ takes: p.timeout, result: "failure" }));
        within(hanging.verdicts[0]?.at, startupKillWhenHanging(p), delayRounding(p));
      }),
    );
  });

  it("F3: an app that boots within the reliable budget is never killed", () => {
    fc.assert(
      fc.property(probes, worlds, parts, parts, (p, world, boot, answer) => {
        const budget = reliableBudget(p).seconds;
        const { verdicts } = run(p, world, "unknown", booting(p, world, boot * budget, answer * p.timeout));
        expect(verdicts[0]?.result).toBe("success");
      }),
    );
  });

  it("F4: time to Started", () => {
    fc.assert(
      fc.property(probes, worlds, fc.integer({ min: 0, max: 100 }), parts, (p, world, boot, part) => {
        const patient = { ...p, successes: 1, failures: 10_000 };
        const answer = part * p.timeout;
        const { verdicts } = run(patient, world, "unknown", booting(p, world, boot, answer));
        const { best, worst } = timeToStarted(patient, boot, answer);
        within(verdicts[0]?.at, { earliest: best.seconds, latest: worst.seconds }, delayRounding(p));
      }),
    );
  });

  it("F5: time to Ready, with and without extra runs", () => {
    const triggers = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 12 }).map((list) => list.sort((a, b) => a - b));
    const moments = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(probes, worlds, moments, moments, parts, triggers, (p, world, boot, from, part, extra) => {
        const answer = part * p.timeout;
        const { best, worst } = timeToReady(p, from, boot, answer);
        const plain = run(p, world, "failure", booting(p, world, boot, answer), { from, until: worst + 1 });
        within(plain.verdicts[0]?.at, { earliest: best, latest: worst }, delayRounding(p));
        const asked = run(p, world, "failure", booting(p, world, boot, answer), { from, triggers: extra, until: worst + 500 });
        expect(asked.verdicts[0]?.at).toBeGreaterThanOrEqual(best - delayRounding(p) - close);
      }),
    );
  });

  it("F7, F9: verdict after an outage", () => {
    fc.assert(
      fc.property(probes, worlds, fc.integer({ min: 40_000, max: 160_000 }), (p, world, moment) => {
        const outage = moment / 1000;
        for (const [initial, bounds] of [
          ["success", livenessKill],
          ["failure", readinessRemoval],
        ] as const) {
          const { attempts, verdicts } = run({ ...p, successes: 1 }, world, initial, failing(p, world, outage), {
            until: outage + bounds(p, true).latest + 1,
          });
          const inFlight = attempts.some(({ start, end }) => start < outage && end >= outage);
          const verdict = verdicts.find(({ result, at }) => result === "failure" && at >= outage);
          if (initial === "failure" && !verdicts.some(({ result }) => result === "success")) continue;
          within(verdict === undefined ? undefined : verdict.at - outage, bounds(p, inFlight));
        }
      }),
    );
  });

  it("F4, F5 together: startup, then readiness", () => {
    fc.assert(
      fc.property(probes, probes, worlds, worlds, fc.integer({ min: 0, max: 100 }), parts, parts, (s, r, one, two, boot, a, b) => {
        const patient = { ...s, successes: 1, failures: 10_000 };
        const started = run(patient, one, "unknown", booting(s, one, boot, a * s.timeout)).verdicts[0]?.at ?? Number.NaN;
        const ready = run(r, two, "failure", booting(r, two, boot, b * r.timeout), { from: started, until: 1000 }).verdicts[0]?.at;
        const start = timeToStarted(patient, boot, a * s.timeout).worst.seconds;
        expect(ready).toBeLessThanOrEqual(Math.max(start, r.delay) + readinessLag(r, b * r.timeout).seconds + close);
      }),
    );
  });

  it("F18: Docker", () => {
    const checks = fc.record({
      interval: fc.integer({ min: 1, max: 40 }),
      timeout: fc.integer({ min: 1, max: 40 }),
      retries: fc.integer({ min: 1, max: 5 }),
      startPeriod: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 120 })),
      startInterval: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(checks, worlds, (check, world) => {
        let index = 0;
        const at = simulateHealthCheck(check, 10_000, () => ({ takes: share(world, index++) * check.timeout, result: "failure" }));
        within(at, composeUnhealthy(check));
      }),
    );
  });

  it("F10, F11, F13: waves of equal pods", () => {
    const sizes = fc.integer({ min: 1, max: 40 });
    const given = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(sizes, given, given, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 30 }), (pods, s, u, ready, minReady) => {
        const strategy = resolveStrategy(pods, s, u);
        const roll: Roll = { kind: "rolling", pods, ...strategy, ready, minReady, shutdown: 0 };
        const seen = simulateRoll({ pods, ...strategy, minReady, ready: () => ready });
        expect(seen.complete).toBe(updateTime(roll).seconds);
        expect(seen.helm3).toBe(helmWait(roll, 3, false).seconds - 2);
        expect(seen.mostPods).toBeLessThanOrEqual(pods + strategy.surge);
        expect(seen.fewestAvailable).toBeGreaterThanOrEqual(pods - strategy.unavailable);
      }),
    );
  });

  it("F11: pods that become Ready sooner never make a roll longer", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 9 }),
        many,
        (pods, s, u, shares) => {
          const strategy = resolveStrategy(pods, s, u);
          const seen = simulateRoll({ pods, ...strategy, minReady: 3, ready: (pod) => 1 + 19 * (shares[pod] ?? 0) });
          expect(seen.complete).toBeLessThanOrEqual(
            updateTime({ kind: "rolling", pods, ...strategy, ready: 20, minReady: 3, shutdown: 0 }).seconds + close,
          );
        },
      ),
    );
  });
});

describe("the ends of the bounds are reached", () => {
  const epsilon = 0.001;
  const world = (phase: number, takes: number, truncated = 0): World => ({ phase, takes: [takes], truncated });
  const kill = (p: ProbeNumbers, phase: number, takes: number, truncated = 0) =>
    run(p, world(phase, takes, truncated), "unknown", () => ({ takes: takes * p.timeout, result: "failure" })).verdicts[0]?.at ??
    Number.NaN;
  const probe = (period: number, timeout: number, failures: number, delay = 0, successes = 1): ProbeNumbers => ({
    delay,
    period,
    timeout,
    failures,
    successes,
  });

  it.each([
    [probe(10, 1, 30), 290, 301],
    [probe(10, 5, 1080), 10790, 10805],
    [probe(10, 5, 3, 15), 35, 50],
    [probe(20, 1, 3, 5), 45, 66],
  ])("startup %o: %d and %d", (p, earliest, latest) => {
    const until = { until: 20_000 };
    const at = (phase: number, takes: number) =>
      run(p, world(phase, takes), "unknown", () => ({ takes: takes * p.timeout, result: "failure" }), until).verdicts[0]?.at;
    expect(at((p.delay % p.period) / p.period, 0)).toBeCloseTo(earliest, 3);
    expect(at(((p.delay - epsilon) % p.period) / p.period + (p.delay === 0 ? 1 : 0), 1)).toBeCloseTo(latest - epsilon, 3);
  });

  it("T above P: 20, 90 and 100", () => {
    const p = probe(10, 30, 3);
    expect(kill(p, 0, 0)).toBe(20);
    expect(kill(p, 0, 1)).toBe(90);
    expect(kill(p, 0.9999, 1)).toBeCloseTo(99.999, 3);
  });

  it("a truncated start lets the delay end almost a second early", () => {
    expect(kill(probe(10, 5, 3, 15), 0.4001, 0, 0.9999)).toBeCloseTo(34.001, 3);
  });

  it("Started and Ready at once and at the last moment", () => {
    const p = probe(10, 5, 1000, 0, 3);
    const startup = { ...p, successes: 1 };
    const started = (boot: number, takes: number) =>
      run(startup, world(0, takes), "unknown", booting(startup, world(0, takes), boot, 2)).verdicts[0]?.at;
    expect(started(20, 0)).toBe(22);
    expect(started(20.001, 0)).toBe(32);
    expect(timeToStarted(startup, 20, 2)).toMatchObject({ best: { seconds: 22 }, worst: { seconds: 32 } });
    const slow = probe(10, 30, 1000, 0, 3);
    const ready = (boot: number, takes: number, answer: number) =>
      run(slow, world(0, takes), "failure", booting(slow, world(0, takes), boot, answer)).verdicts[0]?.at;
    expect(ready(0.001, 1, 20)).toBeCloseTo(timeToReady(slow, 0, 0.001, 20).worst, 2);
    expect(ready(20, 0, 20)).toBe(timeToReady(slow, 0, 20, 20).best);
  });

  it.each([
    ["15×6 T10, idle: 75", probe(15, 10, 6), 60, 0, 75],
    ["15×6 T10, a check hanging: 65", probe(15, 10, 6), 69.999, 1, 65],
    ["10×3 T5, idle: 20", probe(10, 5, 3), 60, 0, 20],
    ["10×3 T5, a check hanging: 15", probe(10, 5, 3), 64.999, 1, 15],
  ])("outage under %s", (_, p, outage, hang, earliest) => {
    const attempt: ProbeRun["attempt"] = (start) => {
      if (start >= outage) return { takes: 0, result: "failure" };
      return hang === 1 && start + p.timeout >= outage ? { takes: p.timeout, result: "failure" } : { takes: 0, result: "success" };
    };
    const at = run(p, world(0, 0), "success", attempt).verdicts[0]?.at ?? Number.NaN;
    expect(at - outage).toBeCloseTo(earliest, 2);
    expect(livenessKill(p, hang === 1).earliest).toBe(earliest);
  });

  it.each([
    ["15×6 T10: 100", probe(15, 10, 6), 100],
    ["10×3 T5: 35", probe(10, 5, 3), 35],
    ["10×3 T30: 100", probe(10, 30, 3), 100],
  ])("latest verdict after an outage, %s", (_, p, latest) => {
    const outage = 60 + epsilon;
    const attempt: ProbeRun["attempt"] = (start) =>
      start >= outage ? { takes: p.timeout, result: "failure" } : { takes: 0, result: "success" };
    const at = run(p, world(0, 0), "success", attempt).verdicts[0]?.at ?? Number.NaN;
    expect(at - outage).toBeCloseTo(latest, 2);
    expect(readinessRemoval(p, false).latest).toBe(latest);
  });

  it.each([
    ["idle: 10", "success", 10],
    ["a check hanging: 0", "failure", 0],
  ] as const)("10×3 T30, %s", (_, result, earliest) => {
    const p = probe(10, 30, 3);
    // A slow check ends with a tick pending, just before the next one: the one after it starts late and the one after that on its tick.
    const outage = 60 - epsilon;
    const attempt: ProbeRun["attempt"] = (start) => {
      if (start >= outage) return { takes: 0, result: "failure" };
      return start === 40 ? { takes: outage - 40, result } : { takes: 0, result: "success" };
    };
    const at = run(p, world(0, 0), "success", attempt).verdicts[0]?.at ?? Number.NaN;
    expect(at - outage).toBeCloseTo(earliest, 2);
    expect(livenessKill(p, result === "failure").earliest).toBe(earliest);
  });

  it("Docker at 90 and 180", () => {
    expect(simulateHealthCheck({}, 1000, () => ({ takes: 0, result: "failure" }))).toBe(90);
    expect(simulateHealthCheck({}, 1000, () => ({ takes: 30, result: "failure" }))).toBe(180);
    expect(simulateHealthCheck({}, 1000, () => ({ takes: 0, result: "success" }))).toBeUndefined();
  });
});

describe("the simulated worker itself", () => {
  const p: ProbeNumbers = { delay: 0, period: 10, timeout: 30, failures: 3, successes: 2 };

  it("keeps one pending tick and loses the others (item 18)", () => {
    const takes = [25, 0, 0, 0];
    const { attempts } = simulateProbe({
      probe: p,
      phase: 0,
      initial: "failure",
      until: 45,
      attempt: (_, index) => ({ takes: takes[index] ?? 0, result: "failure" }),
    });
    expect(attempts.map(({ start }) => start)).toEqual([0, 25, 30, 40]);
  });

  it("does not count a discarded attempt (item 28), and counts S successes (item 31)", () => {
    const results = ["failure", "failure", "discarded", "success", "success", "failure", "failure", "failure"] as const;
    const { verdicts } = simulateProbe({
      probe: p,
      phase: 0,
      initial: "failure",
      until: 70,
      attempt: (_, index) => ({ takes: 0, result: results[index] ?? "discarded" }),
    });
    expect(verdicts).toEqual([
      { at: 40, result: "success" },
      { at: 70, result: "failure" },
    ]);
  });

  it("runs readiness when it is asked to, and restarts the ticker (items 19, 20)", () => {
    const { attempts } = simulateProbe({
      probe: p,
      phase: 5,
      initial: "failure",
      until: 30,
      triggers: [0, 7],
      attempt: () => ({ takes: 0, result: "failure" }),
    });
    expect(attempts.map(({ start }) => start)).toEqual([0, 7, 17, 27]);
  });

  it("rests after a liveness failure (item 33)", () => {
    const { attempts } = simulateProbe({
      probe: p,
      phase: 0,
      initial: "success",
      until: 500,
      attempt: () => ({ takes: 0, result: "failure" }),
    });
    expect(attempts).toHaveLength(3);
  });
});
