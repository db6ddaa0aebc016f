import { defineRule, formatSeconds, goneAfter, livenessKill, startupKill } from "../src/api.js";

/** A pod grace period above this many seconds is meant for an orderly end, not for a hung process. */
const longest = 120;

export default defineRule({
  id: "probe-kill-grace",
  summary: "A probe that kills does not wait out a long grace period for a process that hangs",
  scope: "container",
  severity: "note",
  category: "shutdown",
  *check(container, { judged }) {
    const { grace } = container.workload.pod;
    if (!container.workload.longRunning || container.role === "init") return;
    for (const probe of [container.startup, container.liveness]) {
      if (probe === undefined) continue;
      judged();
      if (grace.value <= longest || probe.grace !== undefined) continue;
      const gone = goneAfter(grace.value, container.preStop !== undefined);
      const verdict = probe.role === "startup" ? startupKill(probe).latest : livenessKill(probe, false).latest;
      yield {
        at: probe.at.key("terminationGracePeriodSeconds"),
        message: `when ${probe.role} gives "${container.name}" up, a hung process is left for the pod's grace period of ${formatSeconds(grace.value)} before it is killed: up to ${formatSeconds(verdict)} to the verdict, and up to ${formatSeconds(gone)} more to the restart`,
        hint: "give the probe a terminationGracePeriodSeconds of its own, such as 10: it holds for its kills only, not for rollouts and drains",
        because: [{ term: "pod grace", value: grace.value, unit: "s", at: grace.at }],
      };
    }
  },
});
