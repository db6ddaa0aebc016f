import { parseQuantity } from "../model/quantity.js";
import { isVersion } from "../model/version.js";
import { showPath } from "./complaints.js";
import {
  type Cursor,
  child,
  complain,
  defined,
  flag,
  glob,
  items,
  keyOriginOf,
  keyOrigins,
  mapOf,
  numeric,
  originOf,
  scalarText,
  seconds,
  text,
  texts,
  word,
} from "./cursor.js";
import { environmentNames } from "./entries.js";
import type { DeclaredFacts, EndpointFact, EnvFacts, FactEntry, GateFact } from "./types.js";

/** `facts:`, durations in seconds and sizes in bytes. Complains about gates that no entry completes. */
export function factEntriesOf(cursor: Cursor, known: readonly string[]): readonly FactEntry[] {
  const list = items(cursor).map((item) => ({
    of: glob(child(item, "of")) ?? "",
    in: environmentNames(child(item, "in"), known),
    facts: declaredFacts(item),
    declaredAt: keyOrigins(item),
    origin: originOf(item),
  }));
  completeGates(cursor, list);
  return list;
}

function declaredFacts(item: Cursor): DeclaredFacts {
  const at = (key: string): Cursor => child(item, key);
  return defined({
    boot: seconds(at("boot")),
    pull: seconds(at("pull")),
    run: seconds(at("run")),
    drain: seconds(at("drain")),
    listen: Array.isArray(at("listen").value) ? items(at("listen")).flatMap((port) => numeric(port) ?? []) : undefined,
    ports: mapOf(at("ports"), (port) =>
      defined({ tls: flag(child(port, "tls")), protocol: word(child(port, "protocol"), ["http", "grpc", "tcp"] as const) }),
    ),
    basePath: text(at("basePath")),
    allowedHosts: texts(at("allowedHosts")),
    binaries: texts(at("binaries")),
    serves: texts(at("serves")),
    waitsFor: texts(at("waitsFor")),
    heapOverhead: bytes(at("heapOverhead")),
    sharedPaths: texts(at("sharedPaths")),
    env: at("env").value === undefined ? undefined : envFacts(at("env")),
    checks: mapOf(at("checks"), (check) => {
      const remedy = word(child(check, "remedy"), ["restart", "evict", "hold-roll", "report"] as const);
      return remedy === undefined ? undefined : { remedy };
    }),
    gates: mapOf(at("gates"), gateFact),
    endpoints: mapOf(at("endpoints"), endpointFact),
  });
}

function bytes(cursor: Cursor): number | undefined {
  if (typeof cursor.value !== "string" && typeof cursor.value !== "number") return undefined;
  const size = typeof cursor.value === "number" ? cursor.value : parseQuantity(cursor.value);
  if (size === undefined || size < 0) complain(cursor, "expected a quantity such as 256Mi");
  return size;
}

function envFacts(cursor: Cursor): Partial<EnvFacts> {
  return defined({
    required: texts(child(cursor, "required")),
    neverBlank: texts(child(cursor, "neverBlank")),
    oneOf: mapOf(child(cursor, "oneOf"), texts),
    reads: texts(child(cursor, "reads")),
    ignoreCase: flag(child(cursor, "ignoreCase")),
  });
}

function requirement(cursor: Cursor): { readonly env: string; readonly equals: string } | undefined {
  const env = text(child(cursor, "env"));
  const equals = scalarText(child(cursor, "equals"));
  return env === undefined || equals === undefined ? undefined : { env, equals };
}

function gateFact(cursor: Cursor, name: string): Partial<GateFact> {
  const requires = child(cursor, "requires");
  return defined({
    name,
    check: text(child(cursor, "check")),
    armedBy: requirement(child(cursor, "armedBy")),
    requires: Array.isArray(requires.value) ? items(requires).flatMap((item) => requirement(item) ?? []) : undefined,
    readAt: text(child(cursor, "readAt")),
    holds: seconds(child(cursor, "holds")),
  });
}

function endpointFact(cursor: Cursor): EndpointFact {
  const at = (key: string): Cursor => child(cursor, key);
  return defined({
    latency: seconds(at("latency")),
    deadline: seconds(at("deadline")),
    cpu: seconds(at("cpu")),
    peers: numeric(at("peers")),
    heavy: flag(at("heavy")),
    answers: word(at("answers"), ["readiness", "liveness", "startup"] as const),
    dependsOn: mapOf(at("dependsOn"), (scope) => word(scope, ["shared", "private", "cluster"] as const)),
    checks: texts(at("checks")),
    since: version(at("since")),
    until: version(at("until")),
    consumers: mapOf(at("consumers"), (consumer) =>
      defined({ timeout: seconds(child(consumer, "timeout")), every: seconds(child(consumer, "every")) }),
    ),
  });
}

function version(cursor: Cursor): string | undefined {
  const tag = text(cursor);
  if (tag !== undefined && tag !== "" && !isVersion(tag)) complain(cursor, "expected a version such as 3.0.0-ci.8400");
  return tag;
}

/** A gate may be spread over entries; but one that never says how it is armed, or where it is read, is none. */
function completeGates(cursor: Cursor, list: readonly FactEntry[]): void {
  items(cursor).forEach((item, i) => {
    for (const name of Object.keys(list[i]?.facts.gates ?? {})) {
      const gate = child(child(item, "gates"), name);
      const has = (key: "armedBy" | "readAt"): boolean =>
        child(gate, key).value !== undefined || list.slice(0, i).some((earlier) => earlier.facts.gates?.[name]?.[key] !== undefined);
      const missing = (["armedBy", "readAt"] as const).filter((key) => !has(key));
      if (missing.length === 0) continue;
      const message = `${showPath(gate.source, gate.path)} has no ${missing.join(" and no ")}, expected armedBy and readAt, here or in an earlier entry`;
      cursor.complaints.add(keyOriginOf(gate), message);
    }
  });
}
