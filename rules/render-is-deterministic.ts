import { type Difference, defineRule } from "../src/api.js";

export default defineRule({
  id: "render-is-deterministic",
  summary: "Two renders of one input are equal",
  scope: "environment",
  severity: "warning",
  category: "rollouts",
  deep: true,
  *check(_, { reruns, judged }) {
    if (reruns?.differences === undefined) return;
    judged();
    const ofObject = new Map<string, Difference[]>();
    for (const difference of reruns.differences) {
      const key = `${difference.at.object.document} ${difference.inPodTemplate}`;
      ofObject.set(key, [...(ofObject.get(key) ?? []), difference]);
    }
    for (const [first, ...others] of ofObject.values()) {
      if (first === undefined) continue;
      const more = others.length === 0 ? "" : `, and ${others.length} more ${others.length === 1 ? "field" : "fields"}`;
      yield {
        at: first.at,
        because: others.slice(0, 5).map(({ at }) => ({ term: "differs too", value: at.field, at })),
        message: `${first.at.subject} is different in every render (${first.at.field || "its name"}${more})${first.inPodTemplate ? ": every upgrade rolls the pods, whether anything changed or not" : ": every upgrade replaces it"}`,
        hint: "take the value from the values or from an existing object (lookup), instead of a random or time function",
        ...(first.inPodTemplate ? {} : { severity: "note" as const }),
      };
    }
  },
});
