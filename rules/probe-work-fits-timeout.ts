import {
  asDeclared,
  askedAt,
  type Container,
  defineRule,
  type EndpointFact,
  endpointOf,
  type Facts,
  formatSeconds,
  type Probe,
} from "../src/api.js";

export default defineRule({
  id: "probe-work-fits-timeout",
  summary: "Nobody who asks an endpoint gives up before its work is done",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["endpoints"],
  *check(container, { facts, judged, ask }) {
    if (!container.workload.longRunning || container.role === "init") return;
    const told = new Set<string>();
    for (const probe of container.probes) {
      if (probe.handler === undefined) continue;
      const endpoint = endpointOf(facts, probe.handler);
      const deadline = endpoint?.deadline;
      if (endpoint === undefined || deadline === undefined) {
        ask("endpoints");
        continue;
      }
      judged();
      const work = `${probe.handler.label}, whose work goes on for up to ${formatSeconds(deadline)}`;
      const load = inFlight(container, facts, endpoint, deadline);
      const declared = asDeclared({ term: "deadline", value: deadline, unit: "s" }, facts, `endpoints.${endpoint.key}.deadline`);
      const hint = "run the work on its own schedule, one at a time, and let the endpoint report the last result";
      if (probe.timeout < deadline) {
        const right = Math.ceil(deadline);
        yield {
          at: probe.at.key("timeoutSeconds"),
          message: `the ${probe.role} probe of "${container.name}" waits ${formatSeconds(probe.timeout)} for ${work}: what it abandons runs on, ${load}`,
          hint: `${hint}; a probe that waits for it needs timeoutSeconds ${right} or more`,
          because: [{ term: "period", value: probe.period, unit: "s", at: probe.at.key("periodSeconds") }, declared],
          fix: { value: right },
        };
      }
      if (told.has(endpoint.key)) continue;
      told.add(endpoint.key);
      for (const [name, { timeout }] of Object.entries(endpoint.consumers ?? {})) {
        if (timeout === undefined || timeout >= deadline) continue;
        const message = `consumer "${name}" of "${container.name}" waits ${formatSeconds(timeout)} for ${work}: what it abandons runs on, ${load}`;
        const path = `endpoints.${endpoint.key}.consumers.${name}.timeout`;
        const waits = asDeclared({ term: `${name} timeout`, value: timeout, unit: "s" }, facts, path);
        yield { at: askedAt(probe.handler), message, hint, because: [declared, waits] };
      }
    }
  },
});

/** How many runs of the work may overlap: ⌈deadline / P⌉ for whoever gives up early, one for a probe that waits, all readers together. */
function inFlight(container: Container, facts: Facts, endpoint: EndpointFact & { readonly key: string }, deadline: number): string {
  const readers = container.probes.filter(({ handler }) => endpointOf(facts, handler)?.key === endpoint.key);
  const probes = readers.map((probe) => ({ name: probe.role, ...overlap(probe, deadline) }));
  const consumers = Object.entries(endpoint.consumers ?? {}).flatMap(([name, { every }]) =>
    every === undefined || every <= 0
      ? []
      : [{ name, runs: Math.ceil(deadline / every), shown: `${formatSeconds(deadline)} / ${formatSeconds(every)}` }],
  );
  const parts = [...probes, ...consumers];
  const total = parts.reduce((sum, { runs }) => sum + runs, 0);
  const shown = parts.map(({ name, runs, shown }) => (parts.length === 1 ? shown : `${runs} ${name}`));
  return `up to ${total} in flight (${shown.join(" + ")})`;
}

function overlap({ timeout, period }: Probe, deadline: number): { readonly runs: number; readonly shown: string } {
  // The kubelet never overlaps the attempts of one probe: one that waits for the end has one run in flight.
  if (timeout >= deadline) return { runs: 1, shown: "one at a time" };
  return { runs: Math.ceil(deadline / period), shown: `${formatSeconds(deadline)} / ${formatSeconds(period)} period` };
}
