import { describe, expect, it } from "vitest";
import type { Facts } from "../src/config/types.js";
import { Place } from "../src/manifest/place.js";
import type { Container, ContainerRole, Probe, ProbeRole, Workload } from "../src/model/types.js";
import { composeUnhealthy } from "../src/timing/docker.js";
import {
  delayRounding,
  drainedBeforeKilled,
  firstAttempt,
  livenessKill,
  probeKillBackoff,
  readinessLag,
  readinessRemoval,
  reliableBudget,
  restartBackoff,
  restartLag,
  startupBudget,
  startupKill,
  startupKillWhenHanging,
  timeToReady,
  timeToStarted,
} from "../src/timing/probe.js";
import { podReadyFor, podReadyWorst } from "../src/timing/readiness.js";
import {
  consistentTimeout,
  deadlineWithRestart,
  disruptionsAllowed,
  helmWait,
  installTime,
  longestCommand,
  minimumProgressDeadline,
  portionOf,
  type Roll,
  resolveDaemonStrategy,
  resolveStrategy,
  type Share,
  updateTime,
  waves,
} from "../src/timing/rollout.js";
import { goneAfter, podGoneAfter, shutdownNeeded, timeForApp } from "../src/timing/shutdown.js";
import { type ProbeNumbers, part, timed } from "../src/timing/timed.js";
import { rolloutWait } from "../src/timing/wait.js";

/** A probe by its letters; Kubernetes' defaults for what is left out. */
function probe({ D = 0, P = 10, T = 1, F = 3, S = 1 }: { D?: number; P?: number; T?: number; F?: number; S?: number } = {}): ProbeNumbers {
  return { delay: D, period: P, timeout: T, failures: F, successes: S };
}

describe("sums", () => {
  it("shows its terms, leaves out zeros, keeps signs, and drops floating-point dust", () => {
    expect(timed([]).explain()).toBe("0");
    expect(timed([part("boot", 840), part("delay", 0), part("period", 10), part("answer", 5)]).explain()).toBe(
      "840 boot + 10 period + 5 answer",
    );
    expect(timed([part("a", 0), part("b", 3), part("c", -1)]).explain()).toBe("3 b - 1 c");
    expect(timed([part("a", 0.1), part("b", 0.2)]).seconds).toBe(0.3);
    expect(timed([part("a", 0.1 + 0.2)]).explain()).toBe("0.3 a");
    expect(timed([part("a", 20, undefined, "2 × 10")]).terms).toEqual([{ term: "a", value: 20, unit: "s" }]);
  });

  it("names the fields of a probe that has a place, and none otherwise", () => {
    const at = new Place({ document: 0, kind: "Deployment", name: "web" }, ["spec", "startupProbe"]);
    const fields = startupBudget({ ...probe({ D: 5, T: 5 }), at }).terms.map((term) => term.at?.field);
    expect(fields).toEqual([
      "spec.startupProbe.initialDelaySeconds",
      "spec.startupProbe.periodSeconds",
      "spec.startupProbe.failureThreshold",
      "spec.startupProbe.timeoutSeconds",
    ]);
    expect(startupBudget(probe()).terms.every((term) => !("at" in term))).toBe(true);
  });
});

describe("startup (F1 to F4)", () => {
  it.each([
    [probe({ P: 10, T: 1, F: 30 }), 290, 301, 290],
    [probe(), 20, 31, 20],
    [probe({ T: 30 }), 20, 100, 20],
    [probe({ D: 15, T: 5 }), 35, 50, 34],
    [probe({ D: 5, P: 20 }), 45, 66, 44],
    [probe({ T: 5, F: 1080 }), 10790, 10805, 10790],
    [probe({ T: 5, F: 180 }), 1790, 1805, 1790],
  ])("%o is killed between %d and %d, an app can rely on %d", (p, earliest, latest, reliable) => {
    expect(startupKill(p)).toEqual({ earliest, latest });
    expect(reliableBudget(p).seconds).toBe(reliable);
    expect(delayRounding(p)).toBe(p.delay > 0 ? 1 : 0);
  });

  it("kills later when every attempt hangs", () => {
    expect(startupKillWhenHanging(probe({ T: 30 }))).toEqual({ earliest: 90, latest: 100 });
    expect(startupKillWhenHanging(probe({ T: 5, F: 1080 }))).toEqual({ earliest: 10795, latest: 10805 });
  });

  it("tries first within one period after the delay", () => {
    expect(firstAttempt(probe({ D: 15 }))).toEqual({ earliest: 15, latest: 25 });
  });

  it("explains its budgets", () => {
    expect(startupBudget(probe({ T: 5, F: 180 })).explain()).toBe("10 period + 179 × 10 + 5 timeout");
    expect(startupBudget(probe({ D: 15, T: 30 })).explain()).toBe("15 delay + 10 period + 2 × 30 + 30 timeout");
    expect(reliableBudget(probe({ D: 15 })).explain()).toBe("15 delay + 2 × 10 - 1 rounding");
    expect(reliableBudget(probe({ F: 1 })).explain()).toBe("0");
  });

  it("says when the container is Started", () => {
    const { best, worst } = timeToStarted(probe({ T: 5 }), 840, 5);
    expect([best.seconds, best.explain()]).toEqual([845, "840 boot + 5 answer"]);
    expect([worst.seconds, worst.explain()]).toEqual([855, "840 boot + 10 period + 5 answer"]);
    expect(timeToStarted(probe({ D: 60, T: 30 }), 20, 0.14).worst.explain()).toBe("60 delay + 30 timeout + 0.14 answer");
    expect(timeToStarted(undefined, 840, 5)).toMatchObject({ best: { seconds: 0 }, worst: { seconds: 2 } });
  });
});

describe("readiness and liveness (F5, F7, F9)", () => {
  it("says when the container is Ready", () => {
    expect(timeToReady(probe({ T: 5 }), 855, 840, 5)).toEqual({ best: 860, nominal: 860, worst: 870 });
    expect(timeToReady(probe({ D: 100, S: 3, T: 2 }), 7, 20, 1)).toEqual({ best: 103, nominal: 121, worst: 131 });
    expect(timeToReady(undefined, 7, 20, 1)).toEqual({ best: 7, nominal: 7, worst: 7 });
    expect(readinessLag(probe({ T: 5 }), 5).explain()).toBe("10 period + 5 answer");
    expect(readinessLag(probe({ T: 30, S: 3 }), 12).explain()).toBe("30 timeout + 2 × 12 + 12 answer");
  });

  it.each([
    ["defaults", probe(), 20, 19, 31],
    ["15×6 T10", probe({ P: 15, T: 10, F: 6 }), 75, 65, 100],
    ["10×3 T5", probe({ T: 5 }), 20, 15, 35],
    ["T above P", probe({ T: 30 }), 10, 0, 100],
    ["T equal to P", probe({ T: 10 }), 10, 0, 40],
    ["one failure", probe({ F: 1 }), 0, 0, 11],
  ])("%s: verdict after an outage", (_, p, idle, hanging, latest) => {
    expect(livenessKill(p, false)).toEqual({ earliest: idle, latest });
    expect(livenessKill(p, true)).toEqual({ earliest: hanging, latest });
    expect(readinessRemoval(p, false)).toEqual(livenessKill(p, false));
  });

  it("knows a pod that is surely drained before it is killed", () => {
    expect(drainedBeforeKilled(probe({ T: 5 }), probe({ P: 15, T: 10, F: 6 }))).toBe(true);
    expect(drainedBeforeKilled(probe(), probe())).toBe(false);
  });
});

describe("restarts (F17, item 44)", () => {
  it("backs off before restarts after exits of its own", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(restartBackoff)).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
    expect([restartLag(40, 34), restartLag(40, 35), restartLag(300, 36)]).toEqual([15, 20, 30]);
  });

  it("backs off otherwise after probe kills", () => {
    expect(probeKillBackoff(25, 8)).toEqual([0, 0, 0, 0, 40, 80, 160, 300]);
    expect(probeKillBackoff(25, 12).slice(8)).toEqual([0, 300, 0, 300]);
    expect(probeKillBackoff(1805, 6)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(probeKillBackoff(5, 4)).toEqual([0, 0, 10, 20]);
  });
});

describe("rollouts (F10 to F14)", () => {
  it.each<[number, Share | undefined, Share | undefined, number, number]>([
    [1, undefined, undefined, 1, 0],
    [3, undefined, undefined, 1, 0],
    [4, undefined, undefined, 1, 1],
    [5, "25%", "25%", 2, 1],
    [10, "25%", "25%", 3, 2],
    [3, 0, "25%", 0, 1],
    [1, 0, undefined, 0, 1],
    [0, 0, "25%", 0, 0],
    [2, 1, 5, 1, 2],
    [25, "28%", "28%", 7, 7],
    [2, "200%", 0, 4, 0],
  ])("%d pods with surge %s and unavailable %s", (pods, surgeGiven, unavailableGiven, surge, unavailable) => {
    expect(resolveStrategy(pods, surgeGiven, unavailableGiven)).toEqual({ surge, unavailable });
  });

  it("rounds both up for a DaemonSet", () => {
    expect(resolveDaemonStrategy(7)).toEqual({ surge: 0, unavailable: 1 });
    expect(resolveDaemonStrategy(7, undefined, "20%")).toEqual({ surge: 0, unavailable: 2 });
    expect(resolveDaemonStrategy(7, "10%", 0)).toEqual({ surge: 1, unavailable: 0 });
    expect(resolveDaemonStrategy(7, 1)).toEqual({ surge: 1, unavailable: 0 });
  });

  it("takes percentages from whole numbers, and nothing else from text", () => {
    expect(portionOf(25, "28%", "up")).toBe(7);
    expect(portionOf(25, "28%", "down")).toBe(7);
    expect(portionOf(3, "2", "up")).toBe(2);
    expect(portionOf(3, "many", "up")).toBeUndefined();
  });

  const roll = (given: Partial<Roll>): Roll => ({
    kind: "rolling",
    pods: 1,
    surge: 1,
    unavailable: 0,
    ready: 20,
    minReady: 0,
    shutdown: 32,
    ...given,
  });
  const ten = roll({ pods: 10, surge: 3, unavailable: 2, minReady: 5 });

  it("counts waves", () => {
    expect([waves(ten), updateTime(ten).seconds, helmWait(ten, 3, false).seconds]).toEqual([2, 50, 47]);
    expect(updateTime(roll({ pods: 7, surge: 2, ready: 10, minReady: 1, unavailable: 1 })).seconds).toBe(33);
    expect(helmWait(ten, 3, false).explain()).toBe("20 ready + 5 minReady + 20 ready + 2 poll");
    expect(updateTime(ten).explain()).toBe("2 × (20 ready + 5 minReady)");
    expect(installTime(ten).seconds).toBe(25);
  });

  it.each<[string, Partial<Roll>, boolean, number, number]>([
    ["install", { pods: 10, surge: 3, unavailable: 2, minReady: 5 }, true, 22, 25],
    ["update of one", {}, false, 22, 20],
    ["all may go", { surge: 0, unavailable: 1 }, false, 2, 20],
    ["Recreate", { kind: "recreate", pods: 3, surge: 0, unavailable: 3, minReady: 5 }, false, 54, 57],
    ["Recreate install", { kind: "recreate", pods: 3, surge: 0, unavailable: 3, minReady: 5 }, true, 22, 25],
    ["ordered install", { kind: "ordered", pods: 3, minReady: 5 }, true, 77, 75],
    ["ordered update", { kind: "ordered", pods: 3, minReady: 5 }, false, 173, 171],
    ["parallel install", { kind: "parallel", pods: 3, minReady: 5 }, true, 27, 25],
    ["parallel update", { kind: "parallel", pods: 3, minReady: 5 }, false, 173, 171],
    ["daemon update", { kind: "daemon", pods: 5, surge: 0, unavailable: 2, minReady: 5 }, false, 2 * 57 + 32 + 2, 3 * 57],
    ["daemon update with surge", { kind: "daemon", pods: 5, surge: 2, unavailable: 0, minReady: 5 }, false, 2 * 25 + 20 + 2, 3 * 25],
    ["daemon install", { kind: "daemon", pods: 5, surge: 0, unavailable: 2 }, true, 22, 20],
    ["daemon on one node", { kind: "daemon", pods: 1, surge: 0, unavailable: 1 }, true, 2, 20],
  ])("%s: how long Helm 3 and Helm 4 wait", (_, given, install, helm3, helm4) => {
    expect(helmWait(roll(given), 3, install).seconds).toBe(helm3);
    expect(helmWait(roll(given), 4, install).seconds).toBe(helm4);
    expect(helmWait(roll(given), "kubectl", install).seconds).toBe(helm4);
  });

  it("bounds the progress deadline and the tool's timeout", () => {
    expect(minimumProgressDeadline(870, 0)).toEqual({ least: 872, safe: 872, smallest: 873 });
    expect(minimumProgressDeadline(20, 30)).toEqual({ least: 32, safe: 52, smallest: 33 });
    expect(minimumProgressDeadline(20, 0, 62)).toEqual({ least: 64, safe: 64, smallest: 65 });
    expect(deadlineWithRestart({ pull: 300, init: 10, kill: 1805, gone: 32, ready: 2000 })).toBe(4147);
    expect(consistentTimeout(872, 600, 40)).toEqual({ wait: 872, reason: 642 });
    expect(longestCommand(300, [], true)).toBe(300);
    expect(longestCommand(300, [0, 1, 3], true)).toBe(300 * (1 + 1 + 2 + 3));
    expect(longestCommand(300, [0, 1, 3], false)).toBe(1200);
  });
});

describe("disruption budgets (F16)", () => {
  it.each<[number, { minAvailable?: Share; maxUnavailable?: Share }, number]>([
    [1, { minAvailable: 1 }, 0],
    [1, { minAvailable: "50%" }, 0],
    [1, { maxUnavailable: 1 }, 1],
    [1, { maxUnavailable: "1%" }, 1],
    [1, { maxUnavailable: "0%" }, 0],
    [3, { minAvailable: "50%" }, 1],
    [3, { maxUnavailable: "25%" }, 1],
    [3, { maxUnavailable: "50%" }, 2],
    [3, {}, 0],
    [0, { maxUnavailable: 1 }, 0],
    [3, { minAvailable: "most" }, 0],
    [3, { maxUnavailable: "most" }, 0],
    [25, { minAvailable: "28%" }, 18],
    [2, { maxUnavailable: 5 }, 2],
  ])("%d pods, %o: %d may go", (pods, budget, allowed) => {
    expect(disruptionsAllowed(budget, pods)).toBe(allowed);
  });

  it("counts healthy pods, not wanted ones", () => {
    expect(disruptionsAllowed({ minAvailable: 2 }, 3, 1)).toBe(0);
    expect(disruptionsAllowed({ minAvailable: 2 }, 3, 4)).toBe(2);
  });
});

describe("shutdown (F8, F15)", () => {
  it.each([
    [30, 40, 2],
    [30, 30, 2],
    [30, 10.9, 20],
    [30, 0, 30],
    [0, 0, 2],
    [1, 0, 2],
  ])("of a grace of %d with a preStop of %d the app gets %d", (grace, preStop, left) => {
    expect(timeForApp(grace, preStop)).toBe(left);
  });

  it("bounds when a container is gone", () => {
    expect([goneAfter(30, false), goneAfter(30, true), goneAfter(1, false)]).toEqual([30, 32, 2]);
    expect([goneAfter(0, false), goneAfter(0, true)]).toEqual([2, 3]);
  });

  it("adds sidecars up, the last one first", () => {
    const app = { name: "app", role: "app", preStop: 5, drain: 20 } as const;
    const quick = { name: "quick", role: "app", preStop: 0, drain: 3 } as const;
    const mesh = { name: "mesh", role: "sidecar", preStop: 40, drain: 2 } as const;
    const logs = { name: "logs", role: "sidecar", preStop: 1, drain: 4 } as const;
    expect(shutdownNeeded([quick, app]).explain()).toBe("5 preStop app + 20 drain app");
    expect(shutdownNeeded([logs, app]).seconds).toBe(29);
    expect(shutdownNeeded([mesh, logs, app]).explain()).toBe("40 preStop mesh + 2 drain mesh");
    expect(shutdownNeeded([logs, mesh, app]).explain()).toBe("40 preStop mesh + 2 drain mesh + 4 drain logs");
    expect(shutdownNeeded([]).seconds).toBe(0);
  });
});

describe("Docker (F18)", () => {
  it("bounds when a container is unhealthy", () => {
    expect(composeUnhealthy({})).toEqual({ earliest: 90, latest: 180 });
    expect(composeUnhealthy({ interval: 30, timeout: 30, retries: 3, startPeriod: 0 })).toEqual({ earliest: 90, latest: 180 });
    expect(composeUnhealthy({ interval: 10, timeout: 5, retries: 2, startPeriod: 60, startInterval: 2 })).toEqual({
      earliest: 70,
      latest: 60 + 15 + 5 + 15,
    });
  });
});

/** What the tests below say of a container; probes by their letters. */
interface Sketch {
  readonly name?: string;
  readonly role?: ContainerRole;
  readonly startup?: ProbeNumbers;
  readonly readiness?: ProbeNumbers;
  readonly preStop?: boolean;
  readonly facts?: Partial<Facts>;
}

function workloadOf(sketches: readonly Sketch[], rest: Partial<Workload> = {}, grace = 30) {
  const at = new Place({ document: 0, kind: "Deployment", name: "web" });
  const facts = new Map<unknown, Facts>();
  const containers = sketches.map(({ name = "app", role = "app", preStop, ...sketch }, index) => {
    const here = at.item(index, name);
    const handler = {
      type: "httpGet",
      path: "/",
      port: { given: 80, number: 80 },
      headers: [],
      command: [],
      identity: "/",
      label: "/",
      at,
    };
    const probeAt = (which: ProbeRole, numbers: ProbeNumbers | undefined) =>
      numbers && ({ ...numbers, role: which, handler, has: () => false, at: here.key(`${which}Probe`) } as unknown as Probe);
    const container = {
      name,
      role,
      at: here,
      startup: probeAt("startup", sketch.startup),
      readiness: probeAt("readiness", sketch.readiness),
      preStop: preStop ? { at: here } : undefined,
    } as unknown as Container;
    facts.set(container, { readings: [], ...sketch.facts });
    return container;
  });
  const workload = {
    kind: "Deployment",
    at,
    hooks: [],
    containers,
    appContainers: containers.filter(({ role }) => role === "app"),
    sidecars: containers.filter(({ role }) => role === "sidecar"),
    initContainers: containers.filter(({ role }) => role === "init"),
    pod: { grace: { value: grace } },
    replicas: { floor: 1 },
    strategy: { type: "RollingUpdate", surge: 1, unavailable: 0, partition: 0 },
    minReady: { value: 0 },
    podManagementPolicy: "OrderedReady",
    environment: { nodes: undefined },
    ...rest,
  } as unknown as Workload;
  return { workload, factsOf: (subject: Container | Workload): Facts => facts.get(subject) ?? { readings: [] } };
}

const startup = probe({ T: 5, F: 1080 });
const readiness = probe({ T: 5 });
const gate = { name: "nodetype-bake", check: "nodetype_bake", armedBy: { env: "X", equals: "true" }, requires: [], readAt: "/ready" };
const gates = { "nodetype-bake": { ...gate, holds: 1800 }, short: { ...gate, name: "short", holds: 5 } };

describe("pod ready (rules.md, progress-deadline-covers-rollout)", () => {
  const worst = (...sketches: Sketch[]) => {
    const { workload, factsOf } = workloadOf(sketches);
    return podReadyWorst(workload, factsOf);
  };

  it("covers the incident without the bake: 12 620 s", () => {
    const ready = worst({ startup, readiness, facts: { gates } });
    expect([ready.seconds, ready.explain()]).toEqual([12620, "10805 startup budget + 1800 gate nodetype-bake + 15 readiness"]);
    expect(ready.gate).toBe("nodetype-bake");
    expect(ready.declared).toEqual({ pull: false, boot: false, gates: true });
    expect(ready.missing).toEqual(["pull", "boot"]);
    expect(ready.startup.explain()).toBe("10 period + 1079 × 10 + 5 timeout");
    expect(ready.terms.map((term) => term.at?.field)).toEqual(["[app].startupProbe", undefined, "[app].readinessProbe"]);
  });

  it("covers a known boot: 870 s", () => {
    const ready = worst({ startup, readiness, facts: { boot: 840 } });
    expect([ready.seconds, ready.explain()]).toEqual([870, "840 boot + 10 period + 5 answer + 15 readiness"]);
    expect(ready.startup.seconds).toBe(855);
    expect(ready.readiness.explain()).toBe("10 period + 5 answer");
  });

  it("covers the fixed chart: 12 920 s", () => {
    const ready = worst({ startup, readiness, facts: { gates, pull: 300 } });
    expect([ready.seconds, ready.explain()]).toEqual([12920, "300 pull + 10805 startup budget + 1800 gate nodetype-bake + 15 readiness"]);
    expect(ready.declared.pull).toBe(true);
  });

  it("takes an answer's time from its readings", () => {
    const reading = { endpoint: "/", of: "*", in: [], at: "2026-09-17T14:53Z", phase: undefined, vantage: undefined, slowest: {} };
    const readings = [{ ...reading, samples: [0.14, 0.75], origin: { file: "f", line: 1, column: 1 } }];
    expect(worst({ startup, readiness, facts: { boot: 840, readings } }).explain()).toBe(
      "840 boot + 10 period + 0.75 answer + 10.75 readiness",
    );
  });

  it("counts boot without a startup probe only for readiness", () => {
    expect(worst({ readiness, facts: { boot: 40 } }).explain()).toBe("40 boot + 15 readiness");
    expect(worst({ facts: { boot: 40 } }).seconds).toBe(0);
    expect(worst({ readiness }).explain()).toBe("15 readiness");
    expect(worst({ startup: probe() }).explain()).toBe("31 startup budget");
  });

  it("counts a readiness delay only as far as start-up does not cover it", () => {
    expect(worst({ readiness: probe({ D: 60, T: 5 }), facts: { boot: 40 } }).explain()).toBe("40 boot + 20 readiness delay + 15 readiness");
    expect(worst({ readiness: probe({ D: 30, T: 5 }), facts: { boot: 40 } }).seconds).toBe(55);
  });

  it("puts init containers and the start of sidecars before, and takes the slowest container", () => {
    const ready = worst(
      { name: "mesh", role: "sidecar", startup: probe({ F: 2 }), readiness },
      { name: "migrate", role: "init", facts: { run: 90 } },
      { name: "app", readiness, facts: { boot: 40, pull: 60 } },
      { name: "tail", facts: { pull: 20 } },
    );
    expect(ready.explain()).toBe("60 pull + 21 sidecar mesh + 90 run migrate + 40 boot + 15 readiness");
    expect(ready.container).toBe("app");
    expect(ready.missing).toEqual([]);
    const slow = worst(
      { name: "mesh", role: "sidecar", readiness, facts: { boot: 500 } },
      { name: "migrate", role: "init" },
      { name: "app", readiness },
    );
    expect([slow.container, slow.seconds, slow.missing]).toEqual(["mesh", 515, ["pull", "run"]]);
  });

  it("has an answer for a pod without containers", () => {
    expect(worst()).toMatchObject({ seconds: 0, container: "" });
  });

  it("does not guess for a tool that waits", () => {
    const ready = (...sketches: Sketch[]) => {
      const { workload, factsOf } = workloadOf(sketches);
      return podReadyFor(workload, factsOf)?.seconds;
    };
    expect(ready({ readiness })).toBeUndefined();
    expect(ready({})).toBeUndefined();
    expect(ready({ startup, readiness }, { readiness })).toBeUndefined();
    expect(ready({ startup, readiness }, { name: "tail" })).toBe(10820);
    expect(ready({ readiness, facts: { boot: 40 } })).toBe(55);
  });
});

describe("waiting for a workload (F13)", () => {
  const wait = (rest: Partial<Workload> | Record<string, unknown>, waiter: 3 | 4 | "kubectl", install = false, sketches: Sketch[] = [{}]) =>
    rolloutWait(workloadOf(sketches, rest as Partial<Workload>).workload, 20, waiter, install).seconds;
  const strategy = { type: "RollingUpdate", surge: 0, unavailable: 1, partition: 0 };

  it("follows the kind", () => {
    expect([wait({}, 3), wait({}, 4), wait({}, "kubectl")]).toEqual([22, 20, 20]);
    expect(wait({ replicas: { floor: 0 } }, 3)).toBe(22);
    expect(wait({ strategy: { ...strategy, type: "Recreate" } }, 3)).toBe(30 + 20 + 2);
    expect(wait({ strategy: { ...strategy, type: "Recreate" } }, 3, false, [{ preStop: true }])).toBe(32 + 20 + 2);
    expect(wait({ kind: "StatefulSet", strategy, replicas: { floor: 3 } }, 3)).toBe(3 * 50 + 2);
    expect(wait({ kind: "StatefulSet", strategy: { ...strategy, partition: 2 }, replicas: { floor: 3 } }, 3)).toBe(52);
    expect(wait({ kind: "StatefulSet", strategy: { ...strategy, partition: 2 }, replicas: { floor: 3 } }, 3, true)).toBe(62);
    expect(wait({ kind: "StatefulSet", strategy: { ...strategy, type: "OnDelete" }, replicas: { floor: 3 } }, 3)).toBe(0);
    expect(wait({ kind: "DaemonSet", strategy, environment: { nodes: 3 } }, 4)).toBe(150);
    expect(wait({ kind: "DaemonSet", strategy }, 3, true)).toBe(2);
    expect([wait({ kind: "Job" }, 3), wait({ kind: "CronJob" }, 4)]).toEqual([0, 0]);
    expect([wait({ kind: "Pod" }, 3), wait({ kind: "ReplicaSet" }, 4)]).toEqual([22, 20]);
    expect([wait({ kind: "Rollout" }, 3), wait({ kind: "Rollout" }, 4), wait({ kind: "Rollout" }, "kubectl")]).toEqual([0, 0, 20]);
    expect(wait({ hooks: ["pre-install"] }, 3)).toBe(0);
  });

  it("takes a shutdown that is known", () => {
    const { workload } = workloadOf([{}], { strategy: { ...strategy, type: "Recreate" } as unknown as Workload["strategy"] });
    expect(rolloutWait(workload, 20, 3, false, 4).explain()).toBe("4 shutdown + 20 ready + 2 poll");
    expect(podGoneAfter(workloadOf([{ role: "sidecar" }, {}]).workload)).toBe(33);
  });
});
