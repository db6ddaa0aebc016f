import { parseManifests } from "../manifest/parse.js";
import type { DeadValue } from "../model/reruns.js";
import type { RenderJob } from "../plan.js";
import { pathText, type ValuePath } from "../trace/bindings.js";
import { chainOf, type Layer, readLayers } from "../trace/layers.js";
import { changeAlone, leavesOf, type StandIn, standInsBy } from "../trace/leaves.js";
import type { ValuesFile } from "../trace/values-file.js";
import { type ChartSource, readValueReferences } from "../values/references.js";
import { similarKeys } from "../values/similar-keys.js";
import { readChartSource } from "./chart-source.js";
import type { Bench } from "./rerun.js";

/** A value that no template seems to refer to; `winner` is the layer that sets it. */
export interface Suspect {
  readonly path: ValuePath;
  readonly overlay: boolean;
  readonly origin: DeadValue["origin"];
  readonly meant: string | undefined;
}

const most = 400;
/** Characters of templates. */
const mostText = 512 * 1024;

/**
 * Values of the files of an environment that no template refers to, by reading alone. Nothing is rendered. Undefined when the chart cannot be
 * read, or has so many templates that reading them takes longer than helm does.
 */
export async function findSuspects(
  job: RenderJob,
  which: "overlays" | "all",
  readChart: (path: string) => Promise<ChartSource | undefined> = readChartSource,
): Promise<readonly Suspect[] | undefined> {
  if (which === "overlays" && job.values.length === 0) return [];
  const layers = await readLayers(job);
  const overlays = layers.filter(({ kind }) => kind === "overlay");
  const files = which === "all" ? layers.filter(({ kind }) => kind === "overlay" || kind === "chart") : overlays;
  if (files.length === 0) return [];
  const chart = await readChart(job.chart);
  if (chart === undefined || (which === "overlays" && sizeOf(chart) > mostText)) return undefined;
  const verdict = readValueReferences({ chart, values: merged(layers) });
  const seen = new Set<string>();
  const suspects: Suspect[] = [];
  for (const layer of files.toReversed()) {
    if (layer.kind !== "overlay" && layer.kind !== "chart") continue;
    for (const { path } of leavesOf(layer.values.root)) {
      const full: ValuePath = [...layer.prefix, ...path];
      const key = JSON.stringify(full);
      if (seen.has(key) || verdict(full.map(String)) !== "no" || isAnchored(layer.values, path)) continue;
      seen.add(key);
      const winner = chainOf(layers, full).at(-1);
      if (winner?.layer !== layer || winner.found?.state !== "set") continue;
      const { line, column } = winner.found.key;
      const [meant] = similarKeys(full.map(String), verdict.paths);
      suspects.push({
        path: full,
        overlay: layer.kind === "overlay",
        origin: { file: layer.values.file, line, column },
        meant: meant?.join("."),
      });
      if (suspects.length >= most) return suspects;
    }
  }
  return suspects;
}

/** Whether a value is, or stands in, what an alias of the same file refers to: it is read there. */
function isAnchored({ document }: ValuesFile, path: ValuePath): boolean {
  return path.some((_, index) => {
    const node: unknown = document.getIn(path.slice(0, index + 1), true);
    return typeof node === "object" && node !== null && "anchor" in node && node.anchor !== undefined;
  });
}

function sizeOf({ templates, subcharts }: ChartSource): number {
  return templates.reduce((sum, { text }) => sum + text.length, 0) + subcharts.reduce((sum, chart) => sum + sizeOf(chart), 0);
}

/** Of the suspects those whose change moves nothing: one render for all of them, and halves when something did move, as long as renders are left. */
export async function confirmDead(
  bench: Bench,
  suspects: readonly Suspect[],
  plain: string,
  mostRenders: number,
): Promise<readonly DeadValue[] | undefined> {
  const standIns = standInsBy(bench.text);
  const leaves = new Map(leavesOf(bench.values).map((leaf) => [JSON.stringify(leaf.path), leaf]));
  const tried = suspects.flatMap((suspect) => {
    const leaf = leaves.get(JSON.stringify(suspect.path));
    const change = leaf === undefined ? undefined : changeAlone(leaf, standIns);
    return change === undefined ? [] : [{ suspect, change }];
  });
  if (tried.length === 0) return [];
  const still = stillBy(plain, bench.text);
  let renders = 0;
  const settle = async (group: typeof tried): Promise<typeof tried> => {
    if (group.length === 0 || renders >= mostRenders) return [];
    renders++;
    const changed = await bench.render(group.map(({ change }): StandIn => change));
    if (changed !== undefined && still(changed.text)) return group;
    if (group.length === 1) return [];
    const half = Math.ceil(group.length / 2);
    return [...(await settle(group.slice(0, half))), ...(await settle(group.slice(half)))];
  };
  const dead = await settle(tried);
  return dead.map(({ suspect }) => ({
    path: pathText(suspect.path),
    origin: suspect.origin,
    overlay: suspect.overlay,
    ...(suspect.meant !== undefined && { meant: suspect.meant }),
  }));
}

/** Whether a render is the plain one, documents left out that differ in every render. */
function stillBy(first: string, second: string): (text: string) => boolean {
  const before = new Map(textsOf(first));
  const base = textsOf(second).filter(([key, text]) => before.get(key) === text);
  return (text) => {
    const after = new Map(textsOf(text));
    return base.every(([key, before]) => after.get(key) === before) && after.size === textsOf(second).length;
  };
}

function textsOf(render: string): readonly (readonly [string, string])[] {
  const counts = new Map<string, number>();
  return parseManifests(render).all.map(({ kind, source, text }) => {
    const key = `${source ?? ""} ${kind}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return [`${key} ${count}`, text] as const;
  });
}

/** The layers' values merged the way helm does, flags left out: enough to read templates by. */
function merged(layers: readonly Layer[]): unknown {
  let values: unknown = {};
  for (const layer of layers) {
    if (layer.kind !== "overlay" && layer.kind !== "chart") continue;
    const below = layer.prefix.reduceRight<unknown>((inner, key) => ({ [String(key)]: inner }), layer.values.root);
    values = merge(values, below);
  }
  return values;
}

function merge(below: unknown, above: unknown): unknown {
  if (!isMap(below) || !isMap(above)) return above ?? below;
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) result[key] = merge(result[key], value);
  return result;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
