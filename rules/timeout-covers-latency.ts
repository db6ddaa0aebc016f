import {
  type Context,
  counted,
  crossing,
  debtStates,
  declaredLatency,
  defineRule,
  type Environment,
  formatCost,
  formatElapsed,
  formatGrowth,
  formatHeadroom,
  formatKill,
  formatMean,
  formatSeconds,
  formatSeen,
  formatSpread,
  growthOf,
  type Note,
  type Probe,
  type Problem,
  type Reading,
  readinessRemoval,
  readingsOf,
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
      if (found !== undefined) yield { at: probe.at.key("timeoutSeconds"), ...found, notes: notesOf(probe, readings) };
    }
  },
});

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
    return { at, ...cure, message: `${waits}, ${answers}: ${consequence(probe, samples)}` };
  }
  const left = `${formatHeadroom(timeout, slowest)} left over ${formatSeconds(slowest)}, the slowest ${samples.length === 0 ? "declared" : "measured"}`;
  if (timeout < headroom * slowest) return { at, ...cure, message: `${waits}: ${left}, ${headroom}× wanted`, severity: "warning" };
  const shipped = samples.length === 0 ? undefined : chartTimeout(probe, environment);
  if (shipped !== undefined && timeout > shipped && !debtStates(environment).some((state) => `${state.at}` === `${at}`)) {
    const message = `${waits}, raised above the chart's ${formatSeconds(shipped)} without a debt: ${left}; a raised timeout hides the next growth`;
    return { at, message, hint: `declare a debt that pays back to ${shipped}, or return to it`, severity: "warning" };
  }
  if (!grew) return undefined;
  return { at, message: `${waits}: ${formatHeadroom(timeout, slowest)} left; ${formatGrowth(growth)}`, severity: "note" };
}

function consequence(probe: Probe, samples: readonly number[]): string {
  const inside = samples.filter((sample) => sample <= probe.timeout).length;
  const count =
    samples.length === 0
      ? ""
      : `${inside} of ${samples.length} readings ${inside === 1 ? "is" : "are"} inside ${formatSeconds(probe.timeout)}`;
  const late = `${counted(probe.failures, "late answer")} in a row`;
  const said = count === "" ? "" : `${count}; `;
  if (probe.role === "readiness") {
    return `${said}${late} and the pod is out of the Service, ${formatSeconds(readinessRemoval(probe, false).latest)} at the latest after they begin, until answers are fast again`;
  }
  if (probe.role === "liveness") return `${said}${late} restart it, ${formatKill(probe)}: a restart loop`;
  const wall =
    inside === 0 && samples.length > 0 ? `${count}, no attempt can succeed; ${probe.failures} attempts at a wall` : `${said}${late}`;
  return `${wall}; killed ${formatKill(probe)}, again and again`;
}

function notesOf(probe: Probe, readings: readonly Reading[]): readonly Note[] {
  const growth = growthOf(readings);
  const reached = growth && crossing(growth, probe.timeout);
  const pace =
    reached === undefined
      ? "a larger timeout buys the time until the next growth"
      : `at that pace ${formatSeconds(probe.timeout)} is reached in ${formatElapsed(reached)}`;
  const cannotLeave = "nothing else is probed until startup has passed once: a startup timeout is the one that a pod cannot leave";
  const trend =
    growth && growth.to > growth.from
      ? `mean +${formatMean(growth.to - growth.from)} in ${formatElapsed(growth.elapsed)}: ${pace}`
      : undefined;
  const texts = { why: probe.role === "startup" ? cannotLeave : undefined, seen: formatSeen(readings), trend, cost: formatCost(readings) };
  return Object.entries(texts).flatMap(([label, text]) => (text === undefined || text === "" ? [] : [{ label, text }]));
}

/** The timeout of the same probe in a render of the chart without overlays (seconds). */
function chartTimeout({ container, role }: Probe, { defaults }: Environment): number | undefined {
  const { kind, name } = container.workload;
  const workload = defaults?.workloads.find((candidate) => candidate.kind === kind && candidate.name === name);
  return workload?.containers.find((candidate) => candidate.name === container.name)?.[role]?.timeout;
}
