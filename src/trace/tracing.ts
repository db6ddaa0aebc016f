import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { manifestOf, parseManifests } from "../manifest/parse.js";
import { Place } from "../manifest/place.js";
import { isMapping } from "../manifest/tree.js";
import type { Manifests, Range } from "../manifest/types.js";
import type { RenderJob } from "../plan.js";
import type { Outcome } from "../render/outcome.js";
import { keyOf, type ValuePath } from "./bindings.js";
import { type Cause, findCauses, type Sought } from "./cause.js";
import type { MarkedCopy } from "./copy.js";
import { fieldKey, readField, twinsIn, withoutTwinNames } from "./fields.js";
import { type Landing, landingsOf } from "./landing.js";
import { type Layer, readLayers } from "./layers.js";
import { isBelow, leavesOf, valueAt } from "./leaves.js";
import type { LiteralDefault } from "./line-references.js";
import { liveLayers } from "./live-layers.js";
import { withoutMarks } from "./mark.js";
import { findOrigins } from "./origin.js";
import { readReferences } from "./references.js";
import { suspectsOf } from "./suspects.js";
import { createTemporary } from "./temporary.js";
import type { Origins, TemplateOrigin } from "./types.js";

/** A field whose lines are wanted. */
export interface Wanted {
  readonly at: Place;
  /** The lower, the earlier renders are spent on it. */
  readonly rank: number;
  /** Whether leaves may be changed alone for it. */
  readonly alone: boolean;
}

/** What is known of where a field comes from. */
export interface Traced {
  readonly at: Place;
  readonly origin?: TemplateOrigin;
  /** Lines of the values, best first. */
  readonly landings: readonly Landing[];
  readonly cause: Cause;
  /** Whether the plain render has the field. */
  readonly isRendered: boolean;
  readonly value: unknown;
}

/** The lines of one environment. */
export interface Tracing {
  of(at: Place): Traced | undefined;
  readonly origins: Origins;
  readonly layers: readonly Layer[];
  readonly values: unknown;
  /** The `default` of the templates for a value that is not set. */
  defaultOf(path: ValuePath): LiteralDefault | undefined;
  /** The line of Chart.yaml that names the packed subchart that a `# Source:` path is in. */
  packedBy(source: string): { readonly file: string; readonly range: Range } | undefined;
  /** The packed chart that the template lines are in, absolute; undefined of a folder. */
  readonly archive: string | undefined;
  /** How often helm was run. */
  readonly renders: number;
}

/** One environment to trace. */
export interface TracingInput {
  readonly job: RenderJob;
  /** Of the plain render, and its text. */
  readonly manifests: Manifests;
  readonly text: string;
  readonly rerender: (job: RenderJob) => Promise<Outcome>;
  readonly copy: MarkedCopy | undefined;
  readonly wanted: readonly Wanted[];
  /** How many renders may be spent; `mostRenders` by default. */
  readonly budget?: number;
  /** Also says of the values beside those that move a field that they do not. */
  readonly curious?: boolean;
}

/** How many renders an environment's findings may cost. */
export const mostRenders = 12;

type Packed = Extract<Layer, { kind: "packed" }>;

const noCause: Cause = { movers: [], still: [], cut: false };

/** Finds the template lines and values lines of the wanted fields. Leaves nothing behind but the copy, which its owner disposes of. */
export async function traceFields(input: TracingInput): Promise<Tracing> {
  const { job, manifests, rerender, copy, wanted } = input;
  const files = copy?.files() ?? [];
  const sources = new Map(files.map(({ helmPath, file }) => [helmPath, file]));
  const places = wanted.map((one) => ({ ...one, helmPath: manifestOf(manifests, one.at)?.source ?? "" }));
  let marked: Manifests | undefined;
  const keepLast = async (again: RenderJob) => {
    const outcome = await rerender(again);
    if (outcome.render !== undefined) marked = parseManifests(withoutMarks(outcome.render.text));
    return outcome;
  };
  // the rest is read, and the copy without marks made, while helm renders
  const [origins, read, references] = await Promise.all([
    findOrigins({ job, manifests, rerender: keepLast, ...(copy !== undefined && { copy }) }),
    readLayers(job, true),
    setImmediate().then(() => {
      void copy?.folder;
      return readReferences(files, entriesOf(places, sources));
    }),
  ]);
  const layers = liveLayers(read, origins.values);
  // without a copy that renders, values that users write in files can still be changed
  const values = origins.values ?? mergeOverlays(layers);
  const own = twinsIn(manifests, manifests);
  const twins = marked === undefined ? undefined : twinsIn(manifests, marked);
  const fields = places.map((one) => {
    const { at, helmPath } = one;
    const plain = readField(own.of(at), at.path);
    // two renders that agree: the field is not random
    const calm = twins !== undefined && fieldKey(readField(twins.of(at), at.path)) === fieldKey(plain);
    return { ...one, origin: origins.originOf(at), source: sources.get(helmPath), plain, calm };
  });
  const leaves = leavesOf(values);
  const sought: readonly Sought[] = fields.map((field) => ({
    ...field,
    at: new Place(field.at.object, withoutTwinNames(own.of(field.at), field.at.path)),
    suspects: suspectsOf(field, references, files, values, leaves),
  }));
  const chart = origins.values === undefined ? job.chart : (origins.copy?.folder ?? job.chart);
  const budget = Math.max(0, (input.budget ?? mostRenders) - origins.renders);
  const found = await withValuesFile((renderWith) =>
    findCauses({
      sought,
      values,
      leaves,
      plain: manifests,
      text: input.text,
      renderWith,
      also: alsoOf(layers, values),
      budget,
      curious: input.curious === true,
      defaultOf: (path) => defaultOf(path)?.literal,
    }),
  );
  const traced = new Map(fields.map((field, index) => [placeKey(field.at), tracedOf(field, found.causes[index] ?? noCause)]));
  return {
    of: (at) => traced.get(placeKey(at)),
    origins,
    layers,
    values,
    defaultOf,
    packedBy: (source) => layers.find((layer) => layer.kind === "packed" && isBelow(prefixOf(source), layer.prefix)) as Packed | undefined,
    archive: copy?.archive,
    renders: origins.renders + found.renders,
  };

  function defaultOf(path: ValuePath): LiteralDefault | undefined {
    return references.defaults.find((literal) => keyOf(literal.path) === keyOf(path));
  }

  function tracedOf({ at, origin, plain }: (typeof fields)[number], cause: Cause): Traced {
    const landings = landingsOf(cause, at, layers, values, job);
    return { at, ...(origin !== undefined && { origin }), landings, cause, isRendered: plain.exists, value: plain.value };
  }

  /** The values may be secret, so the file is nobody else's, and gone afterwards. */
  async function withValuesFile<T>(use: (renderWith: (values: unknown) => Promise<Manifests | undefined>) => Promise<T>): Promise<T> {
    const folder = await createTemporary();
    let count = 0;
    try {
      return await use(async (changed) => {
        const file = join(folder.path, `${count++}.json`);
        await writeFile(file, JSON.stringify(changed), { mode: 0o600 });
        const sets = job.sets.filter(
          (flag) => !layers.some((layer) => layer.kind === "flag" && layer.flag === flag && layer.paths.length > 0),
        );
        const { render } = await rerender({ ...job, chart, values: [...job.values, file], sets });
        return render === undefined ? undefined : parseManifests(render.text);
      });
    } finally {
      await folder.remove();
    }
  }
}

function entriesOf(
  places: readonly { readonly helmPath: string }[],
  sources: ReadonlyMap<string, string>,
): readonly { readonly file: string; readonly prefix: ValuePath }[] {
  return [...new Set(places.map(({ helmPath }) => helmPath))].flatMap((helmPath) => {
    const file = sources.get(helmPath);
    return file === undefined ? [] : [{ file, prefix: prefixOf(helmPath) }];
  });
}

function placeKey(at: Place): string {
  return JSON.stringify([at.object.document, at.object.item, at.path]);
}

/** `top/charts/sub/templates/x.yaml` reads the values below `sub`. */
function prefixOf(helmPath: string): ValuePath {
  const steps = helmPath.split("/");
  const prefix: string[] = [];
  for (let index = 1; steps[index] === "charts" && index + 2 < steps.length; index += 2) prefix.push(steps[index + 1] ?? "");
  return prefix;
}

/** Flags win over every file, so what they set moves to the file that changes values; a list moves as a whole. */
function alsoOf(layers: readonly Layer[], values: unknown): readonly ValuePath[] {
  return layers.flatMap((layer) => {
    if (layer.kind !== "flag") return [];
    return layer.paths.map((path) => {
      const list = path.findIndex((step, index) => typeof step === "number" || Array.isArray(valueAt(values, path.slice(0, index))));
      return list === -1 ? path : path.slice(0, Math.max(1, list));
    });
  });
}

/** What the files of the environment set, merged the way helm does. */
function mergeOverlays(layers: readonly Layer[]): unknown {
  let merged: unknown = {};
  for (const layer of layers) {
    if (layer.kind === "overlay") merged = merge(merged, layer.values.root);
    else if (layer.kind === "chart" && layer.prefix.length === 0) merged = merge(layer.values.root, merged);
  }
  return merged;
}

function merge(below: unknown, above: unknown): unknown {
  if (!isMapping(below) || !isMapping(above)) return above ?? below;
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value === null) delete merged[key];
    else merged[key] = Object.hasOwn(merged, key) ? merge(merged[key], value) : value;
  }
  return merged;
}
