import { counted, defineRule, dig, formatSeconds, isMetricsPort, listed, type ServedPort, servedPorts } from "../src/api.js";

export default defineRule({
  id: "readiness-behind-service",
  summary: "A container that a Service sends traffic to has a readiness probe",
  scope: "container",
  severity: "warning",
  category: "probes",
  facts: ["boot"],
  *check(container, { facts, judged }) {
    if (!container.workload.longRunning || container.role === "init") return;
    const served = servedPorts(container).filter(({ service }) => dig(service.manifest.body, "spec", "publishNotReadyAddresses") !== true);
    const [first] = served;
    if (first === undefined) return;
    judged();
    if (container.readiness !== undefined) return;
    const metrics = served.every(isMetricsPort);
    const { startup, liveness } = container;
    const from = startup === undefined ? "the moment its process runs" : "its startup probe has passed once";
    const boot = startup === undefined && facts.boot !== undefined ? `, up to ${formatSeconds(facts.boot)} before it answers` : "";
    const until = liveness === undefined ? "and nothing ever takes it out" : "and liveness restarts it but does not take it out";
    yield {
      at: container.at.key("readinessProbe"),
      message: `"${container.name}" is behind ${named(served)} and has no readiness probe: it gets traffic from ${from} on${boot}, ${until}`,
      hint: "add a readiness probe: a rolling update is only as safe as what it waits for",
      because: served.map(({ service, port }) => ({ term: `Service/${service.name}`, value: String(port.targetPort), at: port.at })),
      severity: liveness !== undefined && !metrics ? "warning" : "note",
    };
  },
});

function named(served: readonly ServedPort[]): string {
  const names = [...new Set(served.map(({ service }) => `"${service.name}"`))];
  if (names.length > 1) return names.length > 3 ? `${names.length} Services` : `Services ${listed(names)}`;
  const ports = [...new Set(served.map(({ port }) => String(port.targetPort)))];
  return `Service ${names[0]} (${ports.length > 3 ? counted(ports.length, "port") : `${ports.length > 1 ? "ports" : "port"} ${listed(ports)}`})`;
}
