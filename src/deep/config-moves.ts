import type { Manifest, Manifests } from "../manifest/types.js";
import { asMapping, asString, mappingsOf } from "../model/read.js";
import type { ConfigMove } from "../model/reruns.js";
import type { Environment, Workload } from "../model/types.js";
import { twinsIn } from "../trace/fields.js";
import { isNumeric, leavesOf, type StandIn, standInsBy } from "../trace/leaves.js";
import type { Bench } from "./rerun.js";

/** How many values are changed alone. */
const most = 4;

/** Changes values that reach a ConfigMap or Secret and not the pods that read it at start, one at a time, and looks whether those pods follow. */
export async function findMoves(bench: Bench): Promise<readonly ConfigMove[] | undefined> {
  const sources = configsOf(bench.environment).flatMap((source) => {
    const readers = bench.environment.workloads.filter((workload) => workload.longRunning && readsAtStart(workload, source));
    return readers.length === 0 ? [] : [{ source, readers }];
  });
  if (sources.length === 0) return [];
  const standIns = standInsBy(bench.text);
  const all = leavesOf(bench.values).flatMap((leaf) =>
    isNumeric(leaf) ? [standIns.number(leaf)] : typeof leaf.value === "string" && leaf.value !== "" ? [standIns.text(leaf)] : [],
  );
  const shaken = await shake(bench, all);
  if (shaken === undefined) return undefined;
  const twins = twinsIn(bench.environment.manifests, shaken);
  const chosen = new Map<StandIn, (typeof sources)[number][]>();
  for (const entry of sources) {
    const twin = twins.of(entry.source.at);
    if (twin === undefined || twin.name !== entry.source.name) continue; // named by its content
    const data = dataText(twin);
    const pods = entry.readers.map((workload) => podText(twins.of(workload.at)));
    const only = all.find(({ mark }) => data.includes(mark) && !pods.some((text) => text.includes(mark)));
    if (only !== undefined) chosen.set(only, [...(chosen.get(only) ?? []), entry]);
  }
  const moves: ConfigMove[] = [];
  for (const [standIn, entries] of [...chosen].slice(0, most)) {
    const changed = await bench.render([standIn]);
    if (changed === undefined) continue;
    const after = twinsIn(bench.environment.manifests, changed.manifests);
    const before = twinsIn(bench.environment.manifests, bench.base);
    for (const { source, readers } of entries) {
      const twin = after.of(source.at);
      if (twin === undefined || twin.name !== source.name || !dataText(twin).includes(standIn.mark)) continue;
      moves.push({
        source: `${source.kind}/${source.name}`,
        at: source.at,
        path: standIn.leaf.path.join("."),
        readers: readers.map((workload) => ({ workload, moved: podText(after.of(workload.at)) !== podText(before.of(workload.at)) })),
      });
    }
  }
  return moves;
}

/** All changes at once; when helm refuses that, each half alone, and the first half that renders. */
async function shake(bench: Bench, changes: readonly StandIn[]): Promise<Manifests | undefined> {
  const whole = await bench.render(changes);
  if (whole !== undefined) return whole.manifests;
  const half = Math.ceil(changes.length / 2);
  for (const part of [changes.slice(0, half), changes.slice(half)]) {
    const rendered = part.length === 0 ? undefined : await bench.render(part);
    if (rendered !== undefined) return rendered.manifests;
  }
  return undefined;
}

function configsOf({ manifests }: Environment): readonly Manifest[] {
  return (["ConfigMap", "Secret"] as const)
    .flatMap((kind) => manifests.ofKind(kind))
    .filter(({ name, body, hooks }) => !name.endsWith("-scripts") && body["immutable"] !== true && hooks.length === 0);
}

/** Whether a container start is what reads the object: env, envFrom, or a mounted sub path. A reloader takes care of the rest. */
function readsAtStart(workload: Workload, { kind, name }: Manifest): boolean {
  const annotations = { ...workload.manifest.annotations, ...workload.pod.annotations };
  if (Object.keys(annotations).some((key) => /reloader|configmap\.fabric8|wave\.pusher/.test(key))) return false;
  const reference = kind === "ConfigMap" ? ["configMapRef", "configMapKeyRef"] : ["secretRef", "secretKeyRef"];
  const volumes = new Set(
    workload.pod.volumes
      .filter(({ type, target }) => target === name && type === (kind === "ConfigMap" ? "configMap" : "secret"))
      .map((volume) => volume.name),
  );
  return workload.containers.some(
    ({ body, mounts }) =>
      mounts.some((mount) => mount.subPath && volumes.has(mount.name)) ||
      mappingsOf(body["envFrom"]).some(({ body: from }) => reference.some((key) => asString(asMapping(from[key])?.["name"]) === name)) ||
      mappingsOf(body["env"]).some(({ body: entry }) => {
        const from = asMapping(entry["valueFrom"]);
        return reference.some((key) => asString(asMapping(from?.[key])?.["name"]) === name);
      }),
  );
}

function dataText(manifest: Manifest): string {
  const { data, stringData, binaryData } = manifest.body;
  const decoded =
    manifest.kind === "Secret"
      ? Object.values(asMapping(data) ?? {}).map((value) => Buffer.from(String(value), "base64").toString("utf8"))
      : data;
  return JSON.stringify([decoded, stringData, binaryData]);
}

function podText(manifest: Manifest | undefined): string {
  return manifest === undefined ? "" : JSON.stringify(asMapping(manifest.body["spec"])?.["template"] ?? null);
}
