import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { replaced } from "../src/fix.js";
import { scalarLine } from "../src/trace/scalar-line.js";
import { findValue, readValuesFile } from "../src/trace/values-file.js";
import { deployment, traceFieldsIn } from "./traced-field.js";

const scratch = mkdtempSync(join(tmpdir(), "trace-texts-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The movers of each field, as `path how file:line`. */
async function moversOf(name: string, values: string, template: string, fields: readonly string[]) {
  const traced = await traceFieldsIn(join(scratch, name), { "values.yaml": values, "templates/web.yaml": template }, fields);
  return Object.fromEntries(fields.map((field, index) => [field, traced[index]?.where]));
}

const annotated = (lines: string) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations:\n${lines}spec:\n  replicas: 1\n`;

describe("texts that the template writes over several lines", () => {
  it("are moved by what the lines of the block say", async () => {
    const values = "script: |\n  set -e\n  sleep 40\nhost: db\nport: 5432\nusers:\n  - {name: ann, id: 1}\n  - {name: bob, id: 2}\n";
    const template = annotated(
      [
        "    whole: |\n      {{- .Values.script | nindent 6 }}\n",
        "    folded: >-\n      {{ .Values.host }}\n      {{ .Values.port }}\n",
        "    ranged: |- # why\n      {{- range .Values.users }}\n      user {{ .name }}={{ .id }}\n      {{- end }}\n",
        "    after: {{ .Values.port | quote }}\n",
      ].join(""),
    );
    const keys = ["whole", "folded", "ranged", "after"];
    const found = await moversOf(
      "blocks",
      values,
      template,
      keys.map((key) => `metadata.annotations.${key}`),
    );
    const paths = Object.values(found).map((movers) => movers?.map((mover) => mover.split(" ")[0]).sort());
    expect(paths).toEqual([["script"], ["host", "port"], ["users[0].id", "users[0].name", "users[1].id", "users[1].name"], ["port"]]);
  });
});

describe("a text that is taken apart", () => {
  it("is not said to move nothing because a change of another part moved nothing", async () => {
    const [csv, number] = await traceFieldsIn(
      join(scratch, "apart"),
      {
        "values.yaml": 'csv: "x,y,z"\nreplicas: 3\nname: web\n',
        "templates/web.yaml": annotated(
          '    a: {{ index (splitList "," .Values.csv) 1 }}{{ if and .Values.name .Values.replicas }}{{ end }}\n',
        ),
      },
      ["metadata.annotations.a", "spec.replicas"],
    );
    expect(csv?.notMovedBy).not.toContain("csv");
    expect(number?.movedBy).toEqual([]);
  });
});

describe("values that end in a line break, or go over several lines", () => {
  it("finds one line, however it is written, and points at that line", async () => {
    const values = [
      ...["kept: |", "  /kept", "all: |+", "  /all", "", "folded: >", "  /folded", "bare: >-", "  /bare", "strip: |-", "  /strip"],
      ...['spaced: "/spaced "', 'escaped: "/escaped\\n"', "number: |", "  17", "switch: |", "  true", ""],
    ].join("\n");
    const template = annotated(
      [
        ...["kept", "all", "folded", "bare", "strip", "spaced", "escaped"].map((key) => `    ${key}: {{ .Values.${key} | trim }}\n`),
        "    number: {{ .Values.number | trim | quote }}\n",
        '    switch: {{ ternary "a" "b" (eq (trim .Values.switch) "true") }}\n',
        "    tpl: {{ tpl .Values.kept . | trim }}\n",
        "    yaml: {{ .Values.kept | toYaml | nindent 6 }}\n",
        "    raw: {{ .Values.kept | quote }}\n",
      ].join(""),
    );
    const keys = ["kept", "all", "folded", "bare", "strip", "spaced", "escaped", "number", "switch", "tpl", "yaml", "raw"];
    const found = await moversOf(
      "one-line",
      values,
      template,
      keys.map((key) => `metadata.annotations.${key}`),
    );
    expect(Object.values(found)).toEqual([
      ["kept copy values.yaml:2"],
      ["all copy values.yaml:4"],
      ["folded copy values.yaml:7"],
      ["bare copy values.yaml:9"],
      ["strip copy values.yaml:11"],
      ["spaced copy values.yaml:12"],
      ["escaped copy values.yaml:13"],
      ["number copy values.yaml:15"],
      ["switch change values.yaml:17"],
      ["kept copy values.yaml:2"],
      ["kept copy values.yaml:2"],
      ["kept copy values.yaml:2"],
    ]);
  });

  const probe = (sign: string) =>
    `probe: ${sign}\n  # of the load balancer\n  httpGet:\n    path: /health\n    port: 80\n\n  timeoutSeconds: 3 # short\nenv: ${sign}\n  - name: A\n    value: one\n  - name: B\n    value: "2"\n`;
  const container = deployment(
    [
      "  template:",
      "    spec:",
      "      containers:",
      "        - name: web",
      "          env:",
      "            {{- .Values.env | nindent 12 }}",
      "          livenessProbe:",
      "            {{- tpl (.Values.probe) . | nindent 12 }}",
      "",
    ].join("\n"),
  );

  it.each(["|", "|-", "|+"])("points at the line inside of a text of several lines: %s", async (sign) => {
    const fields = ["livenessProbe.httpGet.path", "livenessProbe.timeoutSeconds", "env[A].value", "env[B].value"];
    expect(Object.values(await moversOf(`several${sign.length}${sign.at(-1)}`, probe(sign), container, fields))).toEqual([
      ["probe copy values.yaml:4"],
      ["probe copy values.yaml:7"],
      ["env copy values.yaml:10"],
      ["env copy values.yaml:12"],
    ]);
  });

  it("points at the header when a field is made of the whole text, or of more than one line", async () => {
    const values = "whole: |\n  a\n  b\nfolded: >-\n  c\n  d\nquoted: 'e\n\n  f'\n";
    const template = annotated(
      "    whole: {{ .Values.whole | quote }}\n    folded: {{ .Values.folded }}\n    quoted: {{ .Values.quoted | quote }}\n",
    );
    const fields = ["whole", "folded", "quoted"].map((key) => `metadata.annotations.${key}`);
    expect(Object.values(await moversOf("whole", values, template, fields))).toEqual([
      ["whole copy values.yaml:1"],
      ["folded copy values.yaml:4"],
      ["quoted copy values.yaml:7"],
    ]);
  });

  it("changes only the lines with the field's key when helm refuses to have all of them changed", async () => {
    const values = "probe: |\n  level: info\n  timeoutSeconds: 3\n";
    const template = deployment(
      '  {{- if not (has (fromYaml .Values.probe).level (list "info" "debug")) }}{{ fail "level" }}{{ end }}\n  minReadySeconds: {{ (fromYaml .Values.probe).timeoutSeconds }}\n  strategy:\n    {{- .Values.probe | nindent 4 }}\n',
    );
    const files = { "values.yaml": values, "templates/web.yaml": template };
    const [seconds, level] = await traceFieldsIn(join(scratch, "refused"), files, ["strategy.timeoutSeconds", "minReadySeconds"]);
    expect(seconds?.where).toEqual(["probe copy values.yaml:3"]);
    expect(level?.notMovedBy).toEqual([]);
  });
});

describe("the line of a scalar", () => {
  it("is the value on it, so that another can be written in its place", () => {
    const text = "probe: |\n  httpGet:\n    path: /a # b\n  timeoutSeconds: 3 # short\n";
    const values = readValuesFile("values.yaml", text);
    const found = values && findValue(values, ["probe"]);
    const range = values && found?.state === "set" ? scalarLine(values, found.node, 2) : undefined;
    expect(range).toEqual({ line: 4, column: 19, endLine: 4, endColumn: 20 });
    expect(range && replaced(text, { ...range, value: 17 })).toBe(text.replace("3 #", "17 #"));
  });

  it("is none when two lines of a folded text say the same", () => {
    const values = readValuesFile("values.yaml", "text: >\n  a\n\n  a\n");
    const found = values && findValue(values, ["text"]);
    expect(values && found?.state === "set" ? scalarLine(values, found.node, 0) : "not found").toBeUndefined();
  });
});
