import type { Place } from "../manifest/place.js";
import type { Manifest } from "../manifest/types.js";
import { templatePaths, workloadKinds } from "./kinds.js";
import { asList, asMapping, asString, dig, mappingsOf } from "./read.js";

/** A value that the API takes only as a string, and that is something else. */
export interface UnquotedValue {
  /** What it is of: `variable PORT of "app"`, `label version`. */
  readonly of: string;
  readonly value: unknown;
  readonly at: Place;
  /** Whether the value must not be shown: that of a Secret, or of a key that is named like one. */
  readonly secret: boolean;
}

/** Where a container has commands. */
const commandPaths: readonly (readonly string[])[] = [
  ["command"],
  ["args"],
  ...["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => [probe, "exec", "command"]),
  ...["postStart", "preStop"].map((hook) => ["lifecycle", hook, "exec", "command"]),
];

const secretName = /pass|secret|token|key|credential|pin$/i;

/**
 * Values that are no strings in the fields where the API takes nothing else: env values, commands and args, labels, annotations, selectors, the data of
 * ConfigMaps and Secrets. A null is left out: the API reads it as the empty string.
 */
export function unquotedValues(manifest: Manifest): readonly UnquotedValue[] {
  const { kind, metadata, at } = manifest;
  const own = (noun: string, field: string) => inMapping(noun, metadata[field], at.key("metadata", field), false);
  const found = [...own("label", "labels"), ...own("annotation", "annotations")];
  const of = (noun: string, path: readonly string[], secret = false) =>
    inMapping(noun, dig(manifest.body, ...path), at.key(...path), secret);
  if (kind === "ConfigMap") found.push(...of("key", ["data"]));
  if (kind === "Secret") found.push(...of("key", ["data"], true), ...of("key", ["stringData"], true));
  if (kind === "Service" && manifest.apiVersion === "v1") found.push(...of("selector", ["spec", "selector"]));
  const workload = workloadKinds.find((known) => known === kind);
  if (workload === undefined) return found;
  const template = templatePaths[workload];
  if (template.length > 0) {
    found.push(...of("label", [...template, "metadata", "labels"]), ...of("annotation", [...template, "metadata", "annotations"]));
    found.push(...of("selector", ["spec", "selector", "matchLabels"]));
  }
  const spec = [...template, "spec"];
  found.push(...of("nodeSelector", [...spec, "nodeSelector"]));
  for (const list of ["initContainers", "containers"]) {
    for (const { body: container, index } of mappingsOf(dig(manifest.body, ...spec, list))) {
      const name = asString(container["name"]);
      found.push(...inContainer(name ?? "", container, at.key(...spec, list).item(index, name)));
    }
  }
  return found;
}

function inContainer(name: string, container: unknown, at: Place): readonly UnquotedValue[] {
  const env = mappingsOf(dig(container, "env")).flatMap(({ body, index }) => {
    const variable = asString(body["name"]) ?? String(index);
    const place = at.key("env").item(index, variable).key("value");
    return isString(body["value"])
      ? []
      : [{ of: `variable ${variable} of "${name}"`, value: body["value"], at: place, secret: secretName.test(variable) }];
  });
  const words = commandPaths.flatMap((path) =>
    asList(dig(container, ...path)).flatMap((value, index) =>
      isString(value)
        ? []
        : [{ of: `word ${index + 1} of ${path.join(".")} of "${name}"`, value, at: at.key(...path).item(index), secret: false }],
    ),
  );
  return [...env, ...words];
}

function inMapping(noun: string, value: unknown, at: Place, secret: boolean): readonly UnquotedValue[] {
  return Object.entries(asMapping(value) ?? {}).flatMap(([key, entry]) =>
    isString(entry) ? [] : [{ of: `${noun} ${key}`, value: entry, at: at.key(key), secret: secret || secretName.test(key) }],
  );
}

function isString(value: unknown): boolean {
  return typeof value === "string" || value === undefined || value === null;
}
