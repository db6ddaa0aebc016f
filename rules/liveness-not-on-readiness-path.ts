import {
  askedAt,
  defineRule,
  drainedBeforeKilled,
  formatSeconds,
  listed,
  livenessKill,
  madeFor,
  type Probe,
  readinessRemoval,
  shareHandler,
} from "../src/api.js";

/** From this many failures on, readiness is meant never to take the pod out. */
const meantNever = 100;

export default defineRule({
  id: "liveness-not-on-readiness-path",
  summary: "Liveness and readiness do not ask the same endpoint",
  scope: "container",
  severity: "warning",
  category: "probes",
  facts: ["endpoints"],
  *check(container, { facts, config, judged }) {
    const { liveness, readiness } = container;
    if (!container.workload.longRunning || container.role === "init") return;
    if (liveness?.handler === undefined || readiness?.handler === undefined) return;
    judged();
    if (!shareHandler(facts, liveness, readiness)) return;
    const drained = drainedBeforeKilled(readiness, liveness);
    const first = killComesFirst(readiness, liveness);
    const own = madeFor(facts, "readiness", readiness.handler);
    yield {
      at: askedAt(liveness.handler),
      message: `liveness and readiness of "${container.name}" both ask ${listed([...new Set([liveness.handler.label, readiness.handler.label])])}: ${order(drained, first)} (${budgets(readiness, liveness)})`,
      hint:
        own === undefined
          ? "ask different questions: a restart heals this process, an eviction moves its traffic to its siblings"
          : `point readiness at ${own}, which is made for it`,
      because: [
        { term: "readiness", value: readiness.handler.label, at: askedAt(readiness.handler) },
        { term: "liveness", value: liveness.handler.label, at: askedAt(liveness.handler) },
      ],
      severity: first || (config.preset === "strict" && !drained) ? "warning" : "note",
    };
  },
});

/** The kill comes clearly first: by both lower ends, a check in flight in both, a fifth earlier. */
function killComesFirst(readiness: Probe, liveness: Probe): boolean {
  if (readiness.failures >= meantNever) return false;
  return livenessKill(liveness, true).earliest < 0.8 * readinessRemoval(readiness, true).earliest;
}

function order(drained: boolean, first: boolean): string {
  if (drained) return "it is drained before it is killed";
  return first ? "most likely it is killed before it is drained" : "it may be killed before it is drained";
}

/** `35s at the latest against 75s (65s if a check was hanging) at the earliest`. */
function budgets(readiness: Probe, liveness: Probe): string {
  const calm = livenessKill(liveness, false).earliest;
  const hanging = livenessKill(liveness, true).earliest;
  const also = hanging === calm ? "" : `, ${formatSeconds(hanging)} if a check was hanging`;
  return `${formatSeconds(readinessRemoval(readiness, false).latest)} at the latest against ${formatSeconds(calm)} at the earliest${also}`;
}
