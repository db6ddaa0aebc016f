import { type Container, defineRule, listed, matchesName, type Service, sameName, serviceVariables } from "../src/api.js";

export default defineRule({
  id: "service-links-clash",
  summary: "No Service brings a variable into a pod that the application reads as its own configuration",
  scope: "container",
  severity: "error",
  category: "configuration",
  facts: ["env"],
  *check(container, { facts, judged, ask }) {
    const { workload, env } = container;
    if (workload.pod.body["enableServiceLinks"] === false) return;
    const services = workload.environment.services.filter(({ namespace }) => namespace === workload.namespace);
    if (!services.some((service) => serviceVariables(service).length > 0)) return;
    const reads = facts.env?.reads ?? [];
    if (reads.length === 0) {
      ask("env");
      return;
    }
    judged();
    for (const service of services) {
      const clashes = serviceVariables(service).filter((name) => reads.some((read) => isRead(read, name, facts.env?.ignoreCase === true)));
      // What the pod declares itself wins over what a Service brings.
      const open = clashes.filter((name) => !isDeclared(container, name));
      if (open.length === 0) continue;
      const maybe = env.opaque.filter(({ prefix }) => open.every((name) => name.startsWith(prefix)));
      const unless =
        maybe.length === 0 ? "" : `, unless ${listed(maybe.map(({ label }) => label))} sets ${open.length === 1 ? "it" : "them"}`;
      yield {
        at: workload.pod.at.key("enableServiceLinks"),
        message: `Service "${service.name}" brings ${listed(open.length > 3 ? [...open.slice(0, 2), `${open.length - 2} more`] : open)} into "${container.name}", which reads ${open.length === 1 ? "that name" : "those names"} as configuration: ${sample(service, open[0] ?? "")}${unless}`,
        hint: "set enableServiceLinks: false in the pod, rename the Service, or set the variable yourself",
        because: [{ term: "Service", value: service.name, at: service.at.key("metadata", "name") }],
        severity: maybe.length === 0 ? "error" : "warning",
      };
    }
  },
});

function isRead(read: string, name: string, ignoreCase: boolean): boolean {
  return sameName(read, name, ignoreCase) || matchesName(ignoreCase ? read.toLowerCase() : read, ignoreCase ? name.toLowerCase() : name);
}

function isDeclared({ env }: Container, name: string): boolean {
  const { state } = env.get(name);
  return state === "known" || state === "opaque";
}

/** What the application would read: `REDIS_PORT is "tcp://<cluster IP>:6379"`. */
function sample(service: Service, name: string): string {
  const port = service.ports[0]?.port ?? 0;
  const address = "<cluster IP>";
  if (name.endsWith("_SERVICE_HOST") || name.endsWith("_ADDR")) return `${name} is "${address}"`;
  if (name.endsWith("_PORT") && !/_SERVICE_PORT$|_(TCP|UDP|SCTP)_PORT$/.test(name)) return `${name} is "tcp://${address}:${port}"`;
  return `${name} is made from the Service's address and port`;
}
