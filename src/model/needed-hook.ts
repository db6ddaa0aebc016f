import type { Place } from "../manifest/place.js";
import type { Manifest } from "../manifest/types.js";
import { isPostHook } from "./hook.js";
import { podReferences, renderedIn } from "./pod-references.js";
import type { Environment, Workload } from "./types.js";

/** A hook of after the deploy that a workload cannot become ready without. */
export interface NeededHook {
  readonly hook: Manifest;
  /** Where the workload says so. */
  readonly at: Place;
  /** For a sentence: `uses`, `has an init container that waits for`. */
  readonly how: string;
}

/** Post hooks that a workload needs to become ready: by a declared `waitsFor`, an init container that names a Job, or an object that its pods use. */
export function* neededHooks(workload: Workload, waitsFor: readonly string[]): Iterable<NeededHook> {
  const { environment } = workload;
  const post = (kind: string, name: string) => {
    const rendered = renderedIn(environment, workload.namespace, kind, name);
    return rendered.every(isPostHook) ? rendered[0] : undefined;
  };
  for (const { hook, at } of namedJobs(workload, environment)) yield { hook, at, how: "has an init container that waits for" };
  for (const entry of waitsFor) {
    const [kind = "", name = ""] = entry.split("/");
    const hook = post(kind, name);
    if (hook !== undefined) yield { hook, at: workload.pod.at, how: "waits (waitsFor) for" };
  }
  for (const { kind, name, optional, at } of podReferences(workload)) {
    const hook = optional ? undefined : post(kind, name);
    if (hook !== undefined) yield { hook, at, how: "uses" };
  }
}

function* namedJobs(workload: Workload, { workloads }: Environment): Iterable<{ readonly hook: Manifest; readonly at: Place }> {
  if (workload.initContainers.length === 0) return;
  const jobs = workloads.filter(
    ({ kind, namespace, manifest }) => kind === "Job" && namespace === workload.namespace && isPostHook(manifest),
  );
  for (const container of workload.initContainers) {
    const text = [...container.command, ...container.args].join(" ");
    const at = container.at.key(container.command.length > 0 ? "command" : "args");
    for (const { name, manifest } of jobs) {
      const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
      // A plain word such as "migrate" is as well the name of a command.
      const lead = name.includes("-") ? "(?:^|[^\\w.-])" : "\\bjobs?(?:\\.batch)?[/ ]";
      if (new RegExp(`${lead}${escaped}(?![\\w.-])`).test(text)) yield { hook: manifest, at };
    }
  }
}
