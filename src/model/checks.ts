import type { Facts, Remedy } from "../config/types.js";
import { checksOf, endpointOf, endpointsWith, probedContainers } from "./endpoint.js";
import type { Container, ProbeRole, Workload } from "./types.js";

/** Probes whose failure is the remedy of a check; the first one has to read it. A startup probe restarts too. */
export const remedyProbes: Readonly<Record<Remedy, readonly ProbeRole[]>> = {
  restart: ["liveness", "startup"],
  evict: ["readiness"],
  "hold-roll": ["readiness"],
  report: [],
};

/** A declared check that no probe reads where its remedy is applied, with the container to show it at. `homes`: endpoints that run it, if any. */
export interface UnreadCheck {
  readonly check: string;
  readonly remedy: Remedy;
  readonly role: ProbeRole;
  readonly container: Container;
  readonly homes: readonly string[];
}

/** Checks that no container's probe reads where their remedy is applied. Checks of gates are left out: who reads a gate is a question of its own. */
export function unreadChecks(workload: Workload, factsOf: (subject: Container) => Facts): readonly UnreadCheck[] {
  const found = new Map<string, UnreadCheck>();
  const asked = (container: Container) => container.probes.filter(({ handler }) => endpointOf(factsOf(container), handler)).length;
  const containers = probedContainers(workload);
  // Facts of a workload speak of all its containers: the one that most declared endpoints are asked of is the one they are about.
  for (const container of [...containers].sort((a, b) => asked(b) - asked(a))) {
    const facts = factsOf(container);
    const gated = new Set(Object.values(facts.gates ?? {}).map(({ check }) => check));
    for (const [check, { remedy }] of Object.entries(facts.checks ?? {})) {
      const role = remedyProbes[remedy][0];
      if (role === undefined || found.has(check) || gated.has(check)) continue;
      if (containers.some((other) => checksOf(factsOf(other), other[role]?.handler).includes(check))) continue;
      found.set(check, { check, remedy, role, container, homes: endpointsWith(facts, check) });
    }
  }
  return [...found.values()];
}
