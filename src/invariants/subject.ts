import type { Term } from "../findings.js";
import type { Place } from "../manifest/place.js";
import type { Manifest } from "../manifest/types.js";
import { asDeclared } from "../model/declared-fact.js";
import { shownPlace } from "../model/env-entry.js";
import { dig } from "../model/read.js";
import type { Container, Environment, Probe, Workload } from "../model/types.js";
import { waitTargets } from "../model/wait-target.js";
import type { Context } from "../rule.js";
import type { Inputs } from "./engine.js";
import { fieldPlace, isOfContainer, pathPlace, type Step } from "./field.js";
import { KnownEnv } from "./known-env.js";
import type { Reference } from "./references.js";
import { LazyRecord, textMap, toCel, toInt } from "./values.js";
import { recordOf } from "./variables.js";

/** What one evaluation is about, as expressions and findings need it. */
export interface Subject {
  /** The object, or the container; undefined for the environment as a whole. */
  readonly at: Place | undefined;
  readonly label: string;
  readonly inputs: Inputs;
  readonly env: KnownEnv | undefined;
  /** The place of what a reference reads, when it is a place of the render. */
  placeOf(reference: Reference): Place | undefined;
  /** The term with the line of the config that declares it, when the reference reads a fact. */
  declared(term: Term, reference: Reference): Term;
  /** The place of a field that an invariant names in `at`. */
  fieldAt(steps: readonly Step[]): Place | undefined;
  /** Whether a reference leads into a Secret, so that its value must not be shown. */
  isSecret(reference: Reference): boolean;
}

/** The subject of an invariant: a workload with or without one of its containers, any object, or the environment. */
export function subjectOf(
  of: { readonly manifest?: Manifest; readonly workload?: Workload; readonly container?: Container },
  context: Context,
): Subject {
  const { container } = of;
  const workload = of.workload ?? container?.workload;
  const manifest = of.manifest ?? workload?.manifest;
  const { environment } = context;
  const env = workload && new KnownEnv(container ? [container] : [...workload.appContainers, ...workload.sidecars]);
  const at = container?.at ?? manifest?.at;
  return {
    at,
    label: container ? `${container.workload.at.subject}/${container.name}` : (manifest?.at.subject ?? environment.name),
    env,
    inputs: {
      rendered: environment,
      variables: new LazyRecord({
        ...environmentVariables(environment),
        facts: () => factsRecord(context),
        ...(manifest && { object: () => toCel(manifest.body) }),
        ...(workload && workloadVariables(workload)),
        ...(env && { env: () => env }),
        ...(container && { container: () => toCel(container.body), probes: () => probesRecord(container) }),
      }),
    },
    declared: (term, { root, path }) => (root === "facts" ? asDeclared(term, context.facts, path.join(".")) : term),
    placeOf: (reference) => placeOf(reference, manifest, workload, container, env),
    fieldAt(steps) {
      const [first, name] = steps;
      const entry = first?.key === "env" && name !== undefined && steps.length === 2 ? env?.entry(name.key)?.entry : undefined;
      if (entry !== undefined) return shownPlace(entry);
      if (container !== undefined && isOfContainer(steps)) return fieldPlace(container.at, container.body, steps);
      return manifest && fieldPlace(manifest.at, manifest.body, steps);
    },
    isSecret: ({ root, path }) => {
      if (root === "object") return manifest?.kind === "Secret" && (path[0] === "data" || path[0] === "stringData");
      return root === "env" && typeof path[0] === "string" && env?.entry(path[0])?.entry.secret === true;
    },
  };
}

function environmentVariables(environment: Environment): Readonly<Record<string, () => unknown>> {
  return {
    environment: () => environment.name,
    release: () => recordOf("Release", { name: () => environment.release, namespace: () => environment.namespace }),
    kubeVersion: () => environment.kubeVersion,
    nodes: () => (environment.nodes === undefined ? undefined : toInt(environment.nodes)),
    workloads: () => environment.workloads.filter(({ isTest }) => !isTest).map(workloadRecord),
  };
}

function workloadVariables(workload: Workload): Readonly<Record<string, () => unknown>> {
  const { replicas, pod } = workload;
  return {
    workload: () => workloadRecord(workload),
    containers: () => toCel(dig(pod.body, "containers") ?? []),
    initContainers: () => toCel(dig(pod.body, "initContainers") ?? []),
    replicas: () =>
      recordOf("Replicas", {
        floor: () => toInt(replicas.floor),
        ceil: () => toInt(replicas.ceil),
        rendered: () => (replicas.rendered === undefined ? undefined : toInt(replicas.rendered)),
      }),
    waitsFor: () => [...new Set(workload.initContainers.flatMap((init) => waitTargets(init).map(({ host }) => host)))],
  };
}

function workloadRecord(workload: Workload): LazyRecord {
  const { manifest, pod } = workload;
  return recordOf("Workload", {
    kind: () => workload.kind,
    name: () => workload.name,
    namespace: () => workload.namespace,
    hooks: () => [...workload.hooks],
    labels: () => textMap(manifest.labels),
    annotations: () => textMap(manifest.annotations),
    podLabels: () => textMap(pod.labels),
    podAnnotations: () => textMap(pod.annotations),
    podSpec: () => toCel(pod.body),
  });
}

function probesRecord({ startup, readiness, liveness }: Container): LazyRecord {
  return recordOf("Probes", {
    startup: () => probeRecord(startup),
    readiness: () => probeRecord(readiness),
    liveness: () => probeRecord(liveness),
  });
}

function probeRecord(probe: Probe | undefined): LazyRecord | undefined {
  if (probe === undefined) return undefined;
  const { handler } = probe;
  return recordOf("Probe", {
    initialDelaySeconds: () => toInt(probe.delay),
    periodSeconds: () => toInt(probe.period),
    timeoutSeconds: () => toInt(probe.timeout),
    failureThreshold: () => toInt(probe.failures),
    successThreshold: () => toInt(probe.successes),
    terminationGracePeriodSeconds: () => (probe.grace === undefined ? undefined : toInt(probe.grace)),
    handler: () => handler?.type,
    path: () => handler?.path,
    port: () => (handler?.port?.number === undefined ? undefined : toInt(handler.port.number)),
    command: () => (handler === undefined ? undefined : [...handler.command]),
  });
}

function factsRecord({ facts }: Context): LazyRecord {
  const { readings: _, declaredAt: __, ...declared } = facts;
  return recordOf("Facts", Object.fromEntries(Object.entries(declared).map(([name, value]) => [name, () => toCel(value)])));
}

function placeOf(
  { root, path }: Reference,
  manifest: Manifest | undefined,
  workload: Workload | undefined,
  container: Container | undefined,
  env: KnownEnv | undefined,
): Place | undefined {
  const [first, second] = path;
  if (root === "object" && path.length > 0) return manifest && pathPlace(manifest.at, manifest.body, path);
  if (root === "container" && path.length > 0) return container && pathPlace(container.at, container.body, path);
  if (root === "env") {
    const entry = typeof first === "string" ? env?.entry(first)?.entry : undefined;
    return entry && shownPlace(entry);
  }
  if (workload === undefined) return undefined;
  if (root === "replicas") return first === "rendered" ? workload.at.key("spec", "replicas") : workload.replicas.at;
  if (root === "containers" || root === "initContainers") return pathPlace(workload.pod.at.key(root), dig(workload.pod.body, root), path);
  if (root === "workload" && first === "podSpec") return pathPlace(workload.pod.at, workload.pod.body, path.slice(1));
  const probe =
    root === "probes" && (first === "startup" || first === "readiness" || first === "liveness") ? container?.[first] : undefined;
  if (probe === undefined) return undefined;
  const isField = typeof second === "string" && /Seconds$|Threshold$/.test(second);
  return isField ? probe.at.key(second) : (probe.handler?.at ?? probe.at);
}
