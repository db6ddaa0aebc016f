import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseManifests } from "../manifest/parse.js";
import type { Manifests } from "../manifest/types.js";
import type { Reruns } from "../model/reruns.js";
import type { Environment } from "../model/types.js";
import type { RenderJob, RenderPlan } from "../plan.js";
import type { Outcome, Rendered } from "../render/outcome.js";
import { copyChart, type MarkedCopy } from "../trace/copy.js";
import { type Layer, readLayers } from "../trace/layers.js";
import { type StandIn, valuesWith } from "../trace/leaves.js";
import { createTemporary } from "../trace/temporary.js";
import { readChartSource } from "./chart-source.js";
import { findMoves } from "./config-moves.js";
import { confirmDead, findSuspects, type Suspect } from "./dead-values.js";
import { differencesBetween } from "./differences.js";
import type { RerunNeeds } from "./needs.js";
import { findWires } from "./wires.js";

/** What is known before helm is done. */
export interface Suspecting {
  readonly needs: RerunNeeds;
  /** By job id. Never rejects: a doubt is no reason to stop. */
  readonly suspects: ReadonlyMap<string, Promise<readonly Suspect[] | undefined>>;
}

/** Starts to look for values that no template reads; the texts of each chart are read once. */
export function suspectAll(plan: RenderPlan, needs: RerunNeeds): Suspecting {
  const known = new Map<string, ReturnType<typeof readChartSource>>();
  const readChart = (path: string) => {
    const read = known.get(path) ?? readChartSource(path);
    known.set(path, read);
    return read;
  };
  const { dead } = needs;
  const jobs = dead === "none" ? [] : plan.jobs.filter(({ kind, purpose }) => kind === "chart" && purpose === "environment");
  return {
    needs,
    suspects: new Map(
      jobs.map((job) => [job.id, findSuspects(job, dead === "all" ? "all" : "overlays", readChart).catch(() => undefined)]),
    ),
  };
}

/** A chart copy with what a plain render of it gave, to change values in and render again. */
export interface Bench {
  readonly environment: Environment;
  readonly base: Manifests;
  readonly text: string;
  readonly values: unknown;
  readonly layers: readonly Layer[];
  /** Renders with some values changed; undefined when that does not render. */
  render(changes: readonly StandIn[]): Promise<{ readonly manifests: Manifests; readonly text: string } | undefined>;
}

/** Renders an environment again as far as rules need it: at most nine times, not at all when nothing is suspected. */
export async function rerun(input: {
  readonly environment: Environment;
  readonly rendered: Rendered;
  readonly rerender: (job: RenderJob) => Promise<Outcome>;
  readonly suspecting: Suspecting;
}): Promise<Reruns> {
  const { environment, rendered, rerender } = input;
  const { needs } = input.suspecting;
  const suspects = await input.suspecting.suspects.get(rendered.job.id);
  const { job } = rendered;
  if (job.kind !== "chart") return {};
  const dead = suspects === undefined || suspects.length > 0 ? {} : { dead: [] };
  if (!suspects?.length && !needs.again && !needs.bumped && !needs.wires && !needs.moves) return dead;
  const copy = await copyChart(job.chart).catch(() => undefined);
  if (copy === undefined) return {};
  const temporary = await createTemporary();
  try {
    const first = (await rerender({ ...job, chart: copy.folder })).render;
    if (first === undefined) return {};
    const bench = await benchOf(environment, first, copy, rerender, temporary.path, job);
    return {
      ...(needs.again && { differences: differencesBetween(environment.manifests, bench.base) }),
      ...(needs.wires && (await part("wires", findWires(bench)))),
      ...(needs.moves && (await part("moves", findMoves(bench)))),
      ...(suspects?.length ? await part("dead", confirmDead(bench, suspects, rendered.text, needs.dead === "all" ? 4 : 1)) : dead),
      ...(needs.bumped && (await part("bumped", bumpedFields(bench, copy, job, rerender)))),
    };
  } finally {
    await temporary.remove();
    await copy.dispose();
  }
}

async function part<K extends keyof Reruns>(key: K, value: Promise<Reruns[K] | undefined>): Promise<Partial<Reruns>> {
  const found = await value;
  return found === undefined ? {} : ({ [key]: found } as Partial<Reruns>);
}

async function benchOf(
  environment: Environment,
  first: Rendered,
  copy: MarkedCopy,
  rerender: (job: RenderJob) => Promise<Outcome>,
  folder: string,
  job: RenderJob,
): Promise<Bench> {
  const layers = await readLayers(job);
  const values = copy.valuesIn(first.text);
  // What a flag sets wins over every file, so it moves into the file that changes values.
  const moved = layers.flatMap((layer) => (layer.kind === "flag" && layer.paths.length > 0 ? [layer] : []));
  const also = moved.flatMap(({ paths }) => paths.map((path) => path.slice(0, firstIndex(path))));
  const sets = job.sets.filter((flag) => !moved.some((layer) => layer.flag === flag));
  let count = 0;
  return {
    environment,
    base: parseManifests(first.text),
    text: first.text,
    values,
    layers,
    render: async (changes) => {
      if (values === undefined) return undefined;
      const file = join(folder, `${count++}.json`);
      await writeFile(file, JSON.stringify(valuesWith(values, changes, also)), { mode: 0o600 });
      const { render } = await rerender({ ...job, chart: copy.folder, values: [...job.values, file], sets });
      return render === undefined ? undefined : { manifests: parseManifests(render.text), text: render.text };
    },
  };
}

/** A list is given whole, so a path ends before its first index. */
function firstIndex(path: readonly (string | number)[]): number {
  const index = path.findIndex((step) => typeof step === "number");
  return index < 0 ? path.length : Math.max(1, index);
}

/** Versions that no chart has. */
const other = "71.72.73";

/** Random fields, which differ anyway, are left out. */
async function bumpedFields(
  bench: Bench,
  copy: MarkedCopy,
  job: RenderJob,
  rerender: (job: RenderJob) => Promise<Outcome>,
): Promise<Reruns["bumped"]> {
  const manifests = await renderBumped(copy, job, rerender);
  if (manifests === undefined) return undefined;
  const plain = bench.environment.manifests;
  const random = new Set(differencesBetween(plain, bench.base).map(({ at }) => String(at)));
  return differencesBetween(plain, manifests).filter(({ at }) => !random.has(String(at)));
}

async function renderBumped(
  copy: MarkedCopy,
  job: RenderJob,
  rerender: (job: RenderJob) => Promise<Outcome>,
): Promise<Manifests | undefined> {
  const file = join(copy.folder, "Chart.yaml");
  const before = await readFile(file, "utf8");
  const after = before.replace(/^(version|appVersion):.*$/gm, (_, key: string) => `${key}: "${other}"`);
  if (after === before) return undefined;
  await writeFile(file, after);
  const { render } = await rerender({ ...job, chart: copy.folder });
  return render === undefined ? undefined : parseManifests(render.text);
}
