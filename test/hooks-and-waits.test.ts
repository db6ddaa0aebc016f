import { describe, expect, it } from "vitest";
import { deployWaits } from "../src/model/deploy.js";
import { exclusiveClaims, runsOnOneNode, selfRepulsion } from "../src/model/exclusive-claim.js";
import { compareHooks, hookWeight, isPostHook } from "../src/model/hook.js";
import { neededHooks } from "../src/model/needed-hook.js";
import { podReferences, renderedIn } from "../src/model/pod-references.js";
import { utilizationMetrics } from "../src/model/scaling-metric.js";
import { waitTargets } from "../src/model/wait-target.js";
import { deployment, environmentOf, first, workloadOf } from "./environment.js";

describe("waitTargets", () => {
  const hosts = (command: string, env = "") => {
    const init = `initContainers: [{name: wait, command: ${command}, env: [${env}]}]`;
    return waitTargets(first(workloadOf(deployment(init)).initContainers)).map(({ host, at }) => [host, at.field.split("[wait].")[1]]);
  };

  it.each([
    ['[sh, -c, "until nc -z -w 2 db 5432; do sleep 2; done"]', ["db"]],
    ['[sh, -c, "nc db -z 5432"]', ["db"]],
    ['[nc, -vz, DB.ns, "5432"]', ["db.ns"]],
    ['[sh, -c, "wget -qO- http://a:80/x && curl -fs https://u:p@b/?q=http://c"]', ["a", "b"]],
    ['[sh, -c, "pg_isready -U x -h a; mysqladmin ping --host=b; redis-cli -hc ping"]', ["a", "b", "c"]],
    ['[dockerize, -wait, "tcp://a:1", -wait, "tcp://b:2"]', ["a", "b"]],
    ['["/bin/wait-for-it.sh", "a:5432", "-t", "60"]', ["a"]],
    ['[sh, -c, "getent hosts a; nslookup -type=a b"]', ["a", "b"]],
    ['[bash, -c, "(echo > /dev/tcp/a/80)"]', ["a"]],
    ['[sh, -c, "nslookup a.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc"]', ["a.ns.svc"]],
    ['[sh, -c, "nc -z 10.0.0.1 80; nc -l 80; echo http://a; nc -z $HOST 80; nc -z a_b 80"]', []],
    ["[]", []],
  ])("%s", (command, expected) => {
    expect(hosts(command).map(([host]) => host)).toEqual(expected);
  });

  it("places a host where its variable gets its value", () => {
    expect(hosts(`[sh, -c, "nc -z $DB 5432 && nc -z $(DB) 1 && nc -z \${NO:-c} 1"]`, "{name: DB, value: db}")).toEqual([
      ["db", "env[DB].value"],
      ["c", "command[2]"],
    ]);
  });

  it("reads a long hostile command in no time", () => {
    const text = `nc ${"-".repeat(20_000)} $\${ \${${"a".repeat(20_000)} $(cat ${"/serviceaccount".repeat(2_000)}`;
    const started = performance.now();
    hosts(JSON.stringify(["sh", "-c", text]));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("hooks", () => {
  const hook = (kind: string, name: string, weight: string, events = "pre-install") =>
    first(
      environmentOf(
        `{apiVersion: v1, kind: ${kind}, metadata: {name: ${name}, annotations: {helm.sh/hook: "${events}", helm.sh/hook-weight: "${weight}"}}}`,
      ).manifests.all,
    );

  it("sorts by weight, then kind, then name", () => {
    const sorted = [
      hook("Job", "a", "0"),
      hook("Thing", "a", "0"),
      hook("Secret", "z", "0"),
      hook("Secret", "b", "0"),
      hook("Job", "z", "-1"),
    ];
    expect(sorted.sort(compareHooks).map(({ kind, name }) => `${kind}/${name}`)).toEqual([
      "Job/z",
      "Secret/b",
      "Secret/z",
      "Job/a",
      "Thing/a",
    ]);
  });

  it("reads a weight, and takes what is none as 0", () => {
    expect(["5", "-5", "+5", "soon", "1.5", ""].map((weight) => hookWeight(hook("Job", "a", weight)))).toEqual([5, -5, 5, 0, 0, 0]);
  });

  it("knows which hooks run only after the deploy", () => {
    const events = ["post-install", "post-install,post-upgrade", "pre-install,post-upgrade", "pre-delete", "post-delete"];
    expect(events.map((text) => isPostHook(hook("Job", "a", "0", text)))).toEqual([true, true, false, false, false]);
  });

  it("finds the post hooks that a workload needs", () => {
    const job = `apiVersion: batch/v1
kind: Job
metadata: {name: seed, annotations: {helm.sh/hook: post-install}}
spec: {template: {spec: {containers: []}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: token, annotations: {helm.sh/hook: post-install}}}`;
    const spec = "initContainers: [{name: wait, args: [job, seed]}], containers: [{name: app, envFrom: [{secretRef: {name: token}}]}]";
    const needed = [...neededHooks(workloadOf(deployment(spec, job)), ["Job/seed", "Job/none"])];
    expect(needed.map(({ hook, at, how }) => `${how} ${hook.name} ${at.field}`)).toEqual([
      "has an init container that waits for seed spec.template.spec.initContainers[wait].args",
      "waits (waitsFor) for seed spec.template.spec",
      "uses token spec.template.spec.containers[app].envFrom[0].secretRef.name",
    ]);
  });
});

describe("podReferences", () => {
  it("lists what a pod names, with its place", () => {
    const spec = `serviceAccountName: sa, imagePullSecrets: [{name: pull}], volumes: [{name: a, persistentVolumeClaim: {claimName: pvc}},
      {name: b, projected: {sources: [{secret: {name: s, optional: true}}]}}], containers: [{name: app, env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: k}}}]}]`;
    const found = podReferences(workloadOf(deployment(spec)));
    expect(found.map(({ kind, name, optional, pulls }) => [kind, name, optional, pulls])).toEqual([
      ["ServiceAccount", "sa", false, false],
      ["Secret", "pull", true, true],
      ["PersistentVolumeClaim", "pvc", false, false],
      ["Secret", "s", true, false],
      ["ConfigMap", "c", false, false],
    ]);
    expect(found.at(-1)?.at.field).toBe("spec.template.spec.containers[app].env[A].valueFrom.configMapKeyRef.name");
  });

  it("does not list the default account, and survives nonsense", () => {
    expect(
      podReferences(
        workloadOf(deployment("serviceAccountName: default, volumes: 3, imagePullSecrets: [1], containers: [{env: x, envFrom: [null]}]")),
      ),
    ).toEqual([]);
  });

  it("finds rendered objects in their namespace", () => {
    const environment = environmentOf(
      "{apiVersion: v1, kind: Secret, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: far}}",
    );
    expect([renderedIn(environment, "ns", "Secret", "a").length, renderedIn(environment, "far", "Secret", "a").length]).toEqual([1, 1]);
  });
});

describe("exclusiveClaims", () => {
  const claim = (modes: string) => `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: ${modes}}}`;
  const spec = "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]";

  it.each([
    ["[ReadWriteOnce]", "ReadWriteOnce"],
    ["[ReadWriteOncePod]", "ReadWriteOncePod"],
    ["[ReadWriteOnce, ReadWriteMany]", undefined],
    ["[ReadOnlyMany]", undefined],
    ["[]", undefined],
  ])("%s", (modes, mode) => {
    expect(exclusiveClaims(workloadOf(deployment(spec, claim(modes))))[0]?.mode).toBe(mode);
  });

  it("knows nothing of a claim that is not rendered", () => {
    expect(exclusiveClaims(workloadOf(deployment(spec)))).toEqual([]);
  });

  it("knows when all pods are on one node", () => {
    const affinity =
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}";
    expect(runsOnOneNode(workloadOf(deployment(spec)))).toBe(false);
    expect(runsOnOneNode(workloadOf(deployment(spec), { nodes: 1 }))).toBe(true);
    expect(runsOnOneNode(workloadOf(deployment(affinity)))).toBe(true);
    expect(runsOnOneNode(workloadOf(deployment("nodeName: node-1")))).toBe(true);
  });

  it("reads required anti-affinity to itself", () => {
    const term = (more: string) =>
      `affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, ${more}}]}}`;
    const own = "labelSelector: {matchLabels: {app: web}}";
    const keys = [
      own,
      `${own}, namespaces: [far]`,
      `${own}, namespaceSelector: {}`,
      `${own}, matchLabelKeys: [pod-template-hash]`,
      "labelSelector: {matchLabels: {app: db}}",
    ];
    expect(keys.map((more) => selfRepulsion(workloadOf(deployment(term(more)))))).toEqual([["zone"], [], [], [], []]);
  });
});

describe("deployWaits", () => {
  it.each([
    [undefined, []],
    [{ with: "helm", wait: true }, ["helm --wait 300 helm's default 3"]],
    [{ wait: true }, []],
    [{ wait: true, helm: 4 as const, timeout: 60 }, ["helm --wait 60 deploy.timeout 4"]],
    [{ with: "helm", timeout: 60 }, []],
    [{ with: "helm", wait: true, timeout: 60, ciWait: 90 }, ["helm --wait 60 deploy.timeout 3", "the pipeline 90 deploy.ciWait 3"]],
    [{ with: "helm", ciWait: 90 }, ["the pipeline 90 deploy.ciWait kubectl"]],
    [{ with: "argocd", wait: true, timeout: 60 }, ["argocd 60 deploy.timeout kubectl"]],
  ])("%j", (deploy, expected) => {
    expect(deployWaits(deploy).map(({ who, seconds, from, waiter }) => `${who} ${seconds} ${from} ${waiter}`)).toEqual(expected);
  });
});

describe("utilizationMetrics", () => {
  const of = (spec: string, kind = "HorizontalPodAutoscaler", api = "autoscaling/v2") =>
    utilizationMetrics(first(environmentOf(`{apiVersion: ${api}, kind: ${kind}, metadata: {name: a}, spec: {${spec}}}`).autoscalers)).map(
      ({ resource, container }) => [resource, container],
    );

  it("takes CPU when no metric is given, shares only, and containers by name", () => {
    expect(of("")).toEqual([["cpu", undefined]]);
    expect(of("metrics: [{type: Resource, resource: {name: memory, target: {averageValue: 1Gi}}}]")).toEqual([]);
    expect(
      of("metrics: [{type: ContainerResource, containerResource: {name: cpu, container: app, target: {averageUtilization: 5}}}]"),
    ).toEqual([["cpu", "app"]]);
    expect(of("metrics: [{type: Resource, resource: {name: cpu, targetAverageUtilization: 5}}]", undefined, "autoscaling/v2beta1")).toEqual(
      [["cpu", undefined]],
    );
    expect(of("targetCPUUtilizationPercentage: 5", undefined, "autoscaling/v1")).toEqual([["cpu", undefined]]);
    expect(
      of(
        "triggers: [{type: cpu, metricType: Utilization}, {type: cpu, metricType: AverageValue}, {type: cron}]",
        "ScaledObject",
        "keda.sh/v1alpha1",
      ),
    ).toEqual([["cpu", undefined]]);
  });
});
