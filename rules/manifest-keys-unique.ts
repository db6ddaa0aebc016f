import { defineRule, type Manifest } from "../src/api.js";

const workloads = new Set([
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "Pod",
  "Rollout",
  "ReplicaSet",
  "ReplicationController",
]);

export default defineRule({
  id: "manifest-keys-unique",
  summary: "No mapping of a rendered manifest has a key twice, because all but the last are dropped without a word",
  scope: "manifest",
  severity: "error",
  category: "rollouts",
  *check(manifest, { judged }) {
    // Megabytes of schemas that a tool generated.
    if (manifest.kind === "CustomResourceDefinition") return;
    const { duplicateKeys } = manifest;
    if (duplicateKeys.length > 0 && isTest(manifest)) return;
    judged();
    for (const { at, key, line } of duplicateKeys) {
      const last = at.path.at(-2);
      const owner = at.path.length < 2 ? "the object" : typeof last === "string" ? last : `${last?.name ?? `element ${last?.index}`}`;
      yield {
        at,
        message: `${manifest.kind} "${manifest.name}" has the key "${key}" twice in ${owner}: helm says nothing, the last one wins, and what the first one says is lost`,
        hint: "keep one of the two: most often a template writes the key, and a values block or an include writes it again",
        notes: [{ label: "where", text: `the one that wins is on line ${line} of the render` }],
        ...(workloads.has(manifest.kind) ? {} : { severity: "warning" as const }),
      };
    }
  },
});

function isTest({ hooks }: Manifest): boolean {
  return hooks.some((event) => event === "test" || event.startsWith("test-"));
}
