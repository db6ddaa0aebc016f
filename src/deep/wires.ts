import type { Manifests } from "../manifest/types.js";
import { buildEnvironment } from "../model/environment.js";
import { probeNumberFields, type Wire } from "../model/reruns.js";
import type { Environment } from "../model/types.js";
import { isNumeric, type Leaf, leavesOf, standInsBy } from "../trace/leaves.js";
import type { Bench } from "./rerun.js";

/**
 * One render with a distinct number in every leaf of the probe blocks shows which field each of them drives. A block need not be called a probe:
 * the keys of its numbers tell it too, unless the chart refuses to have those changed.
 */
export async function findWires(bench: Bench): Promise<readonly Wire[] | undefined> {
  const leaves = leavesOf(bench.values).filter((leaf) => isNumeric(leaf) && isOfProbe(leaf));
  if (leaves.length === 0) return [];
  const named = leaves.filter(isNamedProbe);
  const all = await wiresOf(leaves, bench);
  return all !== undefined || named.length === 0 || named.length === leaves.length ? all : wiresOf(named, bench);
}

function isNamedProbe({ path }: Leaf): boolean {
  return path.some((step) => typeof step === "string" && /probe/i.test(step));
}

function isOfProbe(leaf: Leaf): boolean {
  return isNamedProbe(leaf) || probeNumberFields.includes(String(leaf.path.at(-1)));
}

async function wiresOf(leaves: readonly Leaf[], bench: Bench): Promise<readonly Wire[] | undefined> {
  const standIns = standInsBy(bench.text);
  const changes = leaves.map((leaf) => standIns.number(leaf));
  const changed = await bench.render(changes);
  if (changed === undefined) return undefined;
  const after = withManifests(bench.environment, changed.manifests);
  const shown = after.workloads.flatMap((workload) =>
    workload.containers.flatMap((container) =>
      container.probes.flatMap((probe) =>
        probeNumberFields.flatMap((field) => {
          const value = probe.body[field];
          const at = placeBefore(bench.environment, workload.kind, workload.name, container.name, probe.role, field);
          return typeof value === "number" && at !== undefined ? [{ value, reached: { at, role: probe.role, field } }] : [];
        }),
      ),
    ),
  );
  return changes.map(({ leaf, mark }) => ({
    path: leaf.path,
    reached: shown.filter(({ value }) => String(value) === mark).map(({ reached }) => reached),
    moved: changed.text.includes(mark),
  }));
}

/** The environment with another render in place of its own. */
export function withManifests(environment: Environment, manifests: Manifests): Environment {
  const { name, chart, release, namespace, kubeVersion, nodes, deploy, external, debts, today } = environment;
  return buildEnvironment({ name, chart, release, namespace, kubeVersion, nodes, deploy, external, debts, today, manifests });
}

function placeBefore(environment: Environment, kind: string, name: string, container: string, role: string, field: string) {
  const workload = environment.workloads.find((candidate) => candidate.kind === kind && candidate.name === name);
  const probe = workload?.containers.find((candidate) => candidate.name === container)?.probes.find((candidate) => candidate.role === role);
  return probe?.at.key(field);
}
