import {
  askedAt,
  type Container,
  type Context,
  checksOf,
  defineRule,
  endpointOf,
  endpointsWith,
  type Facts,
  formatEarliestKill,
  formatKill,
  formatSeconds,
  isDisarmed,
  listed,
  type Probe,
  type ProbeRole,
  type Problem,
  probedContainers,
  type Remedy,
  readinessRemoval,
  type Workload,
} from "../src/api.js";

/** Probes whose failure is the remedy, the one that has to carry the check first. A startup probe restarts too. */
const applies: Readonly<Record<Remedy, readonly ProbeRole[]>> = {
  restart: ["liveness", "startup"],
  evict: ["readiness"],
  "hold-roll": ["readiness"],
  report: [],
};

export default defineRule({
  id: "check-on-right-probe",
  summary: "Each declared check sits on the probe that applies its remedy",
  scope: "workload",
  severity: "error",
  category: "probes",
  facts: ["checks", "endpoints"],
  *check(workload, context) {
    if (!workload.longRunning) return;
    const misplaced = new Set<string>();
    for (const container of probedContainers(workload)) {
      const facts = context.factsOf(container);
      for (const probe of container.probes) {
        const byRemedy = new Map<Remedy, string[]>();
        for (const check of checksOf(facts, probe.handler)) {
          const remedy = facts.checks?.[check]?.remedy;
          if (remedy === undefined) continue;
          context.judged();
          if (applies[remedy].includes(probe.role) || isDisarmed(container, facts, check)) continue;
          misplaced.add(check);
          byRemedy.set(remedy, [...(byRemedy.get(remedy) ?? []), check]);
        }
        for (const [remedy, checks] of byRemedy) yield onWrongProbe(probe, remedy, checks, facts);
      }
    }
    yield* onNoProbe(workload, context, misplaced);
  },
});

function onWrongProbe(probe: Probe, remedy: Remedy, checks: readonly string[], facts: Facts): Problem {
  const { container, handler, role } = probe;
  const twin = role === "readiness" ? container.liveness : undefined;
  const heals = remedy === "restart" && twin !== undefined && checks.every((check) => checksOf(facts, twin.handler).includes(check));
  const right = remedy === "report" ? "no probe" : `${applies[remedy][0]}, and nothing else`;
  return {
    at: handler === undefined ? probe.at : askedAt(handler),
    message: `the ${role} probe of "${container.name}" asks ${handler?.label}, which runs ${listed(checks)} (remedy ${remedy}): ${harm(probe, remedy)}${heals ? `, while liveness cannot restart it before ${formatEarliestKill(twin)}` : ""}`,
    hint: `a check with the remedy ${remedy} belongs on ${right}`,
    because: heals && twin.handler !== undefined ? [{ term: "liveness", value: twin.handler.label, at: askedAt(twin.handler) }] : [],
  };
}

/** What the wrong probe does, and when. */
function harm(probe: Probe, remedy: Remedy): string {
  if (probe.role === "readiness")
    return `it evicts the pod ${formatSeconds(readinessRemoval(probe, false).latest)} at the latest after the trouble begins`;
  if (remedy === "hold-roll") return `a refusal kills every pod ${formatKill(probe)}, pods of the image that is serving included`;
  return `it kills the container ${formatKill(probe)}, which is not the remedy`;
}

/** Checks that some endpoint runs and that no probe reads where their remedy is applied. */
function* onNoProbe(workload: Workload, { factsOf, judged, ask }: Context, misplaced: ReadonlySet<string>): Iterable<Problem> {
  const told = new Set(misplaced);
  for (const container of [...probedContainers(workload)].sort((a, b) => declaredProbes(b, factsOf(b)) - declaredProbes(a, factsOf(a)))) {
    const facts = factsOf(container);
    for (const [check, { remedy }] of Object.entries(facts.checks ?? {})) {
      const role = applies[remedy][0];
      if (role === undefined || told.has(check)) continue;
      told.add(check);
      const homes = endpointsWith(facts, check);
      if (homes.length === 0) {
        ask("endpoints");
        continue;
      }
      // A gate without a reader is what gate-read-by-readiness speaks of.
      if (Object.values(facts.gates ?? {}).some((gate) => gate.check === check)) continue;
      judged();
      if (probedContainers(workload).some((other) => checksOf(factsOf(other), other[role]?.handler).includes(check))) continue;
      const handler = container[role]?.handler;
      const found = handler === undefined ? `has no ${role} probe` : `asks ${handler.label} for ${role}`;
      yield {
        at: handler === undefined ? container.at.key(`${role}Probe`) : askedAt(handler),
        message: `${check} (remedy ${remedy}) runs at ${listed(homes)}, but "${container.name}" ${found}: nothing applies the remedy`,
        hint: `let the ${role} probe ask ${homes[0]}`,
      };
    }
  }
}

function declaredProbes(container: Container, facts: Facts): number {
  return container.probes.filter(({ handler }) => endpointOf(facts, handler) !== undefined).length;
}
