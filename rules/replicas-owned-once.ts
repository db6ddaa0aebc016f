import { type Autoscaler, defineRule, type Workload } from "../src/api.js";

export default defineRule({
  id: "replicas-owned-once",
  summary: "One autoscaler, and nobody else, decides how many replicas a workload has",
  scope: "workload",
  severity: "error",
  category: "availability",
  *check(workload, { judged }) {
    const [owner, ...rivals] = workload.autoscalers;
    if (!workload.longRunning || owner === undefined) return;
    judged();
    const subject = `${workload.kind} "${workload.name}"`;
    const { rendered } = workload.replicas;
    if (rendered !== undefined) {
      yield {
        at: workload.at.key("spec", "replicas"),
        message: `${subject} renders replicas: ${rendered}, and ${named(owner)} decides the same number (${range(owner)}): ${consequence(workload, owner, rendered)}`,
        hint: "render spec.replicas only while no autoscaler is on",
        because: [{ term: "autoscaler", value: `${owner.kind}/${owner.name}`, at: owner.target.at }],
        notes: [
          { label: "cost", text: "the upgrade that takes spec.replicas out sets it to the default of 1 once, until the autoscaler acts" },
        ],
      };
    }
    for (const rival of rivals) {
      yield {
        at: rival.target.at.key("name"),
        message: `${named(rival)} (${range(rival)}) and ${named(owner)} (${range(owner)}) both scale ${subject}: each undoes what the other decides`,
        hint:
          rival.kind === owner.kind
            ? "keep one of the two, with the metrics of both"
            : "keep one of the two: KEDA makes a HorizontalPodAutoscaler of its own for every ScaledObject",
        because: [{ term: "autoscaler", value: `${owner.kind}/${owner.name}`, at: owner.target.at }],
      };
    }
  },
});

function named({ kind, name }: Autoscaler): string {
  return `${kind} "${name}"`;
}

function range({ min, max, pausedAt }: Autoscaler): string {
  if (pausedAt !== undefined) return `paused at ${pausedAt}`;
  return Number.isFinite(max) ? `${min} to ${max}` : `${min} or more`;
}

function consequence({ autoscalers }: Workload, owner: Autoscaler, rendered: number): string {
  const again = `every upgrade sets it back to ${rendered}`;
  // An HPA leaves a target alone that was set to 0 by hand (item 103); KEDA scales from 0 by itself.
  if (rendered === 0 && autoscalers.every(({ kind }) => kind === "HorizontalPodAutoscaler")) {
    return `${again}, and a count of 0 switches a HorizontalPodAutoscaler off`;
  }
  if (owner.pausedAt === undefined && rendered < owner.min)
    return `${again}, ${owner.min - rendered} below the minimum, until the autoscaler acts`;
  return `${again}, whatever the load is at that moment`;
}
