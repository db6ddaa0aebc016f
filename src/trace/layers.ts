import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SetFlag } from "../config/types.js";
import type { Range } from "../manifest/types.js";
import type { RenderJob } from "../plan.js";
import { keyOf, type ValuePath } from "./bindings.js";
import { pathsOfSet } from "./set-flags.js";
import { type Found, findValue, readValuesFile, type ValuesFile } from "./values-file.js";

/** One source of values; a later one wins. */
export type Layer =
  /** `values.yaml` of the chart or of a subchart: its root is the value at `prefix`. */
  | { readonly kind: "chart"; readonly values: ValuesFile; readonly prefix: ValuePath }
  /** A subchart in an archive, by the line of Chart.yaml that names it. */
  | { readonly kind: "packed"; readonly file: string; readonly range: Range; readonly prefix: ValuePath }
  | { readonly kind: "overlay"; readonly values: ValuesFile; readonly prefix: ValuePath }
  | { readonly kind: "flag"; readonly flag: SetFlag; readonly paths: readonly ValuePath[] };

/** What one layer says about a path; of a flag and an archive only that it decides. */
export interface Setting {
  readonly layer: Layer;
  readonly found: Found | undefined;
}

const flagOrder = ["--set-json", "--set", "--set-string", "--set-file"];
const deepest = 6;

/** Reads the layers of a job, lowest first. A file that cannot be read is left out: what it sets is then claimed of nobody. */
export async function readLayers(job: RenderJob): Promise<readonly Layer[]> {
  const isFolder = (await stat(job.chart).catch(() => undefined))?.isDirectory() ?? false;
  const chart = isFolder ? await chartLayers(job.chart, [], 0) : [];
  const overlays = await Promise.all(job.values.map((file) => readOverlay(file)));
  const flags = job.sets.toSorted((a, b) => flagOrder.indexOf(a.flag) - flagOrder.indexOf(b.flag));
  return [
    ...chart,
    ...overlays.flatMap((values) => (values === undefined ? [] : [{ kind: "overlay", values, prefix: [] } as const])),
    ...flags.map((flag) => ({ kind: "flag", flag, paths: pathsOfSet(flag.flag, flag.expression) ?? [] }) as const),
  ];
}

async function readOverlay(file: string): Promise<ValuesFile | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : readValuesFile(file, text);
}

interface Dependency {
  readonly name: string;
  readonly called: string;
  readonly file: string;
  readonly range: Range;
}

/** Subcharts first: what a chart says about its subchart wins over the subchart's own values. */
async function chartLayers(folder: string, prefix: ValuePath, depth: number): Promise<readonly Layer[]> {
  if (depth > deepest) return [];
  const layers: Layer[] = [];
  const dependencies = await readDependencies(folder);
  const entries = (await readdir(join(folder, "charts"), { withFileTypes: true }).catch(() => [])).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const folders = new Map<string, string>();
  for (const entry of entries) {
    const path = join(folder, "charts", entry.name);
    const name = await chartName(path);
    if (name !== undefined && !folders.has(name)) folders.set(name, path);
  }
  for (const { name, called, file, range } of dependencies) {
    const path = folders.get(name);
    if (path !== undefined) layers.push(...(await chartLayers(path, [...prefix, called], depth + 1)));
    else layers.push({ kind: "packed", file, range, prefix: [...prefix, called] });
  }
  for (const [name, path] of folders) {
    if (dependencies.every((dependency) => dependency.name !== name))
      layers.push(...(await chartLayers(path, [...prefix, name], depth + 1)));
  }
  const values = await readOverlay(join(folder, "values.yaml"));
  return values === undefined ? layers : [...layers, { kind: "chart", values, prefix }];
}

async function chartName(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "Chart.yaml"), "utf8").catch(() => "");
  return /^name:[ \t]*["']?([^"'\s#]+)/m.exec(text)?.[1];
}

async function readDependencies(folder: string): Promise<readonly Dependency[]> {
  const found: Dependency[] = [];
  for (const name of ["Chart.yaml", "requirements.yaml"]) {
    const values = await readOverlay(join(folder, name));
    const list = (values?.root as { dependencies?: unknown } | null | undefined)?.dependencies;
    if (values === undefined || !Array.isArray(list)) continue;
    for (const [index, item] of list.entries()) {
      const { name: own, alias } = (item ?? {}) as { name?: unknown; alias?: unknown };
      const place = findValue(values, ["dependencies", index, "name"]);
      if (typeof own !== "string" || place.state !== "set") continue;
      found.push({ name: own, called: typeof alias === "string" && alias !== "" ? alias : own, file: values.file, range: place.range });
    }
  }
  return found;
}

/** What every layer says about a path, lowest first; layers without a word about it are left out. */
export function chainOf(layers: readonly Layer[], path: ValuePath): readonly Setting[] {
  return layers.flatMap((layer): Setting[] => {
    if (layer.kind === "flag") {
      const decides = layer.paths.some((own) => startsWith(path, own));
      return decides ? [{ layer, found: undefined }] : [];
    }
    if (!startsWith(path, layer.prefix)) return [];
    if (layer.kind === "packed") return [{ layer, found: undefined }];
    const found = findValue(layer.values, path.slice(layer.prefix.length));
    return found.state === "absent" && !replacesList(found, path.slice(layer.prefix.length)) ? [] : [{ layer, found }];
  });
}

/** A list is replaced as a whole: a layer that has a shorter one decides that there is no such element. */
function replacesList(found: Found & { state: "absent" }, path: ValuePath): boolean {
  return typeof path[found.depth] === "number" && found.key !== undefined;
}

/** An ancestor of a path that is not set itself. */
export interface Ancestor {
  readonly layer: Layer;
  readonly values: ValuesFile;
  readonly range: Range;
  readonly depth: number;
}

/** The nearest ancestor of a path that a file sets; of several files the highest. */
export function nearestAncestor(layers: readonly Layer[], path: ValuePath): Ancestor | undefined {
  let best: Ancestor | undefined;
  for (const layer of layers) {
    if ((layer.kind !== "chart" && layer.kind !== "overlay") || !startsWith(path, layer.prefix)) continue;
    const found = findValue(layer.values, path.slice(layer.prefix.length));
    if (found.state === "set" || found.key === undefined) continue;
    const depth = found.depth + layer.prefix.length;
    if (best === undefined || depth >= best.depth) best = { layer, values: layer.values, range: found.key, depth };
  }
  return best;
}

function startsWith(path: ValuePath, prefix: ValuePath): boolean {
  return prefix.length <= path.length && keyOf(path.slice(0, prefix.length)) === keyOf(prefix);
}
