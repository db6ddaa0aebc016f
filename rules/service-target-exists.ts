import { defineRule, listed, nearest, type Problem, type Service } from "../src/api.js";

export default defineRule({
  id: "service-target-exists",
  summary: "A Service selects pods, and the port that it names is a port of theirs",
  scope: "manifest",
  severity: "warning",
  category: "availability",
  kinds: ["Service"],
  *check(manifest, { environment, judged }) {
    const service = environment.services.find((found) => found.manifest === manifest);
    if (service === undefined || service.type === "ExternalName" || manifest.hooks.some((event) => event.startsWith("test"))) return;
    const { name, selector = {}, workloads } = service;
    if (Object.keys(selector).length === 0) return;
    judged();
    if (workloads.length === 0) {
      const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
      yield {
        at: service.at.key("spec", "selector"),
        message: `Service "${name}" selects no pod of any rendered workload (${labels.join(", ")})`,
        hint: "select by labels of the pod template; when something else makes the pods, this is fine",
        severity: "note",
      };
      return;
    }
    yield* ports(service);
  },
});

function* ports(service: Service): Iterable<Problem> {
  const open = service.workloads.flatMap(({ sidecars, appContainers }) =>
    [...sidecars, ...appContainers].flatMap((container) => container.ports),
  );
  const running = service.workloads.filter(({ longRunning }) => longRunning);
  const shown = (running.length > 0 ? running : service.workloads).map(({ kind, name }) => `${kind} "${name}"`);
  const selected = shown.length > 3 ? `${shown.slice(0, 2).join(", ")} and ${shown.length - 2} more` : listed(shown);
  for (const { targetPort, protocol, port, at } of service.ports) {
    if (typeof targetPort !== "string" || open.some((found) => found.name === targetPort && found.protocol === protocol)) continue;
    const names = [...new Set(open.flatMap(({ name }) => name ?? []))];
    const other = open.find(({ name }) => name === targetPort);
    const verb = shown.length === 1 ? "has" : "have";
    const has = names.length === 0 ? "no named port" : `only ${listed(names.map((found) => `"${found}"`))}`;
    const found = other === undefined ? `${selected} ${verb} ${has}` : `it is ${other.protocol} there and ${protocol} here`;
    const close = other === undefined ? nearest(targetPort, names) : undefined;
    // Clients of a headless Service talk to the pods' addresses at a port of their own choice.
    const effect = service.headless
      ? "the Service publishes no such port, which matters to who asks for it by name"
      : "nothing ever answers";
    yield {
      at: at.key("targetPort"),
      message: `Service "${service.name}" sends port ${port} to port "${targetPort}", which no selected pod has: ${found}, so ${effect}`,
      hint: close === undefined ? "name a port of the container, or the number that it listens on" : `did you mean "${close}"?`,
      because: open.flatMap((found) => (found.name === undefined ? [] : [{ term: "port", value: found.name, at: found.at }])).slice(0, 3),
      ...(service.headless ? { severity: "note" as const } : {}),
    };
  }
}
