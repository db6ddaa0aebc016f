import type { FactName } from "../config/types.js";
import { LazyRecord } from "./values.js";

/** Fields of the records that expressions see, by record, with their CEL types. */
export const recordFields = {
  Release: { name: "string", namespace: "string" },
  Workload: {
    kind: "string",
    name: "string",
    namespace: "string",
    hooks: "list<string>",
    labels: "map<string, string>",
    annotations: "map<string, string>",
    podLabels: "map<string, string>",
    podAnnotations: "map<string, string>",
    podSpec: "map<string, dyn>",
  },
  Replicas: { floor: "int", ceil: "int", rendered: "int" },
  Probes: { startup: "Probe", readiness: "Probe", liveness: "Probe" },
  Probe: {
    initialDelaySeconds: "int",
    periodSeconds: "int",
    timeoutSeconds: "int",
    failureThreshold: "int",
    successThreshold: "int",
    terminationGracePeriodSeconds: "int",
    handler: "string",
    path: "string",
    port: "int",
    command: "list<string>",
  },
  Facts: {
    boot: "dyn",
    pull: "dyn",
    run: "dyn",
    drain: "dyn",
    listen: "list<int>",
    ports: "map<string, dyn>",
    basePath: "string",
    allowedHosts: "list<string>",
    binaries: "list<string>",
    serves: "list<string>",
    waitsFor: "list<string>",
    heapOverhead: "dyn",
    sharedPaths: "list<string>",
    env: "map<string, dyn>",
    checks: "map<string, dyn>",
    gates: "map<string, dyn>",
    endpoints: "map<string, dyn>",
  } satisfies Partial<Record<FactName, string>>,
} as const;

export type RecordName = keyof typeof recordFields;

/** What a variable is about: it decides what an invariant is asked of. */
export type About = "any" | "object" | "workload" | "container";

/** The variables of expressions, with their CEL types and what they are about. */
export const variables: Readonly<Record<string, { readonly type: string; readonly about: About }>> = {
  environment: { type: "string", about: "any" },
  release: { type: "Release", about: "any" },
  kubeVersion: { type: "string", about: "any" },
  nodes: { type: "int", about: "any" },
  workloads: { type: "list<Workload>", about: "any" },
  object: { type: "map<string, dyn>", about: "object" },
  facts: { type: "Facts", about: "object" },
  workload: { type: "Workload", about: "workload" },
  containers: { type: "list<dyn>", about: "workload" },
  initContainers: { type: "list<dyn>", about: "workload" },
  replicas: { type: "Replicas", about: "workload" },
  env: { type: "Env", about: "workload" },
  waitsFor: { type: "list<string>", about: "workload" },
  container: { type: "map<string, dyn>", about: "container" },
  probes: { type: "Probes", about: "container" },
};

/** The class of each record: the engine tells types apart by it. */
export const recordClasses = Object.fromEntries(
  (Object.keys(recordFields) as RecordName[]).map((name) => [name, { [name]: class extends LazyRecord {} }[name] ?? LazyRecord]),
) as Readonly<Record<RecordName, typeof LazyRecord>>;

/** A record of a type, its members made when they are first read. */
export function recordOf(name: RecordName, members: Readonly<Record<string, () => unknown>>): LazyRecord {
  return new recordClasses[name](members);
}
