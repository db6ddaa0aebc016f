import type { Complaint } from "../errors.js";
import { nearest } from "../spelling.js";
import type { SchemaFault, Validator } from "./generated/validate.js";
import type { Path, Source } from "./source.js";
import type { Origin } from "./types.js";

/** Collects what is wrong with a config and the files that it names. */
export interface Complaints {
  readonly list: readonly Complaint[];
  /** Complains at a position of its own. */
  add(origin: Origin, message: string): void;
  /** Complains about the value at a path, unless that path (or an ancestor) was complained about already. */
  about(source: Source, path: Path, message: string): void;
  /** Complains about the key at a path. */
  aboutKey(source: Source, path: Path, message: string): void;
  /** Validates a source and turns every fault into a complaint. */
  validate(source: Source, validator: Validator): void;
}

/** An empty collection. */
export function collectComplaints(): Complaints {
  const list: Complaint[] = [];
  const faulty = new Set<string>();
  const said = new Set<string>();
  const mark = (source: Source, path: Path): string => JSON.stringify([source.file, ...path.map(String)]);
  const isFaulty = (source: Source, path: Path): boolean => path.some((_, i) => faulty.has(mark(source, path.slice(0, i + 1))));
  const add = (origin: Origin, message: string): void => {
    const whole = JSON.stringify([origin.file, origin.line, origin.column, message]);
    if (said.has(whole)) return;
    said.add(whole);
    list.push({ ...origin, message });
  };
  const aboutKey = (source: Source, path: Path, message: string): void => {
    faulty.add(mark(source, path));
    add(source.keyAt(path), message);
  };
  const about = (source: Source, path: Path, message: string): void => {
    if (isFaulty(source, path)) return;
    faulty.add(mark(source, path));
    add(source.at(path), message);
  };
  return {
    list,
    add,
    about,
    aboutKey,
    validate(source, validator) {
      for (const fault of source.faults) list.push(fault);
      if (source.value === undefined || validator(source.value)) return;
      for (const fault of validator.errors ?? []) {
        const fit = explainFault(source, fault);
        if (fit === undefined) continue;
        if (fit.on === "key") aboutKey(source, fit.path, fit.message);
        if (fit.on === "value") about(source, fit.path, fit.message);
        // What a map lacks says nothing about what it has: those values are still looked at.
        if (fit.on === "map") add(source.at(fit.path), fit.message);
      }
    },
  };
}

/** Complaints by file, line and column; the first file stays first. */
export function sortComplaints(complaints: readonly Complaint[]): readonly Complaint[] {
  const files = [...new Set(complaints.map((complaint) => complaint.file))];
  const order = (complaint: Complaint): number => files.indexOf(complaint.file);
  return [...complaints].sort(
    (a, b) =>
      order(a) - order(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || a.message.localeCompare(b.message),
  );
}

interface Said {
  readonly path: Path;
  readonly on: "key" | "value" | "map";
  readonly message: string;
}

function explainFault(source: Source, fault: SchemaFault): Said | undefined {
  const path = pointerPath(source.value, fault.instancePath);
  const schema = fault.parentSchema ?? {};
  if (fault.keyword === "if" || (fault.propertyName !== undefined && fault.keyword !== "propertyNames")) return undefined;
  if (fault.keyword === "additionalProperties") {
    const key = String(fault.params["additionalProperty"]);
    const known = Object.keys(isRecord(schema["properties"]) ? schema["properties"] : {});
    if (key === "__proto__") return undefined;
    const where = path.length === 0 ? "" : ` in ${showPath(source, path)}`;
    return { path: [...path, key], on: "key", message: `unknown key ${quote(key)}${where}${suggest(key, known)}` };
  }
  if (fault.keyword === "propertyNames") {
    const key = String(fault.params["propertyName"]);
    if (key === "__proto__") return undefined;
    const names = isRecord(fault.schema) ? String(fault.schema["errorMessage"] ?? "expected another name") : "expected another name";
    return { path: [...path, key], on: "key", message: `key ${quote(key)} in ${showPath(source, path)}, ${names}` };
  }
  if (fault.keyword === "required") {
    const name = path.length === 0 ? "the file" : showPath(source, path);
    return {
      path,
      on: "map",
      message: `${name} has no ${quote(String(fault.params["missingProperty"]))}, expected ${requiredKeys(schema)}`,
    };
  }
  const found = path.length === 0 ? `the file is ${showValue(source, path)}` : `${showPath(source, path)} is ${showValue(source, path)}`;
  return { path, on: "value", message: `${found}, ${expectation(fault, schema, valueAt(source.value, path))}` };
}

function requiredKeys(schema: Readonly<Record<string, unknown>>): string {
  const keys = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return keys.length === 1 ? "that key" : `${keys.slice(0, -1).join(", ")} and ${keys.at(-1)}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a text",
  object: "a map",
  array: "a list",
  boolean: "true or false",
  number: "a number",
  integer: "a whole number",
  null: "nothing",
};

function expectation(fault: SchemaFault, schema: Readonly<Record<string, unknown>>, value: unknown): string {
  const allowed = Array.isArray(schema["enum"]) ? schema["enum"].filter((word) => word !== false).map(String) : [];
  const words = typeof value === "string" ? likely(value, allowed) : undefined;
  if (words !== undefined) return `did you mean ${quote(words)}?`;
  if (typeof schema["errorMessage"] === "string") return schema["errorMessage"];
  if (allowed.length > 0) return `expected ${orList(allowed)}`;
  if (fault.keyword === "minLength") return "expected some text";
  const types = [schema["type"]].flat().map((type) => typeNames[String(type)] ?? String(type));
  return `expected ${types.filter((type) => type !== "nothing").join(" or ")}`;
}

/** `, did you mean "values"?`, or `, expected one of …` when nothing is near. */
export function suggest(word: string, known: readonly string[]): string {
  const near = likely(word, known);
  if (near !== undefined) return `, did you mean ${quote(near)}?`;
  return known.length === 0 ? "" : `, expected ${orList(known)}`;
}

/** The nearest word, else the only one that begins so (`warn`). */
function likely(word: string, known: readonly string[]): string | undefined {
  const longer = word.length > 1 ? known.filter((candidate) => candidate.startsWith(word)) : [];
  return nearest(word, known) ?? (longer.length === 1 ? longer[0] : undefined);
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** A path as messages write it: `environments.memex.values[0]`; a config with one chart leaves `charts[0].` out. */
export function showPath(source: Source, path: Path): string {
  const charts = isRecord(source.value) ? source.value["charts"] : undefined;
  const only =
    Array.isArray(charts) && charts.length === 1 && path[0] === "charts" && (path[2] === "environments" || path[2] === "refusals");
  let text = Array.isArray(source.value) ? "readings" : "";
  for (const segment of only ? path.slice(2) : path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (!/^[A-Za-z_][\w-]*$/.test(segment)) text += `[${quote(segment)}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}

function showValue(source: Source, path: Path): string {
  const value = valueAt(source.value, path);
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return Object.keys(value).length === 0 ? "an empty map" : "a map";
  if (typeof value === "string") return quote(value);
  return source.written(path) ?? String(value);
}

/** A text in double quotes, at most 80 characters, with control and direction characters escaped. */
export function quote(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  const spell = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(short).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, spell);
}

/** Whether a value is a map. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) {
    if (Array.isArray(value)) value = value[Number(segment)];
    else if (isRecord(value) && Object.hasOwn(value, segment)) value = value[segment];
    else return undefined;
  }
  return value;
}

function pointerPath(root: unknown, pointer: string): Path {
  const path: (string | number)[] = [];
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(valueAt(root, path)) ? Number(key) : key);
  }
  return path;
}
