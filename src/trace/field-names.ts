import type { Place, Segment } from "../manifest/place.js";
import type { Manifest } from "../manifest/types.js";

/** What a field name of the command line means in an object. */
export type NamedField =
  | { readonly place: Place }
  /** Several fields end like this. */
  | { readonly several: readonly string[] }
  /** None does; `known` are the names of the fields beside the one that is missing. */
  | { readonly known: readonly string[] };

const mostFields = 20_000;
const timed =
  /(?:^|\.)(?:startupProbe|readinessProbe|livenessProbe)\.|(?:^|\.)env\[[^\]]*\]\.(?!name$)|^spec\.(?:strategy|updateStrategy)\.|^spec\.(?:replicas|minReadySeconds|progressDeadlineSeconds|maxUnavailable|minAvailable)$|(?:terminationGracePeriodSeconds|activeDeadlineSeconds)$/;

/**
 * The field with this name, or the only one whose name ends like this: `startupProbe.periodSeconds`. A field beside known ones may be
 * absent, unless it is called almost like one of them.
 */
export function findField(manifest: Manifest, name: string): NamedField {
  const fields = fieldsOf(manifest);
  const wanted = normalize(name);
  const exact = fields.find(({ field }) => normalize(field) === wanted);
  if (exact !== undefined) return { place: exact };
  const ending = fields.filter(({ field }) => normalize(field).endsWith(`.${wanted}`));
  if (ending.length > 1) return { several: ending.map(({ field }) => field) };
  if (ending[0] !== undefined) return { place: ending[0] };
  const cut = /^(.*)\.([\w-]+)$/.exec(wanted);
  const parent = cut?.[1] === undefined ? undefined : findField(manifest, cut[1]);
  if (parent === undefined || !("place" in parent)) return parent ?? { known: fields.map(({ field }) => field) };
  const siblings = fields.filter(({ path }) => path.length === parent.place.path.length + 1 && isBelow(path, parent.place.path));
  const key = cut?.[2] ?? "";
  const last = siblings.flatMap(({ path }) => path.at(-1)).filter((step) => typeof step === "string");
  const isMisspelt = last.some((other) => other.slice(0, 3) === key.slice(0, 3) && Math.abs(other.length - key.length) <= 2);
  if (last.length === 0 || isMisspelt || !/^[a-z]\w*$/.test(key)) return { known: fields.map(({ field }) => field) };
  return { place: parent.place.key(key) };
}

/** The fields that decide about time and traffic: probes, strategy, environment variables, deadlines. */
export function timedFields(manifest: Manifest): readonly Place[] {
  return fieldsOf(manifest).filter((place) => timed.test(place.field) && isScalar(valueIn(manifest, place.path)));
}

/** Every field of an object, whole mappings and lists too. */
function fieldsOf(manifest: Manifest): readonly Place[] {
  const fields: Place[] = [];
  const visit = (value: unknown, place: Place) => {
    if (fields.length >= mostFields) return;
    if (place.path.length > 0) fields.push(place);
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, place.item(index, nameOf(item)));
    else if (!isScalar(value)) for (const [key, child] of Object.entries(value as object)) visit(child, place.key(key));
  };
  visit(manifest.body, manifest.at);
  return fields;
}

function valueIn(manifest: Manifest, path: readonly Segment[]): unknown {
  let value: unknown = manifest.body;
  for (const step of path) value = (value as Record<string | number, unknown>)[typeof step === "string" ? step : step.index];
  return value;
}

function nameOf(item: unknown): string | undefined {
  const name = isScalar(item) ? undefined : (item as { name?: unknown }).name;
  return typeof name === "string" ? name : undefined;
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function isBelow(path: readonly Segment[], parent: readonly Segment[]): boolean {
  return JSON.stringify(path.slice(0, parent.length)) === JSON.stringify(parent);
}

/** Quotes around keys may be left out. */
function normalize(name: string): string {
  return name.replace(/\["([^"\]]*)"\]/g, "[$1]");
}
