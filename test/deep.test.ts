import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Finding } from "../src/findings.js";
import { run } from "../src/run.js";
import { root } from "./command-line.js";

const chart = join(root, "fixtures/charts/deep");
const base = mkdtempSync(join(tmpdir(), "helm-invariants-deep-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function findings(rule: string, options: { deep?: boolean; chart?: string; values?: string[] } = {}): Promise<readonly Finding[]> {
  const outcome = await run({
    target: options.chart ?? chart,
    values: options.values ?? [join(chart, "envs/prod.yaml")],
    deep: options.deep ?? true,
    today: "2026-11-30",
  });
  expect(outcome.failures).toEqual([]);
  return outcome.findings.filter((finding) => finding.rule === rule);
}

const texts = (list: readonly Finding[]) => list.map(({ severity, message }) => `${severity} ${message}`);

/** A copy of the chart with one file changed. */
function changed(file: string, change: (text: string) => string): string {
  const folder = mkdtempSync(join(base, "chart-"));
  cpSync(chart, folder, { recursive: true });
  const path = join(folder, file);
  const before = readFileSync(path, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
  return folder;
}

describe("values-are-read", () => {
  it("names keys of overlays that nothing reads, where they stand, with what was meant; without deep", async () => {
    const found = await findings("values-are-read", { deep: false });
    expect(texts(found)).toEqual([
      expect.stringMatching(/^warning nothing reads "replicacount".*did you mean "replicaCount"\?$/),
      expect.stringMatching(/^warning nothing reads "web.log.level".*did you mean "log.level"\?$/),
    ]);
    expect(found.map(({ location }) => [location?.file, location?.line])).toEqual([
      ["fixtures/charts/deep/envs/prod.yaml", 1],
      ["fixtures/charts/deep/envs/prod.yaml", 6],
    ]);
  });

  it("with deep also the dead defaults of the chart, as notes", async () => {
    expect(texts(await findings("values-are-read")).filter((text) => text.startsWith("note"))).toEqual([
      'note nothing reads "unusedDefault": no template refers to it, and changing it moves nothing',
      'note nothing reads "livenessProbe.failureThreshold": no template refers to it, and changing it moves nothing',
      'note nothing reads "readinessProbe.periodSeconds": no template refers to it, and changing it moves nothing',
    ]);
  });

  it("takes what an alias of the same file refers to for read", async () => {
    const overlay = join(base, "anchors.yaml");
    writeFileSync(overlay, "x-common: &common { level: debug }\nlog:\n  <<: *common\n");
    expect(await findings("values-are-read", { deep: false, values: [overlay] })).toEqual([]);
  });

  it("is silent when everything is read, and when a template passes the whole of the values on", async () => {
    const overlay = join(base, "fine.yaml");
    writeFileSync(overlay, "replicaCount: 2\nlog: { level: debug }\n");
    expect(await findings("values-are-read", { deep: false, values: [overlay] })).toEqual([]);
    const all = changed(
      "templates/config.yaml",
      (text) => `${text}---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: all }\ndata: { all: {{ toJson .Values | quote }} }\n`,
    );
    expect(await findings("values-are-read", { deep: false, chart: all })).toEqual([]);
  });
});

describe("values-wired-straight", () => {
  it("sees a crossed wire, a probe fed by another's block, and a value that is ignored", async () => {
    const found = texts(await findings("values-wired-straight"));
    expect(found).toContainEqual(
      expect.stringMatching(/periodSeconds of the liveness probe of "web" is driven by "livenessProbe.timeoutSeconds"/),
    );
    expect(found).toContainEqual(
      expect.stringMatching(
        /periodSeconds of the readiness probe of "web" is driven by "livenessProbe.periodSeconds", which is named after liveness/,
      ),
    );
    expect(found).toContainEqual(expect.stringMatching(/"livenessProbe.failureThreshold" is ignored/));
    expect(found).toContainEqual(expect.stringMatching(/"readinessProbe.periodSeconds" is ignored/));
    expect(found).toHaveLength(4);
  });

  it("sees what a range wires through a variable that holds the root, in a block that is not called a probe", async () => {
    const folder = mkdtempSync(join(base, "root-"));
    mkdirSync(join(folder, "templates"));
    writeFileSync(join(folder, "Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    writeFileSync(join(folder, "values.yaml"), "names: [api]\nlive:\n  periodSeconds: 10\n  timeoutSeconds: 5\n");
    const web = `{{- $root := . }}
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        {{- range .Values.names }}
        - name: {{ . }}
          image: web:1.0.0
          livenessProbe:
            httpGet: { path: /, port: 80 }
            periodSeconds: {{ $root.Values.live.timeoutSeconds }}
            timeoutSeconds: {{ $root.Values.live.periodSeconds }}
        {{- end }}
`;
    writeFileSync(join(folder, "templates/web.yaml"), web);
    const found = await findings("values-wired-straight", { chart: folder, values: [] });
    expect(texts(found).sort()).toEqual([
      expect.stringMatching(/periodSeconds of the liveness probe of "api" is driven by "live.timeoutSeconds"/),
      expect.stringMatching(/timeoutSeconds of the liveness probe of "api" is driven by "live.periodSeconds"/),
    ]);
  });

  it("is silent without deep", async () => {
    expect(await findings("values-wired-straight", { deep: false })).toEqual([]);
  });
});

describe("config-change-rolls", () => {
  it("names the workload that does not follow its ConfigMap, and no other", async () => {
    const found = await findings("config-change-rolls");
    expect(texts(found)).toEqual([
      expect.stringMatching(/^warning Deployment "steady" reads ConfigMap\/loose .* changing "log.level" moves/),
    ]);
  });
});

describe("render-is-deterministic", () => {
  it("is a warning inside a pod template and a note elsewhere, and never shows what a Secret holds", async () => {
    const found = await findings("render-is-deterministic");
    expect(texts(found)).toEqual([
      expect.stringMatching(
        /^warning Deployment\/loose is different in every render \(spec\.template\.metadata\.annotations.*rolls the pods/,
      ),
      expect.stringMatching(/^note Secret\/password is different in every render \(data\.password\)/),
    ]);
  });
});

describe("selector-is-stable", () => {
  it("sees by rendering with another version what no label tells", async () => {
    expect(texts(await findings("selector-is-stable"))).toEqual([
      expect.stringMatching(/^error spec\.selector\.matchLabels.*release-of.* of Deployment "loose" moves with the version/),
    ]);
    expect(await findings("selector-is-stable", { deep: false })).toEqual([]);
  });
});
