import type { Manifest } from "../manifest/types.js";
import { buildContainers } from "./container.js";
import { once } from "./memo.js";
import { buildPod } from "./pod.js";
import { asCount, dig } from "./read.js";
import { buildReplicas } from "./replicas.js";
import { buildLabelSelector, buildSelector } from "./selector.js";
import { buildStrategy } from "./strategy.js";
import type { ContainerRole, Environment, Setting, Workload, WorkloadKind } from "./types.js";

const testHooks = ["test", "test-success", "test-failure"];

/** A workload of one environment; its parts are built when they are asked for. */
export function buildWorkload(manifest: Manifest, kind: WorkloadKind, environment: Environment): Workload {
  const { at, body, hooks } = manifest;
  const pod = once(() => buildPod(workload));
  const containers = once(() => buildContainers(workload));
  const ofRole = (role: ContainerRole) => once(() => Object.freeze(containers().filter((container) => container.role === role)));
  const appContainers = ofRole("app");
  const sidecars = ofRole("sidecar");
  const initContainers = ofRole("init");
  const replicas = once(() => buildReplicas(workload));
  const strategy = once(() => buildStrategy(workload));
  const budgets = once(() => Object.freeze(environment.budgets.filter((budget) => budget.workloads.includes(workload))));
  const autoscalers = once(() => Object.freeze(environment.autoscalers.filter((scaler) => scaler.workload === workload)));
  const services = once(() => Object.freeze(environment.services.filter((service) => service.workloads.includes(workload))));
  const isTest = hooks.some((hook) => testHooks.includes(hook));
  const selectorAt = at.key("spec", "selector");
  const selector = dig(body, "spec", "selector");
  // Only a StatefulSet starts its pods one after another.
  const ordered = kind === "StatefulSet" && dig(body, "spec", "podManagementPolicy") !== "Parallel";
  const workload: Workload = Object.freeze({
    kind,
    name: manifest.name,
    namespace: manifest.namespace ?? environment.namespace,
    at,
    manifest,
    environment,
    isTest,
    hooks,
    progressDeadline: setting(manifest, "progressDeadlineSeconds", 600),
    minReady: setting(manifest, "minReadySeconds", 0),
    podManagementPolicy: ordered ? "OrderedReady" : "Parallel",
    selector: kind === "ReplicationController" ? buildLabelSelector(selector, selectorAt) : buildSelector(selector, selectorAt),
    body,
    get longRunning() {
      if (isTest || kind === "Job" || kind === "CronJob") return false;
      return kind !== "Pod" || (hooks.length === 0 && pod().restartPolicy === "Always");
    },
    get pod() {
      return pod();
    },
    get containers() {
      return containers();
    },
    get appContainers() {
      return appContainers();
    },
    get sidecars() {
      return sidecars();
    },
    get initContainers() {
      return initContainers();
    },
    get replicas() {
      return replicas();
    },
    get strategy() {
      return strategy();
    },
    get budgets() {
      return budgets();
    },
    get autoscalers() {
      return autoscalers();
    },
    get services() {
      return services();
    },
  });
  return workload;
}

function setting(manifest: Manifest, field: string, byDefault: number): Setting<number> {
  const given = asCount(dig(manifest.body, "spec", field));
  return Object.freeze({ value: given ?? byDefault, isDefault: given === undefined, at: manifest.at.key("spec", field) });
}
