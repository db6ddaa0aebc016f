import {
  askedAt,
  checksOf,
  defineRule,
  type Facts,
  formatEarliestKill,
  formatKill,
  formatSeconds,
  isDisarmed,
  listed,
  type Probe,
  type Problem,
  probedContainers,
  type Remedy,
  readinessRemoval,
  remedyProbes,
  unreadChecks,
} from "../src/api.js";

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
          if (remedyProbes[remedy].includes(probe.role) || isDisarmed(container, facts, check)) continue;
          misplaced.add(check);
          byRemedy.set(remedy, [...(byRemedy.get(remedy) ?? []), check]);
        }
        for (const [remedy, checks] of byRemedy) yield onWrongProbe(probe, remedy, checks, facts);
      }
    }
    for (const { check, remedy, role, container, homes } of unreadChecks(workload, context.factsOf)) {
      if (homes.length === 0) context.ask("endpoints");
      else context.judged();
      if (homes.length === 0 || misplaced.has(check)) continue;
      const handler = container[role]?.handler;
      const found = handler === undefined ? `has no ${role} probe` : `asks ${handler.label} for ${role}`;
      yield {
        at: handler === undefined ? container.at.key(`${role}Probe`) : askedAt(handler),
        message: `${check} (remedy ${remedy}) runs at ${listed(homes)}, but "${container.name}" ${found}: nothing applies the remedy`,
        hint: `let the ${role} probe ask ${homes[0]}`,
      };
    }
  },
});

function onWrongProbe(probe: Probe, remedy: Remedy, checks: readonly string[], facts: Facts): Problem {
  const { container, handler, role } = probe;
  const twin = role === "readiness" ? container.liveness : undefined;
  const heals = remedy === "restart" && twin !== undefined && checks.every((check) => checksOf(facts, twin.handler).includes(check));
  const right = remedy === "report" ? "no probe" : remedyProbes[remedy][0];
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
