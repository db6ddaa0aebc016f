import { defineRule } from "../src/api.js";

const kinds = ["Deployment", "StatefulSet", "Rollout", "ReplicaSet"];

export default defineRule({
  id: "replicas-have-budget",
  summary: "A workload of several replicas has a disruption budget, so that a drain takes them one after another",
  scope: "workload",
  severity: "warning",
  category: "availability",
  *check(workload, { environment, judged }) {
    const { floor, by, at } = workload.replicas;
    // Without a template of its own (an Argo Rollout with workloadRef) there are no labels that a budget could select.
    if (!kinds.includes(workload.kind) || workload.containers.length === 0 || floor < 2) return;
    judged();
    if (workload.budgets.length > 0) return;
    const idle = environment.budgets.filter(({ namespace, workloads }) => namespace === workload.namespace && workloads.length === 0);
    yield {
      at,
      message: `${workload.kind} "${workload.name}" keeps ${floor} replicas (${by}), but no PodDisruptionBudget selects its pods: draining nodes may take all ${floor} at once`,
      hint: "render a PodDisruptionBudget with maxUnavailable: 1 for it wherever it has more than one replica",
      because: [{ term: "replicas", value: floor, at }],
      notes: idle.slice(0, 3).map(({ name }) => ({ label: "seen", text: `PodDisruptionBudget "${name}" is rendered, but selects no pod` })),
    };
  },
});
