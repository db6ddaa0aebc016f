import { defineRule } from "../src/api.js";

export default defineRule({
  id: "baseline-is-current",
  summary: "Every entry of the baseline still stands for a finding",
  scope: "run",
  severity: "error",
  category: "run",
  *check({ stale }, { judged }) {
    for (const { rule, subject, field, environments, origin } of stale) {
      judged();
      yield {
        origin,
        message: `the baseline accepts "${rule}" of ${subject}${field === "" ? "" : ` ${field}`}, which is no longer found${environments.length === 0 ? "" : ` in ${environments.join(", ")}`}`,
        hint: "run check --prune-baseline: a stale entry would hide the same finding when it comes back",
      };
    }
  },
});
