import { defineRule, formatSeconds, formatSpan } from "../src/api.js";

const verdict = {
  startup: "the kill of a container that never starts",
  readiness: "the removal from the Service",
  liveness: "the kill",
};

export default defineRule({
  id: "timeout-within-period",
  summary: "A probe gives up before its next attempt is due",
  scope: "container",
  severity: "warning",
  category: "probes",
  *check(container, { judged }) {
    if (!container.workload.longRunning || container.role === "init") return;
    for (const probe of container.probes) {
      judged();
      const { timeout, period, failures } = probe;
      if (timeout <= period) continue;
      const hanging = `${formatSpan(failures * timeout, failures * timeout)} or more (${failures} × ${timeout})`;
      const planned = formatSpan(failures * period, failures * period);
      yield {
        at: probe.at.key("timeoutSeconds"),
        message: `the ${probe.role} probe of "${container.name}" waits ${formatSeconds(timeout)} but is due every ${formatSeconds(period)}: hanging attempts run back to back, and ${verdict[probe.role]} takes ${hanging}, not ${planned}`,
        hint: `set timeoutSeconds to ${period} or less, or periodSeconds to ${timeout} or more`,
        because: [{ term: "period", value: period, unit: "s", at: probe.at.key("periodSeconds") }],
        fix: { value: period },
      };
    }
  },
});
