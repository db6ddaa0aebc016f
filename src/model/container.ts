import type { Place } from "../manifest/place.js";
import type { Mapping } from "../manifest/types.js";
import { buildEnv } from "./env.js";
import { parseImage } from "./image.js";
import { once } from "./memo.js";
import { buildHook, buildProbe } from "./probe.js";
import { parseQuantity } from "./quantity.js";
import { asCount, asInteger, asMapping, asName, asString, asStrings, dig, emptyMapping, mappingsOf, record } from "./read.js";
import type { Container, ContainerPort, ContainerRole, Probe, ProbeRole, Workload } from "./types.js";

/** The containers of a pod: the init list (plain ones and sidecars) first, then the app containers, in the order of the manifest. */
export function buildContainers(workload: Workload): readonly Container[] {
  const { body, at } = workload.pod;
  const list = (key: "initContainers" | "containers") =>
    mappingsOf(body[key]).map(({ body: container, index }) =>
      buildContainer(container, at.key(key).item(index, asName(container["name"])), roleOf(key, container), workload),
    );
  return Object.freeze([...list("initContainers"), ...list("containers")]);
}

/** An init container with restartPolicy Always is a sidecar (item 49). */
function roleOf(key: "initContainers" | "containers", body: Mapping): ContainerRole {
  if (key === "containers") return "app";
  return body["restartPolicy"] === "Always" ? "sidecar" : "init";
}

function buildContainer(body: Mapping, at: Place, role: ContainerRole, workload: Workload): Container {
  const ports = once(() => readPorts(body["ports"], at.key("ports")));
  const env = once(() => buildEnv(body, at, workload));
  const limits = once(() => readQuantities(dig(body, "resources", "limits")));
  // A limit without a request is also the request of that resource: SetDefaults_Pod.
  const requests = once(() => record(Object.entries({ ...limits(), ...readQuantities(dig(body, "resources", "requests")) })));
  const mounts = once(() => readMounts(body["volumeMounts"], at.key("volumeMounts")));
  const probe = (role: ProbeRole) => once(() => buildProbe(role, body[`${role}Probe`], at.key(`${role}Probe`), container));
  const startup = probe("startup");
  const readiness = probe("readiness");
  const liveness = probe("liveness");
  const probes = once(() => Object.freeze([startup(), readiness(), liveness()].filter((given): given is Probe => given !== undefined)));
  const hook = (name: string) => once(() => buildHook(dig(body, "lifecycle", name), at.key("lifecycle", name), ports()));
  const preStop = hook("preStop");
  const postStart = hook("postStart");
  const container: Container = Object.freeze({
    name: asString(body["name"]) ?? "",
    role,
    workload,
    at,
    image: parseImage(asString(body["image"]) ?? ""),
    command: asStrings(body["command"]),
    args: asStrings(body["args"]),
    body,
    get ports() {
      return ports();
    },
    get startup() {
      return startup();
    },
    get readiness() {
      return readiness();
    },
    get liveness() {
      return liveness();
    },
    get probes() {
      return probes();
    },
    get env() {
      return env();
    },
    get preStop() {
      return preStop();
    },
    get postStart() {
      return postStart();
    },
    get requests() {
      return requests();
    },
    get limits() {
      return limits();
    },
    get mounts() {
      return mounts();
    },
  });
  return container;
}

function readPorts(value: unknown, at: Place): readonly ContainerPort[] {
  const ports = mappingsOf(value).flatMap(({ body, index }) => {
    const number = asInteger(body["containerPort"]);
    if (number === undefined) return [];
    const name = asName(body["name"]);
    const hostPort = asCount(body["hostPort"]);
    return [
      Object.freeze({
        name,
        number,
        protocol: asName(body["protocol"]) ?? "TCP",
        hostPort: hostPort === 0 ? undefined : hostPort,
        at: at.item(index, name),
      }),
    ];
  });
  return Object.freeze(ports);
}

function readQuantities(value: unknown): Readonly<Record<string, number>> {
  const mapping = asMapping(value) ?? emptyMapping;
  const numbers = Object.keys(mapping).map((key) => [key, parseQuantity(mapping[key])] as const);
  return record(numbers.filter((pair): pair is readonly [string, number] => pair[1] !== undefined));
}

function readMounts(value: unknown, at: Place): Container["mounts"] {
  const mounts = mappingsOf(value).map(({ body, index }) => {
    const name = asString(body["name"]) ?? "";
    return Object.freeze({
      name,
      path: asString(body["mountPath"]) ?? "",
      subPath: asName(body["subPath"]) !== undefined || asName(body["subPathExpr"]) !== undefined,
      readOnly: body["readOnly"] === true,
      at: at.item(index, asName(name)),
    });
  });
  return Object.freeze(mounts);
}
