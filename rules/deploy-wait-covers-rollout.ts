import {
  type DeployWait,
  defineRule,
  deployWaits,
  type Facts,
  formatSeconds,
  type PodReady,
  podGoneAfter,
  podReadyFor,
  rolloutWait,
  shutdownNeeded,
  type Timed,
  type Workload,
  waitTerm,
} from "../src/api.js";

export default defineRule({
  id: "deploy-wait-covers-rollout",
  summary: "Whoever waits for a deploy waits at least as long as a healthy rollout may take",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["deploy", "boot", "pull", "drain"],
  *check(workload, { environment, factsOf, judged, ask }) {
    if (!workload.longRunning || workload.hooks.length > 0) return;
    const waits = deployWaits(environment.deploy);
    if (environment.deploy === undefined) ask("deploy");
    if (waits.length === 0) return;
    const ready = podReadyFor(workload, factsOf);
    if (ready === undefined) {
      ask("boot");
      return;
    }
    ask(...ready.missing.filter((fact) => fact === "boot" || fact === "pull"));
    const drain = declaredShutdown(workload, factsOf);
    for (const wait of waits) {
      const sure = longest(workload, ready, wait, drain ?? 0);
      const worst = longest(workload, ready, wait, drain ?? podGoneAfter(workload));
      if (worst === undefined || sure === undefined) continue;
      judged();
      if (wait.seconds >= worst.seconds) continue;
      const proven = wait.seconds < sure.seconds;
      const { seconds, explain } = proven ? sure : worst;
      const largest = [...ready.terms].sort((a, b) => Number(b.value) - Number(a.value)).filter(({ value }) => Number(value) > 0);
      const least = Math.ceil(worst.seconds);
      yield {
        at: largest.find(({ at }) => at !== undefined)?.at ?? workload.at,
        ...(wait.origin !== undefined && isHopeless(workload, ready, wait) ? { origin: wait.origin } : {}),
        message: `${wait.who} gives up on ${workload.kind} "${workload.name}" after ${formatSeconds(wait.seconds)} (${wait.from}), but a healthy rollout may take ${formatSeconds(seconds)}: ${explain()}, where ready = ${ready.explain()}`,
        hint: `wait ${formatSeconds(least)} or more (${wait.from === "helm's default" ? "deploy.timeout" : wait.from}), or make the start faster`,
        because: [...largest, waitTerm(wait)],
        notes: [
          { label: "why", text: "the deploy is called failed, and with --atomic rolled back, while the pods are still on their way" },
        ],
        ...(proven ? {} : { severity: "warning" as const, ask: ["drain"] }),
      };
    }
  },
});

/** The longer one of a first install and an update; undefined when nobody waits for this workload. */
function longest(workload: Workload, ready: PodReady, { waiter }: DeployWait, shutdown: number): Timed | undefined {
  const times = [true, false].map((install) => rolloutWait(workload, ready.seconds, waiter, install, shutdown));
  const [first] = times.filter(({ terms }) => terms.length > 0).sort((a, b) => b.seconds - a.seconds);
  return first;
}

/** Whether the wait is too short for what is declared alone, so that no field of the workload could be the one to change. */
function isHopeless(workload: Workload, ready: PodReady, wait: DeployWait): boolean {
  const declared = ready.terms.filter(({ at }) => at === undefined).reduce((sum, { value }) => sum + Number(value), 0);
  const least = longest(workload, { ...ready, seconds: declared }, wait, 0);
  return least !== undefined && wait.seconds < least.seconds;
}

/** How long the declared shutdown of a pod takes (seconds), no longer than the grace period allows; undefined when no drain is declared. */
function declaredShutdown(workload: Workload, factsOf: (subject: Workload["containers"][number]) => Facts): number | undefined {
  const containers = [...workload.sidecars, ...workload.appContainers];
  if (!containers.some((container) => factsOf(container).drain !== undefined)) return undefined;
  const drains = containers.map((container) => {
    const { name, role, preStop } = container;
    return { name, role, preStop: preStop?.sleep ?? 0, drain: factsOf(container).drain ?? 0 };
  });
  return Math.min(podGoneAfter(workload), shutdownNeeded(drains).seconds);
}
