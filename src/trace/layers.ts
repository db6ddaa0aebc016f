import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SetFlag } from "../config/types.js";
import type { Range } from "../manifest/types.js";
import type { RenderJob } from "../plan.js";
import { keyOf, type ValuePath } from "./bindings.js";
import { pathsOfSet } from "./set-flags.js";
import { readValuesDocuments } from "./values-documents.js";
import { type Found, findValue, readValuesFile, type ValuesFile } from "./values-file.js";

/** One source of values; a later one wins. `document` counts those of one file from 0; absent when the file has one. */
export type Layer =
  /** `values.yaml` of the chart or of a subchart: its root is the value at `prefix`. */
  | { readonly kind: "chart"; readonly values: ValuesFile; readonly prefix: ValuePath; readonly document?: number }
  /** A subchart in an archive, by the line of Chart.yaml that names it. */
  | { readonly kind: "packed"; readonly file: string; readonly range: Range; readonly prefix: ValuePath }
  | { readonly kind: "overlay"; readonly values: ValuesFile; readonly prefix: ValuePath; readonly document?: number }
  | { readonly kind: "flag"; readonly flag: SetFlag; readonly paths: readonly ValuePath[] };

/** What one layer says about a path; of a flag and an archive only that it decides. */
export interface Setting {
  readonly layer: Layer;
  readonly found: Found | undefined;
}

const flagOrder = ["--set-json", "--set", "--set-string", "--set-file"];
const deepest = 6;

/**
 * Reads the layers of a job, lowest first. A file that cannot be read is left out: what it sets is then claimed of nobody. So is one of
 * several documents, as helms differ in what they read of it, unless `every` document is asked for.
 */
export async function readLayers(job: RenderJob, every = false): Promise<readonly Layer[]> {
  const isFolder = (await stat(job.chart).catch(() => undefined))?.isDirectory() ?? false;
  const chart = isFolder ? await chartLayers(job.chart, [], 0, every) : [];
  const overlays = await Promise.all(job.values.map((file) => fileLayers("overlay", file, [], every)));
  const flags = job.sets.toSorted((a, b) => flagOrder.indexOf(a.flag) - flagOrder.indexOf(b.flag));
  return [
    ...chart,
    ...overlays.flat(),
    ...flags.map((flag) => ({ kind: "flag", flag, paths: pathsOfSet(flag.flag, flag.expression) ?? [] }) as const),
  ];
}

async function fileLayers(kind: "chart" | "overlay", file: string, prefix: ValuePath, every: boolean): Promise<readonly Layer[]> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  const documents = text === undefined ? [] : every ? readValuesDocuments(file, text) : [readValuesFile(file, text)];
  return documents.flatMap((values, document) => {
    if (values === undefined) return [];
    return [{ kind, values, prefix, ...(documents.length > 1 && { document }) }];
  });
}

interface Dependency {
  readonly name: string;
  readonly called: string;
  readonly file: string;
  readonly range: Range;
}

/** Subcharts first: what a chart says about its subchart wins over the subchart's own values. */
async function chartLayers(folder: string, prefix: ValuePath, depth: number, every: boolean): Promise<readonly Layer[]> {
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
    if (path !== undefined) layers.push(...(await chartLayers(path, [...prefix, called], depth + 1, every)));
    else layers.push({ kind: "packed", file, range, prefix: [...prefix, called] });
  }
  for (const [name, path] of folders) {
    if (dependencies.every((dependency) => dependency.name !== name))
      layers.push(...(await chartLayers(path, [...prefix, name], depth + 1, every)));
  }
  return [...layers, ...(await fileLayers("chart", join(folder, "values.yaml"), prefix, every))];
}

async function chartName(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "Chart.yaml"), "utf8").catch(() => "");
  return /^name:[ \t]*["']?([^"'\s#]+)/m.exec(text)?.[1];
}

async function readDependencies(folder: string): Promise<readonly Dependency[]> {
  const found: Dependency[] = [];
  for (const name of ["Chart.yaml", "requirements.yaml"]) {
    const file = join(folder, name);
    const text = await readFile(file, "utf8").catch(() => undefined);
    const values = text === undefined ? undefined : readValuesFile(file, text);
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
