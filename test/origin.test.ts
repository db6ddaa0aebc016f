import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseManifests } from "../src/manifest/parse.js";
import type { Place } from "../src/manifest/place.js";
import type { Manifests } from "../src/manifest/types.js";
import type { RenderJob } from "../src/plan.js";
import { bundledHelm, type Helm, renderJob } from "../src/render/helm.js";
import { copyChart } from "../src/trace/copy.js";
import { findOrigins } from "../src/trace/origin.js";
import type { Origins, TemplateOrigin } from "../src/trace/types.js";

const temporary = mkdtempSync(join(tmpdir(), "origin test-"));
const helms = new Map<string, Helm>();
const aliases = ["helm-4", "helm-3-17", "helm-3-8"] as const;

beforeAll(async () => {
  for (const alias of aliases) helms.set(alias, await bundledHelm(alias));
});

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

interface Traced {
  readonly chart: string;
  readonly manifests: Manifests;
  readonly origins: Origins;
  /** `templates/a.yaml:3`, with ` < templates/b.yaml:7` for a helper's including line and `?` in front when it is an ancestor's. */
  line(subject: string, ...path: readonly (string | number)[]): string;
  origin(subject: string, ...path: readonly (string | number)[]): TemplateOrigin | undefined;
}

let count = 0;

function chartOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const chart = join(temporary, `chart ${++count}`);
  const all = { "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", ...files };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(chart, name)), { recursive: true });
    writeFileSync(join(chart, name), content);
  }
  return chart;
}

function jobOf(chart: string, more: Partial<RenderJob> = {}): RenderJob {
  const input = { release: "web", namespace: "shop", apiVersions: [], values: [], sets: [] };
  return { id: "0", purpose: "environment", environment: "test", chart, kind: "chart", ...input, ...more };
}

async function trace(chart: string, alias: (typeof aliases)[number] = "helm-4", more: Partial<RenderJob> = {}): Promise<Traced> {
  const job = jobOf(chart, more);
  const rerender = (one: RenderJob) => renderJob(one, helms.get(alias));
  const { render, failure } = await rerender(job);
  if (render === undefined) throw new Error(failure.message);
  const manifests = parseManifests(render.text);
  const origins = await findOrigins({ job, manifests, rerender });
  await origins.copy?.dispose();
  const origin = (subject: string, ...path: readonly (string | number)[]) => {
    const manifest = manifests.all.find(({ at }) => at.subject === subject);
    if (manifest === undefined) throw new Error(`no ${subject} in ${manifests.all.map(({ at }) => at.subject).join(", ")}`);
    const at = path.reduce<Place>((place, step) => (typeof step === "string" ? place.key(step) : place.item(step)), manifest.at);
    return origins.originOf(at);
  };
  const line: Traced["line"] = (subject, ...path) => {
    const found = origin(subject, ...path);
    if (found === undefined) return "none";
    const include = found.include === undefined ? "" : ` < ${relative(chart, found.include.file)}:${found.include.line}`;
    return `${found.exact ? "" : "?"}${relative(chart, found.file)}:${found.line}${include}`;
  };
  return { chart, manifests, origins, line, origin };
}

const tour = {
  "Chart.yaml":
    "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.0.0, alias: first}\n- {name: db, version: 1.0.0, alias: second}\n- {name: kit, version: 1.0.0}\n",
  "values.yaml": "replicas: 2\nresources:\n  limits: {cpu: 1}\nfirst: {size: 1}\nsecond: {size: 2}\nextra: [{name: A, value: b}]\n",
  "values.schema.json": '{"properties": {"replicas": {"type": "integer"}}}',
  "templates/_names.tpl":
    '{{- define "web.labels" -}}\napp: {{ .Release.Name }}\n{{ include "web.more" . }}\n{{- end }}\n\n{{- define "web.more" }}\nmore: {{ .Chart.Name | quote }}\n{{- end }}\n{{- define "web.probe" -}}\nhttpGet:\n  path: /\nperiodSeconds: 3\n{{- end }}\n',
  "templates/a deployment.yaml":
    '{{- /* why:\n  a: b */ -}}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels: {{- include "web.labels" . | nindent 4 }}\n    own: yes\n  annotations:\n    checksum/config: {{ include (print $.Template.BasePath "/config.yaml") . | sha256sum }}\nspec:\n  replicas: {{ .Values.replicas }}\n  template:\n    spec:\n      containers:\n        - name: web\n          args: ["a", "b"]\n          resources:\n            {{- toYaml (dict\n              "limits" .Values.resources.limits) | nindent 12 }}\n          env:\n          {{- range .Values.extra }}\n          - name: {{ .name }}\n            value: {{ .value | quote -}}\n          {{ end }}\n          - {name: B, value: c}\n          startupProbe:\n            {{- include "web.probe" . | nindent 12 }}\n            timeoutSeconds: 2\n',
  "templates/config.yaml":
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ randAlpha 5 | lower }}-config\ndata:\n  a.conf: |\n    key: value\n    {{- range until (randInt 1 4 | int) }}\n    n: {{ . }}\n    {{- end }}\n  b: {{ now | date "150405" | quote }}\n  c: >-\n    folded: text\n    goes on\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: second, labels: {a: b}}\ndata: &data\n  x: 1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: third\ndata:\n{{ toYaml .Values.first | indent 2 }}\n',
  "templates/windows.yaml":
    '\uFEFFapiVersion: v1\r\nkind: Service\r\nmetadata:\r\n  name: wïndows\r\n  labels:\r\n    {{- include "web.labels" . | nindent 4 }}\r\nspec:\r\n  type: ClusterIP\r\n',
  "templates/NOTES.txt": "note: {{ .Values.replicas }}\n",
  "charts/db folder/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
  "charts/db folder/templates/claim.yaml":
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: {{ .Chart.Name }}\nspec:\n  size: {{ .Values.size }}\n",
  "charts/kit/Chart.yaml": "apiVersion: v2\nname: kit\nversion: 1.0.0\ntype: library\n",
  "charts/kit/templates/_job.tpl":
    '{{- define "kit.job" -}}\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .name }}\nspec:\n  backoffLimit: 3\n{{- end }}\n',
  "templates/job.yaml": '{{ include "kit.job" (dict "name" "made") }}\n',
} as const;

describe("the template line of a field", () => {
  const deployment = "Deployment/web";
  const container = ["spec", "template", "spec", "containers", 0] as const;
  const template = "templates/a deployment.yaml";

  it.each(aliases)("is found in a chart with helpers, subcharts, random names and Windows line ends (%s)", async (alias) => {
    const { line, origins, manifests } = await trace(chartOf(tour), alias);
    expect(origins.notes).toEqual([]);
    expect(origins.renders).toBe(1);
    expect(line(deployment, "spec", "replicas")).toBe(`${template}:12`);
    expect(line(deployment, "metadata", "labels")).toBe(`${template}:7`);
    expect(line(deployment, "metadata", "labels", "app")).toBe(`templates/_names.tpl:2 < ${template}:7`);
    expect(line(deployment, "metadata", "labels", "more")).toBe(`templates/_names.tpl:7 < ${template}:7`);
    expect(line(deployment, "metadata", "labels", "own")).toBe(`${template}:8`);
    expect(line(deployment, "metadata", "annotations", "checksum/config")).toBe(`${template}:10`);
    expect(line(deployment, ...container, "args", 1)).toBe(`${template}:17`);
    expect(line(deployment, ...container, "resources", "limits", "cpu")).toBe(`${template}:19`);
    expect(line(deployment, ...container, "env", 0, "name")).toBe(`${template}:23`);
    expect(line(deployment, ...container, "env", 0, "value")).toBe(`${template}:24`);
    expect(line(deployment, ...container, "env", 1, "value")).toBe(`${template}:26`);
    expect(line(deployment, ...container, "startupProbe", "periodSeconds")).toBe(`templates/_names.tpl:12 < ${template}:28`);
    expect(line(deployment, ...container, "startupProbe", "timeoutSeconds")).toBe(`${template}:29`);
    expect(line(deployment, ...container, "livenessProbe", "periodSeconds")).toBe(`?${template}:16`);
    expect(line("ConfigMap/second", "metadata", "labels", "a")).toBe("templates/config.yaml:18");
    expect(line("ConfigMap/third", "data", "size")).toBe("templates/config.yaml:27");
    expect(line("Service/wïndows", "metadata", "labels", "app")).toBe("templates/_names.tpl:2 < templates/windows.yaml:6");
    expect(line("Service/wïndows", "spec", "type")).toBe("templates/windows.yaml:8");
    expect(line("PersistentVolumeClaim/first", "spec", "size")).toBe("charts/db folder/templates/claim.yaml:6");
    expect(line("PersistentVolumeClaim/second", "spec", "size")).toBe("charts/db folder/templates/claim.yaml:6");
    expect(line("Job/made", "spec", "backoffLimit")).toBe("charts/kit/templates/_job.tpl:7 < templates/job.yaml:1");
    const random = manifests.all.find(({ name }) => name.endsWith("-config"));
    expect(random && origins.originOf(random.at.key("data", "c"))?.line).toBe(12);
    expect(random && origins.originOf(random.at)?.text).toBe("kind: ConfigMap");
  });

  it("comes with the columns of what wrote it, and says what that is", async () => {
    const { origin } = await trace(chartOf(tour));
    const shown = (...path: readonly (string | number)[]) => {
      const { kind, text = "", column = 1, endColumn = 1 } = origin(deployment, ...path) ?? {};
      return `${kind} ${text.slice(column - 1, endColumn - 1)}`;
    };
    expect(shown("spec", "replicas")).toBe("key replicas");
    expect(shown(...container)).toBe("key - name: web");
    expect(shown(...container, "args", 1)).toBe('key ["a", "b"]');
    expect(shown(...container, "resources", "limits")).toBe("action {{- toYaml (dict");
    expect(shown(...container, "lifecycle")).toBe("ancestor - name: web");
  });

  it("is not claimed of a document whose keys the marks change, and of the others it is", async () => {
    const chart = chartOf({
      "templates/_text.tpl": '{{- define "text" -}}\na: 1\n{{- end }}\n',
      "templates/odd.yaml":
        'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: odd\n{{- if contains "#" (include "text" .) }}\nmarked: true\n{{- end }}\n',
      "templates/even.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: even\n",
    });
    const { line, origins } = await trace(chart);
    expect(line("ConfigMap/odd", "metadata", "name")).toBe("none");
    expect(line("ConfigMap/even", "metadata", "name")).toBe("templates/even.yaml:4");
    expect(origins.notes).toEqual(["web/templates/odd.yaml rendered other keys with marks than without"]);
    const odd = (await trace(chart)).manifests.all.find(({ name }) => name === "odd");
    expect(odd && origins.sourceFileOf(odd.document)).toBe(join(chart, "templates/odd.yaml"));
  });

  it("survives marks that helm refuses, and says which", async () => {
    const chart = chartOf({
      "templates/_text.tpl": '{{- define "text" -}}\na: 1\n{{- end }}\n',
      "templates/strict.yaml":
        '{{- if ne (include "text" .) "a: 1" }}{{ fail "no" }}{{ end }}\nkind: ConfigMap\napiVersion: v1\nmetadata:\n  name: strict\n',
      "templates/even.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: even\n",
    });
    const { line, origins } = await trace(chart);
    expect(origins.renders).toBe(3);
    expect(origins.notes[0]).toBe("web/templates/strict.yaml: helm refuses its marks");
    expect(line("ConfigMap/strict", "metadata", "name")).toBe("none");
    expect(line("ConfigMap/even", "metadata", "name")).toBe("templates/even.yaml:4");
    expect(origins.values).toEqual({});
  });

  it("gives up on lines, and not on values, when helm refuses all marks", async () => {
    const { line, origins } = await trace(
      chartOf({
        "values.yaml": "a: 1\n",
        "templates/one.yaml":
          'kind: ConfigMap\napiVersion: v1\nmetadata: {name: one}\n---\n{{- if regexMatch "#@hi" (include "web/templates/two.yaml" .) }}\n{{ fail "marks" }}\n{{- end }}\n',
        "templates/two.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: two}\n",
      }),
    );
    expect(line("ConfigMap/two", "metadata")).toBe("none");
    expect(origins.renders).toBe(4);
    expect(origins.values).toEqual({ a: 1 });
  });
});

describe("the copy of a chart", () => {
  const contentOf = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .map((name) => (statSync(join(folder, name)).isFile() ? `${name}\n${readFileSync(join(folder, name), "latin1")}` : name));

  it("is private, leaves schemas out, prints the merged values, and is gone afterwards", async () => {
    const chart = chartOf(tour);
    const before = contentOf(chart);
    const copy = await copyChart(chart);
    expect(statSync(dirname(copy.folder)).mode & 0o777).toBe(0o700);
    expect(existsSync(join(copy.folder, "values.schema.json"))).toBe(false);
    expect(readFileSync(join(copy.folder, "templates/a deployment.yaml"), "utf8")).toBe(tour["templates/a deployment.yaml"]);
    const overlay = join(temporary, "overlay.yaml");
    writeFileSync(overlay, "first: {size: null, more: 1}\nextra: null\nreplicas: 3\nglobal: {ü: x}\n");
    const { render } = await renderJob(jobOf(copy.folder, { values: [overlay] }), helms.get("helm-4"));
    expect(copy.valuesIn(render?.text ?? "")).toMatchObject({ replicas: 3, first: { more: 1, global: { ü: "x" } }, second: { size: 2 } });
    expect(copy.valuesIn(render?.text ?? "")).not.toHaveProperty("extra");
    expect(copy.files().map(({ helmPath }) => helmPath)).toContain("web/charts/second/templates/claim.yaml");
    await copy.dispose();
    await copy.dispose();
    expect(existsSync(dirname(copy.folder))).toBe(false);
    expect(contentOf(chart)).toEqual(before);
  });

  it("is made when it is asked for, and not when it is gone", async () => {
    const copy = await copyChart(chartOf(tour));
    const { folder } = copy;
    const temporaryFolder = dirname(folder);
    expect(readdirSync(temporaryFolder)).toEqual(["chart"]);
    expect(readFileSync(join(copy.marked, "templates/a deployment.yaml"), "utf8")).not.toBe(tour["templates/a deployment.yaml"]);
    expect(readdirSync(temporaryFolder).sort()).toEqual(["chart", "marked"]);
    await copy.dispose();
    const other = await copyChart(chartOf(tour));
    await other.dispose();
    expect(existsSync(dirname(other.folder))).toBe(false);
  });

  it("follows links, once, and names files by the chart's own paths", async () => {
    const chart = chartOf({ "templates/a.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n" });
    const shared = chartOf({ "b.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: b\n" });
    symlinkSync(join(shared, "b.yaml"), join(chart, "templates", "b.yaml"));
    symlinkSync(chart, join(chart, "templates", "loop"));
    const copy = await copyChart(chart);
    const files = copy.files().map(({ file }) => relative(chart, file));
    await copy.dispose();
    expect(files).toContain(join("templates", "b.yaml"));
    expect(files.filter((file) => file.includes("loop/templates/loop"))).toEqual([]);
  });

  it("is removed when rendering it cannot be done at all", async () => {
    let folder = "";
    const rerender = (job: RenderJob) => {
      folder = job.chart;
      return Promise.reject(new Error("no helm"));
    };
    const input = { job: jobOf(chartOf(tour)), manifests: parseManifests(""), rerender };
    await expect(findOrigins(input)).rejects.toThrow("no helm");
    expect(existsSync(dirname(folder))).toBe(false);
  });

  it("of a packed chart has values, and the lines of what is inside of the archive", async () => {
    const chart = join(temporary, "web-1.0.0.tgz");
    const files = {
      "web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      "web/values.yaml": "a: 1\n",
      "web/templates/a.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n",
      "web/../../escaped.yaml": "a: 1\n",
    };
    writeFileSync(chart, gzipSync(tarOf(files)));
    const job = jobOf(chart);
    const rerender = (one: RenderJob) => renderJob(one, helms.get("helm-4"));
    const manifests = parseManifests("---\n# Source: web/templates/a.yaml\nkind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n");
    const origins = await findOrigins({ job, manifests, rerender });
    await origins.copy?.dispose();
    expect(origins.values).toEqual({ a: 1 });
    const inside = join(realpathSync(chart), "templates/a.yaml");
    expect(manifests.all.map(({ at }) => origins.originOf(at))).toMatchObject([{ file: inside, line: 1 }]);
    expect(origins.sourceFileOf(0)).toBe(inside);
  });

  it("of a chart that is damaged is a note", async () => {
    const chart = join(temporary, "damaged.tgz");
    writeFileSync(chart, "no archive");
    const origins = await findOrigins({ job: jobOf(chart), manifests: parseManifests(""), rerender: () => Promise.reject(new Error()) });
    expect(origins.copy).toBeUndefined();
    expect(origins.notes[0]).toMatch(/^the chart could not be copied: /);
  });
});

function tarOf(files: Readonly<Record<string, string>>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("0", 156);
    header.write("ustar\0", 257);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
