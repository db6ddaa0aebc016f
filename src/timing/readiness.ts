import type { FactName, Facts, GateFact } from "../config/types.js";
import type { Place } from "../manifest/place.js";
import { asDeclared } from "../model/declared-fact.js";
import { answerTime } from "../model/endpoint.js";
import type { Container, Probe, Workload } from "../model/types.js";
import { readinessLag, startupBudget, timeToStarted } from "./probe.js";
import { type Part, part, type Timed, timed } from "./timed.js";

/** What is declared about a container or a workload. */
export type FactsOf = (subject: Container | Workload) => Facts;

/** The creation of a pod to Ready, at worst (seconds), by its slowest container. */
export interface PodReady extends Timed {
  /** The container that takes longest; empty when the pod has none. */
  readonly container: string;
  /** Start of that container to Started, at worst. */
  readonly startup: Timed;
  /** From then, and from the end of the gate, to Ready, at worst. */
  readonly readiness: Timed;
  /** Whether these facts were declared: `pull` of the pod, `boot` and `gates` of that container. */
  readonly declared: { readonly pull: boolean; readonly boot: boolean; readonly gates: boolean };
  /** The gate that holds it longest. */
  readonly gate?: string;
  /** Facts that would make the number exact. A gate is never missing: most apps have none. */
  readonly missing: readonly FactName[];
}

/**
 * The creation of a pod to Ready, at worst (seconds): pull + init containers + start-up + longest gate + readiness of the slowest container
 * (rules.md, progress-deadline-covers-rollout; F4, F2, F5, F6). The explanation reads `840 boot + 10 period + 5 answer + 15 readiness`.
 */
export function podReadyWorst(workload: Workload, factsOf: FactsOf): PodReady {
  const pull = longestPull(workload, factsOf);
  const before: Part[] = pull === undefined ? [] : [pull];
  const missing = new Set<FactName>(pull === undefined ? ["pull"] : []);
  let slowest: PodReady | undefined;
  const consider = (container: Container) => {
    const ready = containerReady(container, factsOf(container), before, pull !== undefined);
    if (slowest === undefined || ready.seconds > slowest.seconds) slowest = ready;
  };

  for (const container of workload.containers.filter(({ role }) => role !== "app")) {
    if (container.role === "sidecar") {
      consider(container);
      // Item 51: what comes after a sidecar waits until it is Started, not until it is Ready.
      if (container.startup !== undefined) before.push(collapsed(`sidecar ${container.name}`, startupWorst(container, factsOf(container))));
      continue;
    }
    const facts = factsOf(container);
    if (facts.run === undefined) missing.add("run");
    before.push(asDeclared(part(`run ${container.name}`, facts.run ?? 0), facts, "run"));
  }
  for (const container of workload.appContainers) consider(container);

  const ready = slowest ?? nothing(before, pull !== undefined);
  return { ...ready, missing: [...missing, ...ready.missing] };
}

/**
 * The same for a tool that waits (`r` of F13); undefined when nothing says how long a start takes: a container with a readiness probe, or
 * every container, has neither a startup probe nor a declared `boot`. Then `boot` is the fact to ask for.
 */
export function podReadyFor(workload: Workload, factsOf: FactsOf): PodReady | undefined {
  const counted = [...workload.sidecars, ...workload.appContainers];
  const bounded = (container: Container) => container.startup !== undefined || factsOf(container).boot !== undefined;
  if (!counted.some(bounded)) return undefined;
  if (counted.some((container) => container.readiness !== undefined && !bounded(container))) return undefined;
  return podReadyWorst(workload, factsOf);
}

/** The longest gate of a container, armed or not: an opaque source can arm it; undefined when none holds. */
export function longestGate(facts: Facts): (GateFact & { readonly holds: number }) | undefined {
  let longest: (GateFact & { readonly holds: number }) | undefined;
  for (const gate of Object.values(facts.gates ?? {})) {
    if (gate.holds !== undefined && gate.holds > (longest?.holds ?? 0)) longest = { ...gate, holds: gate.holds };
  }
  return longest;
}

/** Start of a container to Started, at worst (seconds): F4 with the declared boot, else F2; without a startup probe what readiness has to wait for. */
export function startupWorst(container: Container, facts: Facts): Timed {
  const { startup } = container;
  if (startup === undefined) return timed(container.readiness === undefined ? [] : [part("boot", facts.boot ?? 0)]);
  if (facts.boot === undefined) return startupBudget(startup);
  return timeToStarted(startup, facts.boot, answerTime(facts, startup)).worst;
}

function containerReady(container: Container, facts: Facts, before: readonly Part[], hasPull: boolean): PodReady {
  const probe = container.readiness;
  const startup = startupWorst(container, facts);
  const readiness = probe === undefined ? timed([]) : readinessLag(probe, answerTime(facts, probe));
  const gate = longestGate(facts);
  const budgeted = container.startup !== undefined && facts.boot === undefined;
  const parts: Part[] = budgeted
    ? [part("startup budget", startup.seconds, decidingField(container.startup, startup))]
    : startup.terms.map((term) => asDeclared({ ...term, value: Number(term.value) }, facts, term.term));
  if (gate !== undefined) parts.push(asDeclared(part(`gate ${gate.name}`, gate.holds), facts, `gates.${gate.name}.holds`));
  if (probe !== undefined) {
    // Item 14: the delay counts from the start of the container, so only what start-up and gate leave of it.
    const left = probe.delay - startup.seconds - (gate?.holds ?? 0);
    if (left > 0) parts.push(part("readiness delay", left, probe.at.key("initialDelaySeconds")));
    parts.push(part("readiness", readiness.seconds, decidingField(probe, readiness)));
  }
  return {
    ...timed([...before, ...parts]),
    container: container.name,
    startup,
    readiness,
    declared: { pull: hasPull, boot: facts.boot !== undefined, gates: Object.keys(facts.gates ?? {}).length > 0 },
    ...(gate === undefined ? {} : { gate: gate.name }),
    missing: facts.boot === undefined ? ["boot"] : [],
  };
}

/** The field of a probe that its longest term comes from; the probe as a whole when that field is left to its default. */
function decidingField(probe: Probe | undefined, { terms }: Timed): Place | undefined {
  const [longest] = terms.filter(({ at }) => at !== undefined).sort((a, b) => Number(b.value) - Number(a.value));
  const key = longest?.at?.path.at(-1);
  return typeof key === "string" && probe?.has(key) === true ? longest?.at : probe?.at;
}

/** Images of one pod are pulled for the pod as a whole: the longest declared pull counts, once. */
function longestPull(workload: Workload, factsOf: FactsOf): Part | undefined {
  const pulls = [workload, ...workload.containers].flatMap((subject) => {
    const facts = factsOf(subject);
    return facts.pull === undefined ? [] : [asDeclared(part("pull", facts.pull), facts, "pull")];
  });
  return pulls.sort((a, b) => b.value - a.value)[0];
}

function collapsed(term: string, sum: Timed): Part {
  return part(term, sum.seconds);
}

function nothing(before: readonly Part[], hasPull: boolean): PodReady {
  return {
    ...timed(before),
    container: "",
    startup: timed([]),
    readiness: timed([]),
    declared: { pull: hasPull, boot: false, gates: false },
    missing: [],
  };
}
