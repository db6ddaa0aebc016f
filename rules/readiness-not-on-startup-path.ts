import {
  askedAt,
  type Container,
  checksOf,
  counted,
  defineRule,
  endpointOf,
  type Facts,
  formatArming,
  formatSeconds,
  type GateFact,
  gateState,
  type Handler,
  isDisarmed,
  listed,
  madeFor,
  type Problem,
  readinessRemoval,
  readsEndpoint,
  shareHandler,
} from "../src/api.js";

export default defineRule({
  id: "readiness-not-on-startup-path",
  summary: "Readiness and startup do not ask the same endpoint",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["endpoints", "checks", "gates"],
  *check(container, { facts, judged, ask }) {
    const { startup, readiness } = container;
    if (!container.workload.longRunning || container.role === "init") return;
    if (startup?.handler === undefined || readiness?.handler === undefined) return;
    judged();
    if (!shareHandler(facts, startup, readiness)) return;
    const handlers = [readiness.handler, startup.handler];
    const shared = `readiness and startup of "${container.name}" both ${readiness.handler.type === "tcpSocket" ? "open" : "ask"} ${listed([...new Set(handlers.map(({ label }) => label))])}`;
    const own = madeFor(facts, "readiness", readiness.handler);
    const found: Problem = {
      at: askedAt(readiness.handler),
      message: shared,
      hint: own === undefined ? "give readiness a cheap endpoint of its own" : `point readiness at ${own}, which is made for it`,
      because: [
        { term: "startup", value: startup.handler.label, at: askedAt(startup.handler) },
        { term: "readiness", value: readiness.handler.label, at: askedAt(readiness.handler) },
      ],
    };
    const gate = gateAt(container, facts, startup.handler);
    if (gate !== undefined) {
      const message = `${shared}, where a gate answers: it now sits on a probe that kills; ${formatArming(container, gate)}`;
      yield { ...found, at: askedAt(startup.handler), message, hint: `move startup off ${gate.readAt}: only readiness may read a gate` };
      return;
    }
    const slow = `${counted(readiness.failures, "slow answer")} and the pod leaves the Service, ${formatSeconds(readinessRemoval(readiness, false).latest)} at the latest after they begin`;
    const names = [...new Set(handlers.flatMap((handler) => carried(facts, handler)))];
    const foreign = names.filter((name) => (facts.checks?.[name]?.remedy ?? "evict") !== "evict" && !isDisarmed(container, facts, name));
    if (handlers.some((handler) => endpointOf(facts, handler)?.heavy === true)) {
      const inherits = names.length === 0 ? "all of its work" : listed(names);
      const why = "under load the pod is taken out, its siblings get its traffic, and their answers slow down next";
      yield {
        ...found,
        message: `${shared}, which is heavy: readiness inherits ${inherits}; ${slow}`,
        notes: [{ label: "why", text: why }],
      };
      return;
    }
    if (foreign.length > 0) {
      const remedies = foreign.map((name) => `${name} (remedy ${facts.checks?.[name]?.remedy})`);
      yield { ...found, message: `${shared}: readiness inherits ${listed(remedies)}, and evicting a pod is not that remedy; ${slow}` };
      return;
    }
    const unknown = handlers.every((handler) => endpointOf(facts, handler) === undefined);
    if (unknown) ask("endpoints");
    const notes = [{ label: "why", text: "fine when it is one cheap handler and no gate is behind it" }];
    const mild = { ...found, notes, ...(unknown ? { ask: ["endpoints"] } : {}) };
    if (readiness.handler.type === "tcpSocket") {
      yield { ...mild, message: `${shared}: the pod is in rotation the moment a socket opens`, severity: "note" };
      return;
    }
    const inherits = names.length === 0 ? "whatever startup waits for" : listed(names);
    yield { ...mild, message: `${shared}: readiness inherits ${inherits}; ${slow}`, severity: "warning" };
  },
});

/** What an answer hangs on: declared checks and dependencies. */
function carried(facts: Facts, handler: Handler): readonly string[] {
  return [...checksOf(facts, handler), ...Object.keys(endpointOf(facts, handler)?.dependsOn ?? {})];
}

/** A gate that answers where the handler asks, unless it is known not to be armed. */
function gateAt(container: Container, facts: Facts, handler: Handler): GateFact | undefined {
  const gates = Object.values(facts.gates ?? {}).filter(({ readAt }) => readsEndpoint(facts, handler, readAt));
  return gates.find((gate) => gateState(container, gate).armed !== false);
}
