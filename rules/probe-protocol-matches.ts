import { defineRule, type Facts, type Handler, type Problem } from "../src/api.js";

export default defineRule({
  id: "probe-protocol-matches",
  summary: "A probe speaks the protocol of the port that it asks",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["ports"],
  *check(container, { facts, judged, ask }) {
    if (!container.workload.longRunning || container.role === "init") return;
    for (const { handler, role } of container.probes) {
      // Another host's port is another port.
      if (handler?.port?.number === undefined || handler.host !== undefined) continue;
      const port = portOf(facts, handler.port.number);
      if (port === undefined) {
        if (handler.type !== "tcpSocket") ask("ports");
        continue;
      }
      judged();
      const subject = `the ${role} probe of "${container.name}"`;
      if (handler.type === "httpGet") yield* overHttp(handler, port, subject);
      if (handler.type === "grpc") yield* overGrpc(handler, port, subject);
    }
  },
});

type Port = NonNullable<Facts["ports"]>[string] & { readonly number: number };

/** What is declared of a port: of itself first, then of every port. */
function portOf(facts: Facts, number: number): Port | undefined {
  const { ports } = facts;
  if (ports === undefined) return undefined;
  const own = Object.hasOwn(ports, String(number)) ? ports[String(number)] : undefined;
  const every = Object.hasOwn(ports, "*") ? ports["*"] : undefined;
  return own === undefined && every === undefined ? undefined : { ...every, ...own, number };
}

function* overHttp(handler: Handler, port: Port, subject: string): Iterable<Problem> {
  const asks = `${subject} asks ${handler.label} over ${handler.scheme}`;
  if (port.protocol === "grpc") {
    const message = `${asks} on port ${port.number}, which speaks gRPC: a gRPC server does not answer an HTTP GET, and every attempt fails`;
    const hint = port.tls === true ? "use tcpSocket, or an HTTP port for health" : "use a grpc probe, or tcpSocket";
    yield { at: handler.at.key("port"), message, hint };
    return;
  }
  const at = handler.at.key("scheme");
  const secure = handler.scheme === "HTTPS";
  if (port.tls === true && !secure) {
    const message = `${asks}, but port ${port.number} speaks TLS: the server takes the plain request for a broken handshake, and every attempt fails`;
    yield { at, message, hint: "set scheme to HTTPS: the kubelet does not verify the certificate", fix: { value: "HTTPS" } };
  }
  if (!secure || port.tls === true) return;
  if (port.tls === false) {
    const message = `${asks}, but port ${port.number} does not speak TLS: the handshake fails on every attempt`;
    yield { at, message, hint: "set scheme to HTTP", fix: { value: "HTTP" } };
    return;
  }
  const message = `${asks}, but port ${port.number} is declared${port.protocol === undefined ? "" : ` ${port.protocol}`} without tls`;
  yield { at, message, hint: "set scheme to HTTP, or declare tls: true for the port", ask: ["ports"], severity: "warning" };
}

function* overGrpc(handler: Handler, port: Port, subject: string): Iterable<Problem> {
  const asks = `${subject} asks over gRPC on port ${port.number}`;
  const at = handler.at.key("port");
  if (port.protocol === "http") {
    yield { at, message: `${asks}, which speaks HTTP: every attempt fails`, hint: "use httpGet" };
  } else if (port.tls === true) {
    const message = `${asks}, which speaks TLS: the kubelet's gRPC probe is plain text only, and every attempt fails`;
    yield { at, message, hint: "use tcpSocket, an exec of a health client, or a port without TLS for health" };
  }
}
