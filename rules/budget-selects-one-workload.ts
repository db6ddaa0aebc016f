import { type Budget, defineRule, listed, type Problem, type Workload } from "../src/api.js";

export default defineRule({
  id: "budget-selects-one-workload",
  summary: "A disruption budget selects the pods of exactly one workload, and none of a Job",
  scope: "manifest",
  severity: "error",
  category: "availability",
  kinds: ["PodDisruptionBudget"],
  *check(manifest, { environment, judged }) {
    const budget = environment.budgets.find((found) => found.manifest === manifest);
    if (budget === undefined) return;
    judged();
    const at = budget.at.key("spec", "selector");
    const strays = budget.workloads.filter(({ kind }) => kind === "Job" || kind === "CronJob" || kind === "Pod");
    const running = budget.workloads.filter((workload) => !strays.includes(workload));
    if (budget.workloads.length === 0) yield none(budget, environment.workloads);
    if (running.length > 1) {
      yield {
        at,
        message: `PodDisruptionBudget "${budget.name}" selects the pods of ${running.length} workloads, ${named(running)}, expected one: it counts them together, so all pods of the smaller ones may go at once`,
        hint: "add the label to the selector that only one of them has, such as app.kubernetes.io/component, and give each its own budget",
        because: running.map(({ kind, name, pod }) => ({ term: `${kind}/${name}`, value: "selected", at: pod.metadataAt.key("labels") })),
      };
    }
    if (strays.length > 0) {
      const shares = typeof budget.minAvailable !== "number";
      const effect = shares
        ? "the controller cannot count them and refuses every eviction as long as they exist"
        : "they count as pods that serve";
      yield {
        at,
        message: `PodDisruptionBudget "${budget.name}" also selects the pods of ${named(strays)}: ${effect}`,
        hint: "give the pods of the Job labels that the selector does not match",
        because: strays.map(({ kind, name, pod }) => ({ term: `${kind}/${name}`, value: "selected", at: pod.metadataAt.key("labels") })),
      };
    }
  },
});

function named(workloads: readonly Workload[]): string {
  return listed(workloads.map(({ kind, name }) => `${kind} "${name}"`));
}

/** Often the workload is off or lives elsewhere; with one of the same name beside it, the labels do not match. */
function none(budget: Budget, workloads: readonly Workload[]): Problem {
  const stem = budget.name.replace(/-(?:pdb|poddisruptionbudget|disruption-budget)$/, "");
  const meant = workloads.find(
    ({ name, namespace, longRunning }) => longRunning && namespace === budget.namespace && (name === budget.name || name === stem),
  );
  const missing = meant === undefined ? [] : mismatched(budget, meant);
  const why = budget.selector === undefined ? ": it has no selector" : missing.length === 0 ? "" : `: they have no ${listed(missing)}`;
  return {
    at: budget.at.key("spec", "selector"),
    message:
      meant === undefined
        ? `PodDisruptionBudget "${budget.name}" selects no pod of any rendered workload`
        : `PodDisruptionBudget "${budget.name}" selects no pod, not those of ${meant.kind} "${meant.name}" either${why}`,
    hint: meant === undefined ? "render the budget only together with its workload" : "select by labels of the pod template",
    because: meant === undefined ? [] : [{ term: "pod labels", value: meant.name, at: meant.pod.metadataAt.key("labels") }],
    severity: meant === undefined ? "note" : "warning",
  };
}

/** The wanted labels that a pod does not have, as `key=value`. */
function mismatched({ selector }: Budget, { pod }: Workload): readonly string[] {
  const wanted = Object.entries((selector?.body["matchLabels"] ?? {}) as Readonly<Record<string, unknown>>);
  return wanted.filter(([key, value]) => pod.labels[key] !== String(value)).map(([key, value]) => `${key}=${String(value)}`);
}
