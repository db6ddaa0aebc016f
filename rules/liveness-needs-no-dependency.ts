import { askedAt, defineRule, endpointOf, formatSpan, listed, livenessKill } from "../src/api.js";

const meaning = {
  shared: "when it is down, every replica is restarted at once",
  cluster: "when the peers are down, every replica is restarted at once",
  private: "when it is down, the pod is restarted",
};

export default defineRule({
  id: "liveness-needs-no-dependency",
  summary: "The endpoint that liveness asks answers without anything outside of the process",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["endpoints"],
  *check(container, { facts, judged, ask }) {
    const { liveness } = container;
    if (!container.workload.longRunning || container.role === "init" || liveness?.handler === undefined) return;
    const needs = endpointOf(facts, liveness.handler)?.dependsOn;
    if (needs === undefined) {
      ask("endpoints");
      return;
    }
    judged();
    const entries = Object.entries(needs);
    if (entries.length === 0) return;
    const scopes = entries.map(([, scope]) => scope);
    const widest = scopes.find((scope) => scope === "shared") ?? scopes.find((scope) => scope === "cluster") ?? "private";
    const kill = livenessKill(liveness, false);
    yield {
      at: askedAt(liveness.handler),
      message: `liveness of "${container.name}" asks ${liveness.handler.label}, which depends on ${listed(entries.map(([name, scope]) => `${name} (${scope})`))}: ${meaning[widest]}, ${formatSpan(kill.earliest, kill.latest)} after the trouble begins, and no restart brings it back`,
      hint: "let liveness ask only whether this process makes progress; what it depends on belongs to readiness, or to an alert",
    };
  },
});
