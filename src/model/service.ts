import type { Place } from "../manifest/place.js";
import type { Manifest } from "../manifest/types.js";
import { once } from "./memo.js";
import { asInteger, asIntOrString, asMapping, asName, asTextRecord, dig, mappingsOf } from "./read.js";
import { includesLabels } from "./selector.js";
import type { Environment, Service, ServicePort, Workload } from "./types.js";

/** A Service with the rendered workloads whose pods it selects; Helm tests are left out. */
export function buildService(manifest: Manifest, environment: Environment): Service {
  const at = manifest.at;
  const namespace = manifest.namespace ?? environment.namespace;
  const type = asName(dig(manifest.body, "spec", "type")) ?? "ClusterIP";
  const written = asMapping(dig(manifest.body, "spec", "selector"));
  const selector = written === undefined ? undefined : asTextRecord(written);
  const ports = once(() => readPorts(dig(manifest.body, "spec", "ports"), at.key("spec", "ports")));
  const workloads = once(() => {
    // A Service without a selector, or with an empty one, selects no pod: somebody else writes its endpoints.
    if (selector === undefined || Object.keys(selector).length === 0 || type === "ExternalName") return Object.freeze([]);
    const selected = environment.workloads.filter(
      (workload) =>
        !workload.isTest && workload.namespace === namespace && includesLabels(workload.pod.labels, withoutAdded(selector, workload)),
    );
    return Object.freeze(selected);
  });
  return Object.freeze({
    name: manifest.name,
    namespace,
    at,
    type,
    headless: dig(manifest.body, "spec", "clusterIP") === "None",
    selector,
    manifest,
    get ports() {
      return ports();
    },
    get workloads() {
      return workloads();
    },
  });
}

/** The labels that a pod template has to have: what the controllers of a StatefulSet add to each pod is left out. */
function withoutAdded(selector: Readonly<Record<string, string>>, { kind, name }: Workload): Readonly<Record<string, string>> {
  if (kind !== "StatefulSet") return selector;
  const added = (key: string, value: string) =>
    key === "apps.kubernetes.io/pod-index" || (key === "statefulset.kubernetes.io/pod-name" && value.replace(/-\d+$/, "") === name);
  return Object.fromEntries(Object.entries(selector).filter(([key, value]) => !added(key, value)));
}

/** Names of the variables that the kubelet injects for a Service with a cluster IP (item 120). */
export function serviceVariables(service: Service): readonly string[] {
  if (service.headless || service.type === "ExternalName") return [];
  const prefix = service.name.replaceAll("-", "_").toUpperCase();
  const names = [`${prefix}_SERVICE_HOST`, `${prefix}_SERVICE_PORT`, `${prefix}_PORT`];
  for (const port of service.ports) {
    if (port.name !== undefined) names.push(`${prefix}_SERVICE_PORT_${port.name.replaceAll("-", "_").toUpperCase()}`);
    const each = `${prefix}_PORT_${port.port}_${port.protocol.toUpperCase()}`;
    names.push(each, `${each}_PROTO`, `${each}_PORT`, `${each}_ADDR`);
  }
  return names;
}

function readPorts(value: unknown, at: Place): readonly ServicePort[] {
  const ports = mappingsOf(value).flatMap(({ body, index }) => {
    const port = asInteger(body["port"]);
    if (port === undefined) return [];
    const name = asName(body["name"]);
    const target = asIntOrString(body["targetPort"]);
    // 0 and "" are replaced by the port, like an absent one.
    const targetPort = target === undefined || target === 0 || target === "" ? port : target;
    return [Object.freeze({ name, port, targetPort, protocol: asName(body["protocol"]) ?? "TCP", at: at.item(index, name) })];
  });
  return Object.freeze(ports);
}
