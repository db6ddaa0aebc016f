import type { Place } from "../manifest/place.js";
import type { Mapping } from "../manifest/types.js";
import { type KeyTable, keyTableOf } from "./key-table.js";
import { asMapping, asName, asString, asText, dig, mappingsOf } from "./read.js";
import { parseReferences } from "./reference.js";
import { serviceVariables } from "./service.js";
import type { EnvAnswer, EnvEntry, EnvSource, EnvTable, Workload } from "./types.js";

/** One thing that the kubelet does while it makes the environment, in its order (item 111). */
type Step =
  | { readonly does: "set"; readonly entry: EnvEntry }
  /** An assignment of a name that may not take place: an optional reference to an object that is not rendered. */
  | { readonly does: "may set"; readonly entry: EnvEntry }
  | { readonly does: "hide"; readonly source: EnvSource & { readonly prefix: string } };

/** The effective environment of a container: `envFrom` in list order, then `env` in list order, the last assignment wins (item 111). */
export function buildEnv(container: Mapping, at: Place, workload: Workload): EnvTable {
  const steps: Step[] = [];
  for (const { body, index } of mappingsOf(container["envFrom"])) steps.push(...readSource(body, at.key("envFrom").item(index), workload));
  for (const { body, index } of mappingsOf(container["env"])) {
    const name = asName(body["name"]);
    if (name !== undefined) steps.push(...readEntry(name, body, at.key("env").item(index, name), workload, steps));
  }
  const entries = Object.freeze(steps.flatMap((step) => (step.does === "hide" ? [] : [step.entry])));
  const opaque = Object.freeze(steps.flatMap((step) => (step.does === "hide" ? [step.source] : [])));
  return Object.freeze({ entries, opaque, get: (name: string) => answer(steps, name) });
}

/** What the steps so far say about a name. A source that the render does not tell never turns an answer into "absent". */
function answer(steps: readonly Step[], name: string): EnvAnswer {
  const later: EnvSource[] = [];
  for (const step of steps.toReversed()) {
    if (step.does === "hide") {
      if (mayCarry(step.source.prefix, name)) later.unshift(step.source);
      continue;
    }
    const { entry } = step;
    if (entry.name !== name) continue;
    if (step.does === "may set") {
      later.unshift(entry.source);
      continue;
    }
    const hiddenBy = Object.freeze(later);
    if (entry.value === undefined) return Object.freeze({ state: "opaque", entry, hiddenBy });
    return Object.freeze({ state: "known", value: entry.value, entry, hiddenBy });
  }
  if (later.length > 0) return Object.freeze({ state: "unknown", sources: Object.freeze(later) });
  return Object.freeze({ state: "absent" });
}

function mayCarry(prefix: string, name: string): boolean {
  return name.length > prefix.length && name.startsWith(prefix);
}

/** An `envFrom` element: every key that the render tells, and the source itself when it may hold more (items 112, 114). */
function readSource(body: Mapping, at: Place, workload: Workload): Step[] {
  const prefix = asString(body["prefix"]) ?? "";
  for (const [key, kind] of [["configMapRef", "ConfigMap"] as const, ["secretRef", "Secret"] as const]) {
    const reference = asMapping(body[key]);
    const name = asName(reference?.["name"]);
    if (name === undefined) continue;
    const optional = reference?.["optional"] === true;
    const table = keyTableOf(kind, name, workload);
    const given: EnvSource = { kind, label: `${kind}/${name}`, at, optional };
    if (table === undefined) return [{ does: "hide", source: Object.freeze({ ...given, prefix }) }];
    const steps: Step[] = [];
    if (!table.closed) steps.push({ does: "hide", source: Object.freeze({ ...given, ...table.by, prefix }) });
    for (const [name, { value, by, at: place }] of table.keys) {
      const source = Object.freeze({ ...given, ...by });
      const entry = { name: prefix + name, value, literal: undefined, secret: kind === "Secret", source, at: place };
      steps.push({ does: "set", entry: Object.freeze(entry) });
    }
    return steps;
  }
  return [];
}

/** An `env` element. A value that is not empty wins over valueFrom; without either the value is the empty string (item 115). */
function readEntry(name: string, body: Mapping, at: Place, workload: Workload, before: readonly Step[]): Step[] {
  const literal = asText(body["value"] ?? "");
  const from = asMapping(body["valueFrom"]);
  const source: EnvSource = Object.freeze({ kind: "env", label: "env", at, optional: false });
  if (from === undefined || (literal !== undefined && literal !== "")) {
    const expanded = literal === undefined ? { value: undefined, secret: false } : expand(literal, before, workload);
    return [{ does: "set", entry: Object.freeze({ name, literal, source, at, ...expanded }) }];
  }
  for (const [key, kind] of [["configMapKeyRef", "ConfigMap"] as const, ["secretKeyRef", "Secret"] as const]) {
    const reference = asMapping(from[key]);
    if (reference !== undefined) return readReference(name, kind, reference, at, workload);
  }
  const field = asString(dig(from, "fieldRef", "fieldPath")) ?? asString(dig(from, "resourceFieldRef", "resource"));
  const label = field === undefined ? "valueFrom" : `field ${field}`;
  const made: EnvSource = Object.freeze({ kind: "field", label, at, optional: false });
  return [{ does: "set", entry: Object.freeze({ name, value: undefined, literal: undefined, secret: false, source: made, at }) }];
}

/** A configMapKeyRef or secretKeyRef. A missing key leaves an earlier value in place when optional (item 114). */
function readReference(name: string, kind: "ConfigMap" | "Secret", reference: Mapping, at: Place, workload: Workload): Step[] {
  const object = asString(reference["name"]) ?? "";
  const key = asString(reference["key"]) ?? "";
  const optional = reference["optional"] === true;
  const table: KeyTable | undefined = keyTableOf(kind, object, workload);
  const found = table?.keys.get(key);
  const source: EnvSource = Object.freeze({ kind, label: `${kind}/${object}`, at, optional, ...(found?.by ?? table?.by) });
  const entry: EnvEntry = Object.freeze({ name, value: found?.value, literal: undefined, secret: kind === "Secret", source, at });
  if (found !== undefined || !optional) return [{ does: "set", entry }];
  return table?.closed === true ? [] : [{ does: "may set", entry }];
}

/** Expands `$(NAME)` from what is defined so far, then service variables; an unknown name stays as written (item 116). */
function expand(
  literal: string,
  before: readonly Step[],
  workload: Workload,
): { readonly value: string | undefined; readonly secret: boolean } {
  let value: string | undefined = "";
  let secret = false;
  for (const piece of parseReferences(literal)) {
    const text: string | undefined = "text" in piece ? piece.text : referred(piece.name);
    value = value === undefined || text === undefined ? undefined : value + text;
  }
  return { value, secret };

  function referred(name: string): string | undefined {
    const known = answer(before, name);
    if (known.state === "absent") return isServiceVariable(name, workload) ? undefined : `$(${name})`;
    if (known.state === "unknown") return undefined;
    if (known.entry.secret) secret = true;
    return known.state === "known" ? known.value : undefined;
  }
}

/** Whether the kubelet injects the name for a Service of the namespace (item 120); its value is not in the render. */
export function isServiceVariable(name: string, workload: Workload): boolean {
  if (/^KUBERNETES_(SERVICE_HOST$|SERVICE_PORT|PORT)/.test(name)) return true;
  if (workload.pod.body["enableServiceLinks"] === false) return false;
  const services = workload.environment.services.filter((service) => service.namespace === workload.namespace);
  return services.some((service) => serviceVariables(service).includes(name));
}
