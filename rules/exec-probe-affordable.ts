import { asDeclared, type Container, defineRule, endpointOf, type Facts, type Probe, type Problem } from "../src/api.js";

export default defineRule({
  id: "exec-probe-affordable",
  summary: "An exec probe says how long it may take, and its runs leave most of the CPU request to the app",
  scope: "container",
  severity: "warning",
  category: "probes",
  facts: ["endpoints"],
  options: { share: 0.2 },
  *check(container, { facts, options, judged, ask }) {
    if (!container.workload.longRunning || container.role === "init") return;
    const probes = container.probes.filter(({ handler }) => handler?.type === "exec");
    if (probes.length === 0) return;
    judged();
    for (const probe of probes) {
      if (probe.body["timeoutSeconds"] !== 0 && probe.has("timeoutSeconds")) continue;
      const written = probe.has("timeoutSeconds") ? "timeoutSeconds 0, which counts as" : "no timeoutSeconds, so it gets";
      yield {
        at: probe.at.key("timeoutSeconds"),
        message: `the ${probe.role} probe of "${container.name}" starts ${quoted(probe)} with ${written} 1s: a new process on a busy node easily takes longer, and then counts as failed`,
        hint: "say how long the command may take: set timeoutSeconds",
        severity: "note",
      };
    }
    if (probes.every(({ handler }) => endpointOf(facts, handler)?.cpu === undefined)) {
      ask("endpoints");
      return;
    }
    yield* tooDear(container, probes, facts, Number(options["share"]));
  },
});

interface Cost {
  readonly probe: Probe;
  readonly cpu: number;
  readonly cores: number;
}

function* tooDear(container: Container, probes: readonly Probe[], facts: Facts, share: number): Iterable<Problem> {
  const request = container.requests["cpu"];
  if (request === undefined) return;
  const all = probes.flatMap((probe): Cost[] => {
    const cpu = endpointOf(facts, probe.handler)?.cpu;
    return cpu === undefined ? [] : [{ probe, cpu, cores: cpu / probe.period }];
  });
  // The startup probe runs alone: the other two begin when it has passed (item 34).
  const starting = all.filter(({ probe }) => probe.role === "startup");
  const serving = all.filter(({ probe }) => probe.role !== "startup");
  const cpuOf = ({ probe, cpu }: Cost) =>
    asDeclared({ term: `${probe.role} CPU`, value: cpu, unit: "s" }, facts, `endpoints.${endpointOf(facts, probe.handler)?.key}.cpu`);
  const costs = total(starting) > total(serving) ? starting : serving;
  const dearest = costs.reduce((a, b) => (b.cores > a.cores ? b : a));
  const cores = total(costs);
  // Whole nanocores: 0.1 + 0.2 must not decide.
  if (Math.round(cores * 1e9) <= Math.round(request * share * 1e9)) return;
  const terms = costs.map(({ probe, cpu }) => `${cpu}s / ${probe.period}s ${probe.role}`).join(" + ");
  yield {
    at: dearest.probe.at.key("periodSeconds"),
    message: `exec probes of "${container.name}" use ${millicores(cores)} (${terms}), ${Math.round((cores / request) * 100)} % of its CPU request of ${millicores(request)}: more than ${Math.round(share * 100)} % (${millicores(request * share)}), so they starve the app, and each other, when the node is busy`,
    hint: "probe less often, ask over httpGet or grpc in place of starting a client, or raise the CPU request",
    because: [
      ...costs.map(({ probe }) => ({ term: `${probe.role} period`, value: probe.period, unit: "s", at: probe.at.key("periodSeconds") })),
      { term: "CPU request", value: millicores(request), at: container.at.key("resources", "requests", "cpu") },
      ...costs.map(cpuOf),
    ],
  };
}

function total(costs: readonly Cost[]): number {
  return costs.reduce((sum, { cores }) => sum + cores, 0);
}

function quoted({ handler }: Probe): string {
  return `"${handler?.label.replace(/^exec /, "") ?? ""}"`;
}

function millicores(cores: number): string {
  return `${Math.round(cores * 10_000) / 10}m`;
}
