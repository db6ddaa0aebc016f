import { defineRule } from "../src/api.js";

export default defineRule({
  id: "config-change-rolls",
  summary: "A change of configuration that pods read at start rolls those pods",
  scope: "environment",
  severity: "warning",
  category: "rollouts",
  deep: true,
  *check(_, { reruns, judged }) {
    for (const { source, at, path, readers } of reruns?.moves ?? []) {
      judged();
      for (const { workload, moved } of readers) {
        if (moved) continue;
        yield {
          at: workload.pod.metadataAt.key("annotations"),
          because: [{ term: source, value: path, at }],
          message: `${workload.kind} "${workload.name}" reads ${source} when its containers start, but changing "${path}" moves ${source} and not the pod template: nothing rolls, and pods of old and new configuration run side by side`,
          hint: `add an annotation such as checksum/config with the sha256sum of the template of ${source} to the pod template`,
        };
      }
    }
  },
});
