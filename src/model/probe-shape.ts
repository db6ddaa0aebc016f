import type { Place } from "../manifest/place.js";
import type { Mapping } from "../manifest/types.js";
import { asInteger, asList, asMapping } from "./read.js";
import type { ProbeRole } from "./types.js";

/** Something in a probe that the API server refuses. `text` goes on after the probe's name: `has both httpGet and exec: …`. */
export interface ShapeFault {
  readonly at: Place;
  readonly text: string;
  readonly hint?: string;
  readonly fix?: number;
}

/** What a field takes, and why the API refuses anything else. */
type Reader = (value: unknown, at: Place) => Iterable<ShapeFault>;

const handlerTypes = ["exec", "httpGet", "tcpSocket", "grpc"];
const largestInt = 2 ** 31 - 1;

/** Faults of a probe as rendered, in the order of the manifest (items 1 to 6). */
export function probeFaults(role: ProbeRole, value: unknown, at: Place): readonly ShapeFault[] {
  const body = asMapping(value);
  if (body === undefined) return [{ at, text: `is ${described(value)}, the API takes a mapping` }];
  return [...handlerFaults(body, at), ...fieldFaults(body, at, fields(role))];
}

function* handlerFaults(body: Mapping, at: Place): Iterable<ShapeFault> {
  const given = Object.keys(body).filter((key) => handlerTypes.includes(key) && body[key] !== null);
  const [first, second] = given;
  if (first === undefined) {
    const hint = "name exactly one of exec, httpGet, tcpSocket and grpc, or leave the probe out";
    yield { at, text: `has no handler: the API says "must specify a handler type"`, hint };
  }
  if (second === undefined) return;
  const which = given.length === 2 ? `both ${first} and ${second}` : `${given.length} handlers (${given.join(", ")})`;
  const hint = "set the handler of the chart's default to null where another one is given: helm merges mappings";
  yield { at: at.key(second), text: `has ${which}: the API says "may not specify more than 1 handler type"`, hint };
}

function fields(role: ProbeRole): Readonly<Record<string, Reader>> {
  return {
    exec: nested({ command }),
    httpGet: nested({ path: text, port, host: text, scheme, httpHeaders: headers }, "port"),
    tcpSocket: nested({ port, host: text }, "port"),
    grpc: nested({ port: portNumber, service: text }, "port"),
    initialDelaySeconds: count,
    timeoutSeconds: count,
    periodSeconds: count,
    failureThreshold: count,
    successThreshold: role === "readiness" ? count : one(role),
    terminationGracePeriodSeconds: grace(role),
  };
}

/** Faults of a mapping that takes these fields; a null one counts as absent. */
function* fieldFaults(body: Mapping, at: Place, known: Readonly<Record<string, Reader>>): Iterable<ShapeFault> {
  for (const [key, value] of Object.entries(body)) {
    const reader = Object.hasOwn(known, key) ? known[key] : undefined;
    if (reader === undefined) {
      const hint = hintFor(key, Object.keys(known));
      yield { at: at.key(key), text: `has a field "${key}", which the API does not know: it is refused, or dropped without a word`, hint };
      continue;
    }
    if (value !== null) yield* reader(value, at.key(key));
  }
}

function hintFor(key: string, known: readonly string[]): string {
  const right = known.find((name) => name.toLowerCase() === key.toLowerCase());
  if (right !== undefined) return `write ${right}`;
  if (!known.includes("periodSeconds") && /(?:Seconds|Threshold)$/.test(key)) return `${key} belongs to the probe, not into its handler`;
  return `keep "${key}" out of what is rendered: omit it before toYaml`;
}

function nested(known: Readonly<Record<string, Reader>>, required?: string): Reader {
  return function* (value, at) {
    const body = asMapping(value);
    const name = lastOf(at);
    if (body === undefined) {
      yield { at, text: `has a ${name} that is ${described(value)}, the API takes a mapping` };
      return;
    }
    yield* fieldFaults(body, at, known);
    if (required !== undefined && (body[required] ?? undefined) === undefined) {
      yield { at: at.key(required), text: `has a ${name} without a ${required}, which the API requires` };
    }
    if (Object.hasOwn(known, "command") && asList(body["command"]).length === 0 && !isFaulty(body["command"])) {
      yield { at: at.key("command"), text: "has an exec without a command, which the API requires" };
    }
  };
}

/** A command that is not even a list has been complained about. */
function isFaulty(value: unknown): boolean {
  return value !== undefined && value !== null && !Array.isArray(value);
}

function* count(value: unknown, at: Place): Iterable<ShapeFault> {
  const number = asInteger(value);
  if (number === undefined) yield { at, text: `has ${lastOf(at)} ${described(value)}, the API takes a whole number` };
  else if (number < 0) yield { at, text: `has ${lastOf(at)} ${number}: the API says "must be greater than or equal to 0"` };
  else if (number > largestInt) yield { at, text: `has ${lastOf(at)} ${number}, the API takes ${largestInt} at most` };
}

function one(role: ProbeRole): Reader {
  return function* (value, at) {
    const number = asInteger(value);
    if (number === undefined || number < 0) yield* count(value, at);
    else if (number > 1) yield { at, text: `has successThreshold ${number}: the API says "must be 1" for ${role}`, fix: 1 };
  };
}

function grace(role: ProbeRole): Reader {
  return function* (value, at) {
    const number = asInteger(value);
    const name = "terminationGracePeriodSeconds";
    if (role === "readiness") yield { at, text: `sets ${name}: the API says "must not be set for readinessProbes", which never kill` };
    else if (number === undefined) yield* count(value, at);
    else if (number <= 0) yield { at, text: `has ${name} ${number}: the API says "must be greater than 0"` };
  };
}

function* text(value: unknown, at: Place): Iterable<ShapeFault> {
  if (typeof value !== "string") yield { at, text: `has ${lastOf(at)} ${described(value)}, the API takes a string`, hint: "quote it" };
}

/** A header's value may be a password. */
function* unshownText(value: unknown, at: Place): Iterable<ShapeFault> {
  if (typeof value !== "string")
    yield { at, text: `has an HTTP header whose value is a ${typeof value}, the API takes a string`, hint: "quote it" };
}

function* scheme(value: unknown, at: Place): Iterable<ShapeFault> {
  if (typeof value !== "string") yield* text(value, at);
  else if (!["", "HTTP", "HTTPS"].includes(value)) yield { at, text: `has scheme "${value}", the API takes HTTP or HTTPS` };
}

function* portNumber(value: unknown, at: Place): Iterable<ShapeFault> {
  const number = asInteger(value);
  if (number === undefined) yield { at, text: `has port ${described(value)}, the API takes a number here` };
  else if (number < 1 || number > 65535) yield { at, text: `has port ${number}: the API says "must be between 1 and 65535, inclusive"` };
}

function* port(value: unknown, at: Place): Iterable<ShapeFault> {
  if (typeof value !== "string") {
    if (typeof value === "number") yield* portNumber(value, at);
    else yield { at, text: `has port ${described(value)}, the API takes a number or a port name` };
    return;
  }
  if (/^\d+$/.test(value)) {
    const fix = { hint: "render the port without quotes", fix: Number(value) };
    yield { at, text: `has port "${value}" as text: the API reads it as a name, which "must contain at least one letter"`, ...fix };
  } else if (value.length > 15) yield { at, text: `has port "${value}": the API takes a name of 15 characters at most` };
  else if (!/^(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value)) {
    yield { at, text: `has port "${value}", which is no port name: lower-case letters, digits and single dashes between them` };
  }
}

function* command(value: unknown, at: Place): Iterable<ShapeFault> {
  if (!Array.isArray(value)) {
    yield { at, text: `has a command that is ${described(value)}, the API takes a list of strings` };
    return;
  }
  for (const [index, word] of value.entries()) {
    if (typeof word === "string") continue;
    yield { at: at.item(index), text: `has ${described(word)} in its command, the API takes strings`, hint: "quote it" };
  }
}

function* headers(value: unknown, at: Place): Iterable<ShapeFault> {
  if (!Array.isArray(value)) {
    yield { at, text: `has httpHeaders that are ${described(value)}, the API takes a list of name and value` };
    return;
  }
  for (const [index, header] of value.entries()) {
    const body = asMapping(header);
    if (body === undefined)
      yield { at: at.item(index), text: `has an HTTP header that is ${described(header)}, the API takes name and value` };
    else yield* fieldFaults(body, at.item(index), { name: text, value: unshownText });
  }
}

function lastOf(at: Place): string {
  const last = at.path.at(-1);
  return typeof last === "string" ? last : "";
}

/** A value as a message shows it; text in quotes. */
function described(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (Array.isArray(value)) return "a list";
  if (value === null) return "null";
  return typeof value === "object" ? "a mapping" : String(value);
}
