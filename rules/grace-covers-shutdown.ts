import {
  asDeclared,
  type Container,
  defineRule,
  formatSeconds,
  preStopSleep,
  probedContainers,
  shutdownNeeded,
  timeForApp,
} from "../src/api.js";

export default defineRule({
  id: "grace-covers-shutdown",
  summary: "The grace period is long enough for the preStop hook and for what the app does after it",
  scope: "workload",
  severity: "error",
  category: "shutdown",
  facts: ["drain"],
  *check(workload, { factsOf, judged, ask }) {
    if (!workload.longRunning) return;
    const { grace } = workload.pod;
    const containers = probedContainers(workload);
    const drains = containers.map((container) => ({
      name: container.name,
      role: container.role,
      preStop: preStopSleep(container) ?? 0,
      drain: factsOf(container).drain ?? 0,
    }));
    const needed = shutdownNeeded(drains);
    const unknown = containers.filter((container) => factsOf(container).drain === undefined);
    if (unknown.length > 0) ask("drain");
    if (needed.seconds === 0 && unknown.length > 0) return;
    // A hook of unknown length makes the sum a lower bound: enough to refute, not to prove.
    const guessed = containers.some((container) => container.preStop !== undefined && preStopSleep(container) === undefined);
    const total = `${formatSeconds(grace.value)}${grace.isDefault ? ", the default" : ""}`;
    const because = containers.flatMap((container) => {
      const sleep = preStopSleep(container);
      const { drain } = factsOf(container);
      const drained = { term: `drain ${container.name}`, value: drain ?? 0, unit: "s" };
      return [
        ...(sleep === undefined ? [] : [{ term: `preStop ${container.name}`, value: sleep, unit: "s", at: sleepAt(container) }]),
        ...(drain === undefined ? [] : [asDeclared(drained, factsOf(container), "drain")]),
      ];
    });
    if (needed.seconds > grace.value) {
      judged();
      const right = Math.ceil(needed.seconds);
      yield {
        at: grace.at,
        message: `a shutdown of ${workload.kind} "${workload.name}" takes up to ${formatSeconds(needed.seconds)} (${needed.explain()}), but its grace period is ${total}: ${consequence(containers, grace.value, needed.seconds)}`,
        hint: `set terminationGracePeriodSeconds to ${right}${unknown.length > 0 ? " and what the app needs after the stop signal" : " or more"}, or shorten the wait`,
        because,
        ...(unknown.length > 0 ? { ask: ["drain"] } : { fix: { value: right } }),
      };
      return;
    }
    if (!guessed) judged();
    for (const container of containers) {
      const sleep = preStopSleep(container);
      if (sleep === undefined || sleep < grace.value || sleep === 0) continue;
      yield {
        at: grace.at,
        message: `preStop of "${container.name}" sleeps ${formatSeconds(sleep)} of a grace period of ${total}: that leaves ${formatSeconds(timeForApp(grace.value, sleep))} after the stop signal, whatever the app has to finish`,
        hint: "set terminationGracePeriodSeconds to the sleep and what the app needs after it, or sleep less",
        because,
        ask: ["drain"],
      };
    }
  },
});

function sleepAt({ preStop, at }: Container) {
  if (preStop?.sleep !== undefined) return at.key("lifecycle", "preStop", "sleep", "seconds");
  return preStop?.at.key("command") ?? at;
}

function consequence(containers: readonly Container[], grace: number, needed: number): string {
  const long = containers.find((container) => (preStopSleep(container) ?? 0) > grace);
  if (long === undefined) return `what still runs is killed ${formatSeconds(needed - grace)} too early`;
  if (long.preStop?.sleep !== undefined) return `the API refuses a sleep action longer than the grace period`;
  const left = formatSeconds(timeForApp(grace, preStopSleep(long)));
  return `the hook of "${long.name}" is cut off after ${formatSeconds(grace)}, and the app is killed ${left} after its stop signal`;
}
