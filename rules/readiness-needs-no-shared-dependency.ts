import { askedAt, defineRule, endpointOf, formatSeconds, listed, type Replicas, readinessRemoval } from "../src/api.js";

export default defineRule({
  id: "readiness-needs-no-shared-dependency",
  summary: "The endpoint that readiness asks does not depend on something that all replicas share",
  scope: "container",
  severity: "warning",
  category: "probes",
  facts: ["endpoints"],
  *check(container, { facts, judged, ask }) {
    const { readiness, workload } = container;
    const { replicas } = workload;
    if (!workload.longRunning || container.role === "init" || readiness?.handler === undefined || replicas.ceil <= 1) return;
    const needs = endpointOf(facts, readiness.handler)?.dependsOn;
    if (needs === undefined) {
      ask("endpoints");
      return;
    }
    judged();
    const entries = Object.entries(needs).filter(([, scope]) => scope !== "private");
    if (entries.length === 0) return;
    const peersOnly = entries.every(([, scope]) => scope === "cluster");
    const trouble = peersOnly
      ? "one replica in trouble"
      : entries.length === 1
        ? "when it is down, every replica fails it at once and"
        : "when one of them is down, every replica fails it at once and";
    const gone = peersOnly ? `${trouble} takes ${all(replicas)} out of the Service` : `${trouble} ${all(replicas)} leave the Service`;
    yield {
      at: askedAt(readiness.handler),
      message: `readiness of "${container.name}" asks ${readiness.handler.label}, which depends on ${listed(entries.map(([name, scope]) => `${name} (${scope})`))}: ${gone}, ${formatSeconds(readinessRemoval(readiness, false).latest)} at the latest after the trouble begins`,
      hint: "let readiness ask what this one pod can do; answer with an error, or degraded, while the dependency is away",
      because: [{ term: "replicas", value: Number.isFinite(replicas.ceil) ? replicas.ceil : "unbounded", at: replicas.at }],
    };
  },
});

function all({ floor, ceil }: Replicas): string {
  if (!Number.isFinite(ceil)) return "all of them";
  return floor === ceil ? `all ${ceil}` : `all ${floor} to ${ceil}`;
}
