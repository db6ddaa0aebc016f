import { defineRule, listed, registryOf, type Workload } from "../src/api.js";

export default defineRule({
  id: "pull-secrets-agree",
  summary: "Pods that pull from one registry name the same pull secrets",
  scope: "environment",
  severity: "warning",
  category: "configuration",
  facts: ["external"],
  *check(environment, { judged }) {
    const told = new Set<string>();
    for (const [registry, pods] of podsByRegistry(environment.workloads)) {
      const expected = agreed(pods);
      if (expected === undefined || pods.length < 2) continue;
      judged();
      for (const workload of pods) {
        const { pullSecrets, serviceAccount, at } = workload.pod;
        const key = `${workload.at.subject} ${workload.namespace}`;
        if (told.has(key) || pullSecrets.some((name) => expected.names.includes(name))) continue;
        // Somebody else's service account may carry the secret.
        if (pullSecrets.length === 0 && environment.isExternal(`ServiceAccount/${serviceAccount ?? "default"}`)) continue;
        told.add(key);
        const found = pullSecrets.length === 0 ? "without a pull secret" : `with the pull secret ${quoted(pullSecrets)}`;
        const { by } = expected;
        yield {
          at: at.key("imagePullSecrets"),
          message: `${workload.kind} "${workload.name}" pulls from ${registry} ${found}, and ${by.kind} "${by.name}" with ${quoted(expected.names)}: ${pullSecrets.length === 0 ? "either both need it or neither does" : "one of the two is the wrong one"}`,
          hint: `name ${quoted(expected.names)} in imagePullSecrets of every pod that pulls from ${registry}, or in its service account`,
          because: [{ term: "pull secret", value: expected.names.join(", "), at: by.pod.at.key("imagePullSecrets") }],
        };
      }
    }
  },
});

function podsByRegistry(workloads: readonly Workload[]): ReadonlyMap<string, readonly Workload[]> {
  const groups = new Map<string, Workload[]>();
  for (const workload of workloads) {
    if (workload.isTest) continue;
    const registries = new Set(workload.containers.flatMap(({ image }) => registryOf(image) ?? []));
    for (const registry of registries) groups.set(registry, [...(groups.get(registry) ?? []), workload]);
  }
  return groups;
}

/** The secrets that every pod with a secret has; where there is none, those of the most common set, the first in the render of equal ones. */
function agreed(pods: readonly Workload[]): { readonly names: readonly string[]; readonly by: Workload } | undefined {
  const having = pods.filter(({ pod }) => pod.pullSecrets.length > 0);
  const [first] = having;
  if (first === undefined) return undefined;
  const shared = first.pod.pullSecrets.filter((name) => having.every(({ pod }) => pod.pullSecrets.includes(name)));
  if (shared.length > 0) return { names: shared, by: first };
  const counts = new Map<string, number>();
  for (const { pod } of having) counts.set(pod.pullSecrets.join("\n"), (counts.get(pod.pullSecrets.join("\n")) ?? 0) + 1);
  const frequency = ({ pod }: Workload) => counts.get(pod.pullSecrets.join("\n")) ?? 0;
  const best = having.reduce((most, workload) => (frequency(workload) > frequency(most) ? workload : most));
  return { names: best.pod.pullSecrets, by: best };
}

function quoted(names: readonly string[]): string {
  return listed(names.map((name) => `"${name}"`));
}
