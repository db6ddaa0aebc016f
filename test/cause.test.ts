import { describe, expect, it } from "vitest";
import { parseManifests } from "../src/manifest/parse.js";
import { maskLine } from "../src/secret-names.js";
import { keyOf, pathText, type ValuePath } from "../src/trace/bindings.js";
import { findCauses } from "../src/trace/cause.js";
import { marksOf, readEvidence } from "../src/trace/evidence.js";
import { readActions } from "../src/trace/expressions.js";
import { findField } from "../src/trace/field-names.js";
import { readField, twinsIn } from "../src/trace/fields.js";
import { leavesOf, standInsBy, valuesWith } from "../src/trace/leaves.js";
import { readReferences } from "../src/trace/references.js";
import { maskedLines } from "../src/trace/secrets.js";
import { findInConfig, pathsOfSet } from "../src/trace/set-flags.js";
import { findValue, readValuesFile, type ValuesFile } from "../src/trace/values-file.js";

describe("reading templates", () => {
  it("finds actions with their lines, past strings, comments and trims", () => {
    const actions = readActions('a: {{- .Values.a }}\n{{/* }} {{ */}}b: {{ "}}" | quote }}\n{{ if and\n  .x }}{{ end -}}');
    expect(actions.map(({ line, endLine, keyword }) => [line, endLine, keyword])).toEqual([
      [1, 1, ""],
      [2, 2, ""],
      [3, 4, "if"],
      [4, 4, "end"],
    ]);
  });

  it.each([
    ["{{ .Values.a.b }}", ["a.b"]],
    ["{{ $.Values.a }}", ["a"]],
    ["{{ (.Values.a).b | default .Values.c }}", ["a", "a.b", "c"]],
    ['{{ index .Values.a "x.y" 0 }}', ["a", 'a["x.y"][0]']],
    ['{{ dig "b" "c" 5 .Values.a }}', ["a", "a.b.c"]],
    ['{{ .Values.a | dig "b" 5 }}', ["a", "a.b"]],
    ["{{ with .Values.a }}{{ .b }}{{ end }}", ["a", "a.b"]],
    ["{{ with .Values.a }}{{ else }}{{ .Values.z }}{{ end }}", ["a", "z"]],
    ["{{ $x := .Values.a }}{{ $x.b }}", ["a", "a.b"]],
    ['{{ include "h" (dict "own" .Values.a "root" $) }}', ["a", "a.b", "k"]],
    ['{{ template "h2" .Values.a }}', ["a", "a.q"]],
    ["{{ .Subcharts.sub.Values.a }}", ["sub.a"]],
    ["{{ add (mul .Values.a 2) .Values.b }}", ["a", "b"]],
  ])("%s names %j", (template, expected) => {
    const helpers = '{{ define "h" }}{{ .own.b }}{{ .root.Values.k }}{{ end }}{{ define "h2" }}{{ .q }}{{ end }}';
    const files = [
      { file: "/t.yaml", text: template, helmPath: "c/templates/t.yaml" },
      { file: "/_h.tpl", text: helpers, helmPath: "c/templates/_h.tpl" },
    ];
    const { direct, through } = readReferences(files, [{ file: "/t.yaml", prefix: [] }]).of("/t.yaml", 1);
    expect([...new Set([...direct, ...through].map(pathText))].sort()).toEqual([...expected].sort());
  });

  it("knows the values of a subchart below its name, and the globals of all above it", () => {
    const files = [{ file: "/t.yaml", text: "{{ .Values.a }}{{ .Values.global.g }}", helmPath: "c/charts/sub/templates/t.yaml" }];
    const { direct } = readReferences(files, [{ file: "/t.yaml", prefix: ["sub"] }]).of("/t.yaml", 1);
    expect(direct.map(pathText)).toEqual(["sub.a", "sub.global.g", "global.g"]);
  });

  it("keeps conditions apart from the line", () => {
    const text = "{{ if .Values.on }}\na: {{ .Values.a | default 7 }}\n{{ end }}";
    const references = readReferences([{ file: "/t.yaml", text, helmPath: "c/templates/t.yaml" }], [{ file: "/t.yaml", prefix: [] }]);
    const found = references.of("/t.yaml", 2);
    expect([found.direct.map(pathText), found.around.map(pathText)]).toEqual([["a"], ["on"]]);
    expect(references.defaults).toMatchObject([{ path: ["a"], literal: "7", line: 2 }]);
  });

  it("ends on helpers that include themselves", () => {
    const text = '{{ define "a" }}{{ include "a" . }}{{ .Values.x }}{{ end }}{{ include "a" . }}';
    const files = [{ file: "/t.yaml", text, helmPath: "c/templates/t.yaml" }];
    expect(
      readReferences(files, [{ file: "/t.yaml", prefix: [] }])
        .of("/t.yaml", 1)
        .through.map(pathText),
    ).toEqual(["x"]);
  });
});

describe("--set expressions", () => {
  it.each([
    ["--set", "a.b=1,c[0].d=x", ["a.b", "c[0].d"]],
    ["--set", "a={x,y},b=2", ["a", "b"]],
    ["--set", "a\\.b.c=1\\,5,d=1", ['["a.b"].c', "d"]],
    ["--set-string", "x=a=b", ["x"]],
    ["--set-file", "x=/tmp/a b", ["x"]],
    ["--set-json", 'a.b={"c": [1, 2]}', ["a.b"]],
    ["--set-json", '{"a": 1, "b": {"c": 2}}', ["a", "b"]],
  ])("%s %s", (flag, expression, expected) => {
    expect(pathsOfSet(flag, expression)?.map(pathText)).toEqual(expected);
  });

  it("gives nothing for what it cannot read", () => {
    expect(pathsOfSet("--set", "nonsense")).toBeUndefined();
    expect(pathsOfSet("--set-json", "a=1,b=2")).toBeUndefined();
  });

  it("finds the line of the config", () => {
    const config = [
      "charts:",
      "  - path: .",
      "    set: { image.tag: a }",
      "    environments:",
      "      prod:",
      "        setString:",
      "          image.tag: b",
      "      test: {}",
    ].join("\n");
    expect(findInConfig(config, { line: 5, column: 7 }, ["image", "tag"])).toMatchObject({ line: 7, column: 22 });
    expect(findInConfig(config, { line: 8, column: 7 }, ["image", "tag"])).toMatchObject({ line: 3, column: 23 });
    expect(findInConfig(config, { line: 8, column: 7 }, ["image", "name"])).toBeUndefined();
  });
});

function valuesFile(text: string): ValuesFile {
  const file = readValuesFile("/values.yaml", text);
  if (file === undefined) throw new Error("cannot be read");
  return file;
}

describe("values files", () => {
  it.each<[string, ValuePath, unknown]>([
    ["a:\n  b: 5\n", ["a", "b"], { state: "set", value: 5, range: { line: 2, column: 6, endLine: 2, endColumn: 7 } }],
    ["a: [1, 'x']\r\n", ["a", 1], { state: "set", value: "x", range: { line: 1, column: 8, endLine: 1, endColumn: 11 } }],
    ["a: &x 5\nb: *x\n", ["b"], { state: "set", value: 5, range: { line: 1, column: 7 } }],
    ["d: &d {m: 5}\na:\n  <<: *d\n", ["a", "m"], { state: "set", value: 5, range: { line: 1, column: 11 } }],
    ["a:\n  b:\n", ["a", "b"], { state: "set", value: null, range: { line: 2, column: 3 } }],
    ["a: |\n  text\n", ["a"], { state: "set", value: "text\n", range: { line: 1, column: 1 } }],
    ["a: on\n", ["a"], { state: "set", value: true }],
    ["a:\n  b: 1\n", ["a", "c", "d"], { state: "absent", depth: 1, key: { line: 1, column: 1 } }],
    ["a: 5\n", ["a", "b"], { state: "replaced", depth: 1, key: { line: 1 } }],
    ["b: 5\n", ["a"], { state: "absent", depth: 0, key: undefined }],
    ["", ["a"], { state: "absent", depth: 0 }],
  ])("%j at %j", (text, path, expected) => {
    expect(findValue(valuesFile(text), path)).toMatchObject(expected as object);
  });

  it("does not read several documents, or what is no YAML", () => {
    expect(readValuesFile("/v", "a: 1\n---\na: 2\n")).toBeUndefined();
    expect(readValuesFile("/v", "a: [1\n")).toBeUndefined();
  });
});

describe("secrets in excerpts", () => {
  it("hides the values of keys that look like secrets, wherever they stand", () => {
    const text = [
      "host: db",
      "password: hunter2",
      "auth: { user: a, apiKey: 'abc' }",
      "key: |",
      "  -----BEGIN",
      "  abc",
      "url: http://u:hunter2@host/",
      "env:",
      "  - name: DB_TOKEN",
      "    value: hunter2",
      "# old password: hunter2",
      "passwordLength: 12",
      "tokens: []",
    ].join("\n");
    const shown = maskedLines(valuesFile(text)).join("\n");
    expect(shown).not.toMatch(/hunter2|BEGIN|abc/);
    expect(shown).toContain("host: db");
    expect(shown).toContain("passwordLength: 12");
  });

  it("leaves template actions alone", () => {
    const line = "  password: {{ .Values.password | quote }}";
    expect(maskLine(line)).toBe(line);
    expect(maskLine("  password: hunter2")).toBe("  password: ***");
  });
});

describe("changing values", () => {
  it("writes only what changes, lists whole, and flags' paths as they are", () => {
    const values = { a: { b: 1, c: 2 }, list: [{ x: 1 }, { x: 2 }], flag: { y: 5 } };
    const standIns = standInsBy("");
    const leaf = leavesOf(values).find(({ path }) => keyOf(path) === keyOf(["list", 1, "x"]));
    if (leaf === undefined) throw new Error("no leaf");
    const change = standIns.number(leaf);
    const changed = JSON.parse(JSON.stringify(valuesWith(values, [change], [["flag", "y"]])));
    expect(changed).toEqual({ flag: { y: 5 }, list: [{ x: 1 }, { x: change.value }] });
    expect(values.list[1]).toEqual({ x: 2 });
  });

  it("takes numbers that appear nowhere in the render", () => {
    const standIns = standInsBy("port: 411\nother: 425");
    const numbers = [1, 2].map((value) => standIns.number({ path: ["a"], value }).value);
    expect(numbers).toEqual([439, 453]);
  });

  it.each([
    ["5", "439"],
    ["30s", "439s"],
    ["512Mi", "439Mi"],
    ["25%", "439%"],
    ["3.0.1", "3.0.1-hi1x"],
    ["/health", "/health-hi1x"],
  ])("a text such as %s becomes %s", (value, expected) => {
    expect(standInsBy("411 425").text({ path: ["a"], value }).value).toBe(expected);
  });
});

describe("evidence", () => {
  const values = { a: 5, b: "x" };
  const [a, b] = leavesOf(values);
  if (a === undefined || b === undefined) throw new Error("no leaves");
  const standIns = standInsBy("");
  const changes = [standIns.number(a), standIns.text(b)];
  const marks = marksOf(changes);
  const field = (value: unknown) => ({ value, depth: 1, exists: value !== undefined });
  const read = (plain: unknown, changed: unknown) => readEvidence(field(plain), field(changed), marks, values);

  it("needs the field with the stand-ins taken back to be the field as it was", () => {
    const paths = (plain: unknown, changed: unknown) => read(plain, changed).copied.map(({ path }) => path);
    expect(paths(5, 411)).toEqual([["a"]]);
    expect(paths("--n=5", "--n=411")).toEqual([["a"]]);
    expect(paths("5/x", "411/x-hi1x")).toEqual([["a"], ["b"]]);
    // another field that happens to show the number
    expect(read(7, 411)).toMatchObject({ copied: [], hinted: [["a"]] });
    expect(read(5, 4110).copied).toEqual([]);
    expect(read(5, 5).copied).toEqual([]);
    expect(read(undefined, 411)).toMatchObject({ copied: [], hinted: [["a"]] });
  });

  it("sees that a number went up by as much as a value, or in proportion, and by nothing else", () => {
    const computed = (plain: unknown, changed: unknown) => read(plain, changed).computed;
    expect(computed(6, 412)).toEqual(["a"]);
    expect(computed(10, 822)).toEqual(["a"]);
    expect(computed(11, 823)).toBeUndefined();
    expect(computed(5, 411)).toBeUndefined();
    expect(computed("6s", "412s")).toBeUndefined();
    // two values that went up by as much
    const twins = [standIns.number({ path: ["c"], value: 1 }), standIns.number({ path: ["d"], value: 1 })].map((one) => ({
      ...one,
      value: 501,
    }));
    expect(readEvidence(field(3), field(503), new Map(twins.map((one) => [one.mark, one])), values).computed).toBeUndefined();
  });

  it("takes a value that is not set back to the default of the template", () => {
    const unset = standIns.absent(["c"], 30, "30");
    const shown = (plain: unknown) => readEvidence(field(plain), field(`${unset.value}s`), marksOf([unset]), values).copied;
    expect(shown("30s")).toEqual([{ path: ["c"] }]);
    expect(shown("31s")).toEqual([]);
  });
});

describe("the same object in another render", () => {
  const plain = parseManifests(
    "# Source: c/t.yaml\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n---\n# Source: c/t.yaml\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: w}\n",
  );
  const at = plain.all[1]?.at.key("data", "k");

  it("goes by name, else by order, and gives up when there are more or fewer", () => {
    if (at === undefined) throw new Error("no place");
    const other = (names: readonly string[]) =>
      parseManifests(
        names.map((name) => `# Source: c/t.yaml\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {k: of-${name}}\n`).join("---\n"),
      );
    const read = (names: readonly string[]) => readField(twinsIn(plain, other(names)).of(at), at.path).value;
    expect(read(["b", "a"])).toBe("of-b");
    expect(read(["x", "y"])).toBe("of-y");
    expect(read(["x"])).toBeUndefined();
  });
});

describe("field names", () => {
  const [manifest] = parseManifests(
    "kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, template: {spec: {containers: [{name: app, startupProbe: {periodSeconds: 5}}, {name: side, livenessProbe: {periodSeconds: 6}}]}}}\n",
  ).all;
  const find = (name: string) => {
    if (manifest === undefined) throw new Error("no manifest");
    const named = findField(manifest, name);
    return "place" in named ? named.place.field : "several" in named ? named.several.length : "unknown";
  };

  it.each([
    ["spec.replicas", "spec.replicas"],
    ["spec.template.spec.containers[app].startupProbe.periodSeconds", "spec.template.spec.containers[app].startupProbe.periodSeconds"],
    ["startupProbe.periodSeconds", "spec.template.spec.containers[app].startupProbe.periodSeconds"],
    ["periodSeconds", 2],
    ["startupProbe.timeoutSeconds", "spec.template.spec.containers[app].startupProbe.timeoutSeconds"],
    ["spec.progressDeadlineSeconds", "spec.progressDeadlineSeconds"],
    ["spec.replica", "unknown"],
    ["startupProb.periodSeconds", "unknown"],
  ])("%s is %s", (name, expected) => {
    expect(find(name)).toBe(expected);
  });
});

describe("the budget", () => {
  it("is never overspent, errors come first, and what is left over is not claimed", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `f${index}`);
    const values = Object.fromEntries(names.map((name) => [name, false]));
    const render = (of: Record<string, unknown>) =>
      parseManifests(`# Source: c/t.yaml\nkind: Thing\nmetadata: {name: a}\nspec: ${JSON.stringify({ ...values, ...of })}\n`);
    const plain = render({});
    const [manifest] = plain.all;
    if (manifest === undefined) throw new Error("no manifest");
    let renders = 0;
    const sought = names.map((name, index) => {
      const at = manifest.at.key("spec", name);
      const suspects = { direct: [{ path: [name], value: false }], through: [], around: [], absent: [], literal: false };
      return { at, plain: readField(manifest, at.path), rank: index < 3 ? 0 : 1, alone: true, calm: true, suspects };
    });
    const { causes, renders: told } = await findCauses({
      sought: sought.toReversed(),
      values,
      leaves: leavesOf(values),
      plain,
      text: "",
      also: [],
      budget: 5,
      curious: false,
      defaultOf: () => undefined,
      renderWith: async (changed) => {
        renders++;
        return render(changed as Record<string, unknown>);
      },
    });
    expect(renders).toBeLessThanOrEqual(5);
    expect(told).toBe(renders);
    const claimed = causes.toReversed().flatMap(({ movers }, index) => (movers.length > 0 ? [index] : []));
    expect(claimed.slice(0, 3)).toEqual([0, 1, 2]);
    expect(claimed.length).toBeLessThanOrEqual(5);
    // nothing moves these as far as was seen, and it is known that not all was tried
    expect(causes.toReversed().map(({ cut }) => cut)).toEqual(names.map((_, index) => !claimed.includes(index)));
  });
});
