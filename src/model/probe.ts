import type { Place } from "../manifest/place.js";
import type { Mapping } from "../manifest/types.js";
import { asCount, asInteger, asIntOrString, asMapping, asName, asStrings, asText, mappingsOf } from "./read.js";
import type { Container, ContainerPort, Handler, PortRef, Probe, ProbeRole } from "./types.js";

const handlerTypes = ["exec", "httpGet", "tcpSocket", "grpc"] as const;
const longestLabel = 60;
const nothing: readonly never[] = Object.freeze([]);

/** A probe after Kubernetes' defaults (items 1, 2); undefined when the value is no mapping. */
export function buildProbe(role: ProbeRole, value: unknown, at: Place, container: Container): Probe | undefined {
  const body = asMapping(value);
  if (body === undefined) return undefined;
  const handlers = buildHandlers(body, at, container.ports);
  return Object.freeze({
    role,
    container,
    at,
    handler: handlers[0],
    handlerCount: handlers.length,
    delay: asCount(body["initialDelaySeconds"]) ?? 0,
    period: positive(body["periodSeconds"]) ?? 10,
    timeout: positive(body["timeoutSeconds"]) ?? 1,
    failures: positive(body["failureThreshold"]) ?? 3,
    successes: positive(body["successThreshold"]) ?? 1,
    grace: asCount(body["terminationGracePeriodSeconds"]),
    has: (field: string) => Object.hasOwn(body, field) && body[field] !== undefined && body[field] !== null,
    body,
  });
}

/** A lifecycle hook: a handler or a sleep (seconds); undefined when the value is no mapping. */
export function buildHook(value: unknown, at: Place, ports: readonly ContainerPort[]): Container["preStop"] {
  const body = asMapping(value);
  if (body === undefined) return undefined;
  const handler = buildHandlers(body, at, ports)[0];
  const seconds = asCount(asMapping(body["sleep"])?.["seconds"]);
  return Object.freeze({ ...handler, at: handler?.at ?? at, ...(seconds === undefined ? {} : { sleep: seconds }) });
}

/** The handlers that a probe or hook writes, in the order of the manifest; a null one is an unset one. */
export function buildHandlers(body: Mapping, at: Place, ports: readonly ContainerPort[]): readonly Handler[] {
  const types = Object.keys(body).filter((key): key is Handler["type"] => handlerTypes.some((type) => type === key));
  return types.flatMap((type) => {
    const given = asMapping(body[type]);
    return given === undefined ? [] : [buildHandler(type, given, at.key(type), ports)];
  });
}

/** A port by number or name, resolved against the container's ports as the kubelet does it: by name first, then as digits (item 29). */
export function resolvePort(given: string | number, ports: readonly ContainerPort[]): PortRef {
  if (typeof given === "number") return Object.freeze({ given, number: validPort(given) });
  const named = ports.find((port) => port.name === given)?.number;
  return Object.freeze({ given, number: named ?? (/^\+?\d{1,9}$/.test(given) ? validPort(Number(given)) : undefined) });
}

function buildHandler(type: Handler["type"], body: Mapping, at: Place, ports: readonly ContainerPort[]): Handler {
  if (type === "exec") return buildExec(body, at);
  // A grpc port is a number in the API: a name there is refused, not resolved.
  const given = type === "grpc" ? asInteger(body["port"]) : asIntOrString(body["port"]);
  const port = given === undefined ? undefined : resolvePort(given, ports);
  const number = String(port?.number ?? port?.given ?? "");
  const asked = { type, at, command: nothing, ...(port === undefined ? {} : { port }) };
  const numbered = (name: string) => `${name} ${printable(number)}`.trimEnd();
  if (type === "grpc") {
    const service = asName(body["service"]) ?? "";
    return Object.freeze({ ...asked, headers: nothing, service, identity: `grpc|${number}|${service}`, label: numbered("grpc port") });
  }
  const host = asName(body["host"]);
  const hosted = host === undefined ? {} : { host };
  const suffix = host === undefined ? "" : `|${host}`;
  if (type === "tcpSocket") {
    return Object.freeze({ ...asked, ...hosted, headers: nothing, identity: `tcpSocket|${number}${suffix}`, label: numbered("tcp port") });
  }
  const text = asName(body["path"]) ?? "/";
  const path = text.startsWith("/") ? text : `/${text}`;
  return Object.freeze({
    ...asked,
    ...hosted,
    path,
    scheme: asName(body["scheme"]) ?? "HTTP",
    headers: readHeaders(body["httpHeaders"]),
    identity: `httpGet|${number}|${path}${suffix}`,
    label: printable(path),
  });
}

function buildExec(body: Mapping, at: Place): Handler {
  const command = asStrings(body["command"]);
  const label = `exec ${shorten(printable(command.join(" ")))}`.trimEnd();
  return Object.freeze({ type: "exec", at, headers: nothing, command, identity: `exec|${command.join("\0")}`, label });
}

function readHeaders(value: unknown): Handler["headers"] {
  const headers = mappingsOf(value).map(({ body }) =>
    Object.freeze({ name: asText(body["name"]) ?? "", value: asText(body["value"]) ?? "" }),
  );
  return Object.freeze(headers);
}

function positive(value: unknown): number | undefined {
  const count = asCount(value);
  return count === 0 ? undefined : count;
}

function validPort(number: number): number | undefined {
  return number > 0 && number < 65536 ? number : undefined;
}

/** Control characters, and those that turn the direction of text, as escapes: a manifest must not steer a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => shortEscapes[char] ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function shorten(text: string): string {
  return text.length <= longestLabel ? text : `${text.slice(0, longestLabel - 1)}…`;
}
