import {
  asDeclared,
  defineRule,
  type Facts,
  formatSeconds,
  formatSpan,
  type Probe,
  type Problem,
  reliableBudget,
  startupKill,
} from "../src/api.js";

/** A liveness budget under this many seconds is worth a look when nothing is known of the boot. */
const worthALook = 30;

export default defineRule({
  id: "startup-covers-boot",
  summary: "The kubelet surely waits for the longest boot before it kills a starting container",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["boot"],
  *check(container, { facts, judged, ask }) {
    if (!container.workload.longRunning || container.role === "init") return;
    const probe = container.startup ?? container.liveness;
    if (probe === undefined) return;
    const { boot } = facts;
    const budget = reliableBudget(probe);
    if (boot !== undefined) {
      judged();
      if (budget.seconds < boot) yield tooShort(probe, boot, facts);
      return;
    }
    ask("boot");
    if (probe.role === "startup" || budget.seconds >= worthALook) return;
    judged();
    yield {
      at: probe.at,
      message: `"${container.name}" has ${formatSeconds(budget.seconds)} for certain to boot (${budget.explain()}) before liveness kills it: it has no startup probe`,
      hint: "add a startup probe that waits for the longest boot",
      ask: ["boot"],
      severity: "note",
    };
  },
});

function tooShort(probe: Probe, boot: number, facts: Facts): Problem {
  const { container, role, delay, period } = probe;
  const budget = reliableBudget(probe);
  const latest = startupKill(probe).latest;
  const attempts = Math.ceil((boot - delay + (delay > 0 ? 1 : 0)) / period) + 1;
  const starting = role === "startup";
  return {
    at: probe.at.key("failureThreshold"),
    message: `"${container.name}" may need ${formatSeconds(boot)} to boot, but its ${role} probe is sure to wait ${formatSeconds(budget.seconds)} only (${budget.explain()}): it may be killed mid-boot, ${formatSpan(budget.seconds, latest)} after it starts, again and again`,
    hint: starting
      ? `set failureThreshold to ${attempts} or more`
      : `add a startup probe: every ${period}s, failureThreshold ${attempts} or more`,
    because: [
      ...budget.terms.filter(({ at, value }) => at !== undefined && value !== 0),
      asDeclared({ term: "boot", value: boot, unit: "s" }, facts, "boot"),
    ],
    ...(starting ? { fix: { value: attempts } } : {}),
  };
}
