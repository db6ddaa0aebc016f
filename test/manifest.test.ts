import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { readHead } from "../src/manifest/head.js";
import { excerptLines, locate, locateKey } from "../src/manifest/locate.js";
import { manifestOf, parseManifests } from "../src/manifest/parse.js";
import { Place, type Segment } from "../src/manifest/place.js";
import { readTree } from "../src/manifest/similar.js";
import { firstContent, splitDocuments } from "../src/manifest/split.js";
import type { Manifest, Mapping } from "../src/manifest/types.js";
import { hasPlainlyUniqueKeys } from "../src/manifest/unique.js";

/** Scalars and what helm 4.1.4 makes of them; found by rendering a chart that prints `fromYaml` as JSON. */
const scalars: readonly (readonly [text: string, value: unknown])[] = [
  ["y", true],
  ["n", false],
  ["Y", true],
  ["N", false],
  ["yes", true],
  ["No", false],
  ["YES", true],
  ["on", true],
  ["off", false],
  ["Off", false],
  ["OFF", false],
  ["oN", "oN"],
  ["true", true],
  ["True", true],
  ["tRue", "tRue"],
  ["TRUE", true],
  ["~", null],
  ["null", null],
  ["Null", null],
  ["nULL", "nULL"],
  ["0644", 420],
  ["0o17", 15],
  ["0O17", 15],
  ["0x1F", 31],
  ["0X1f", 31],
  ["0b101", 5],
  ["0B11", 3],
  ["-0644", -420],
  ["+12", 12],
  ["089", 89],
  ["0789", 789],
  ["08.5", 8.5],
  ["1_000", 1000],
  ["1__0", 10],
  ["_1", "_1"],
  ["1_", 1],
  ["0_7", 7],
  ["+_1", 1],
  ["-_1_2", -12],
  ["1e3", 1000],
  ["1E3", 1000],
  ["1e+3", 1000],
  ["1e-3", 0.001],
  ["1e", "1e"],
  ["e3", "e3"],
  [".5", 0.5],
  ["5.", 5],
  [".", "."],
  ["-.5", -0.5],
  ["+.5", 0.5],
  [".5_0", 0.5],
  ["1_0.5", 10.5],
  ["._5", "._5"],
  [".e3", ".e3"],
  ["12:30:00", "12:30:00"],
  ["190:20:30", "190:20:30"],
  ["1:30", "1:30"],
  ["2001-12-14", "2001-12-14"],
  ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
  ["2001-12-14 21:59:43", "2001-12-14 21:59:43"],
  ["0x", "0x"],
  ["0b", "0b"],
  ["0o", "0o"],
  ["0b2", "0b2"],
  ["0o8", "0o8"],
  ["0xg", "0xg"],
  ["9223372036854775807", 9223372036854776000],
  ["9223372036854775808", 9223372036854776000],
  ["18446744073709551615", 18446744073709552000],
  ["18446744073709551616", 18446744073709552000],
  ["0xffffffffffffffff", 18446744073709552000],
  ["0x1ffffffffffffffff", "0x1ffffffffffffffff"],
  ["-9223372036854775808", -9223372036854776000],
  ["-9223372036854775809", -9223372036854776000],
  ["1e400", "1e400"],
  ["1e308", 1e308],
  ["123456789012345678901234567890", 1.2345678901234568e29],
  ["1.7976931348623157e+308", 1.7976931348623157e308],
  ["--", "--"],
  ["+", "+"],
  ["=", "="],
  ["<<", "<<"],
  ["100m", "100m"],
  ["1.5Gi", "1.5Gi"],
  ["1,000", "1,000"],
  ["1.2.3", "1.2.3"],
  ["0.0", 0],
  ["00", 0],
  ["0", 0],
  ["007", 7],
  ['"y"', "y"],
  ["'0644'", "0644"],
  ['"1e3"', "1e3"],
  ["!!str 0644", "0644"],
  ["!!str yes", "yes"],
  ["!!int 0644", 420],
  ["!!float 0644", 420],
  ['!!float "1.5"', 1.5],
  ['!!bool "yes"', true],
  ["!!null ~", null],
  ["!!binary aGVsbG8=", "hello"],
  ["! 12", "12"],
  ["!custom 12", "12"],
  ["0.1e1", 1],
  ["1e5", 100000],
  ["1.0", 1],
  ["1.10", 1.1],
  ["3.14", 3.14],
  ["100000000000000000000000", 1e23],
  ["1E400", "1E400"],
  ["-1e3", -1000],
  ["yes ", true],
  ["Yes # comment", true],
  ["no#comment", "no#comment"],
  ["n o", "n o"],
  ["NaN", "NaN"],
  ["inf", "inf"],
  ["+inf", "+inf"],
  ["0x_1", 1],
  ["0b_1", 1],
  ["0o_7", 7],
  ["1 2", "1 2"],
  ["a:b", "a:b"],
  ["a#b", "a#b"],
  ["http://x:80/y", "http://x:80/y"],
  ["&x", null],
  ["&x y", true],
  ["!!timestamp 2001-12-14", "2001-12-14"],
  ["!!str", ""],
  ['""', ""],
  ["''", ""],
  ["[]", []],
  ["{}", {}],
  ["{a, b: 1}", { a: null, b: 1 }],
  ['{"a":1}', { a: 1 }],
  ["{a: [b, {c: d}]}", { a: ["b", { c: "d" }] }],
  ["0777", 511],
  ["0o777", 511],
  ["0888", 888],
  ["1.e3", 1000],
  ["1.e", "1.e"],
  ["0e0", 0],
  ["0x1p3", "0x1p3"],
  ["0x1.8", "0x1.8"],
  ["1_e3", 1000],
  ["1e_3", 1000],
  ["1e3_0", 1e30],
  ["-0x1F", -31],
  ["-0b11", -3],
  ["-0o17", -15],
  ["+0644", 420],
  ["0_644", 420],
  ["0__0", 0],
  ["TRUE ", true],
  ["true!", "true!"],
  ["'yes'", "yes"],
  ["YeS", "YeS"],
  ["NO", false],
  ["False", false],
  ["FALSE", false],
  ["fALSE", "fALSE"],
  ["NULL", null],
];

/** Keys as written, and the JSON keys that helm 4.1.4 makes of them. */
const keys: readonly (readonly [text: string, key: string])[] = [
  ["y", "true"],
  ["off", "false"],
  ["on", "true"],
  ["1", "1"],
  ["0644", "420"],
  ["0x10", "16"],
  ["1.5", "1.5"],
  ["1e3", "1000"],
  ["1000000", "1000000"],
  ["1000000.0", "1e+06"],
  ["123456789.5", "1.2345679e+08"],
  ["123456.75", "123456.75"],
  ["0.0001", "0.0001"],
  ["0.00001", "1e-05"],
  ["20000000.5", "2e+07"],
  ["18446744073709551616", "1.8446744e+19"],
  [".inf", ".inf"],
  ["-.inf", "-.inf"],
  [".nan", ".nan"],
  ['"on"', "on"],
  ["12:30:00", "12:30:00"],
  ["__proto__", "__proto__"],
];

/** Documents that helm refuses, and so do we. */
const refused: readonly (readonly [why: string, text: string])[] = [
  ["a tab as indentation", "a:\n\tb: 1"],
  ["a reserved character", "a: @x"],
  ["an anchor in itself", "a: &x [*x]"],
  ["an unknown anchor", "a: *nope"],
  ["an infinite number", "a: .inf"],
  ["no number", "a: .nan"],
  ["a null key", "{~: a}"],
  ["a list as key", "{[a]: b}"],
  ["a wrong explicit tag", "a: !!int abc"],
  ["a fraction tagged as integer", "a: !!int 1.5"],
  ["base64 that is none", 'a: !!binary "@@@"'],
  ["a merge of no mapping", "<<: 3"],
  ["a broken quote", 'a: "b'],
  ["two values", "a: b: c"],
  ["bad indentation", "a: 1\n b: 2"],
];

const web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
`;

function only(text: string): Manifest {
  const { all } = parseManifests(text);
  expect(all).toHaveLength(1);
  return all[0] as Manifest;
}

function names(text: string): string[] {
  return parseManifests(text).all.map((manifest) => `${manifest.kind}/${manifest.name}`);
}

/** The text that a range names, with its line. */
function shown(text: string, manifest: Manifest, path: readonly Segment[], find = locate): string {
  const range = find(manifest, path);
  expect(range.endLine).toBe(range.line);
  const line = text.split("\n")[range.line - 1] ?? "";
  return `${range.line}:${line.slice(range.column - 1, range.endColumn - 1)}${range.exact ? "" : " (near)"}`;
}

describe("scalars are read as helm reads them", () => {
  it.each(scalars)("%s", (text, value) => {
    expect(readTree(`v: ${text}`).root).toEqual({ v: value });
  });

  it.each(keys)("key %s", (text, key) => {
    expect(Object.keys(readTree(`${text}: v`).root as Mapping)).toEqual([key]);
  });

  it.each(refused)("refuses %s", (_, text) => {
    const manifests = parseManifests(text);
    expect(manifests.all).toEqual([]);
    expect(manifests.faults).toHaveLength(1);
  });

  it("reads integers that a double cannot hold as numbers", () => {
    expect(readTree("v: 9007199254740993").root).toEqual({ v: 9007199254740992 });
  });
});

describe("anchors and merge keys", () => {
  it("honours them as go-yaml 2 does: a merge overrides the keys before it, never those after it", () => {
    expect(readTree("{a: 1, <<: {a: 2, b: 3}}").root).toEqual({ a: 2, b: 3 });
    expect(readTree("<<: {a: 2, b: 3}\na: 1").root).toEqual({ a: 1, b: 3 });
    expect(readTree("<<: [{a: 1}, {a: 2, b: 2}]").root).toEqual({ a: 1, b: 2 });
    expect(readTree("a: &x {q: 1}\nb: {<<: *x, z: 2}\nc: *x").root).toEqual({ a: { q: 1 }, b: { q: 1, z: 2 }, c: { q: 1 } });
    expect(readTree('"<<": {a: 2}').root).toEqual({ "<<": { a: 2 } });
    expect(readTree("a: &x 1\nb: &x 2\nc: *x").root).toEqual({ a: 1, b: 2, c: 2 });
    expect(readTree("&k a: 1\nb: *k").root).toEqual({ a: 1, b: "a" });
  });

  it("bounds alias bombs", () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(", ")}]`);
    const manifests = parseManifests(`${web}l0: &l0 x\n${levels.join("\n")}\n`);
    expect(manifests.all[0]?.body).toEqual({});
    expect(manifests.faults).toMatchObject([{ message: expect.stringContaining("aliases expand to more than 200000 values") }]);
  });

  it("bounds merge bombs", () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} {<<: [${Array(10).fill(`*l${i}`).join(", ")}]}`);
    const manifests = parseManifests(`${web}l0: &l0 {x: 1}\n${levels.join("\n")}\n`);
    expect(manifests.all[0]?.body).toEqual({});
    expect(manifests.faults).toHaveLength(1);
    expect(locate(manifests.all[0] as Manifest, ["l9", "nope"])).toMatchObject({ line: 1, exact: false });
  });

  it("does not follow an anchor into itself when it locates", () => {
    const { all } = parseManifests(`${web}spec: &s\n  <<: *s\n`);
    expect(locate(all[0] as Manifest, ["spec", "replicas"])).toMatchObject({ line: 1, exact: false });
  });
});

describe("splitting", () => {
  it("keeps helm's sources and the lines of the render", () => {
    const render = `---\n# Source: shop/templates/web.yaml\n${web}---\n# Source: shop/charts/db/templates/db.yaml\n${web}`;
    expect(parseManifests(render).all).toMatchObject([
      { document: 0, startLine: 2, source: "shop/templates/web.yaml" },
      { document: 1, startLine: 8, source: "shop/charts/db/templates/db.yaml" },
    ]);
  });

  it("gives later documents of a file under crds/ the source of the first", () => {
    const render = `---\n# Source: shop/crds/all.yaml\n${web}---\n${web}`;
    expect(parseManifests(render).all.map((manifest) => manifest.source)).toEqual(["shop/crds/all.yaml", "shop/crds/all.yaml"]);
  });

  it("has no source for plain manifests", () => {
    expect(only(web).source).toBeUndefined();
  });

  it.each([
    ["no separator", web],
    ["leading separator", `---\n${web}`],
    ["end marker", `---\n${web}...\n`],
    ["end marker, CRLF", `---\r\n${web.replaceAll("\n", "\r\n")}...\r\n`],
    ["comment after the separator", `--- # web\n${web}`],
    ["blanks after the separator", `---  \t\n${web}`],
    ["byte order mark", `\uFEFF${web}`],
    ["byte order mark in the middle", `---\n\uFEFF${web}`],
    ["empty and comment-only documents", `---\n---\n# nothing\n\n---\n${web}---\n  # nothing\n---`],
    ["null document", `~\n---\n${web}`],
    ["directive", `%YAML 1.1\n---\n${web}`],
    ["no newline at the end", web.trimEnd()],
    ["flow document on the separator line", "--- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}\n"],
    ["JSON", '{\n"apiVersion": "apps/v1",\n"kind": "Deployment",\n"metadata": {\n"name": "web"}}'],
    ["indented document", web.replace(/^/gm, "  ").trimEnd()],
    ["quoted", `"apiVersion": 'apps/v1'\n'kind': "Deployment"\n"metadata":\n  'name': "web"\n`],
  ])("%s", (_, text) => {
    const manifests = parseManifests(text);
    expect(manifests.ofKind("Deployment")).toMatchObject([{ kind: "Deployment", name: "web", apiVersion: "apps/v1" }]);
    expect(manifests.ofKind("Deployment")[0]?.body).toMatchObject({ kind: "Deployment", metadata: { name: "web" } });
    expect(manifests.all).toHaveLength(1);
    expect(manifests.faults).toEqual([]);
  });

  it("splits at separators only", () => {
    expect(names(`${web}x: |\n  ---\n  a\ny: ---\nz: a\n ---\n`)).toEqual(["Deployment/web"]);
    expect(splitDocuments("a: 1\n--- b\n----\n---c: 1\n").map((piece) => piece.text)).toEqual(["a: 1\n", "    b\n----\n---c: 1\n"]);
    expect(names(`${web}---\r\n${web.replace("web", "other")}`)).toEqual(["Deployment/web", "Deployment/other"]);
  });

  it("says so when text after an end marker is ignored", () => {
    const { all, faults } = parseManifests(`${web}...\n# c\n${web}`, { file: "all.yaml" });
    expect(all).toHaveLength(1);
    expect(faults).toEqual([
      { message: 'text after the end marker "..." is never read, expected a separator "---"', line: 7, source: "all.yaml" },
    ]);
  });
});

describe("faults", () => {
  it("names the line in the render and the source, and reads the rest", () => {
    const manifests = parseManifests(`---\n# Source: c/templates/a.yaml\n${web}spec:\n\treplicas: 1\n---\n${web}`);
    expect(manifests.ofKind("Deployment")).toHaveLength(1);
    expect(manifests.faults).toMatchObject([
      { line: 8, source: "c/templates/a.yaml", message: expect.stringContaining("cannot be read as YAML") },
    ]);
  });

  it("is not known before a document is read, and then once", () => {
    const manifests = parseManifests(`${web}spec: [\n`);
    expect(manifests.all).toHaveLength(1);
    expect(manifests.faults).toEqual([]);
    expect(manifests.all[0]?.body).toEqual({});
    expect(manifests.all[0]?.duplicateKeys).toEqual([]);
    expect(manifests.ofKind("Deployment")).toEqual([]);
    expect(manifests.faults).toHaveLength(1);
  });

  it.each([
    ["- a\n- b\n", "the document is a list, expected a mapping (a Kubernetes object)", 1],
    ["\n# c\njust text\n", "the document is a string, expected a mapping (a Kubernetes object)", 3],
    ["a: 1\n", "the document has no kind", 1],
    ["kind: List\nitems:\n- apiVersion: v1\n", "items[0] has no kind", 1],
    ["kind: List\nitems: [a]\n", "items[0] of the list is no mapping, expected a Kubernetes object", 1],
    ["kind: List\nitems: []\nitems: []\n", 'key "items" stands twice in the list of objects, only the last one counts', 3],
  ])("%j", (text, message, line) => {
    const manifests = parseManifests(text);
    expect(manifests.all).toEqual([]);
    expect(manifests.faults).toEqual([{ message, line, source: undefined }]);
  });

  it.each([
    ["kind: Deployment\nmetadata:\n  name: web\n", 'Deployment "web" has no apiVersion'],
    ["kind: Deployment\napiVersion:\nmetadata:\n  name: web\n", 'Deployment "web" has no apiVersion'],
    ["{kind: Job, apiVersion: '', metadata: {generateName: a-}}", 'Job "a-*" has no apiVersion'],
    ["# c\nkind: Deployment\n", "Deployment has no apiVersion"],
    ["apiVersion: v1\nkind: List\nitems:\n- kind: Deployment\n  metadata: {name: web}\n", 'Deployment "web" has no apiVersion'],
    [
      "apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- kind: Deployment\n  metadata: {name: web}\n",
      'Deployment "web" has no apiVersion',
    ],
  ])("objects are not taken without their version: %j", (text, message) => {
    const manifests = parseManifests(text);
    expect(manifests.all).toHaveLength(1);
    expect(manifests.faults).toMatchObject([{ message }]);
  });

  it("bounds depth", () => {
    for (const depth of [300, 100_000]) {
      const manifests = parseManifests(`a: ${"[".repeat(depth)}${"]".repeat(depth)}`);
      expect(manifests.all).toEqual([]);
      expect(manifests.faults).toHaveLength(1);
    }
    expect(parseManifests(`${web}a: ${"[".repeat(100)}${"]".repeat(100)}`).all[0]?.body).toHaveProperty("a");
  });
});

describe("objects", () => {
  it("have no prototype and cannot be changed", () => {
    const { body } = only(`${web}__proto__:\n  polluted: true\nconstructor: x\nlist: [{a: 1}]\n`);
    expect(Object.getPrototypeOf(body)).toBeNull();
    expect(Object.keys(body)).toContain("__proto__");
    expect(Object.entries(body)).toContainEqual(["__proto__", { polluted: true }]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(Object.isFrozen(body)).toBe(true);
    expect(Object.isFrozen(body["list"])).toBe(true);
    expect(Object.isFrozen((body["list"] as unknown[])[0])).toBe(true);
    expect(() => Object.assign(body, { kind: "Other" })).toThrow(TypeError);
  });

  it("know their hooks, annotations and labels", () => {
    const manifest = only(
      `${web}  annotations: {helm.sh/hook: "pre-install, Post-Upgrade,", a: 1, b: "2"}\n  labels: {app: web, n: yes}\n`,
    );
    expect(manifest.hooks).toEqual(["pre-install", "post-upgrade"]);
    expect(manifest.annotations).toEqual({ "helm.sh/hook": "pre-install, Post-Upgrade,", b: "2" });
    expect(manifest.labels).toEqual({ app: "web" });
    expect(only(web).hooks).toEqual([]);
    expect(only(`${web}  annotations:\n`).annotations).toEqual({});
  });

  it.each([
    ["  name: web\n  namespace: shop", "web", "shop"],
    ["  generateName: web-", "web-*", undefined],
    ["  labels: {}", "", undefined],
    ["  labels:\n    name: other", "", undefined],
    ["  ownerReferences:\n  - name: other\n  name: web", "web", undefined],
    ['  name: "a-b" # why', "a-b", undefined],
    ["  name: a\n  name: b", "b", undefined],
    ["  name: |-\n    a", "a", undefined],
    ["  name: 12", "12", undefined],
    ["  name: a\n    b", "a b", undefined],
    ["  name: a\n\n    # c\n  namespace: b", "a", "b"],
    ["  name:\n    a", "a", undefined],
    ["  {name: a, namespace: b}", "a", "b"],
    ["  annotations:\n    x: |\n     name: other\n  name: web", "web", undefined],
  ])("are called what their metadata says: %j", (metadata, name, namespace) => {
    expect(only(`apiVersion: v1\nkind: ConfigMap\nmetadata:\n${metadata}\n`)).toMatchObject({ name, namespace, at: { object: { name } } });
  });

  it("have the last of two kinds", () => {
    const manifests = parseManifests(`${web}kind: StatefulSet\n`);
    expect(manifests.ofKind("Deployment")).toEqual([]);
    expect(manifests.ofKind("StatefulSet")).toHaveLength(1);
  });

  it("have a kind that goes on on the next line", () => {
    expect(names("apiVersion: v1\nmetadata:\n  name: x\nkind: A\n\n  B\n")).toEqual(["A\nB/x"]);
  });

  it("are found although their kind is written oddly", () => {
    expect(parseManifests('{"kind": "D\\u0065ployment"}').ofKind("Deployment")).toHaveLength(1);
    expect(parseManifests("? kind\n: Deployment\n").ofKind("Deployment")).toHaveLength(1);
    expect(parseManifests("x: &x {kind: Deployment}\n<<: *x\n").ofKind("Deployment")).toHaveLength(1);
    expect(parseManifests('note: "\n  kind: Service"\nkind: Deployment # kind: Service\n').ofKind("Service")).toEqual([]);
    expect(parseManifests("kind: Yes\n").all.map((manifest) => manifest.kind)).toEqual(["true"]);
  });

  it("are found again by their place", () => {
    const manifests = parseManifests(`${web}---\n${web}---\nkind: List\nitems:\n- kind: A\n- kind: B\n`);
    expect(manifests.all).toHaveLength(4);
    for (const manifest of manifests.all) expect(manifestOf(manifests, manifest.at.key("spec"))).toBe(manifest);
    expect(manifestOf(manifests, new Place({ document: 7, kind: "A", name: "" }))).toBeUndefined();
  });

  it("are equal each time they are asked for", () => {
    const manifests = parseManifests(web);
    expect(manifests.ofKind("Deployment")[0]).toBe(manifests.all[0]);
    expect(manifests.all[0]?.body).toBe(manifests.all[0]?.body);
  });
});

describe("lists of objects", () => {
  const list = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: a}
  spec:
    clusterIP: None
    clusterIP: None
- apiVersion: v1
  kind: List
  items:
  - kind: Deployment
    apiVersion: apps/v1
    metadata: {name: b}
    spec: {replicas: 3}
`;

  it("stand for their items, each with places of its own", () => {
    const manifests = parseManifests(`---\n${list}`);
    expect(manifests.all.map((manifest) => manifest.at.subject)).toEqual(["Service/a", "Deployment/b"]);
    const [service, deployment] = manifests.all as [Manifest, Manifest];
    expect(deployment.body).toMatchObject({ spec: { replicas: 3 } });
    expect(deployment.at.key("spec", "replicas").field).toBe("spec.replicas");
    expect(shown(`---\n${list}`, deployment, ["spec", "replicas"])).toBe("17:3");
    expect(shown(`---\n${list}`, deployment, [])).toBe("14:Deployment");
    expect(shown(`---\n${list}`, deployment, ["status"])).toBe("14:Deployment (near)");
    expect(service.duplicateKeys).toMatchObject([{ key: "clusterIP", line: 10 }]);
    expect(service.duplicateKeys[0]?.at.field).toBe("spec.clusterIP");
    expect(deployment.duplicateKeys).toEqual([]);
    expect(manifests.faults).toEqual([]);
  });

  it("may be of one kind", () => {
    const roles = parseManifests("apiVersion: rbac/v1\nkind: RoleList\nitems:\n- metadata: {name: a}\n").ofKind("Role");
    expect(roles).toMatchObject([{ kind: "Role", apiVersion: "rbac/v1", name: "a" }]);
  });

  it("are ordinary objects when their items are not objects", () => {
    expect(names("kind: IPAllowList\nmetadata: {name: x}\nitems: [a, b]\n")).toEqual(["IPAllowList/x"]);
    expect(names("kind: DenyList\nmetadata: {name: x}\n")).toEqual(["DenyList/x"]);
    expect(names("kind: List\n")).toEqual([]);
  });
});

describe("duplicate keys", () => {
  it("are reported with place and line, the last one wins", () => {
    const text = `---
${web}spec:
  template:
    spec:
      containers:
        - name: web
          env: []
          image: x
          env: [1]
  on: 1
  true: 2
  list:
    - - {a: 1, a: 2}
`;
    const manifest = only(text);
    expect(manifest.duplicateKeys.map(({ at, key, line }) => [at.toString(), key, line])).toEqual([
      ["Deployment/web spec.template.spec.containers[web].env", "env", 13],
      ["Deployment/web spec.list[0][0].a", "a", 17],
      ["Deployment/web spec.true", "true", 15],
    ]);
    expect(manifest.body).toMatchObject({ spec: { true: 2, list: [[{ a: 2 }]] } });
    for (const { at, line } of manifest.duplicateKeys) expect(locate(manifest, at.path).line).toBe(line);
  });

  it("are reported once for a key that stands three times, and not for merge keys", () => {
    expect(only(`${web}a: 1\na: 2\na: 3\n`).duplicateKeys).toMatchObject([{ key: "a", line: 7 }]);
    expect(only(`${web}x: &x {a: 1}\ny: {<<: *x, <<: *x, a: 2}\n`).duplicateKeys).toEqual([]);
  });

  it.each([
    "a: 1\na: 2",
    "a: 1\n'a': 2",
    "on: 1\ntrue: 2",
    "l:\n- a: 1\n  b: 2\n  a: 3",
    "l:\n  -   a: 1\n      a: 3",
    "a: {b: 1, b: 2}",
    "a: |\n  x\na: 2",
    'a: "x\n  y"\na: 2',
    "a:\n  b: 1\n  c: {}\n  b: 2",
    "a:\n  b:\n  - 1\n  c: 1\n  b: 2",
    "a:\n  - x\n  - y: 1\n    z: |\n      y: 1\n    y: 3",
    "a: x\n  y\na: z",
    "a: 'it''s'\na: 1",
    "a: [x, 'y']\na: 1",
    'a:\n  5\n  "x\nb: 1\nc: "y"\nc: 2',
  ])("are never called unique: %j", (text) => {
    expect(hasPlainlyUniqueKeys(text)).toBe(false);
  });

  it.each([
    web,
    "a: |\n  a: 1\n  a: 2\n\nb: >-\n  a: 1\n   a: 1\nc: 1\n",
    "l:\n- a: 1\n- a: 2\n  b: |-\n    a\n- x\n- - a: 1\n  - a: 1\n",
    "a:\n  x: 1\nb:\n  x: 2 # x: 3\n# a: 1\n",
    "a: 'x: 1\n\n  x: ''2'\nb: \"x: \\\" 1\n  x: 2\"\nc: plain text\n  that goes on\n",
    'a: {}\nb: []\nc: [x, "y: z"]\nd: {x: 1, z: 2}\n',
    "a:\r\n  b: 1\r\nc:\r\n  b: 1\r\n",
  ])("are seen to be absent without the parser: %j", (text) => {
    expect(hasPlainlyUniqueKeys(text)).toBe(true);
    expect(readTree(text).duplicates).toEqual([]);
  });

  it("are never overlooked by the quick reader, whatever the layout", () => {
    const word = fc.constantFrom("a", "b", "c", "name", "on", "x: y", "- a", "it's", "#", "a b", "l1\nl2\n", "{", "a\n\nb", " lead", "");
    const tree = fc.letrec((tie) => ({
      node: fc.oneof({ depthSize: "small" }, word, fc.integer(), tie("map"), tie("list")),
      list: fc.array(tie("node"), { maxLength: 3 }),
      map: fc.dictionary(word, tie("node"), { maxKeys: 4 }),
    })).map;
    const layout = fc.record({
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      lineWidth: fc.constantFrom(20, 80),
      singleQuote: fc.constantFrom(true, false, null),
      defaultStringType: fc.constantFrom("PLAIN" as const, "BLOCK_FOLDED" as const, "QUOTE_DOUBLE" as const),
    });
    fc.assert(
      fc.property(tree, layout, fc.nat(), fc.nat(), (value, options, from, to) => {
        const lines = stringify(value, options).split("\n");
        // A line copied to another place makes duplicates, odd nesting, or nonsense.
        lines.splice(to % lines.length, 0, lines[from % lines.length] ?? "");
        const text = lines.join("\n");
        if (!hasPlainlyUniqueKeys(text)) return;
        const duplicates = duplicatesOf(text);
        expect(duplicates, text).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  function duplicatesOf(text: string): readonly unknown[] {
    try {
      return readTree(text).duplicates;
    } catch {
      return [];
    }
  }
});

describe("locating", () => {
  const render = `---
# Source: shop/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {"app": "web", tier: front}
x-base: &base
  periodSeconds: 10
  httpGet: {path: /alive}
spec:
  replicas: 2
  replicas: 3
  empty:
  template:
    spec:
      containers:
      - image: a
        name: first
      - name: portal
        args: ["a", 'b c', !!str 1]
        command:
        - sh
        - |
          sleep 1
        livenessProbe:
          <<: *base
          timeoutSeconds: 5
        startupProbe: *base
        text: |
          some
          text
        folded: "one
          two"
`;
  const container: readonly Segment[] = ["spec", "template", "spec", "containers", { index: 1, name: "portal" }];
  const manifest = only(render);

  it.each<[readonly Segment[], string]>([
    [[], "4:Deployment"],
    [["metadata", "name"], "6:web"],
    [["metadata", "labels", "app"], '7:"web"'],
    [["metadata", "labels", "tier"], "7:front"],
    [["spec"], "11:spec"],
    [["spec", "replicas"], "13:3"],
    [["spec", "empty"], "14:empty"],
    [container, "20:name"],
    [[...container, "name"], "20:portal"],
    [[...container, "args"], "21:args"],
    [[...container, "args", { index: 1 }], "21:'b c'"],
    [[...container, "args", { index: 9 }], "21:args (near)"],
    [[...container, "command", { index: 0 }], "23:sh"],
    [[...container, "command", { index: 1 }], "24:|"],
    [[...container, "livenessProbe", "timeoutSeconds"], "28:5"],
    [[...container, "livenessProbe", "periodSeconds"], "9:10"],
    [[...container, "livenessProbe", "failureThreshold"], "26:livenessProbe (near)"],
    [[...container, "startupProbe"], "29:*base"],
    [[...container, "startupProbe", "httpGet", "path"], "10:/alive"],
    [[...container, "startupProbe", "httpGet", "port"], "10:httpGet (near)"],
    [[...container, "text"], "30:text"],
    [[...container, "folded"], "33:folded"],
    [[...container, "readinessProbe", "httpGet", "path"], "20:name (near)"],
    [["spec", "progressDeadlineSeconds"], "11:spec (near)"],
    [["spec", "template", "spec", "containers", { index: 5 }, "name"], "17:containers (near)"],
    [["status", "x"], "4:Deployment (near)"],
    [["spec", "replicas", "x"], "13:replicas (near)"],
  ])("%j is %s", (path, text) => {
    expect(shown(render, manifest, path)).toBe(text);
  });

  it("names keys", () => {
    expect(shown(render, manifest, ["spec", "replicas"], locateKey)).toBe("13:replicas");
    expect(shown(render, manifest, [...container, "args", { index: 0 }], locateKey)).toBe('21:"a"');
    expect(shown(render, manifest, [], locateKey)).toBe("4:kind");
    expect(shown(render, manifest, ["spec", "nope"], locateKey)).toBe("11:spec (near)");
  });

  it("counts lines with CRLF, and columns in UTF-16 units", () => {
    const text = `${web}spec: {"😀": 1, replicas: 3}\n`.replaceAll("\n", "\r\n");
    expect(locate(only(text), ["spec", "replicas"])).toEqual({ line: 5, column: 27, endLine: 5, endColumn: 28, exact: true });
    expect(locate(only(text), ["kind"])).toMatchObject({ line: 2, column: 7, endColumn: 17 });
  });

  it("works in JSON and on the separator line", () => {
    const json = '{\n  "kind": "Deployment",\n  "spec": {"replicas": 3}\n}\n';
    expect(shown(json, only(json), ["spec", "replicas"])).toBe("3:3");
    const flow = "--- {kind: Deployment, spec: {replicas: 3}}\n";
    expect(shown(flow, only(flow), ["spec", "replicas"])).toBe("1:3");
  });

  it("ends up at the start of a document that cannot be read", () => {
    const { all } = parseManifests(`---\n${web}spec: [\n`);
    expect(locate(all[0] as Manifest, ["spec"])).toEqual({ line: 2, column: 1, endLine: 2, endColumn: 1, exact: false });
  });

  it("finds every field of any document that it reads", () => {
    // written plainly, "<<" is no key but a merge
    const word = fc.string().filter((text) => text !== "<<");
    const key = word.filter((text) => text !== "");
    const tree = fc.dictionary(key, fc.oneof(word, fc.integer(), fc.array(fc.dictionary(word, word))));
    fc.assert(
      fc.property(tree, (spec) => {
        const manifest = only(stringify({ kind: "A", spec }));
        for (const key of Object.keys(manifest.body["spec"] as Mapping)) expect(locate(manifest, ["spec", key]).exact).toBe(true);
      }),
    );
  });
});

describe("excerpts", () => {
  it("show lines of the document around a line of the render", () => {
    const manifest = only(`---\n${web}spec:\n  a: "\u0007\u001b"\n`);
    expect(excerptLines(manifest, 5, 1)).toEqual({ from: 4, lines: ["metadata:", "  name: web", "spec:"] });
    expect(excerptLines(manifest, 2, 1)).toEqual({ from: 2, lines: ["apiVersion: apps/v1", "kind: Deployment"] });
    expect(excerptLines(manifest, 99, 1)).toEqual({ from: 6, lines: ["spec:", '  a: "\u0007\u001b"'] });
  });

  it("show no value of a Secret", () => {
    const text = `kind: Secret
metadata:
  name: s
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"p":"hush"}}'
type: Opaque
data:
  password: aHVzaA== # why
  more: {a: hush, b: "hush"}
stringData:
  file: |
    user: hush
    hush
  quoted: "hush
    hush"
  empty:
`;
    const { lines } = excerptLines(only(text), 1, 99);
    expect(lines.join("\n")).not.toMatch(/hush|aHVz|user/);
    expect(lines).toEqual([
      "kind: Secret",
      "metadata:",
      "  name: s",
      "  annotations:",
      "    kubectl.kubernetes.io/last-applied-configuration: ***",
      "type: Opaque",
      "data:",
      "  password: *** # why",
      "  more: {a: ***, b: ***}",
      "stringData:",
      "  file: ***",
      "    ***",
      "    ***",
      "  quoted: ***",
      "    ***",
      "  empty:",
    ]);
  });

  it.each([
    ["a list", "kind: List\nitems:\n- kind: ConfigMap\n- kind: Secret\n  data: {a: hush}\n"],
    ["an alias", "kind: Secret\nx: &x hush\ndata: {a: *x}\n"],
    ["a broken document", "kind: Secret\napiVersion: v1\nmetadata:\n  name: s\ndata:\n  a: hush\n  b: [\n"],
    ["JSON", '{"kind": "Secret", "data": {"a": "hush"}}'],
  ])("show no value of a Secret in %s", (_, text) => {
    const [manifest] = parseManifests(text).all;
    expect(excerptLines(manifest as Manifest, 1, 99).lines.join("\n")).not.toContain("hush");
  });
});

describe("metadata", () => {
  it("is read without the rest", () => {
    const [manifest] = parseManifests(`${web}  labels:\n    a: 1\n# no label\n    b: x\nspec:\n  a: [\n`).all;
    expect(manifest?.metadata["labels"]).toEqual({ a: 1, b: "x" });
    expect(manifest?.labels).toEqual({ b: "x" });
    expect(() => ((manifest?.metadata["labels"] as Record<string, unknown>)["a"] = 2)).toThrow(TypeError);
  });

  it.each([
    ["refers to what stands elsewhere", "spec:\n  - &a x\nmetadata:\n  name: web\n  labels:\n    a: *a\n", { a: "x" }],
    ["goes on at the start of a line", 'metadata:\n  name: web\n  labels:\n    a: "x\nb: y"\n', { a: "x b: y" }],
    ["is in flow style", "metadata: {name: web, labels: {a: x}}\n", { a: "x" }],
    [
      "holds a block",
      "metadata:\n  name: web\n  labels:\n    a: |\n      metadata:\n        labels: {}\n",
      { a: "metadata:\n  labels: {}\n" },
    ],
  ])("is that of the whole document when it %s", (_, text, labels) => {
    const [manifest] = parseManifests(`apiVersion: v1\nkind: ConfigMap\n${text}`).all;
    expect(manifest?.metadata["labels"]).toEqual(labels);
    expect(manifest?.metadata).toEqual(manifest?.body["metadata"]);
  });
});

describe("reading heads off the text", () => {
  it("takes no line of a quoted text for a line of its own", () => {
    const text = 'apiVersion: v1\nkind: A\nmetadata:\n  note: "x\n  namespace: s\n  name: y"\n  name: real\n';
    const [manifest] = parseManifests(text).all;
    expect([manifest?.name, manifest?.namespace]).toEqual(["real", undefined]);
    const [plain] = parseManifests(text.replace('"x\n  namespace: s\n  name: y"', "it's \"quoted\" 'here'")).all;
    expect(plain?.name).toBe("real");
  });

  it("agrees with the parser wherever it dares", () => {
    const line = fc.constantFrom(
      "kind: A",
      "kind: B",
      "kind: yes",
      'kind: "A"',
      "kind:",
      "kind: A # c",
      "kind: |",
      " kind: C",
      "  kind: C",
      "kind : D",
      "'kind': E",
      "kind: {a: b}",
      "apiVersion: v1",
      "apiVersion: v2",
      "metadata:",
      "metadata: {name: x}",
      "metadata: # c",
      "  name: n",
      "  name: m",
      "    name: deep",
      "  namespace: s",
      "  labels:",
      "- name: item",
      "  - name: item",
      "  generateName: g-",
      "  note: |",
      "    text",
      "text",
      "# c",
      "",
      "x: |",
      "x: 'a",
      "b'",
      "spec:",
      "  name: 12",
      "<<: {kind: Z}",
      "? kind",
      ": Q",
      "{kind: F}",
      "\tkind: T",
      "  x: y  ",
      "status: &a",
      "items: []",
      "  labels: {a: b}",
      "  labels:",
      "    app: *a",
      '  other: "x',
      '  more: y"',
      "  annotations: |",
    );
    const head = fc.constantFrom(
      "apiVersion: v1\nmetadata:\n  name: n\nkind: A\n",
      "apiVersion: v1\nkind: A\nmetadata:\n  namespace: s\n  name: n\n",
      "",
      "apiVersion: v1\nkind: A\nmetadata:\n  name: n\n",
      "kind: A\napiVersion: v1\nmetadata:\n",
    );
    fc.assert(
      fc.property(head, fc.array(line, { maxLength: 5 }), (start, lines) => {
        const text = start + lines.join("\n");
        const read = readHead(text, firstContent(text, 0) ?? 0);
        if (read === undefined) return;
        const body = bodyOf(text);
        if (body === undefined) return;
        const metadata = (body["metadata"] ?? {}) as Mapping;
        const generated = metadata["generateName"] === undefined ? "" : `${String(metadata["generateName"])}*`;
        expect(read, text).toEqual({
          kind: body["kind"],
          apiVersion: body["apiVersion"],
          name: String(metadata["name"] ?? generated),
          namespace: metadata["namespace"],
        });
        const [manifest] = parseManifests(text).all;
        expect(manifest?.metadata, text).toEqual(Array.isArray(metadata) || typeof metadata !== "object" ? {} : metadata);
      }),
      { numRuns: 2000 },
    );
  });

  function bodyOf(text: string): Mapping | undefined {
    try {
      return readTree(text).root as Mapping;
    } catch {
      return undefined;
    }
  }
});

describe("large renders", () => {
  it("are not parsed for a kind that they do not hold", () => {
    const fields = Array.from(
      { length: 500 },
      (_, i) => `        field${i}:\n          description: |-\n            text ${"x".repeat(100)}\n          type: string\n`,
    );
    const crd = (i: number) =>
      `---\n# Source: c/crds/c.yaml\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: t${i}\nspec:\n  x:\n${fields.join("")}`;
    const render = `${Array.from({ length: 80 }, (_, i) => crd(i)).join("")}---\n${web}`;
    expect(render.length).toBeGreaterThan(7_000_000);
    const start = performance.now();
    const manifests = parseManifests(render);
    expect(manifests.ofKind("Deployment")[0]?.body).toMatchObject({ kind: "Deployment" });
    // Parsing all of it takes several seconds; the bound leaves room for a busy machine.
    expect(performance.now() - start).toBeLessThan(1000);
    expect(manifests.all.at(-1)?.startLine).toBe(render.split("\n").length - 4);
    expect(manifests.all.flatMap((manifest) => manifest.duplicateKeys)).toEqual([]);
  });
});
