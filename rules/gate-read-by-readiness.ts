import {
  armingTerms,
  askedAt,
  type Container,
  checksOf,
  defineRule,
  endpointOf,
  type Facts,
  formatArming,
  formatKill,
  type GateFact,
  gateHolders,
  gateState,
  type Problem,
  readsEndpoint,
  unmetRequirements,
} from "../src/api.js";

export default defineRule({
  id: "gate-read-by-readiness",
  summary: "A gate that can refuse is read by readiness, and by nothing that kills",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["gates", "endpoints"],
  *check(workload, { factsOf, judged, ask }) {
    if (!workload.longRunning) return;
    for (const { container, gate } of gateHolders(workload, factsOf)) {
      judged();
      const facts = factsOf(container);
      for (const probe of [container.startup, container.liveness]) {
        if (probe?.handler !== undefined && endpointOf(facts, probe.handler)?.checks === undefined) ask("endpoints");
      }
      const because = armingTerms(container, gate);
      for (const problem of problemsOf(container, facts, gate)) yield { because, ...problem };
    }
  },
});

function* problemsOf(container: Container, facts: Facts, gate: GateFact): Iterable<Problem> {
  const state = formatArming(container, gate);
  if (gateState(container, gate).armed === "unknown") {
    yield* notRead(container, facts, gate, `${state}; `);
    return;
  }
  yield* notRead(container, facts, gate, `${state}, but `);
  yield* readByKiller(container, facts, gate, state);
  for (const { env, equals, found, at } of unmetRequirements(container, gate)) {
    const message = `${state}, but in "${container.name}" ${env}, which has to be "${equals}", ${found}: the gate waits for work that nobody does`;
    yield { at, message, hint: `set ${env} to "${equals}", or do not arm the gate` };
  }
  yield* losesOldPods(container, state);
}

function* notRead({ name, at, readiness }: Container, facts: Facts, gate: GateFact, state: string): Iterable<Problem> {
  const handler = readiness?.handler;
  if (handler !== undefined && readsEndpoint(facts, handler, gate.readAt)) return;
  const runs = checksOf(facts, handler).includes(gate.check);
  const asks = `readiness of "${name}" asks ${handler?.label}${runs ? `, which runs ${gate.check} too` : ""}, not ${gate.readAt}`;
  const found = handler === undefined ? `"${name}" has no readiness probe, so nothing asks ${gate.readAt}` : asks;
  yield {
    at: handler === undefined ? at.key("readinessProbe") : askedAt(handler),
    message: `${state}${found}: registered, never read, every rollout completes as if it had passed`,
    hint: runs
      ? `point readiness at ${gate.readAt}, or declare readAt ${handler?.label} if a refusal fails it`
      : `point readiness at ${gate.readAt}`,
    ...(handler?.type === "httpGet" && gate.readAt.startsWith("/") ? { fix: { value: gate.readAt } } : {}),
  };
}

function* readByKiller(container: Container, facts: Facts, gate: GateFact, state: string): Iterable<Problem> {
  for (const probe of [container.startup, container.liveness]) {
    if (probe?.handler === undefined) continue;
    const carries = checksOf(facts, probe.handler).includes(gate.check);
    if (!carries && !readsEndpoint(facts, probe.handler, gate.readAt)) continue;
    yield {
      at: askedAt(probe.handler),
      message: `${state}, and the ${probe.role} probe of "${container.name}" reads it at ${probe.handler.label}: a refusal kills every pod ${formatKill(probe, "it")}, pods of the image that is serving included`,
      hint: `keep ${gate.check} off ${probe.handler.label}, or point the ${probe.role} probe elsewhere: only readiness may read a gate`,
    };
  }
}

function* losesOldPods({ workload }: Container, state: string): Iterable<Problem> {
  const { strategy, replicas, kind } = workload;
  if (!["Deployment", "Rollout", "StatefulSet", "DaemonSet"].includes(kind) || strategy.unavailable === 0) return;
  const pods = Math.max(1, replicas.floor);
  const rolling = strategy.type === "RollingUpdate" && (kind === "Deployment" || kind === "Rollout");
  const how = rolling ? `maxUnavailable ${strategy.unavailableGiven ?? "25% by default"}` : `${strategy.type} of a ${kind}`;
  yield {
    at: strategy.type === "Recreate" ? strategy.at.key("type") : strategy.unavailableAt,
    message: `${state}, but the roll of "${workload.name}" takes ${Math.min(strategy.unavailable, pods)} of ${pods} pods away first (${how}): the old pod is gone before the gate speaks`,
    hint: rolling ? "set maxUnavailable to 0 and maxSurge to 1 or more" : "a gate protects only what rolls with its old pods still serving",
    ...(rolling ? { fix: { value: 0 } } : {}),
  };
}
