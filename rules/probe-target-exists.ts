import { type Container, defineRule, type Handler, listed, type Probe, type Problem } from "../src/api.js";

const deaf = {
  startup: "it neither passes nor fails, and the container stays in its start for ever",
  readiness: "it neither passes nor fails, and the pod is never ready",
  liveness: "it neither passes nor fails, so nothing ever restarts a hung container",
};

export default defineRule({
  id: "probe-target-exists",
  summary: "A probe asks a port that its container listens on, at the pod's own address",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["listen"],
  *check(container, { facts, judged, ask }) {
    if (container.role === "init") return;
    const told = new Set<number>();
    for (const { handler, role } of container.probes) {
      if (handler?.port === undefined) continue;
      const subject = `the ${role} probe of "${container.name}"`;
      const { host, port } = handler;
      const { hostNetwork } = container.workload.pod;
      if (host !== undefined && !(hostNetwork && isLoopback(host))) {
        judged();
        yield elsewhere(handler, host, subject);
        continue;
      }
      // A port of another type or range is the API's business, and probe-shape-valid's.
      if (port.number === undefined && typeof port.given === "number") continue;
      if (port.number === undefined) {
        judged();
        yield unknownName(container, handler, `${subject} asks port "${port.given}"`, role);
        continue;
      }
      if (facts.listen === undefined) ask("listen");
      if (facts.listen !== undefined || typeof port.given === "string" || container.workload.longRunning) judged();
      if (facts.listen !== undefined) yield* unheard(handler, port.number, facts.listen, subject);
      else if (container.workload.longRunning && !told.has(port.number)) yield* undeclared(container, handler, port.number, subject);
      told.add(port.number);
    }
  },
});

function isLoopback(host: string): boolean {
  return /^(?:localhost\.?|127(?:\.\d+){1,3}|0\.0\.0\.0|\[?::1?\]?)$/i.test(host);
}

function elsewhere(handler: Handler, host: string, subject: string): Problem {
  const at = handler.at.key("host");
  const hint = "leave host out: the kubelet then asks the pod's own address; a Host header belongs into httpHeaders";
  if (!isLoopback(host)) {
    const message = `${subject} asks host "${host}" in place of its own pod: whatever answers there decides about this container`;
    return { at, message, hint, severity: "warning" };
  }
  return {
    at,
    message: `${subject} asks host "${host}": the kubelet asks from the node, so this is the node itself and not the pod`,
    hint,
  };
}

function unknownName({ ports, workload, name }: Container, handler: Handler, asks: string, role: Probe["role"]): Problem {
  const given = handler.port?.given;
  const names = ports.flatMap((port) => port.name ?? []);
  const owner = workload.containers.find((other) => other.name !== name && other.ports.some((port) => port.name === given));
  const has = names.length === 0 ? "the container names no port" : `the container names ${listed(names.map((known) => `"${known}"`))}`;
  const neighbour = owner === undefined ? "" : `; "${owner.name}" has one of that name, which does not count`;
  return {
    at: handler.at.key("port"),
    message: `${asks}, but ${has}${neighbour}: ${deaf[role]}`,
    hint: "name a port of the same container, or render that port wherever the probe is rendered",
  };
}

function* unheard(handler: Handler, number: number, listen: readonly number[], subject: string): Iterable<Problem> {
  if (listen.includes(number)) return;
  const given = handler.port?.given;
  const name = typeof given === "string" && given !== String(number) ? ` ("${given}")` : "";
  const [only] = listen;
  yield {
    at: handler.at.key("port"),
    message: `${subject} asks port ${number}${name}, but it listens on ${only === undefined ? "no port" : listed(listen.map(String))}: every attempt is refused`,
    hint: name === "" ? "ask a port that it listens on" : "ask a port that it listens on, or correct the number of the named port",
    ...(listen.length === 1 && only !== undefined && name === "" ? { fix: { value: only } } : {}),
  };
}

function* undeclared(container: Container, handler: Handler, number: number, subject: string): Iterable<Problem> {
  if (container.ports.some((port) => port.number === number)) return;
  const declared = [...new Set(container.ports.map((port) => String(port.number)))];
  const owner = container.workload.containers.find((other) => other !== container && other.ports.some((port) => port.number === number));
  const neighbour = owner === undefined ? "" : `, and "${owner.name}" of the same pod declares ${number}: it may be that one that answers`;
  yield {
    at: handler.at.key("port"),
    message: `${subject} asks port ${number}, but it declares ${declared.length === 0 ? "no port" : listed(declared)}${neighbour}`,
    hint: "declare the port with a name and let the probe use the name: then the two cannot part",
    ask: ["listen"],
    severity: "note",
  };
}
