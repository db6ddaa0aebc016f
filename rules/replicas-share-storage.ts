import { defineRule, exclusiveClaims, type Facts, type Problem, runsOnOneNode, type Workload } from "../src/api.js";

/** Volumes that every pod, or every node, has for itself. */
const local = ["emptyDir", "hostPath", "ephemeral"];

export default defineRule({
  id: "replicas-share-storage",
  summary: "Several replicas share only storage that several pods can use, and what they must share is not local to a pod",
  scope: "workload",
  severity: "error",
  category: "availability",
  facts: ["sharedPaths"],
  *check(workload, { factsOf, judged }) {
    const { kind, name, replicas } = workload;
    if (!workload.longRunning || kind === "Pod" || replicas.floor < 2) return;
    const many = `${kind} "${name}" keeps ${replicas.floor} replicas (${replicas.by})`;
    const because = [{ term: "replicas", value: replicas.floor, at: replicas.at }];
    for (const { volume, claim, mode } of exclusiveClaims(workload)) {
      judged();
      if (mode === "ReadWriteOnce" && runsOnOneNode(workload)) continue;
      const limit = mode === "ReadWriteOnce" ? "pods on a second node" : "all pods but one";
      yield {
        at: volume.at.key("persistentVolumeClaim", "claimName"),
        message: `${many} on one PersistentVolumeClaim "${claim.name}" (${mode}): ${limit} never start`,
        hint: "give the claim ReadWriteMany on a storage class that has it, or a StatefulSet with volumeClaimTemplates, or run one replica",
        because: [...because, { term: "access mode", value: mode, at: claim.at.key("spec", "accessModes") }],
      };
    }
    yield* split(workload, factsOf, many, judged);
  },
});

function* split(
  workload: Workload,
  factsOf: (subject: Workload["containers"][number]) => Facts,
  many: string,
  judged: () => void,
): Iterable<Problem> {
  const containers = [...workload.sidecars, ...workload.appContainers];
  const paths = new Set(containers.flatMap((container) => factsOf(container).sharedPaths ?? []));
  for (const path of paths) {
    judged();
    // The innermost mount decides what a path is on.
    const mounts = containers.flatMap(({ mounts }) => mounts.filter((mount) => isInside(path, mount.path)));
    const [mount] = mounts.sort((a, b) => b.path.length - a.path.length);
    const kind = mount === undefined ? "nothing" : sourceOf(workload, mount.name);
    const because = [{ term: "replicas", value: workload.replicas.floor, at: workload.replicas.at }];
    const hint = `mount a ReadWriteMany claim at ${path}, or keep what is in it elsewhere`;
    const apart = "each replica has files of its own there, and a request sees those of the pod that it happens to reach";
    if (mount === undefined) {
      const [first] = workload.appContainers;
      const message = `${many} that share ${path} (sharedPaths), but nothing is mounted there: ${apart}`;
      if (first !== undefined) yield { at: first.at.key("volumeMounts"), message, hint, because };
    } else if (local.includes(kind)) {
      yield {
        at: mount.at,
        message: `${many} that share ${path} (sharedPaths), but it is on ${kind} "${mount.name}": ${apart}`,
        hint,
        because,
      };
    }
  }
}

function sourceOf({ pod, kind }: Workload, name: string): string {
  const volume = pod.volumes.find((found) => found.name === name);
  // What is mounted and no volume comes from volumeClaimTemplates: one claim a pod.
  if (volume === undefined) return kind === "StatefulSet" ? "ephemeral" : "unknown";
  return volume.type;
}

function isInside(path: string, mount: string): boolean {
  const [inner, outer] = [path, mount].map((text) => `${text.replace(/\/+$/, "")}/`);
  return inner !== undefined && outer !== undefined && inner.startsWith(outer);
}
