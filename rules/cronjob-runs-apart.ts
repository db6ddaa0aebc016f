import { type Context, defineRule, dig, formatSeconds, type Problem, shortestInterval, type Workload } from "../src/api.js";

/** A schedule as dense as this (seconds) needs a word about runs that overlap. */
const dense = 300;

export default defineRule({
  id: "cronjob-runs-apart",
  summary: "A run of a CronJob is over before the next one starts, or the next one waits",
  scope: "workload",
  severity: "warning",
  category: "shutdown",
  facts: ["run"],
  *check(workload, context) {
    const spec = dig(workload.body, "spec");
    const schedule = dig(spec, "schedule");
    if (workload.kind !== "CronJob" || typeof schedule !== "string" || dig(spec, "suspend") === true) return;
    const policy = dig(spec, "concurrencyPolicy");
    if (policy === "Forbid" || policy === "Replace") {
      context.judged();
      return;
    }
    const interval = shortestInterval(schedule);
    if (interval === undefined) return;
    const limit = dig(spec, "jobTemplate", "spec", "activeDeadlineSeconds");
    const deadline = typeof limit === "number" ? limit : undefined;
    const run = longestRun(workload, context);
    if (run !== undefined) {
      context.judged();
      const worst = Math.min(run, deadline ?? run);
      if (worst < interval) return;
      const bounded = worst < run ? " (its activeDeadlineSeconds)" : "";
      yield overlap(
        workload,
        `a run of CronJob "${workload.name}" takes up to ${formatSeconds(worst)}${bounded} and the next one may start after ${formatSeconds(interval)} ("${schedule}"): runs overlap`,
      );
      return;
    }
    context.ask("run");
    if (interval > dense || deadline !== undefined) return;
    context.judged();
    const stated = policy === "Allow";
    yield {
      ...overlap(
        workload,
        `CronJob "${workload.name}" starts every ${formatSeconds(interval)} ("${schedule}") with ${stated ? "concurrencyPolicy Allow" : "no concurrencyPolicy"} and no activeDeadlineSeconds: runs that take longer than that pile up without end`,
      ),
      ask: ["run"],
      severity: stated ? "note" : "warning",
    };
  },
});

function overlap(workload: Workload, message: string): Problem {
  return {
    at: workload.at.key("spec", "concurrencyPolicy"),
    message,
    hint: "set concurrencyPolicy to Forbid (skip a run) or Replace (stop the old one), and an activeDeadlineSeconds",
    because: [{ term: "schedule", value: String(dig(workload.body, "spec", "schedule")), at: workload.at.key("spec", "schedule") }],
  };
}

/** Init containers run one after another, then the longest of the others; what is declared of the CronJob as a whole is all of it. */
function longestRun(workload: Workload, { factsOf }: Context): number | undefined {
  const whole = factsOf(workload).run;
  if (whole !== undefined) return whole;
  const runs = workload.appContainers.flatMap((container) => factsOf(container).run ?? []);
  if (runs.length === 0) return undefined;
  return workload.initContainers.reduce((sum, container) => sum + (factsOf(container).run ?? 0), Math.max(...runs));
}
