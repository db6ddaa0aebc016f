import { defineRule } from "../src/api.js";

export default defineRule({
  id: "values-are-read",
  summary: "Every value that an overlay sets is read by a template",
  scope: "environment",
  severity: "warning",
  category: "configuration",
  *check({ chart }, { reruns, judged }) {
    if (chart.kind !== "chart" || reruns?.dead === undefined) return;
    judged();
    for (const { path, origin, overlay, meant } of reruns.dead) {
      const guess = meant === undefined ? "" : `, did you mean "${meant}"?`;
      yield {
        origin,
        subject: "values",
        message: `nothing reads "${path}": no template refers to it, and changing it moves nothing${guess}`,
        hint: meant === undefined ? "remove the key, or wire it up in a template" : `move the value to ${meant}`,
        ...(overlay ? {} : { severity: "note" as const }),
      };
    }
  },
});
