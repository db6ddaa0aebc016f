import { asDeclared, commandTimeout, defineRule, dig, type Facts, formatSeconds, type Term, type Workload, waitTerm } from "../src/api.js";

/** Events that happen within an install or upgrade, whose timeout `deploy` declares. */
const deployEvents = /^(?:pre|post)-(?:install|upgrade|rollback)$/;

export default defineRule({
  id: "job-deadline-fits",
  summary: "A hook Job has a deadline that its work fits into, and that ends before Helm stops waiting for it",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["pull", "run", "deploy"],
  *check(workload, { environment, factsOf, judged, ask }) {
    if (workload.kind !== "Job" || workload.hooks.length === 0) return;
    judged();
    const found = `hook Job "${workload.name}"`;
    const timeout = workload.hooks.some((event) => deployEvents.test(event)) ? commandTimeout(environment.deploy) : undefined;
    const { pull, run, terms } = timesOf(workload, factsOf);
    const wait = timeout === undefined ? [] : [waitTerm(timeout)];
    if (environment.deploy === undefined) ask("deploy");
    if (pull === undefined) ask("pull");
    if (run === undefined) ask("run");
    const need = (pull ?? 0) + (run ?? 0);
    const sum = [pull === undefined ? [] : [`${formatSeconds(pull)} pull`], run === undefined ? [] : [`${formatSeconds(run)} run`]]
      .flat()
      .join(" + ");
    const room = `${need > 0 ? `at least ${formatSeconds(need)}` : "longer than its work"}${timeout === undefined ? "" : ` and less than ${formatSeconds(timeout.seconds)} (${timeout.from})`}`;
    const hint = `set activeDeadlineSeconds to ${room}${timeout !== undefined && need >= timeout.seconds ? ", which needs a longer helm --timeout" : ""}`;
    const { at, seconds } = deadlineOf(workload);
    if (seconds === undefined) {
      const late = timeout === undefined ? "when its wait is over" : `after ${formatSeconds(timeout.seconds)} (${timeout.from})`;
      yield {
        at,
        message: `${found} has no activeDeadlineSeconds: helm gives up ${late}, and the Job goes on behind its back, into the next deploy`,
        hint,
        because: wait,
        ...(timeout === undefined ? { severity: "warning" as const, ask: ["deploy"] } : {}),
      };
      return;
    }
    if (timeout !== undefined && seconds >= timeout.seconds) {
      yield {
        at,
        message: `${found} may run for ${formatSeconds(seconds)}, but helm waits for a hook ${formatSeconds(timeout.seconds)} (${timeout.from}): helm gives up first, and the reason is lost`,
        hint,
        because: wait,
      };
    }
    if (need > seconds) {
      yield {
        at,
        message: `${found} is killed after ${formatSeconds(seconds)}, but it may need ${formatSeconds(need)}: ${sum}`,
        hint,
        because: terms,
        notes: [{ label: "why", text: "the deadline counts from the creation of the Job: the image pull and every retry are inside" }],
      };
    }
  },
});

/** The Job's own deadline, else that of its only pod (seconds). */
function deadlineOf(workload: Workload): { readonly at: Workload["at"]; readonly seconds: number | undefined } {
  const own = dig(workload.body, "spec", "activeDeadlineSeconds");
  const at = workload.at.key("spec", "activeDeadlineSeconds");
  if (typeof own === "number") return { at, seconds: own };
  const ofPod = workload.pod.body["activeDeadlineSeconds"];
  const once = dig(workload.body, "spec", "backoffLimit") === 0 && workload.pod.restartPolicy === "Never";
  return once && typeof ofPod === "number"
    ? { at: workload.pod.at.key("activeDeadlineSeconds"), seconds: ofPod }
    : { at, seconds: undefined };
}

/** The longest pull, and the run of the whole Job, or the sum of what its containers declare of their own (seconds). */
function timesOf(workload: Workload, factsOf: (subject: Workload | Workload["containers"][number]) => Facts) {
  const subjects = [workload, ...workload.containers];
  const terms = subjects.flatMap((subject) => termsOf(factsOf(subject)));
  const pulls = subjects.flatMap((subject) => factsOf(subject).pull ?? []);
  const pull = pulls.length === 0 ? undefined : Math.max(...pulls);
  const whole = factsOf(workload).run;
  if (whole !== undefined) return { pull, run: whole, terms };
  const inits = workload.initContainers.flatMap((container) => factsOf(container).run ?? []);
  const apps = workload.appContainers.flatMap((container) => factsOf(container).run ?? []);
  const run = inits.reduce((total, seconds) => total + seconds, 0) + Math.max(0, ...apps);
  return { pull, run: inits.length + apps.length === 0 ? undefined : run, terms };
}

function termsOf(facts: Facts): readonly Term[] {
  return (["pull", "run"] as const).flatMap((name) => {
    const value = facts[name];
    return value === undefined ? [] : [asDeclared({ term: name, value, unit: "s" }, facts, name)];
  });
}
