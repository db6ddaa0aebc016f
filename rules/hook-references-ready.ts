import {
  type Context,
  compareHooks,
  defineRule,
  hookWeight,
  type Manifest,
  neededHooks,
  type Problem,
  podReferences,
  renderedIn,
  type Workload,
} from "../src/api.js";

export default defineRule({
  id: "hook-references-ready",
  summary: "What a hook uses exists before the hook runs, and no pod that the deploy waits for needs a hook that runs after the wait",
  scope: "workload",
  severity: "error",
  category: "rollouts",
  facts: ["external", "deploy", "waitsFor"],
  *check(workload, context) {
    if (workload.hooks.includes("pre-install")) yield* before(workload, context);
    if (workload.hooks.length === 0 && workload.longRunning) yield* after(workload, context);
  },
});

function* before(hook: Workload, { environment, judged, ask }: Context): Iterable<Problem> {
  const said = new Set<string>();
  for (const reference of podReferences(hook)) {
    const { kind, name, optional, pulls } = reference;
    const label = `${kind} "${name}"`;
    if ((optional && !pulls) || said.has(label)) continue;
    said.add(label);
    const rendered = renderedIn(environment, hook.namespace, kind, name);
    if (environment.isExternal(`${kind}/${name}`)) {
      judged();
      continue;
    }
    if (rendered.length === 0) {
      if (!environment.externalDeclared) ask("external");
      continue;
    }
    judged();
    const ready = rendered.filter((object) => object.hooks.includes("pre-install") && compareHooks(object, hook.manifest) < 0);
    // Helm's documentation has kinds decide between equal weights, its code the names.
    const byName = ready.find((object) => hookWeight(object) === hookWeight(hook.manifest) && object.name > hook.name);
    const [first] = rendered;
    if (first === undefined || (ready.length > 0 && byName === undefined)) continue;
    const weight = hookWeight(hook.manifest);
    yield {
      at: reference.at,
      message: `pre-install hook ${hook.kind} "${hook.name}" uses ${label}, ${byName === undefined ? lateness(first, weight) : `a hook of the same weight ${weight}: Helm runs hooks of equal weight by name, and "${hook.name}" comes before "${name}"`}, so the first install ${pulls ? "pulls without it" : "waits for a pod that cannot start"}`,
      hint: `make ${label} a pre-install hook with a weight below ${weight}, or run this hook post-install`,
      because: [{ term: label, value: `weight ${hookWeight(first)}`, at: first.at.key("metadata", "annotations", "helm.sh/hook") }],
      ...(pulls || byName !== undefined ? { severity: "warning" as const } : {}),
    };
  }
}

function lateness(object: Manifest, weight: number): string {
  if (object.hooks.length === 0) return "which is no hook: helm makes it only after the pre-install hooks";
  if (!object.hooks.includes("pre-install")) return `which is a hook of ${object.hooks.join(", ")} only`;
  return `a hook of weight ${hookWeight(object)}, expected less than ${weight}`;
}

function* after(workload: Workload, { environment, factsOf, judged, ask }: Context): Iterable<Problem> {
  const declared = [workload, ...workload.containers].flatMap((subject) => factsOf(subject).waitsFor ?? []);
  const needed = [...neededHooks(workload, declared)];
  if (needed.length === 0) return;
  const { deploy } = environment;
  if (deploy?.wait === undefined) ask("deploy");
  if (deploy?.wait === undefined) return;
  judged();
  if (!deploy.wait) return;
  const said = new Set<Manifest>();
  for (const { hook, at, how } of needed) {
    if (said.has(hook)) continue;
    said.add(hook);
    yield {
      at,
      message: `${workload.kind} "${workload.name}" ${how} ${hook.kind} "${hook.name}", a ${hook.hooks.join(", ")} hook: with wait on it runs only after this workload is ready, and this workload is ready only after it`,
      hint: `run ${hook.kind} "${hook.name}" as a pre-install, pre-upgrade hook, or as no hook at all`,
      because: [{ term: "hook", value: hook.hooks.join(", "), at: hook.at.key("metadata", "annotations", "helm.sh/hook") }],
    };
  }
}
