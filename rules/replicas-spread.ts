import { buildSelector, defineRule, dig, mappingsOf, type Place, type Workload } from "../src/api.js";

const kinds = ["Deployment", "StatefulSet", "Rollout", "ReplicaSet"];

export default defineRule({
  id: "replicas-spread",
  summary: "The replicas of a workload are told to keep apart, so that one node does not hold them all",
  scope: "workload",
  severity: "warning",
  category: "availability",
  *check(workload, { environment, judged }) {
    const { floor, by, at } = workload.replicas;
    // One node is one node: there is nowhere to spread to.
    if (!kinds.includes(workload.kind) || workload.containers.length === 0 || floor < 2 || environment.nodes === 1) return;
    judged();
    const terms = spreadTerms(workload);
    if (terms.some(({ own }) => own)) return;
    const [foreign] = terms;
    const found =
      foreign === undefined ? "has neither pod anti-affinity nor a topology spread constraint" : `its ${foreign.what} selects other pods`;
    yield {
      at: foreign?.at ?? at,
      message: `${workload.kind} "${workload.name}" keeps ${floor} replicas (${by}), but ${found}: all ${floor} may run on one node and go down with it`,
      hint:
        foreign === undefined
          ? "add a topologySpreadConstraint over kubernetes.io/hostname with the workload's own labels"
          : "make the labelSelector match the labels of the pod template",
      because: [{ term: "replicas", value: floor, at }],
    };
  },
});

interface SpreadTerm {
  readonly what: string;
  readonly at: Place;
  /** Whether it may speak of the workload's own pods. */
  readonly own: boolean;
}

/** Everything in the pod that keeps it away from other pods, hard or soft. */
function spreadTerms(workload: Workload): readonly SpreadTerm[] {
  const { body, labels, at } = workload.pod;
  const affinity = dig(body, "affinity", "podAntiAffinity");
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const affinityAt = at.key("affinity", "podAntiAffinity");
  const terms = [
    ...mappingsOf(dig(affinity, required)).map(({ body, index }) => ({ term: body, at: affinityAt.key(required).item(index) })),
    ...mappingsOf(dig(affinity, preferred)).map(({ body, index }) => ({
      term: dig(body, "podAffinityTerm"),
      at: affinityAt.key(preferred).item(index).key("podAffinityTerm"),
    })),
  ];
  const constraints = mappingsOf(body["topologySpreadConstraints"]).map(({ body, index }) => ({
    term: body,
    at: at.key("topologySpreadConstraints").item(index),
  }));
  const selects = (term: unknown, place: Place) => buildSelector(dig(term, "labelSelector"), place)?.matches(labels);
  return [
    // An anti-affinity term without a selector selects no pod at all.
    ...terms.map(({ term, at }) => ({ what: "pod anti-affinity", at: at.key("labelSelector"), own: selects(term, at) ?? false })),
    ...constraints.map(({ term, at }) => ({
      what: "topology spread constraint",
      at: at.key("labelSelector"),
      own: selects(term, at) ?? true,
    })),
  ];
}
