import type { Facts, GateFact } from "../config/types.js";
import type { Term } from "../findings.js";
import type { Place } from "../manifest/place.js";
import { gateState, probedContainers, readsEndpoint } from "./endpoint.js";
import type { Container, Workload } from "./types.js";
import { listed } from "./wording.js";

/**
 * Each declared gate that is armed, or that an opaque source could arm, with the container that it belongs to. Facts of a workload speak of all of
 * its containers: where the variable is set for certain, that container has the gate; else the one whose readiness reads it, else the first.
 */
export function gateHolders(
  workload: Workload,
  factsOf: (subject: Container) => Facts,
): readonly { readonly container: Container; readonly gate: GateFact }[] {
  const containers = probedContainers(workload);
  const names = new Set(containers.flatMap((container) => Object.keys(factsOf(container).gates ?? {})));
  return [...names].flatMap((name) => {
    const candidates = containers.flatMap((container) => {
      const gate = factsOf(container).gates?.[name];
      return gate === undefined ? [] : [{ container, gate, armed: gateState(container, gate).armed }];
    });
    const known = candidates.filter(({ container, gate }) => container.env.get(gate.armedBy.env).state === "known");
    const live = (known.length > 0 ? known : candidates).filter(({ armed }) => armed !== false);
    const reading = live.find(({ container, gate }) => readsEndpoint(factsOf(container), container.readiness?.handler, gate.readAt));
    const holder = reading ?? live[0];
    return holder === undefined ? [] : [{ container: holder.container, gate: holder.gate }];
  });
}

/** Whether a check belongs to gates alone, and none of them is armed, or could be, in this container: then it cannot fail. */
export function isDisarmed(container: Container, facts: Facts, check: string): boolean {
  const gates = Object.values(facts.gates ?? {}).filter((gate) => gate.check === check);
  return gates.length > 0 && gates.every((gate) => gateState(container, gate).armed === false);
}

/** Whether a gate is armed, and by what: `gate "bake" is armed (GATE is "true" in ConfigMap/config)`, with the sources that could change it or arm it. */
export function formatArming(container: Container, gate: GateFact): string {
  const { armed, sources } = gateState(container, gate);
  const from = listed(sources.map(({ label }) => label));
  const { env, equals } = gate.armedBy;
  if (armed === "unknown") return `gate "${gate.name}" is armed if ${from} sets ${env}, which the render does not tell`;
  if (!armed) return `gate "${gate.name}" is not armed`;
  const answer = container.env.get(env);
  const by = answer.state === "known" ? ` in ${answer.entry.source.label}` : "";
  return `gate "${gate.name}" is armed (${env} is "${equals}"${by}${sources.length === 0 ? "" : `; ${from} comes later and could change it`})`;
}

/** Where a gate is armed, or the sources that could arm it, as terms of a proof. */
export function armingTerms(container: Container, gate: GateFact): readonly Term[] {
  const { env, equals } = gate.armedBy;
  const answer = container.env.get(env);
  if (answer.state === "known") return [{ term: env, value: equals, at: answer.entry.at }];
  return gateState(container, gate).sources.map(({ label, at }) => ({ term: env, value: label, at }));
}

/** What an armed gate requires and surely does not get: each variable with what was found, and the place to look at. */
export function unmetRequirements(
  container: Container,
  gate: GateFact,
): readonly { readonly env: string; readonly equals: string; readonly found: string; readonly at: Place }[] {
  const arming = container.env.get(gate.armedBy.env);
  return gate.requires.flatMap(({ env, equals }) => {
    const answer = container.env.get(env);
    if (answer.state === "absent")
      return [{ env, equals, found: "is not set", at: arming.state === "known" ? arming.entry.at : container.at.key("env") }];
    if (answer.state !== "known" || answer.value === equals) return [];
    return [{ env, equals, found: answer.entry.secret ? "has another value" : `is "${answer.value}"`, at: answer.entry.at }];
  });
}
