import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bundledHelm } from "../src/render/helm.js";
import { readValuesDocuments } from "../src/trace/values-documents.js";
import { deployment, traceFieldsIn } from "./traced-field.js";

const scratch = mkdtempSync(join(tmpdir(), "trace-documents-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const files = {
  "values.yaml": "# of the chart\n---\nreplicas: 1\nready: 2\n---\nready: 3\n",
  "prod.yaml": "replicas: 4\n--- # of the second\nreplicas: 5\n",
  "templates/web.yaml": deployment("  replicas: {{ .Values.replicas }}\n  minReadySeconds: {{ .Values.ready }}\n"),
};

describe("a values file of several documents", () => {
  it.each([
    ["helm-4", ["replicas 5 prod.yaml:3 over prod.yaml:1 values.yaml:3", "ready 3 values.yaml:6 over values.yaml:4"]],
    ["helm-3-17", ["replicas 4 prod.yaml:1 over values.yaml:3", "ready 2 values.yaml:4"]],
    ["helm-3-8", ["replicas 4 prod.yaml:1 over values.yaml:3", "ready 2 values.yaml:4"]],
  ] as const)("is read as %s reads it", async (alias, expected) => {
    const folder = join(scratch, alias);
    const helm = await bundledHelm(alias);
    const found = await traceFieldsIn(
      folder,
      files,
      ["spec.replicas", "spec.minReadySeconds"],
      { values: [join(folder, "prod.yaml")] },
      helm,
    );
    const rows = found.flatMap(({ movedBy }) =>
      movedBy.map(({ path, value, file, line, overrides }) => {
        const below = overrides.map((one) => `${one.file}:${one.line}`).join(" ");
        return `${path} ${value} ${file}:${line}${below === "" ? "" : ` over ${below}`}`;
      }),
    );
    expect(rows).toEqual(expected);
  });

  it("keeps the lines of the file, and what can be read when another document cannot", () => {
    const documents = readValuesDocuments("values.yaml", "---\na: 1\n---\nb: [\n---\nc:\n  d: 2\n");
    expect(documents.map((values) => values?.root)).toEqual([{ a: 1 }, undefined, { c: { d: 2 } }]);
    expect(documents[2]?.text.split("\n")[6]).toBe("  d: 2");
  });
});
