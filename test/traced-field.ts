import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { manifestOf, parseManifests } from "../src/manifest/parse.js";
import type { RenderJob } from "../src/plan.js";
import { rerenderer } from "../src/render/again.js";
import { findHelm, type Helm } from "../src/render/helm.js";
import { copyChart } from "../src/trace/copy.js";
import { explainField } from "../src/trace/explain.js";
import { findField } from "../src/trace/field-names.js";
import { traceFields } from "../src/trace/tracing.js";

/** Texts by their paths in the chart. */
export interface Files {
  readonly [path: string]: string;
}

export function write(folder: string, files: Files): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const chartYaml = "apiVersion: v2\nname: demo\nversion: 1.0.0\n";

/** Traces fields of the Deployment that a chart of these files renders, in a folder of its own below `scratch`. */
export function tracerIn(scratch: string) {
  return async (name: string, files: Files, field: string, input: Partial<RenderJob> = {}) => {
    const [traced] = await traceFieldsIn(join(scratch, name), files, [field], input);
    if (traced === undefined) throw new Error("not traced");
    return traced;
  };
}

/** The same of several fields, with the renders that all of them took. */
export async function traceFieldsIn(folder: string, files: Files, fields: readonly string[], input: Partial<RenderJob> = {}, helm?: Helm) {
  const chart = write(folder, { "Chart.yaml": chartYaml, ...files });
  const rerender = rerenderer(helm ?? (await findHelm()), {});
  const job: RenderJob = {
    id: folder,
    purpose: "environment",
    environment: "default",
    chart,
    kind: "chart",
    release: "demo",
    namespace: "ns",
    apiVersions: [],
    values: [],
    sets: [],
    ...input,
  };
  const { render, failure } = await rerender(job);
  if (render === undefined) throw new Error(failure.message);
  const manifests = parseManifests(render.text);
  const [manifest] = manifests.ofKind("Deployment");
  if (manifest === undefined) throw new Error("no Deployment");
  const places = fields.map((field) => {
    const named = findField(manifest, field);
    if (!("place" in named)) throw new Error(`no field ${field}`);
    expect(manifestOf(manifests, named.place)).toBe(manifest);
    return named.place;
  });
  const copy = await copyChart(chart);
  try {
    const wanted = places.map((at) => ({ at, rank: 0, alone: true }));
    const tracing = await traceFields({ job, manifests, text: render.text, rerender, copy, wanted, curious: true });
    return places.map((place) => {
      const traced = tracing.of(place);
      if (traced === undefined) throw new Error("not traced");
      const explanation = explainField(traced, tracing, "default", (file) => file.slice(chart.length + 1));
      return {
        ...explanation,
        renders: tracing.renders,
        where: explanation.movedBy.map(({ path, how, file, line }) => `${path} ${how} ${file}:${line}`),
      };
    });
  } finally {
    await copy.dispose();
  }
}

/** A Deployment "web" with the given lines as its spec. */
export function deployment(spec: string): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n${spec}`;
}
