import type { EndpointFact, Facts, GateFact, Reading } from "../config/types.js";
import type { Term } from "../findings.js";
import type { Place } from "../manifest/place.js";
import { asDeclared } from "./declared-fact.js";
import type { Container, Environment, EnvSource, Handler, Probe, ProbeRole, Workload } from "./types.js";

/** Keys under which `endpoints:` may speak of a handler, the most exact first. */
export function endpointKeys(handler: Handler): readonly string[] {
  if (handler.type === "exec" || handler.type === "grpc") return [handler.type];
  const port = handler.port?.number ?? handler.port?.given;
  if (handler.type === "tcpSocket") return [`:${port}`];
  const full = handler.path ?? "/";
  const bare = full.split("?")[0] ?? full;
  const paths = full === bare ? [full] : [full, bare];
  return [...paths.map((path) => `:${port}${path}`), ...paths];
}

/** The declared facts of the endpoint that a handler asks; undefined when nothing is declared. Path with query first, then without. */
export function endpointOf(facts: Facts, handler: Handler | undefined): (EndpointFact & { readonly key: string }) | undefined {
  if (handler === undefined || facts.endpoints === undefined) return undefined;
  for (const key of endpointKeys(handler)) {
    const fact = Object.hasOwn(facts.endpoints, key) ? facts.endpoints[key] : undefined;
    if (fact !== undefined) return { ...fact, key };
  }
  return undefined;
}

/** The readings of the endpoint that a handler asks, oldest first. */
export function readingsOf(facts: Facts, handler: Handler | undefined): readonly Reading[] {
  if (handler === undefined) return [];
  const keys = endpointKeys(handler);
  return facts.readings.filter((reading) => keys.includes(reading.endpoint)).sort((a, b) => a.at.localeCompare(b.at));
}

/** How long an answer takes at worst (seconds): the slowest reading, else the declared latency, else undefined. */
export function declaredLatency(facts: Facts, handler: Handler | undefined): number | undefined {
  const samples = readingsOf(facts, handler).flatMap((reading) => reading.samples);
  if (samples.length > 0) return Math.max(...samples);
  return endpointOf(facts, handler)?.latency;
}

/** The same as a term of a proof, with the line that declares it; 0 when nothing does (seconds). */
export function latencyTerm(facts: Facts, handler: Handler | undefined): Term {
  const value = declaredLatency(facts, handler) ?? 0;
  const slowest = readingsOf(facts, handler).find(({ samples }) => samples.includes(value));
  if (slowest !== undefined) return { term: "slowest reading", value, unit: "s", origin: slowest.origin };
  return asDeclared({ term: "latency", value, unit: "s" }, facts, `endpoints.${endpointOf(facts, handler)?.key}.latency`);
}

/** Latency `d` of rules.md: `declaredLatency`, else the probe's timeout (seconds). */
export function answerTime(facts: Facts, probe: Probe): number {
  return declaredLatency(facts, probe.handler) ?? probe.timeout;
}

/** Names of the checks that an endpoint is declared to run. */
export function checksOf(facts: Facts, handler: Handler | undefined): readonly string[] {
  return endpointOf(facts, handler)?.checks ?? [];
}

/** Whether two check sets are equal and not empty: then two paths count as one. */
export function sameChecks(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size > 0 && left.size === right.size && [...left].every((check) => right.has(check));
}

/** Whether two probes share a path: one handler identity, or equal, non-empty sets of declared checks. */
export function shareHandler(facts: Facts, a: Probe | undefined, b: Probe | undefined): boolean {
  if (a?.handler === undefined || b?.handler === undefined) return false;
  if (a.handler.identity === b.handler.identity) return true;
  return sameChecks(checksOf(facts, a.handler), checksOf(facts, b.handler));
}

/** Whether a handler asks the endpoint that a fact names by key (`/ready`, `:9000/b`, `exec`, `grpc`). */
export function asksEndpoint(handler: Handler | undefined, key: string): boolean {
  return handler !== undefined && endpointKeys(handler).includes(key);
}

/** Whether a gate is armed in a container: by effective env, `equals` exactly. `sources` could arm it, or could change a known value. */
export function gateState(
  container: Container,
  gate: GateFact,
): { readonly armed: boolean | "unknown"; readonly sources: readonly EnvSource[] } {
  const answer = container.env.get(gate.armedBy.env);
  if (answer.state === "known") return { armed: answer.value === gate.armedBy.equals, sources: answer.hiddenBy };
  if (answer.state === "opaque") return { armed: "unknown", sources: [answer.entry.source] };
  if (answer.state === "unknown") return { armed: "unknown", sources: answer.sources };
  return { armed: false, sources: [] };
}

/** The field that says what a handler asks: path, port or command. */
export function askedAt(handler: Handler): Place {
  if (handler.type === "exec") return handler.at.key("command");
  return handler.at.key(handler.type === "httpGet" ? "path" : "port");
}

/** Whether a handler asks the endpoint of that key, or one whose declared checks are the same. */
export function readsEndpoint(facts: Facts, handler: Handler | undefined, key: string): boolean {
  if (asksEndpoint(handler, key)) return true;
  const checks = facts.endpoints !== undefined && Object.hasOwn(facts.endpoints, key) ? facts.endpoints[key]?.checks : undefined;
  return sameChecks(checksOf(facts, handler), checks ?? []);
}

/** The endpoint that is declared to be made for a probe of that role, unless the handler asks it already. */
export function madeFor(facts: Facts, role: ProbeRole, handler: Handler | undefined): string | undefined {
  const keys = Object.entries(facts.endpoints ?? {}).flatMap(([key, fact]) => (fact.answers === role ? [key] : []));
  return keys.some((key) => asksEndpoint(handler, key)) ? undefined : keys[0];
}

/** The same probe in a render of the chart without overlays, when there is one. */
export function shippedProbe({ container, role }: Probe, { defaults }: Environment): Probe | undefined {
  const { kind, name } = container.workload;
  const workload = defaults?.workloads.find((candidate) => candidate.kind === kind && candidate.name === name);
  return workload?.containers.find((candidate) => candidate.name === container.name)?.[role];
}

/** Whether `serves` names what a handler asks. The list may be written with the base path (without a slash at its end) or without it. */
export function isServed(serves: readonly string[], handler: Handler, base: string): boolean {
  const inner = { ...handler, path: (handler.path ?? "/").slice(base.length) || "/" };
  return [...endpointKeys(handler), ...endpointKeys(inner)].some((key) => serves.includes(key));
}

/** Keys of the endpoints that are declared to run a check. */
export function endpointsWith(facts: Facts, check: string): readonly string[] {
  return Object.entries(facts.endpoints ?? {}).flatMap(([key, { checks }]) => (checks?.includes(check) ? [key] : []));
}

/** Containers that probes apply to: app containers, then sidecars. */
export function probedContainers(workload: Workload): readonly Container[] {
  return [...workload.appContainers, ...workload.sidecars];
}
