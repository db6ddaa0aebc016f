import { parseManifests } from "../src/manifest/parse.js";
import { buildEnvironment, type EnvironmentInput } from "../src/model/environment.js";
import type { Container, Environment, Workload } from "../src/model/types.js";

/** An environment made of YAML documents. */
export function environmentOf(yaml: string, input: Partial<EnvironmentInput> = {}): Environment {
  return buildEnvironment({
    name: "default",
    chart: { path: "chart", kind: "chart" },
    release: "demo",
    namespace: "ns",
    external: [],
    debts: [],
    today: "2026-11-30",
    manifests: parseManifests(yaml),
    ...input,
  });
}

/** The first workload of the documents. */
export function workloadOf(yaml: string, input: Partial<EnvironmentInput> = {}): Workload {
  return first(environmentOf(yaml, input).workloads);
}

/** The first app container of a Deployment whose container has these extra fields (YAML flow, such as `env: []`), with more documents after it. */
export function containerOf(fields: string, more = "", input: Partial<EnvironmentInput> = {}): Container {
  return first(workloadOf(deployment(`containers: [{name: app, image: "app:1", ${fields}}]`, more), input).appContainers);
}

/** A Deployment `web` with a pod spec in YAML flow (`containers: []`), and more documents after it. */
export function deployment(podSpec: string, more = "", spec = ""): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {selector: {matchLabels: {app: web}}, ${spec === "" ? "" : `${spec}, `}template: {metadata: {labels: {app: web}}, spec: {${podSpec}}}}
---
${more}`;
}

/** The first element; throws when there is none. */
export function first<T>(list: readonly T[]): T {
  const [element] = list;
  if (element === undefined) throw new Error("the list is empty");
  return element;
}
