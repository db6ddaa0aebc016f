import { type Budget, defineRule, desiredHealthy, disruptionsAllowed, listed, type Problem, type Workload } from "../src/api.js";

/** Kinds with a scale subresource, by which the controller knows how many pods are expected (item 100). */
const scalable = ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "Rollout"];

export default defineRule({
  id: "budget-allows-eviction",
  summary: "A disruption budget lets at least one pod go, so that a node can be drained",
  scope: "manifest",
  severity: "error",
  category: "availability",
  kinds: ["PodDisruptionBudget"],
  facts: ["nodes"],
  *check(manifest, { environment, judged, ask }) {
    const budget = environment.budgets.find((found) => found.manifest === manifest);
    if (budget === undefined) return;
    const { minAvailable, maxUnavailable } = budget;
    const running = budget.workloads.filter(({ longRunning, kind }) => longRunning && kind !== "Pod");
    if ((minAvailable === undefined) === (maxUnavailable === undefined)) {
      judged();
      yield oneField(budget);
      return;
    }
    if (running.length === 0) return;
    const daemon = running.find(({ kind }) => !scalable.includes(kind));
    if (daemon === undefined) yield* scaled(budget, running, judged);
    else if (typeof minAvailable !== "number") {
      judged();
      yield uncounted(budget, daemon);
    } else if (environment.nodes === undefined) ask("nodes");
    else yield* scaled(budget, running, judged);
    yield* twice(budget, environment.budgets);
  },
});

function oneField({ name, at, minAvailable }: Budget): Problem {
  const both = minAvailable !== undefined;
  return {
    at: both ? at.key("spec", "minAvailable") : at.key("spec", "maxUnavailable"),
    message: both
      ? `PodDisruptionBudget "${name}" has both minAvailable and maxUnavailable, expected one of them: the API server refuses it`
      : `PodDisruptionBudget "${name}" has neither minAvailable nor maxUnavailable: there is no default, and every eviction of its pods is refused`,
    hint: both ? "keep maxUnavailable: 1, which fits any number of replicas" : "set maxUnavailable: 1",
    ...(both ? {} : { fix: { value: 1 } }),
  };
}

function* scaled(budget: Budget, running: readonly Workload[], judged: () => void): Iterable<Problem> {
  const counted = running.filter(({ replicas }) => replicas.floor > 0);
  const expected = counted.reduce((sum, { replicas }) => sum + replicas.floor, 0);
  if (expected === 0) return;
  judged();
  if (disruptionsAllowed(budget, expected) >= 1) return;
  const { field, given, at } = rule(budget);
  const desired = desiredHealthy(budget, expected);
  const of = listed(counted.map(({ kind, name, replicas }) => `${replicas.floor} of ${kind} "${name}" (${replicas.by})`));
  const left = desired === undefined ? "which cannot be understood" : `${expected} - ${desired} = ${expected - desired} may go`;
  yield {
    at,
    message: `PodDisruptionBudget "${budget.name}" keeps ${field} ${given} of ${expected} ${expected === 1 ? "pod" : "pods"} (${of}): ${left}, and draining a node waits for ever`,
    hint:
      expected === 1
        ? "run two replicas with maxUnavailable: 1, or render the budget only from two replicas on"
        : "set maxUnavailable: 1 in place of it",
    because: counted.map(({ name, replicas }) => ({ term: `replicas of ${name}`, value: replicas.floor, at: replicas.at })),
    ...(expected === 1 ? { severity: "warning" as const } : {}),
    ...(field === "maxUnavailable" ? { fix: { value: 1 } } : {}),
  };
}

/** Drains leave the pods of a DaemonSet alone: nothing waits, but the budget is not what it says. */
function uncounted(budget: Budget, { kind, name }: Workload): Problem {
  const { field, given, at } = rule(budget);
  return {
    at,
    message: `PodDisruptionBudget "${budget.name}" has ${field} ${given} for ${kind} "${name}": the controller cannot count the pods of a ${kind}, and refuses every eviction`,
    hint: "take the budget away, or set minAvailable to a number",
    severity: "warning",
  };
}

/** Item 97: a pod of two budgets cannot be evicted, whatever they say. */
function* twice(budget: Budget, all: readonly Budget[]): Iterable<Problem> {
  for (const workload of budget.workloads.filter(({ longRunning }) => longRunning)) {
    const first = all.find(({ workloads }) => workloads.includes(workload));
    if (first === undefined || first.name === budget.name) continue;
    yield {
      at: budget.at.key("spec", "selector"),
      message: `PodDisruptionBudget "${budget.name}" and "${first.name}" both select the pods of ${workload.kind} "${workload.name}": the API server evicts no pod that has two budgets`,
      hint: "keep one budget for each pod",
      because: [{ term: "the other budget", value: first.name, at: first.at.key("spec", "selector") }],
    };
  }
}

function rule({ minAvailable, maxUnavailable, at }: Budget) {
  const field = minAvailable !== undefined ? "minAvailable" : "maxUnavailable";
  return { field, given: minAvailable ?? maxUnavailable, at: at.key("spec", field) };
}
