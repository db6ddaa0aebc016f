import {
  defineRule,
  type Facts,
  formatSeconds,
  type Note,
  type PodReady,
  podReadyWorst,
  probedContainers,
  startupBudget,
  type Timed,
  type Workload,
} from "../src/api.js";

/** A deadline of 2147483647 switches the Progressing condition off (item 70). */
const never = 2147483647;
/** The controller compares whole seconds and looks one second late (F12). */
const slack = 2;

export default defineRule({
  id: "progress-deadline-covers-rollout",
  summary: "A rollout is not reported as failed while a healthy pod may still be starting",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["boot", "pull", "gates"],
  *check(workload, { factsOf, judged, ask }) {
    if (!workload.longRunning || (workload.kind !== "Deployment" && workload.kind !== "Rollout")) return;
    const { value: deadline, at, isDefault } = workload.progressDeadline;
    if (deadline >= never) {
      judged();
      return;
    }
    const found = `${workload.kind} "${workload.name}" is reported as failed after ${formatSeconds(deadline)}${isDefault ? " (the default)" : ""}`;
    const ready = podReadyWorst(workload, factsOf);
    ask(...ready.missing.filter((fact) => fact === "boot" || fact === "pull"));
    const declared = [workload, ...probedContainers(workload)].some((subject) => speaks(factsOf(subject)));
    const budget = declared ? ready : longestBudget(workload);
    const minReady = workload.minReady.value;
    const right = Math.ceil(Math.max(budget?.seconds ?? 0, minReady)) + slack + 1;
    if (budget !== undefined || deadline < right) judged();
    if (deadline <= minReady + slack) {
      const stays = `while a ready pod has to stay ready for ${formatSeconds(minReady)} (minReadySeconds) before it counts, and ${slack}s more to be seen`;
      const refused = `but it has to be greater than minReadySeconds (${formatSeconds(minReady)}): the API server refuses it`;
      yield {
        at,
        message: `${found}, ${deadline <= minReady ? refused : stays}`,
        hint: `set progressDeadlineSeconds to ${right} or more`,
        because: [{ term: "minReadySeconds", value: minReady, unit: "s", at: workload.minReady.at }],
        fix: { value: right },
      };
      return;
    }
    if (budget === undefined || deadline > budget.seconds + slack) return;
    const late = deadline < budget.seconds ? "" : `, and ${slack}s more to be seen`;
    const sum = `${formatSeconds(budget.seconds)} (${budget.explain()})`;
    yield {
      at,
      message: declared
        ? `${found}, while a healthy pod may need ${sum} to be ready${late}`
        : `${found}, while one pod is allowed ${formatSeconds(budget.seconds)} to start${late}: ${budget.explain()}`,
      hint: `set progressDeadlineSeconds to ${right} or more${ready.declared.boot ? "" : ", or shorten the startup budget"}`,
      // The largest term first: a deadline that is not rendered is shown where that one is written.
      because: budget.terms.filter(({ value }) => value !== 0).sort((a, b) => Number(b.value) - Number(a.value)),
      notes: notesOf(ready, declared),
      ...(declared ? {} : { ask: ["boot", "pull"], severity: "warning" as const }),
      fix: { value: right },
    };
  },
});

function speaks({ pull, boot, gates = {} }: Facts): boolean {
  return pull !== undefined || boot !== undefined || Object.keys(gates).length > 0;
}

/** The longest startup budget among the containers; undefined when no container has a startup probe. */
function longestBudget(workload: Workload): Timed | undefined {
  const budgets = probedContainers(workload).flatMap(({ startup }) => (startup === undefined ? [] : startupBudget(startup)));
  return budgets.sort((a, b) => b.seconds - a.seconds)[0];
}

function notesOf(ready: PodReady, declared: boolean): readonly Note[] {
  const kills = "the deadline kills nothing, but whoever waits for the rollout gives up on it";
  if (!declared) return [{ label: "why", text: `${kills}; the startup budget may be generous, boot and pull say what is needed` }];
  if (ready.gate === undefined) return [{ label: "why", text: kills }];
  return [{ label: "why", text: `${kills}; gate ${ready.gate} counts armed or not, a source outside of the render can arm it` }];
}
