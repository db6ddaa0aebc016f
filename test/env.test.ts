import { describe, expect, it } from "vitest";
import { parseReferences, referencesIn } from "../src/model/reference.js";
import type { EnvAnswer } from "../src/model/types.js";
import { containerOf, workloadOf } from "./environment.js";

const configMap = (name: string, data: string, rest = "") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${rest}}\n${data}\n---\n`;
const secret = (name: string, data: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\n${data}\n---\n`;

/** An answer in one word: `=value`, `opaque`, `unknown`, `absent`; then the sources that may hide it. */
function short(answer: EnvAnswer): string {
  if (answer.state === "absent") return "absent";
  const sources = answer.state === "unknown" ? answer.sources : answer.hiddenBy;
  const after = sources.map((source) => ` <${source.label}`).join("");
  return `${answer.state === "known" ? `=${answer.value}` : answer.state}${after}`;
}

interface Case {
  readonly says: string;
  readonly fields: string;
  readonly objects?: string;
  readonly want: Readonly<Record<string, string>>;
}

const externalSecret = (spec: string, name = "es") =>
  `apiVersion: external-secrets.io/v1beta1\nkind: ExternalSecret\nmetadata: {name: ${name}}\nspec: {${spec}}\n---\n`;
const fromA = "envFrom: [{configMapRef: {name: a}}]";
const fromS = "envFrom: [{secretRef: {name: s}}]";

const cases: readonly Case[] = [
  // Order: items 111, 112.
  { says: "nothing at all", fields: "env: []", want: { A: "absent" } },
  {
    says: "a later envFrom source wins",
    fields: "envFrom: [{configMapRef: {name: a}}, {configMapRef: {name: b}}]",
    objects: configMap("a", "data: {K: one}") + configMap("b", "data: {K: two}"),
    want: { K: "=two" },
  },
  {
    says: "env wins over envFrom wherever it stands",
    fields: `env: [{name: K, value: env}], ${fromA}`,
    objects: configMap("a", "data: {K: map}"),
    want: { K: "=env" },
  },
  { says: "the last of a name in env wins", fields: "env: [{name: K, value: one}, {name: K, value: two}]", want: { K: "=two" } },
  { says: "binaryData is no variable", fields: fromA, objects: configMap("a", "binaryData: {K: aGk=}"), want: { K: "absent" } },
  {
    says: "a prefix stands before each key",
    fields: "envFrom: [{prefix: X_, configMapRef: {name: a}}]",
    objects: configMap("a", "data: {K: one}"),
    want: { X_K: "=one", K: "absent" },
  },
  {
    says: "values of other scalar types are read as text",
    fields: `env: [{name: I, value: 5}, {name: B, value: true}], ${fromA}`,
    objects: configMap("a", "data: {K: 8080}"),
    want: { I: "=5", B: "=true", K: "=8080" },
  },
  {
    says: "a missing or null value is the empty string (item 115)",
    fields: 'env: [{name: A}, {name: B, value: null}, {name: C, value: ""}]',
    want: { A: "=", B: "=", C: "=" },
  },
  // Secrets: item 121.
  {
    says: "data is base64, stringData is written over it",
    fields: fromS,
    objects: secret("s", "data: {A: b25l, B: b25l, C: '!'}\nstringData: {B: two}"),
    want: { A: "=one", B: "=two", C: "opaque" },
  },
  // Sources that are not rendered.
  { says: "a source that is not rendered may set any name", fields: fromS, want: { A: "unknown <Secret/s" } },
  { says: "an optional one too", fields: "envFrom: [{secretRef: {name: s, optional: true}}]", want: { A: "unknown <Secret/s" } },
  {
    says: "only names with its prefix",
    fields: "envFrom: [{prefix: X_, secretRef: {name: s}}]",
    want: { A: "absent", X_: "absent", X_A: "unknown <Secret/s" },
  },
  {
    says: "a known key names the later sources that may hide it",
    fields: "envFrom: [{secretRef: {name: early}}, {configMapRef: {name: a}}, {secretRef: {name: s}}]",
    objects: configMap("a", "data: {K: one}"),
    want: { K: "=one <Secret/s", Z: "unknown <Secret/early <Secret/s" },
  },
  { says: "nothing hides an env entry", fields: "env: [{name: K, value: one}], envFrom: [{secretRef: {name: s}}]", want: { K: "=one" } },
  {
    says: "a ConfigMap of another namespace is not that one",
    fields: fromA,
    objects: configMap("a", "data: {K: one}", ", namespace: other"),
    want: { K: "unknown <ConfigMap/a" },
  },
  {
    says: "one that names the release namespace is",
    fields: fromA,
    objects: configMap("a", "data: {K: one}", ", namespace: ns"),
    want: { K: "=one" },
  },
  { says: "a ConfigMap is no Secret", fields: fromS, objects: configMap("s", "data: {K: one}"), want: { K: "unknown <Secret/s" } },
  // Objects that make Secrets.
  {
    says: "an ExternalSecret sets its keys to values that nobody knows",
    fields: fromS,
    objects: externalSecret("target: {name: s}, data: [{secretKey: K}]"),
    want: { K: "opaque", Z: "absent" },
  },
  {
    says: "by its own name without a target",
    fields: fromS,
    objects: externalSecret("data: [{secretKey: K}]", "s"),
    want: { K: "opaque", Z: "absent" },
  },
  {
    says: "dataFrom leaves it open",
    fields: fromS,
    objects: externalSecret("target: {name: s}, data: [{secretKey: K}], dataFrom: [{extract: {key: x}}]"),
    want: { K: "opaque", Z: "unknown <ExternalSecret/es" },
  },
  {
    says: "a template replaces the keys",
    fields: fromS,
    objects: externalSecret("target: {name: s, template: {data: {T: x}}}, data: [{secretKey: K}]"),
    want: { T: "opaque", K: "absent" },
  },
  {
    says: "or adds to them",
    fields: fromS,
    objects: externalSecret("target: {name: s, template: {mergePolicy: Merge, data: {T: x}}}, data: [{secretKey: K}]"),
    want: { T: "opaque", K: "opaque" },
  },
  {
    says: "a SealedSecret",
    fields: fromS,
    objects:
      "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: other}\nspec: {encryptedData: {K: AgB}, template: {metadata: {name: s}}}\n",
    want: { K: "opaque", Z: "absent" },
  },
  {
    says: "a SecretProviderClass",
    fields: fromS,
    objects:
      "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: vault}\nspec: {secretObjects: [{secretName: x, data: [{key: Z}]}, {secretName: s, data: [{objectName: o, key: K}]}]}\n",
    want: { K: "opaque", Z: "absent" },
  },
  {
    says: "one that makes another Secret does not count",
    fields: fromS,
    objects: externalSecret("target: {name: other}, data: [{secretKey: K}]"),
    want: { K: "unknown <Secret/s" },
  },
  {
    says: "a Secret of a foreign API group is no Secret",
    fields: fromS,
    objects: "apiVersion: example.org/v1\nkind: Secret\nmetadata: {name: s}\nstringData: {K: one}\n",
    want: { K: "unknown <Secret/s" },
  },
  // valueFrom: items 114, 115.
  {
    says: "configMapKeyRef of a rendered key",
    fields: "env: [{name: A, valueFrom: {configMapKeyRef: {name: a, key: K}}}]",
    objects: configMap("a", "data: {K: one}"),
    want: { A: "=one" },
  },
  {
    says: "secretKeyRef of a rendered key",
    fields: "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: K}}}]",
    objects: secret("s", "data: {K: b25l}"),
    want: { A: "=one" },
  },
  {
    says: "a value that is not empty wins over valueFrom",
    fields: "env: [{name: A, value: x, valueFrom: {configMapKeyRef: {name: a, key: K}}}]",
    objects: configMap("a", "data: {K: one}"),
    want: { A: "=x" },
  },
  {
    says: "an empty one does not",
    fields: 'env: [{name: A, value: "", valueFrom: {configMapKeyRef: {name: a, key: K}}}]',
    objects: configMap("a", "data: {K: one}"),
    want: { A: "=one" },
  },
  {
    says: "a missing key that is needed",
    fields: "env: [{name: A, valueFrom: {configMapKeyRef: {name: a, key: Z}}}]",
    objects: configMap("a", "data: {K: one}"),
    want: { A: "opaque" },
  },
  {
    says: "a missing optional key leaves the envFrom value (item 114)",
    fields: `env: [{name: K, valueFrom: {configMapKeyRef: {name: b, key: Z, optional: true}}}], ${fromA}`,
    objects: configMap("a", "data: {K: one}") + configMap("b", "data: {}"),
    want: { K: "=one" },
  },
  {
    says: "an optional reference to an object that is not rendered may set it or not",
    fields: `env: [{name: K, valueFrom: {secretKeyRef: {name: s, key: K, optional: true}}}, {name: L, valueFrom: {secretKeyRef: {name: s, key: L, optional: true}}}], ${fromA}`,
    objects: configMap("a", "data: {K: one}"),
    want: { K: "=one <Secret/s", L: "unknown <Secret/s" },
  },
  {
    says: "a needed reference to an object that is not rendered sets it",
    fields: `env: [{name: K, valueFrom: {secretKeyRef: {name: s, key: K}}}], ${fromA}`,
    objects: configMap("a", "data: {K: one}"),
    want: { K: "opaque" },
  },
  {
    says: "fields of the pod",
    fields:
      "env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]",
    want: { A: "opaque", B: "opaque" },
  },
  // `$(NAME)`: items 116, 117, 120.
  { says: "an earlier entry is put in", fields: "env: [{name: A, value: a}, {name: B, value: x$(A)y}]", want: { B: "=xay" } },
  { says: "a later one is not", fields: "env: [{name: B, value: $(A)}, {name: A, value: a}]", want: { B: "=$(A)" } },
  {
    says: "envFrom comes first",
    fields: `env: [{name: B, value: $(K)}], ${fromA}`,
    objects: configMap("a", "data: {K: one}"),
    want: { B: "=one" },
  },
  {
    says: "no recursion",
    fields: "env: [{name: A, value: $$(X)}, {name: X, value: x}, {name: B, value: $(A)}]",
    want: { A: "=$(X)", B: "=$(X)" },
  },
  {
    says: "an entry may refer to the value that it replaces",
    fields: "env: [{name: P, value: /a}, {name: P, value: '$(P):/b'}]",
    want: { P: "=/a:/b" },
  },
  {
    says: "what an opaque source may define is not known",
    fields: "env: [{name: B, value: $(A)}], envFrom: [{secretRef: {name: s}}]",
    want: { B: "opaque" },
  },
  {
    says: "unless its prefix rules that out",
    fields: "env: [{name: B, value: $(A)}], envFrom: [{prefix: X_, secretRef: {name: s}}]",
    want: { B: "=$(A)" },
  },
  {
    says: "a reference to an opaque value is opaque",
    fields: "env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: B, value: 'http://$(A)'}]",
    want: { B: "opaque" },
  },
  {
    says: "envFrom and valueFrom values are not expanded",
    fields: `env: [{name: V, valueFrom: {configMapKeyRef: {name: a, key: K}}}], ${fromA}`,
    objects: configMap("a", "data: {A: a, K: $(A)}"),
    want: { K: "=$(A)", V: "=$(A)" },
  },
  {
    says: "service variables have values that the render does not tell",
    fields:
      "env: [{name: B, value: $(MY_DB_SERVICE_HOST)}, {name: C, value: $(KUBERNETES_SERVICE_HOST)}, {name: D, value: $(HEAD_SERVICE_HOST)}]",
    objects:
      "apiVersion: v1\nkind: Service\nmetadata: {name: my-db}\nspec: {ports: [{port: 1}]}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: head}\nspec: {clusterIP: None, ports: [{port: 1}]}\n",
    want: { B: "opaque", C: "opaque", D: "=$(HEAD_SERVICE_HOST)" },
  },
  // Malformed input counts as absent.
  {
    says: "wrong types",
    fields:
      "env: [1, {value: x}, {name: [a]}, {name: A, value: {a: b}}, {name: B, valueFrom: x}], envFrom: [x, {}, {configMapRef: x}, {secretRef: {}}]",
    want: { A: "opaque", B: "=" },
  },
  {
    says: "names of object properties",
    fields: `${fromA}`,
    objects: configMap("a", "data: {__proto__: p}"),
    want: { constructor: "absent", ["__proto__"]: "=p" },
  },
];

describe("the effective environment", () => {
  it.each(cases.map((one) => [one.says, one] as const))("%s", (_, { fields, objects, want }) => {
    const { env } = containerOf(fields, objects);
    expect(Object.keys(want).map((name) => `${name} ${short(env.get(name))}`)).toEqual(
      Object.entries(want).map(([name, text]) => `${name} ${text}`),
    );
  });

  it("says where each value stands and keeps secrets marked", () => {
    const { env } = containerOf(
      "env: [{name: U, value: 'pg://$(P)'}, {name: V, value: v}], envFrom: [{configMapRef: {name: a}}, {secretRef: {name: s}}, {secretRef: {name: gone, optional: true}}]",
      configMap("a", "data: {K: one}") + secret("s", "stringData: {P: p}"),
    );
    const seen = env.entries.map((entry) => `${entry.name} ${entry.secret ? "secret" : "open"} ${entry.source.label} ${entry.at}`);
    expect(seen).toEqual([
      "K open ConfigMap/a ConfigMap/a data.K",
      "P secret Secret/s Secret/s stringData.P",
      "U secret env Deployment/web spec.template.spec.containers[app].env[U]",
      "V open env Deployment/web spec.template.spec.containers[app].env[V]",
    ]);
    expect(env.entries.map((entry) => entry.literal)).toEqual([undefined, undefined, "pg://$(P)", "v"]);
    expect(env.opaque.map((source) => [source.label, source.optional, String(source.at)])).toEqual([
      ["Secret/gone", true, "Deployment/web spec.template.spec.containers[app].envFrom[2]"],
    ]);
    expect(Object.isFrozen(env) && Object.isFrozen(env.entries) && env.entries.every(Object.isFrozen)).toBe(true);
  });

  it("lists an optional reference that may not happen, and init containers have one too", () => {
    const workload = workloadOf(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {initContainers: [{name: i, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}}]}]}\n",
    );
    const entry = workload.initContainers[0]?.env.entries[0];
    expect([entry?.name, entry?.value, entry?.source.optional, entry?.source.kind]).toEqual(["A", undefined, true, "Secret"]);
  });

  it("does not see service variables when they are switched off (item 120)", () => {
    const yaml =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {enableServiceLinks: false, containers: [{name: c, env: [{name: A, value: $(DB_SERVICE_HOST)}]}]}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {ports: [{port: 1}]}\n";
    const answer = workloadOf(yaml).appContainers[0]?.env.get("A");
    expect(answer?.state === "known" && answer.value).toBe("$(DB_SERVICE_HOST)");
  });
});

// Item 117.
describe("references", () => {
  it.each([
    ["", []],
    ["a$(B)c", ["a", { name: "B" }, "c"]],
    ["$(A)$(B)", [{ name: "A" }, { name: "B" }]],
    ["$$(A)", ["$(A)"]],
    ["$$$(A)", ["$", { name: "A" }]],
    ["$x$(A)", ["$x", { name: "A" }]],
    ["$(A", ["$(A"]],
    ["a$", ["a$"]],
    ["$()", [{ name: "" }]],
    ["$($(A))", [{ name: "$(A" }, ")"]],
  ])("%s", (text, want) => {
    expect(parseReferences(text)).toEqual(want.map((piece) => (typeof piece === "string" ? { text: piece } : piece)));
  });

  it("names them in order", () => expect(referencesIn("$(A) $$(B) $(C) $(A)")).toEqual(["A", "C", "A"]));
});
