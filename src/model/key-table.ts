import { Buffer } from "node:buffer";
import type { Place } from "../manifest/place.js";
import type { Manifest } from "../manifest/types.js";
import { type KnownKind, objectsOf } from "./kinds.js";
import { asList, asMapping, asName, asText, dig, emptyMapping, mappingsOf } from "./read.js";
import type { Environment, EnvSource, Workload } from "./types.js";

type Maker = Pick<EnvSource, "kind" | "label">;

/** A key of a rendered ConfigMap or Secret; `value` is undefined when the render does not tell it. `by` names the object that writes it. */
interface KnownKey {
  readonly value: string | undefined;
  readonly at: Place;
  readonly by: Maker;
}

/** The keys of one ConfigMap or Secret as far as the render tells them. */
export interface KeyTable {
  readonly keys: ReadonlyMap<string, KnownKey>;
  /** Whether there can be no other key. */
  readonly closed: boolean;
  readonly by: Maker;
}

/** The keys of the ConfigMap or Secret of that name in the workload's namespace; undefined when nothing rendered makes it. */
export function keyTableOf(kind: "ConfigMap" | "Secret", name: string, workload: Workload): KeyTable | undefined {
  const { environment, namespace } = workload;
  const known = seen.get(environment) ?? new Map<string, KeyTable | undefined>();
  seen.set(environment, known);
  const id = `${kind}/${namespace}/${name}`;
  if (!known.has(id)) known.set(id, readTable(kind, name, namespace, environment));
  return known.get(id);
}

/** Tables that were read already: many containers read the same few objects. */
const seen = new WeakMap<Environment, Map<string, KeyTable | undefined>>();

function readTable(kind: "ConfigMap" | "Secret", name: string, namespace: string, environment: Environment): KeyTable | undefined {
  const tables = (kind === "ConfigMap" ? configMapMakers : secretMakers).flatMap(({ kind: maker, read }) =>
    objectsOf(environment.manifests, maker)
      .filter((manifest) => (manifest.namespace ?? environment.namespace) === namespace)
      .flatMap((manifest) => read(manifest, name) ?? []),
  );
  const first = tables[0];
  if (first === undefined || tables.length === 1) return first;
  const keys = new Map(tables.flatMap((table) => [...table.keys]));
  return { keys, closed: tables.every((table) => table.closed), by: first.by };
}

interface MakerOf {
  readonly kind: KnownKind;
  /** The keys that the object gives to the ConfigMap or Secret called `name`; undefined when it makes another one. */
  readonly read: (manifest: Manifest, name: string) => KeyTable | undefined;
}

const configMapMakers: readonly MakerOf[] = [{ kind: "ConfigMap", read: readConfigMap }];
const secretMakers: readonly MakerOf[] = [
  { kind: "Secret", read: readSecret },
  { kind: "ExternalSecret", read: readExternalSecret },
  { kind: "SealedSecret", read: readSealedSecret },
  { kind: "SecretProviderClass", read: readSecretProviderClass },
];

function readConfigMap(manifest: Manifest, name: string): KeyTable | undefined {
  if (manifest.name !== name) return undefined;
  const by = makerOf("ConfigMap", manifest);
  // Only `data`: binaryData never becomes a variable (item 112).
  return { keys: new Map(keysUnder(manifest, ["data"], by, (value) => value)), closed: true, by };
}

function readSecret(manifest: Manifest, name: string): KeyTable | undefined {
  if (manifest.name !== name) return undefined;
  const by = makerOf("Secret", manifest);
  // stringData is written over data (item 121).
  const keys = [...keysUnder(manifest, ["data"], by, decode), ...keysUnder(manifest, ["stringData"], by, (value) => value)];
  // A controller adds token, ca.crt and namespace to a token Secret.
  return { keys: new Map(keys), closed: manifest.body["type"] !== "kubernetes.io/service-account-token", by };
}

function readExternalSecret(manifest: Manifest, name: string): KeyTable | undefined {
  const target = asMapping(dig(manifest.body, "spec", "target"));
  if ((asName(target?.["name"]) ?? manifest.name) !== name) return undefined;
  const by = makerOf("ExternalSecret", manifest);
  const at = manifest.at.key("spec");
  const fetched = mappingsOf(dig(manifest.body, "spec", "data")).flatMap(({ body, index }) => {
    const key = asName(body["secretKey"]);
    return key === undefined ? [] : [unknownKey(key, at.key("data").item(index).key("secretKey"), by)];
  });
  const templated = keysUnder(manifest, ["spec", "target", "template", "data"], by, () => undefined);
  // A template with data replaces what was fetched, unless it is merged.
  const replaces = templated.length > 0 && dig(target, "template", "mergePolicy") !== "Merge";
  const open = asList(dig(target, "template", "templateFrom")).length > 0 || asList(dig(manifest.body, "spec", "dataFrom")).length > 0;
  return { keys: new Map(replaces ? templated : [...fetched, ...templated]), closed: !open, by };
}

function readSealedSecret(manifest: Manifest, name: string): KeyTable | undefined {
  const made = asName(dig(manifest.body, "spec", "template", "metadata", "name")) ?? manifest.name;
  if (made !== name) return undefined;
  const by = makerOf("SealedSecret", manifest);
  const templated = keysUnder(manifest, ["spec", "template", "data"], by, () => undefined);
  return { keys: new Map([...templated, ...keysUnder(manifest, ["spec", "encryptedData"], by, () => undefined)]), closed: true, by };
}

function readSecretProviderClass(manifest: Manifest, name: string): KeyTable | undefined {
  const at = manifest.at.key("spec", "secretObjects");
  const by = makerOf("SecretProviderClass", manifest);
  const objects = mappingsOf(dig(manifest.body, "spec", "secretObjects")).filter(({ body }) => body["secretName"] === name);
  if (objects.length === 0) return undefined;
  const keys = objects.flatMap(({ body: object, index }) =>
    mappingsOf(object["data"]).flatMap(({ body, index: i }) => {
      const key = asName(body["key"]);
      return key === undefined ? [] : [unknownKey(key, at.item(index).key("data").item(i).key("key"), by)];
    }),
  );
  return { keys: new Map(keys), closed: true, by };
}

function makerOf(kind: Maker["kind"], manifest: Manifest): Maker {
  return { kind, label: `${kind}/${manifest.name}` };
}

function unknownKey(key: string, at: Place, by: Maker): readonly [string, KnownKey] {
  return [key, { value: undefined, at, by }];
}

/** The keys of the mapping at `path`, values read as text and then decoded. */
function keysUnder(
  manifest: Manifest,
  path: readonly string[],
  by: Maker,
  decoded: (value: string) => string | undefined,
): (readonly [string, KnownKey])[] {
  const mapping = asMapping(dig(manifest.body, ...path)) ?? emptyMapping;
  return Object.keys(mapping).map((key) => {
    const text = asText(mapping[key]);
    return [key, { value: text === undefined ? undefined : decoded(text), at: manifest.at.key(...path, key), by }];
  });
}

/** Base64 as the API server takes it, line breaks allowed; undefined when it is none. */
function decode(text: string): string | undefined {
  const compact = text.replace(/[\r\n]/g, "");
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined;
  return Buffer.from(compact, "base64").toString("utf8");
}
