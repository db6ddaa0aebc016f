import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseManifests } from "../src/manifest/parse.js";
import { buildEnvironment } from "../src/model/environment.js";
import { parseImage } from "../src/model/image.js";
import { buildSelector } from "../src/model/selector.js";
import { serviceVariables } from "../src/model/service.js";
import type { Environment, Probe, Workload } from "../src/model/types.js";
import { containerOf, deployment, environmentOf, first, workloadOf } from "./environment.js";

const object = (apiVersion: string, kind: string, name: string, rest = "", metadata = "") =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}${metadata}}\n${rest}\n---\n`;

function workloads(yaml: string): readonly string[] {
  return environmentOf(yaml).workloads.map((workload) => `${workload.kind}/${workload.name}`);
}

describe("workloads", () => {
  const template = "spec: {template: {spec: {containers: [{name: c}]}}}";
  it.each([
    ["Deployment", "apps/v1", template],
    ["Deployment", "extensions/v1beta1", template],
    ["StatefulSet", "apps/v1", template],
    ["DaemonSet", "apps/v1", template],
    ["ReplicaSet", "apps/v1", template],
    ["ReplicationController", "v1", template],
    ["Job", "batch/v1", template],
    ["CronJob", "batch/v1beta1", `spec: {jobTemplate: {${template}}}`],
    ["Pod", "v1", "spec: {containers: [{name: c}]}"],
    ["Rollout", "argoproj.io/v1alpha1", template],
  ])("%s of %s", (kind, apiVersion, rest) => {
    const workload = workloadOf(object(apiVersion, kind, "x", rest));
    expect([workload.kind, workload.containers.map((container) => container.name)]).toEqual([kind, ["c"]]);
    const at = { CronJob: "spec.jobTemplate.spec.template.spec", Pod: "spec" }[kind] ?? "spec.template.spec";
    expect(String(first(workload.containers).at)).toBe(`${kind}/x ${at}.containers[c]`);
    expect(workload.pod.metadataAt.field).toBe(at.replace(/spec$/, "metadata"));
  });

  it.each([
    ["a CRD that is called Deployment", object("example.org/v1", "Deployment", "x", template)],
    ["a Rollout of somebody else", object("example.org/v1", "Rollout", "x", template)],
    ["a kind with a pod template that is not modelled", object("serving.knative.dev/v1", "Service", "x", template)],
    ["a pod of another group", object("metrics.k8s.io/v1", "Pod", "x", "spec: {containers: []}")],
  ])("%s is none", (_, yaml) => expect(workloads(yaml)).toEqual([]));

  it("come in the order of the render", () => {
    const yaml = object("v1", "Pod", "a") + object("apps/v1", "StatefulSet", "b") + object("apps/v1", "Deployment", "c");
    expect(workloads(yaml)).toEqual(["Pod/a", "StatefulSet/b", "Deployment/c"]);
  });

  it.each([
    ["apps/v1", "Deployment", "", "", true, false],
    ["apps/v1", "Deployment", ", annotations: {helm.sh/hook: pre-install}", "", true, false],
    ["v1", "Pod", "", "", true, false],
    ["v1", "Pod", "", "spec: {restartPolicy: Never}", false, false],
    ["v1", "Pod", ", annotations: {helm.sh/hook: post-install}", "", false, false],
    ["v1", "Pod", ", annotations: {helm.sh/hook: test}", "", false, true],
    ["v1", "Pod", ", annotations: {helm.sh/hook: test-success}", "", false, true],
    ["v1", "Pod", ', annotations: {helm.sh/hook: "post-install, test-failure"}', "", false, true],
    ["batch/v1", "Job", ", annotations: {helm.sh/hook: pre-install}", "", false, false],
    ["batch/v1", "CronJob", "", "", false, false],
  ])("%s %s%s %s: long running %s, test %s", (apiVersion, kind, metadata, rest, longRunning, isTest) => {
    const workload = workloadOf(object(apiVersion, kind, "x", rest, metadata));
    expect([workload.longRunning, workload.isTest]).toEqual([longRunning, isTest]);
  });

  it("have a progress deadline of 600, a minReadySeconds of 0, and only StatefulSets are ordered", () => {
    const web = workloadOf(object("apps/v1", "Deployment", "web"));
    expect([web.progressDeadline.value, web.progressDeadline.isDefault, String(web.progressDeadline.at)]).toEqual([
      600,
      true,
      "Deployment/web spec.progressDeadlineSeconds",
    ]);
    const set = workloadOf(object("apps/v1", "Deployment", "web", "spec: {progressDeadlineSeconds: 0, minReadySeconds: 5}"));
    expect([set.progressDeadline.value, set.progressDeadline.isDefault, set.minReady.value]).toEqual([0, false, 5]);
    expect(web.podManagementPolicy).toBe("Parallel");
    expect(workloadOf(object("apps/v1", "StatefulSet", "x")).podManagementPolicy).toBe("OrderedReady");
    expect(workloadOf(object("apps/v1", "StatefulSet", "x", "spec: {podManagementPolicy: Parallel}")).podManagementPolicy).toBe("Parallel");
  });

  it("an Argo Rollout with workloadRef has an empty pod", () => {
    const rollout = workloadOf(object("argoproj.io/v1alpha1", "Rollout", "x", "spec: {workloadRef: {kind: Deployment, name: web}}"));
    expect([rollout.containers, rollout.pod.body, rollout.pod.grace.value]).toEqual([[], {}, 30]);
  });
});

describe("containers", () => {
  it("init list first, with roles (item 49)", () => {
    const web = workloadOf(
      deployment("containers: [{name: a}, x, {name: b}], initContainers: [{name: i}, {name: s, restartPolicy: Always}]"),
    );
    expect(web.containers.map((container) => `${container.name} ${container.role}`)).toEqual(["i init", "s sidecar", "a app", "b app"]);
    expect([web.initContainers, web.sidecars, web.appContainers].map((list) => list.length)).toEqual([1, 1, 2]);
    expect(web.appContainers[1]?.at.path.at(-1)).toEqual({ index: 2, name: "b" });
  });

  it.each([
    ["nginx", "nginx", undefined, undefined],
    ["nginx:1.27", "nginx", "1.27", undefined],
    ["registry:5000/a/b", "registry:5000/a/b", undefined, undefined],
    ["registry:5000/a/b:1@sha256:ab", "registry:5000/a/b", "1", "sha256:ab"],
    ["a@sha256:ab", "a", undefined, "sha256:ab"],
    ["a:", "a", undefined, undefined],
    ["", "", undefined, undefined],
  ])("image %s", (text, repository, tag, digest) => expect(parseImage(text)).toEqual({ text, repository, tag, digest }));

  it("ports, mounts, command and resources", () => {
    const container = containerOf(
      'command: [a, 1, b], args: [c], ports: [{containerPort: 80, name: http, hostPort: 8080}, {containerPort: "81"}, {containerPort: 53, protocol: UDP, hostPort: 0}], ' +
        "volumeMounts: [{name: d, mountPath: /d, subPath: x, readOnly: true}, {name: e, mountPath: /e, subPathExpr: $(A)}, {name: f, mountPath: /f}], " +
        'resources: {limits: {cpu: 2, memory: 1Gi, example.org/gpu: "1"}, requests: {cpu: 100m, memory: nonsense}}',
    );
    expect(container.ports.map(({ name, number, protocol, hostPort }) => [name, number, protocol, hostPort])).toEqual([
      ["http", 80, "TCP", 8080],
      [undefined, 53, "UDP", undefined],
    ]);
    expect([container.command, container.args]).toEqual([["a", "b"], ["c"]]);
    expect(container.mounts.map(({ name, path, subPath, readOnly }) => [name, path, subPath, readOnly])).toEqual([
      ["d", "/d", true, true],
      ["e", "/e", true, false],
      ["f", "/f", false, false],
    ]);
    expect({ ...container.limits }).toEqual({ cpu: 2, memory: 1024 ** 3, "example.org/gpu": 1 });
    // SetDefaults_Pod: a limit without a request is the request.
    expect({ ...container.requests }).toEqual({ cpu: 0.1, memory: 1024 ** 3, "example.org/gpu": 1 });
  });
});

describe("probes", () => {
  const numbers = ({ delay, period, timeout, failures, successes, grace }: Probe) => [delay, period, timeout, failures, successes, grace];
  // Items 1, 2: an explicit 0 is the default; other types count as absent.
  it.each([
    ["", [0, 10, 1, 3, 1, undefined]],
    ["initialDelaySeconds: 0, periodSeconds: 0, timeoutSeconds: 0, failureThreshold: 0, successThreshold: 0", [0, 10, 1, 3, 1, undefined]],
    [
      "initialDelaySeconds: 5, periodSeconds: 6, timeoutSeconds: 7, failureThreshold: 8, successThreshold: 9, terminationGracePeriodSeconds: 4",
      [5, 6, 7, 8, 9, 4],
    ],
    [
      'initialDelaySeconds: "5", periodSeconds: [1], timeoutSeconds: 1.5, failureThreshold: -1, successThreshold: null',
      [0, 10, 1, 3, 1, undefined],
    ],
  ])("{%s}", (fields, want) => {
    expect(numbers(containerOf(`readinessProbe: {${fields}}`).readiness as Probe)).toEqual(want);
  });

  it("know what is written, and come as startup, readiness, liveness", () => {
    const container = containerOf(
      "livenessProbe: {exec: {command: [a]}, timeoutSeconds: null, periodSeconds: 0}, startupProbe: {}, readinessProbe: x",
    );
    expect(container.probes.map((probe) => `${probe.role} ${probe.handlerCount} ${probe.at.field}`)).toEqual([
      "startup 0 spec.template.spec.containers[app].startupProbe",
      "liveness 1 spec.template.spec.containers[app].livenessProbe",
    ]);
    const { liveness } = container;
    expect([liveness?.has("periodSeconds"), liveness?.has("timeoutSeconds"), liveness?.has("toString")]).toEqual([true, false, false]);
    expect([container.startup?.handler, container.readiness, liveness?.container === container]).toEqual([undefined, undefined, true]);
  });

  const ports = "ports: [{containerPort: 8080, name: http}, {containerPort: 9000, name: grpc}]";
  it.each([
    ["httpGet: {port: 8080}", "httpGet|8080|/", "/", 8080],
    ["httpGet: {port: http, path: /health}", "httpGet|8080|/health", "/health", 8080],
    [
      "httpGet: {port: http, path: health?a=1, scheme: HTTPS, httpHeaders: [{name: Host, value: x}]}",
      "httpGet|8080|/health?a=1",
      "/health?a=1",
      8080,
    ],
    ['httpGet: {port: "8080", path: ""}', "httpGet|8080|/", "/", 8080],
    ["httpGet: {port: metrics, path: /m}", "httpGet|metrics|/m", "/m", undefined],
    ["httpGet: {port: 70000, path: /m}", "httpGet|70000|/m", "/m", undefined],
    ["httpGet: {port: 8080, host: localhost, path: /h}", "httpGet|8080|/h|localhost", "/h", 8080],
    ["httpGet: {path: /h}", "httpGet||/h", "/h", undefined],
    ["tcpSocket: {port: http}", "tcpSocket|8080", "tcp port 8080", 8080],
    ["tcpSocket: {port: nope}", "tcpSocket|nope", "tcp port nope", undefined],
    ["exec: {command: [sh, -c, 'a b']}", "exec|sh\0-c\0a b", "exec sh -c a b", undefined],
    ["exec: {command: [mcp-healthcheck]}", "exec|mcp-healthcheck", "exec mcp-healthcheck", undefined],
    ["exec: {}", "exec|", "exec", undefined],
    ['exec: {command: ["a\\e[31m\\n\\u202e"]}', "exec|a\u001b[31m\n\u202e", "exec a\\u{1b}[31m\\n\\u{202e}", undefined],
    ["grpc: {port: 9000}", "grpc|9000|", "grpc port 9000", 9000],
    ["grpc: {port: 9000, service: s}", "grpc|9000|s", "grpc port 9000", 9000],
    ["grpc: {port: grpc}", "grpc||", "grpc port", undefined],
  ])("%s", (handler, identity, label, number) => {
    const { readiness } = containerOf(`${ports}, readinessProbe: {${handler}}`);
    expect([readiness?.handler?.identity, readiness?.handler?.label, readiness?.handler?.port?.number]).toEqual([identity, label, number]);
  });

  it("cut a long command for messages", () => {
    const { label } = containerOf(`readinessProbe: {exec: {command: [${"x".repeat(100)}]}}`).readiness?.handler ?? { label: "" };
    expect(label).toBe(`exec ${"x".repeat(59)}…`);
  });

  it("take the first handler as written, and leave out nulls", () => {
    const { readiness } = containerOf("readinessProbe: {httpGet: null, tcpSocket: {port: 1}, exec: {command: [a]}}");
    expect([readiness?.handlerCount, readiness?.handler?.type, readiness?.handler?.at.field]).toEqual([
      2,
      "tcpSocket",
      "spec.template.spec.containers[app].readinessProbe.tcpSocket",
    ]);
  });

  it("hooks are handlers or sleep (item 128)", () => {
    const container = containerOf("lifecycle: {preStop: {sleep: {seconds: 5}}, postStart: {exec: {command: [a]}}}");
    expect([container.preStop?.sleep, container.preStop?.type, container.preStop?.at.field]).toEqual([
      5,
      undefined,
      "spec.template.spec.containers[app].lifecycle.preStop",
    ]);
    expect([container.postStart?.type, container.postStart?.command]).toEqual(["exec", ["a"]]);
    expect(containerOf("lifecycle: {preStop: x}").preStop).toBeUndefined();
  });
});

describe("pods", () => {
  it("have grace, volumes, labels and pull secrets", () => {
    const { pod } = workloadOf(
      deployment(
        "containers: [], terminationGracePeriodSeconds: 0, hostNetwork: true, serviceAccountName: sa, imagePullSecrets: [{name: own}], volumes: [{name: a, persistentVolumeClaim: {claimName: c}}, " +
          "{name: b, configMap: {name: m}}, {name: d, secret: {secretName: s}}, {csi: {driver: x, volumeAttributes: {secretProviderClass: p}}, name: e}, " +
          "{name: f, projected: {sources: []}}, {name: g, emptyDir: {}}, {name: h}, {name: i, emptyDir: null}]",
      ),
    );
    expect([pod.grace.value, pod.grace.isDefault, pod.hostNetwork, pod.serviceAccount, pod.restartPolicy]).toEqual([
      0,
      false,
      true,
      "sa",
      "Always",
    ]);
    expect(pod.volumes.map(({ name, type, target }) => `${name} ${type} ${target ?? "-"}`)).toEqual([
      "a persistentVolumeClaim c",
      "b configMap m",
      "d secret s",
      "e csi p",
      "f projected -",
      "g emptyDir -",
      "h emptyDir -",
      "i emptyDir -",
    ]);
    expect({ ...pod.labels }).toEqual({ app: "web" });
    expect(pod.pullSecrets).toEqual(["own"]);
    expect([workloadOf(deployment("")).pod.grace.value, workloadOf(deployment("")).pod.grace.isDefault]).toEqual([30, true]);
  });

  // Admission adds the account's pull secrets only to a pod that names none.
  it.each([
    ["serviceAccountName: sa", ["a"]],
    ["serviceAccount: sa", ["a"]],
    ["serviceAccountName: sa, imagePullSecrets: [{name: own}]", ["own"]],
    ["serviceAccountName: gone", []],
    ["containers: []", ["d"]],
  ])("pull secrets of {%s}", (spec, want) => {
    const accounts =
      object("v1", "ServiceAccount", "sa", "imagePullSecrets: [{name: a}]") +
      object("v1", "ServiceAccount", "default", "imagePullSecrets: [{name: d}]");
    expect(workloadOf(deployment(spec, accounts)).pod.pullSecrets).toEqual(want);
  });
});

describe("replicas", () => {
  const hpa = (spec: string, target = "kind: Deployment, name: web", metadata = "") =>
    object("autoscaling/v2", "HorizontalPodAutoscaler", "h", `spec: {scaleTargetRef: {${target}}, ${spec}}`, metadata);
  const keda = (spec: string, metadata = "") =>
    object("keda.sh/v1alpha1", "ScaledObject", "k", `spec: {scaleTargetRef: {name: web}, ${spec}}`, metadata);
  // rules.md "Notation"; items 102, 107, 110.
  it.each([
    ["default", "", "", "1 1 default undefined Deployment/web spec.replicas"],
    ["rendered", "replicas: 3", "", "3 3 spec.replicas 3 Deployment/web spec.replicas"],
    ["zero", "replicas: 0", "", "0 0 spec.replicas 0 Deployment/web spec.replicas"],
    ["wrong type", 'replicas: "3"', "", "1 1 default undefined Deployment/web spec.replicas"],
    [
      "HPA",
      "",
      hpa("minReplicas: 2, maxReplicas: 5"),
      "2 5 HorizontalPodAutoscaler/h undefined HorizontalPodAutoscaler/h spec.minReplicas",
    ],
    [
      "HPA without a minimum",
      "replicas: 3",
      hpa("maxReplicas: 5"),
      "1 5 HorizontalPodAutoscaler/h 3 HorizontalPodAutoscaler/h spec.minReplicas",
    ],
    [
      "HPA of another",
      "replicas: 3",
      hpa("maxReplicas: 5", "kind: Deployment, name: other"),
      "3 3 spec.replicas 3 Deployment/web spec.replicas",
    ],
    [
      "HPA of another kind",
      "replicas: 3",
      hpa("maxReplicas: 5", "kind: StatefulSet, name: web"),
      "3 3 spec.replicas 3 Deployment/web spec.replicas",
    ],
    [
      "HPA of another namespace",
      "",
      hpa("maxReplicas: 5", undefined, ", namespace: other"),
      "1 1 default undefined Deployment/web spec.replicas",
    ],
    ["ScaledObject", "", keda("triggers: []"), "0 100 ScaledObject/k undefined ScaledObject/k spec.minReplicaCount"],
    [
      "ScaledObject before HPA",
      "",
      hpa("maxReplicas: 5") + keda("minReplicaCount: 2, maxReplicaCount: 4"),
      "2 4 ScaledObject/k undefined ScaledObject/k spec.minReplicaCount",
    ],
    [
      "paused",
      "",
      keda("minReplicaCount: 2", ', annotations: {autoscaling.keda.sh/paused-replicas: "7"}'),
      '7 7 annotation undefined ScaledObject/k metadata.annotations["autoscaling.keda.sh/paused-replicas"]',
    ],
    [
      "paused at nonsense",
      "",
      keda("minReplicaCount: 2", ", annotations: {autoscaling.keda.sh/paused-replicas: x}"),
      "2 100 ScaledObject/k undefined ScaledObject/k spec.minReplicaCount",
    ],
  ])("%s", (_, spec, more, want) => {
    const { floor, ceil, by, rendered, at } = workloadOf(deployment("", more, spec)).replicas;
    expect(`${floor} ${ceil} ${by} ${rendered} ${at}`).toBe(want);
  });

  it.each([
    ["apps/v1", "DaemonSet", undefined, 1, Number.POSITIVE_INFINITY],
    ["apps/v1", "DaemonSet", 3, 3, 3],
    ["batch/v1", "Job", 3, 1, 1],
    ["batch/v1", "CronJob", 3, 1, 1],
    ["v1", "Pod", 3, 1, 1],
  ])("%s %s on %s nodes", (apiVersion, kind, nodes, floor, ceil) => {
    const { replicas } = workloadOf(object(apiVersion, kind, "x", "spec: {replicas: 9}"), { nodes });
    expect([replicas.floor, replicas.ceil, replicas.by]).toEqual([floor, ceil, kind]);
  });
});

describe("strategies", () => {
  const show = ({ strategy }: Workload) => `${strategy.type} +${strategy.surge} -${strategy.unavailable} | ${strategy.partition}`;
  // F10 and its vectors, items 56 to 62.
  it.each([
    ["replicas: 1", "RollingUpdate +1 -0 | 0"],
    ["replicas: 3", "RollingUpdate +1 -0 | 0"],
    ["replicas: 4", "RollingUpdate +1 -1 | 0"],
    ["replicas: 10", "RollingUpdate +3 -2 | 0"],
    ["replicas: 0", "RollingUpdate +1 -0 | 0"],
    ["replicas: 3, strategy: {rollingUpdate: {maxSurge: 0}}", "RollingUpdate +0 -1 | 0"],
    ["replicas: 25, strategy: {rollingUpdate: {maxSurge: 28%, maxUnavailable: 0}}", "RollingUpdate +7 -0 | 0"],
    ["replicas: 2, strategy: {rollingUpdate: {maxUnavailable: 5}}", "RollingUpdate +1 -2 | 0"],
    ["replicas: 1, strategy: {rollingUpdate: {maxSurge: [1], maxUnavailable: -1}}", "RollingUpdate +1 -0 | 0"],
    ["replicas: 3, strategy: {type: Recreate}", "Recreate +0 -3 | 0"],
  ])("Deployment {%s}", (spec, want) => expect(show(workloadOf(deployment("", "", spec)))).toBe(want));

  it.each([
    ["StatefulSet", "replicas: 5", "RollingUpdate +0 -1 | 0"],
    ["StatefulSet", "replicas: 5, updateStrategy: {rollingUpdate: {partition: 2, maxUnavailable: 50%}}", "RollingUpdate +0 -2 | 2"],
    ["StatefulSet", "replicas: 5, updateStrategy: {rollingUpdate: {maxUnavailable: 1%}}", "RollingUpdate +0 -1 | 0"],
    ["StatefulSet", "replicas: 5, updateStrategy: {type: OnDelete}", "OnDelete +0 -0 | 0"],
    ["DaemonSet", "", "RollingUpdate +0 -1 | 0"],
    ["DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 21%}}", "RollingUpdate +0 -3 | 0"],
    ["DaemonSet", "updateStrategy: {rollingUpdate: {maxSurge: 21%, maxUnavailable: 0}}", "RollingUpdate +3 -0 | 0"],
    ["ReplicaSet", "replicas: 2", "OnDelete +0 -0 | 0"],
  ])("%s {%s} on ten nodes", (kind, spec, want) => {
    expect(show(workloadOf(object("apps/v1", kind, "x", `spec: {${spec}}`), { nodes: 10 }))).toBe(want);
  });

  it.each([
    ["canary: {}", "RollingUpdate +1 -1 | 0", "spec.strategy.canary.maxSurge"],
    ["canary: {maxSurge: 0, maxUnavailable: 50%}", "RollingUpdate +0 -2 | 0", "spec.strategy.canary.maxSurge"],
    ["blueGreen: {}", "RollingUpdate +4 -0 | 0", "spec.strategy.blueGreen.maxSurge"],
  ])("Rollout {%s}", (strategy, want, surgeAt) => {
    const rollout = workloadOf(object("argoproj.io/v1alpha1", "Rollout", "x", `spec: {replicas: 4, strategy: {${strategy}}}`));
    expect([show(rollout), rollout.strategy.surgeAt.field]).toEqual([want, surgeAt]);
  });

  it("keep what was written and where", () => {
    const { strategy } = workloadOf(deployment("", "", "strategy: {rollingUpdate: {maxSurge: 50%}}"));
    expect([strategy.surgeGiven, strategy.unavailableGiven, strategy.at.field, strategy.unavailableAt.field]).toEqual([
      "50%",
      undefined,
      "spec.strategy",
      "spec.strategy.rollingUpdate.maxUnavailable",
    ]);
  });
});

describe("selectors", () => {
  const { at } = workloadOf(deployment(""));
  const labels = { app: "web", tier: "front" };
  it.each([
    [{}, true],
    [{ matchLabels: { app: "web" } }, true],
    [{ matchLabels: { app: "web", tier: "back" } }, false],
    [{ matchExpressions: [{ key: "app", operator: "In", values: ["x", "web"] }] }, true],
    [{ matchExpressions: [{ key: "gone", operator: "In", values: ["x"] }] }, false],
    [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] }, false],
    [{ matchExpressions: [{ key: "gone", operator: "NotIn", values: ["x"] }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "Exists" }] }, true],
    [{ matchExpressions: [{ key: "constructor", operator: "Exists" }] }, false],
    [{ matchExpressions: [{ key: "app", operator: "DoesNotExist" }] }, false],
    [{ matchExpressions: [{ key: "app", operator: "Near" }] }, false],
    [{ matchLabels: { app: "web" }, matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, false],
  ])("%j", (body, want) => expect(buildSelector(body, at)?.matches(labels)).toBe(want));

  it("an absent one is none", () =>
    expect([undefined, null, "x", []].map((body) => buildSelector(body, at))).toEqual(Array(4).fill(undefined)));

  it("a ReplicationController has a plain map", () => {
    const { selector } = workloadOf(object("v1", "ReplicationController", "x", "spec: {selector: {app: web}}"));
    expect([selector?.matches(labels), selector?.matches({ app: "x" }), selector?.at.field]).toEqual([true, false, "spec.selector"]);
  });
});

describe("budgets, services, autoscalers", () => {
  const job = object("batch/v1", "Job", "job", "spec: {template: {metadata: {labels: {app: web}}}}");
  const test = object("v1", "Pod", "probe", "", ", labels: {app: web}, annotations: {helm.sh/hook: test}");
  const budget = (spec: string, apiVersion = "policy/v1", metadata = "") =>
    object(apiVersion, "PodDisruptionBudget", "b", `spec: {${spec}}`, metadata);
  const names = (list: readonly Workload[] = []) => list.map((workload) => workload.name);

  // Item 96; Helm tests are exempt.
  it.each([
    ["selector: {matchLabels: {app: web}}", "policy/v1", "", ["web", "job"]],
    ["selector: {matchLabels: {app: web}}", "policy/v1", ", namespace: other", []],
    ["selector: {matchLabels: {app: web}}", "policy/v1", ", namespace: ns", ["web", "job"]],
    ["selector: {}", "policy/v1", "", ["web", "job"]],
    ["selector: {}", "policy/v1beta1", "", []],
    ["minAvailable: 1", "policy/v1", "", []],
  ])("a budget with {%s} of %s%s", (spec, apiVersion, metadata, want) => {
    const environment = environmentOf(deployment("", job + test + budget(spec, apiVersion, metadata)));
    expect(names(environment.budgets[0]?.workloads)).toEqual(want);
    expect(first(environment.workloads).budgets).toEqual(want.includes("web") ? environment.budgets : []);
  });

  it("a budget keeps numbers and percentages", () => {
    const [one] = environmentOf(budget("minAvailable: 50%, maxUnavailable: 1")).budgets;
    expect([one?.minAvailable, one?.maxUnavailable, one?.selector]).toEqual(["50%", 1, undefined]);
  });

  it.each([
    ["selector: {app: web}", ["web", "job"]],
    ["selector: {app: other}", []],
    ["selector: {}", []],
    ["ports: []", []],
    ["type: ExternalName, selector: {app: web}", []],
  ])("a Service with {%s}", (spec, want) => {
    const environment = environmentOf(deployment("", job + test + object("v1", "Service", "s", `spec: {${spec}}`)));
    expect(names(environment.services[0]?.workloads)).toEqual(want);
    expect(first(environment.workloads).services).toEqual(want.includes("web") ? environment.services : []);
  });

  it("a Service has ports with defaults and gives variables (item 120)", () => {
    const yaml = "spec: {ports: [{port: 80, name: web-ui, targetPort: http}, {port: 53, protocol: UDP, targetPort: 0}, {port: x}]}";
    const service = first(environmentOf(object("v1", "Service", "my-app", yaml)).services);
    expect(service.ports.map(({ name, port, targetPort, protocol }) => [name, port, targetPort, protocol])).toEqual([
      ["web-ui", 80, "http", "TCP"],
      [undefined, 53, 53, "UDP"],
    ]);
    expect([service.type, service.headless]).toEqual(["ClusterIP", false]);
    expect(serviceVariables(service)).toEqual(
      expect.arrayContaining([
        "MY_APP_SERVICE_HOST",
        "MY_APP_SERVICE_PORT",
        "MY_APP_SERVICE_PORT_WEB_UI",
        "MY_APP_PORT",
        "MY_APP_PORT_53_UDP_ADDR",
      ]),
    );
    const headless = first(environmentOf(object("v1", "Service", "h", "spec: {clusterIP: None}")).services);
    expect([headless.headless, serviceVariables(headless)]).toEqual([true, []]);
  });

  it("an autoscaler knows its target, also an Argo Rollout", () => {
    const yaml =
      object("argoproj.io/v1alpha1", "Rollout", "r") +
      object("autoscaling/v2", "HorizontalPodAutoscaler", "h", "spec: {scaleTargetRef: {kind: Rollout, name: r}, maxReplicas: 2}") +
      object("autoscaling/v2", "HorizontalPodAutoscaler", "lost", "spec: {}");
    const [hpa, lost] = environmentOf(yaml).autoscalers;
    expect([hpa?.workload?.name, hpa?.target.at.field, hpa?.workload?.autoscalers.length]).toEqual(["r", "spec.scaleTargetRef", 1]);
    expect([lost?.workload, lost?.target.name, lost?.min, lost?.max]).toEqual([undefined, "", 1, Number.POSITIVE_INFINITY]);
  });
});

describe("environments", () => {
  it("find objects by kind and name", () => {
    const environment = environmentOf(object("v1", "ConfigMap", "a") + object("example.org/v1", "Thing", "t", "", ", namespace: other"));
    expect([environment.find("Thing", "t")?.namespace, environment.find("Thing", "a"), environment.find("ConfigMap", "a")?.name]).toEqual([
      "other",
      undefined,
      "a",
    ]);
  });

  it.each([
    ["postgres.example.net", true],
    ["postgres", false],
    ["Secret/memex-keyvault", true],
    ["Secret/other", false],
    ["ConfigMap/a/b", true],
    ["open{brace", true],
  ])("external: %s", (name, want) => {
    const external = ["postgres.example.net", "Secret/memex-*", "ConfigMap/*", "open{brace"];
    expect(environmentOf("", { external }).isExternal(name)).toBe(want);
  });

  it("build each list once, frozen, and parse only the kinds that are asked for", () => {
    const asked: string[] = [];
    const manifests = parseManifests(deployment("containers: [{name: a}]"));
    const environment = environmentOf("", {
      manifests: {
        ...manifests,
        ofKind(kind) {
          asked.push(kind);
          return manifests.ofKind(kind);
        },
      },
    });
    expect(asked).toEqual([]);
    expect(environment.workloads).toBe(environment.workloads);
    const web = first(environment.workloads);
    expect(web.containers).toBe(web.containers);
    expect(asked.filter((kind) => /Secret|ConfigMap|Service|Budget|Autoscaler/.test(kind))).toEqual([]);
    expect(
      [environment, environment.workloads, web, web.pod, web.containers, web.strategy, web.replicas, first(web.containers)].every(
        Object.isFrozen,
      ),
    ).toBe(true);
  });

  it("never throw, whatever the objects hold", () => {
    const kinds = [
      ["apps/v1", "Deployment"],
      ["apps/v1", "StatefulSet"],
      ["apps/v1", "DaemonSet"],
      ["batch/v1", "CronJob"],
      ["v1", "Pod"],
      ["argoproj.io/v1alpha1", "Rollout"],
      ["v1", "Service"],
      ["v1", "Secret"],
      ["v1", "ServiceAccount"],
      ["policy/v1", "PodDisruptionBudget"],
      ["autoscaling/v2", "HorizontalPodAutoscaler"],
      ["keda.sh/v1alpha1", "ScaledObject"],
      ["external-secrets.io/v1", "ExternalSecret"],
      ["bitnami.com/v1alpha1", "SealedSecret"],
      ["secrets-store.csi.x-k8s.io/v1", "SecretProviderClass"],
    ] as const;
    const key = fc.constantFrom(
      ...[
        "spec",
        "template",
        "metadata",
        "labels",
        "containers",
        "initContainers",
        "env",
        "envFrom",
        "name",
        "value",
        "valueFrom",
        "secretRef",
      ],
      ...[
        "readinessProbe",
        "httpGet",
        "exec",
        "command",
        "port",
        "ports",
        "selector",
        "matchLabels",
        "matchExpressions",
        "data",
        "stringData",
      ],
      ...[
        "resources",
        "limits",
        "cpu",
        "lifecycle",
        "preStop",
        "sleep",
        "volumes",
        "strategy",
        "rollingUpdate",
        "maxSurge",
        "scaleTargetRef",
      ],
      ...[
        "secretObjects",
        "encryptedData",
        "target",
        "replicas",
        "imagePullSecrets",
        "volumeMounts",
        "jobTemplate",
        "__proto__",
        "toString",
      ],
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 8 },
        fc.constantFrom(null, true, -1, 0, 1.5, "", "s", "$(A)", "50%"),
        fc.array(tie("any"), { maxLength: 3 }),
        tie("mapping"),
      ),
      mapping: fc.dictionary(key, tie("any"), { maxKeys: 6 }),
    }));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...kinds), any), { maxLength: 5 }), (objects) => {
        const yaml = objects
          .map(([[apiVersion, kind], spec]) => JSON.stringify({ apiVersion, kind, metadata: { name: "s" }, spec, data: spec }))
          .join("\n---\n");
        visit(environmentOf(yaml));
      }),
      { numRuns: 300 },
    );
  });
});

/** Reads everything that an environment offers. */
function visit(environment: Environment): void {
  for (const workload of environment.workloads) {
    void [workload.replicas, workload.strategy, workload.budgets, workload.services, workload.autoscalers, workload.longRunning];
    void [workload.pod.volumes, workload.pod.pullSecrets, workload.selector?.matches({ a: "b" })];
    for (const container of workload.containers) {
      void [container.probes, container.ports, container.mounts, container.requests, container.preStop, container.postStart];
      void container.env.entries.map((entry) => container.env.get(entry.name));
    }
  }
  void environment.services.map((service) => [service.ports, service.workloads]);
  void environment.autoscalers.map((scaler) => scaler.workload);
}

it("keeps the render without overlays beside it", () => {
  const defaults = environmentOf("");
  const input = {
    name: "a",
    chart: { path: "c", kind: "chart" },
    release: "r",
    namespace: "n",
    external: [],
    debts: [],
    today: "2026-11-30",
  } as const;
  expect(buildEnvironment({ ...input, manifests: parseManifests(""), defaults }).defaults).toBe(defaults);
});
