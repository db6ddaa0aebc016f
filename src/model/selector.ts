import type { Place } from "../manifest/place.js";
import { asMapping, asString, asStrings, asTextRecord, mappingsOf } from "./read.js";
import type { Selector } from "./types.js";

type Labels = Readonly<Record<string, string>>;

/** A label selector with matchLabels and matchExpressions; undefined when the value is no mapping. An empty one matches everything. */
export function buildSelector(value: unknown, at: Place): Selector | undefined {
  const body = asMapping(value);
  if (body === undefined) return undefined;
  const wanted = asTextRecord(body["matchLabels"]);
  const expressions = mappingsOf(body["matchExpressions"]).map((element) => element.body);
  return Object.freeze({
    body,
    at,
    matches: (labels: Labels) => includesLabels(labels, wanted) && expressions.every((expression) => holds(expression, labels)),
  });
}

/** A plain map of labels as a selector, as in a ReplicationController; undefined when the value is no mapping. */
export function buildLabelSelector(value: unknown, at: Place): Selector | undefined {
  const body = asMapping(value);
  if (body === undefined) return undefined;
  const wanted = asTextRecord(body);
  return Object.freeze({ body, at, matches: (labels: Labels) => includesLabels(labels, wanted) });
}

/** Whether labels include every wanted pair; always true when none is wanted. */
export function includesLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** One matchExpressions element. NotIn also holds when the label is absent; an unknown operator holds never. */
function holds(expression: { readonly [key: string]: unknown }, labels: Labels): boolean {
  const key = asString(expression["key"]);
  if (key === undefined) return false;
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const values = asStrings(expression["values"]);
  switch (expression["operator"]) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
