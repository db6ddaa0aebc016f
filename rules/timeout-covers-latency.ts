import {
  type Context,
  counted,
  debtStates,
  declaredLatency,
  defineRule,
  formatGrowth,
  formatHeadroom,
  formatKill,
  formatSeconds,
  formatSpread,
  growthOf,
  latencyTerm,
  type Note,
  type Probe,
  type Problem,
  type Reading,
  readinessRemoval,
  readingNotes,
  readingsOf,
  shippedProbe,
} from "../src/api.js";

export default defineRule({
  id: "timeout-covers-latency",
  summary: "A probe waits longer than its endpoint takes to answer, with room to grow",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["endpoints", "readings"],
  options: { headroom: 2 },
  *check(container, context) {
    if (!container.workload.longRunning || container.role === "init") return;
    for (const probe of container.probes) {
      if (probe.handler === undefined) continue;
      const slowest = declaredLatency(context.facts, probe.handler);
      if (slowest === undefined) {
        context.ask("endpoints");
        continue;
      }
      context.judged();
      const readings = readingsOf(context.facts, probe.handler);
      const found = verdict(probe, slowest, readings, context);
      const because = [latencyTerm(context.facts, probe.handler)];
      if (found !== undefined) yield { ...found, because, notes: [...(found.notes ?? []), ...readingNotes(readings, probe.timeout)] };
    }
  },
});

const cannotLeave: readonly Note[] = [
  { label: "why", text: "nothing else is probed until startup has passed once: a startup timeout is the one that a pod cannot leave" },
];

function verdict(probe: Probe, slowest: number, readings: readonly Reading[], { options, environment }: Context): Problem | undefined {
  const { timeout, at: place } = probe;
  const at = place.key("timeoutSeconds");
  const headroom = typeof options["headroom"] === "number" ? options["headroom"] : 2;
  const waits = `the ${probe.role} probe of "${probe.container.name}" waits ${formatSeconds(timeout)} for ${probe.handler?.label}`;
  const samples = readings.flatMap((reading) => reading.samples);
  const growth = growthOf(readings);
  const grew = growth !== undefined && growth.to > growth.from;
  const enough = Math.ceil(headroom * slowest);
  const cure = grew
    ? { hint: "report the last result of work that runs elsewhere: a larger timeout buys the time until the next growth" }
    : { hint: `set timeoutSeconds to ${enough} or more, or make the endpoint faster`, fix: { value: enough } };
  if (timeout < slowest) {
    const answers = samples.length === 0 ? `which may take ${formatSeconds(slowest)}` : `which answers in ${formatSpread(samples)}`;
    return {
      at,
      ...cure,
      message: `${waits}, ${answers}: ${consequence(probe, samples)}`,
      notes: probe.role === "startup" ? cannotLeave : [],
    };
  }
  const left = `${formatHeadroom(timeout, slowest)} left over ${formatSeconds(slowest)}, the slowest ${samples.length === 0 ? "declared" : "measured"}`;
  if (timeout < headroom * slowest) return { at, ...cure, message: `${waits}: ${left}, ${headroom}× wanted`, severity: "warning" };
  const shipped = samples.length === 0 ? undefined : shippedProbe(probe, environment)?.timeout;
  if (shipped !== undefined && timeout > shipped && !debtStates(environment).some((state) => `${state.at}` === `${at}`)) {
    const message = `${waits}, raised above the chart's ${formatSeconds(shipped)} without a debt: ${left}; a raised timeout hides the next growth`;
    return { at, message, hint: `declare a debt that pays back to ${shipped}, or return to it`, severity: "warning" };
  }
  if (!grew) return undefined;
  return { at, message: `${waits}: ${formatHeadroom(timeout, slowest)} left; ${formatGrowth(growth)}`, severity: "note" };
}

function consequence(probe: Probe, samples: readonly number[]): string {
  const inside = samples.filter((sample) => sample <= probe.timeout).length;
  const count = `${inside} of ${samples.length} readings ${inside === 1 ? "is" : "are"} inside ${formatSeconds(probe.timeout)}`;
  const late = `${counted(probe.failures, "late answer")} in a row`;
  const said = samples.length === 0 ? "" : `${count}; `;
  if (probe.role === "readiness") {
    return `${said}${late} and the pod is out of the Service, ${formatSeconds(readinessRemoval(probe, false).latest)} at the latest after they begin, until answers are fast again`;
  }
  if (probe.role === "liveness") return `${said}${late} restart it, ${formatKill(probe)}: a restart loop`;
  const ends = `killed ${formatKill(probe)}, again and again`;
  if (inside > 0 || samples.length === 0) return `${said}after ${late} it is ${ends}`;
  return `${count}, no attempt can succeed; ${counted(probe.failures, "attempt")} at a wall; ${ends}`;
}
