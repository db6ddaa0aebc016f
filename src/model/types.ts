import type { Debt, Deploy } from "../config/types.js";
import type { Place } from "../manifest/place.js";
import type { Manifest, Manifests, Mapping } from "../manifest/types.js";

/** A whole number that may have been left to its default. `at` is where it is, or would be, written. */
export interface Setting<T> {
  readonly value: T;
  readonly isDefault: boolean;
  readonly at: Place;
}

export type ProbeRole = "startup" | "readiness" | "liveness";

/** A port as a probe or a Service names it; `number` is undefined when a name is no port name of the container. */
export interface PortRef {
  readonly given: string | number;
  readonly number: number | undefined;
}

/** What a probe or hook does. `identity` is equal for two handlers that do the same (type, resolved port, path with query or argv; not headers). */
export interface Handler {
  readonly type: "httpGet" | "tcpSocket" | "exec" | "grpc";
  readonly port?: PortRef;
  /** Path with its query, `/` by default; httpGet only. */
  readonly path?: string;
  readonly host?: string;
  readonly scheme?: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly command: readonly string[];
  /** The grpc service name, empty by default. */
  readonly service?: string;
  readonly identity: string;
  /** How a message names it: `/health`, `/health on port 9090` is the rule's business, `tcp port 8080`, `exec mcp-healthcheck`, `grpc port 9000`. */
  readonly label: string;
  readonly at: Place;
}

/** A probe after Kubernetes' defaults (0, 10, 1, 3, 1; an explicit 0 of period, timeout, thresholds is the default). Seconds. */
export interface Probe {
  readonly role: ProbeRole;
  readonly container: Container;
  readonly at: Place;
  /** The only handler, or the first of several; undefined when there is none. */
  readonly handler: Handler | undefined;
  readonly handlerCount: number;
  readonly delay: number;
  readonly period: number;
  readonly timeout: number;
  readonly failures: number;
  readonly successes: number;
  /** The probe's own terminationGracePeriodSeconds. */
  readonly grace: number | undefined;
  /** Whether the manifest writes the field (`timeoutSeconds`, …). */
  has(field: string): boolean;
  readonly body: Mapping;
}

export interface ContainerPort {
  readonly name: string | undefined;
  readonly number: number;
  readonly protocol: string;
  readonly hostPort: number | undefined;
  readonly at: Place;
}

/** `registry/repo:tag@digest`, taken apart. */
export interface Image {
  readonly text: string;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Where an environment variable can come from. `label` names it for messages: `ConfigMap/memex-config`, `Secret/memex-secret`, `env`. */
export interface EnvSource {
  readonly kind: "env" | "ConfigMap" | "Secret" | "SecretProviderClass" | "ExternalSecret" | "SealedSecret" | "field";
  readonly label: string;
  readonly at: Place;
  readonly optional: boolean;
}

/** One assignment of a name, in the order in which the kubelet makes them. */
export interface EnvEntry {
  readonly name: string;
  /** undefined = set, but the render does not tell to what. `$(VAR)` is expanded where it can be. */
  readonly value: string | undefined;
  /** The `value` of an `env` element as written, before `$(VAR)` expansion; undefined for envFrom keys and valueFrom. */
  readonly literal: string | undefined;
  /** True when the value comes from a Secret, by `$(VAR)` too: it must not be shown. */
  readonly secret: boolean;
  readonly source: EnvSource;
  /** The place of the entry (`env[NAME]`), or of the key in the rendered ConfigMap or Secret. */
  readonly at: Place;
}

/** The answer to "what is this variable?" in three values, plus absent. */
export type EnvAnswer =
  /** `hiddenBy`: later sources that the render does not contain and that might set the name again. */
  | { readonly state: "known"; readonly value: string; readonly entry: EnvEntry; readonly hiddenBy: readonly EnvSource[] }
  /** Set for certain, to a value that the render does not tell. */
  | { readonly state: "opaque"; readonly entry: EnvEntry; readonly hiddenBy: readonly EnvSource[] }
  /** Not set by anything rendered, but `sources` might set it. */
  | { readonly state: "unknown"; readonly sources: readonly EnvSource[] }
  | { readonly state: "absent" };

/** The effective environment of a container. */
export interface EnvTable {
  /**
   * Every assignment, `envFrom` sources first, then `env`, in order; later ones of a name win. An optional valueFrom of an object that is not
   * rendered is among them although it may not happen: `get` knows the difference.
   */
  readonly entries: readonly EnvEntry[];
  /** `envFrom` sources whose keys the render does not tell, with the prefix that their keys get. */
  readonly opaque: readonly (EnvSource & { readonly prefix: string })[];
  get(name: string): EnvAnswer;
}

export type ContainerRole = "app" | "init" | "sidecar";

export interface Container {
  readonly name: string;
  readonly role: ContainerRole;
  readonly workload: Workload;
  readonly at: Place;
  readonly image: Image;
  readonly ports: readonly ContainerPort[];
  readonly startup: Probe | undefined;
  readonly readiness: Probe | undefined;
  readonly liveness: Probe | undefined;
  /** startup, readiness, liveness: those that exist. */
  readonly probes: readonly Probe[];
  readonly env: EnvTable;
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** Handlers of `lifecycle`. `sleep` = seconds of a native sleep action. */
  readonly preStop: (Partial<Handler> & { readonly at: Place; readonly sleep?: number }) | undefined;
  readonly postStart: (Partial<Handler> & { readonly at: Place; readonly sleep?: number }) | undefined;
  /** Requests and limits as exact numbers (cores, bytes); undefined when absent or not a quantity. */
  readonly requests: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly mounts: readonly {
    readonly name: string;
    readonly path: string;
    readonly subPath: boolean;
    readonly readOnly: boolean;
    readonly at: Place;
  }[];
  readonly body: Mapping;
}

export interface Volume {
  readonly name: string;
  /** `persistentVolumeClaim`, `configMap`, `secret`, `emptyDir`, `hostPath`, `csi`, … */
  readonly type: string;
  /** The object that it names: claim, ConfigMap, Secret, SecretProviderClass. */
  readonly target: string | undefined;
  readonly body: Mapping;
  readonly at: Place;
}

export interface Pod {
  /** The place of the pod spec, whose mapping is `body`. */
  readonly at: Place;
  /** The place of the pod's own metadata (labels, annotations). */
  readonly metadataAt: Place;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly volumes: readonly Volume[];
  /** terminationGracePeriodSeconds, 30 by default (seconds). */
  readonly grace: Setting<number>;
  readonly hostNetwork: boolean;
  readonly serviceAccount: string | undefined;
  readonly pullSecrets: readonly string[];
  readonly restartPolicy: string;
  readonly body: Mapping;
}

/** How many replicas a workload has; see rules.md "Notation". `ceil` is Infinity when nothing bounds it from above. */
export interface Replicas {
  readonly floor: number;
  readonly ceil: number;
  /** The autoscaler or annotation that decides, for messages: `spec.replicas`, `default`, `HorizontalPodAutoscaler/web`, `ScaledObject/web`, `annotation`. */
  readonly by: string;
  readonly at: Place;
  /** `spec.replicas` as rendered, undefined when not rendered. */
  readonly rendered: number | undefined;
}

/** The update strategy, resolved at the floor (F10). */
export interface Strategy {
  /** `RollingUpdate`, `Recreate`, `OnDelete`. An Argo canary or blueGreen is a RollingUpdate; what nothing rolls (Jobs, bare pods, ReplicaSets) is OnDelete. */
  readonly type: string;
  readonly at: Place;
  /** Pods above and below the floor (a floor of 0 counts as 1). For Recreate: surge 0, unavailable = floor. StatefulSets: surge 0, unavailable 1. */
  readonly surge: number;
  readonly unavailable: number;
  /** The values as rendered (`25%`, 1), undefined when defaulted. */
  readonly surgeGiven: string | number | undefined;
  readonly unavailableGiven: string | number | undefined;
  /** Where the two are, or would be, written. */
  readonly surgeAt: Place;
  readonly unavailableAt: Place;
  readonly partition: number;
}

export type WorkloadKind =
  | "Deployment"
  | "StatefulSet"
  | "DaemonSet"
  | "Job"
  | "CronJob"
  | "Pod"
  | "Rollout"
  | "ReplicaSet"
  | "ReplicationController";

export interface Workload {
  readonly kind: WorkloadKind;
  readonly name: string;
  readonly namespace: string;
  readonly at: Place;
  readonly manifest: Manifest;
  readonly environment: Environment;
  /** Everything that is meant to run until told to stop: not Job, not CronJob, not a Helm test, not a hook pod. */
  readonly longRunning: boolean;
  /** A Helm test hook: exempt from every rule. */
  readonly isTest: boolean;
  readonly hooks: readonly string[];
  readonly pod: Pod;
  /** App containers, sidecars, plain init containers, in the order of the manifest: init list first. */
  readonly containers: readonly Container[];
  readonly appContainers: readonly Container[];
  readonly sidecars: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly replicas: Replicas;
  readonly strategy: Strategy;
  /** spec.progressDeadlineSeconds, 600 by default; Deployments and Rollouts only. */
  readonly progressDeadline: Setting<number>;
  readonly minReady: Setting<number>;
  readonly podManagementPolicy: "OrderedReady" | "Parallel";
  /** matchLabels and matchExpressions of spec.selector match the pod labels of other objects through `selects`. */
  readonly selector: Selector | undefined;
  readonly budgets: readonly Budget[];
  readonly autoscalers: readonly Autoscaler[];
  readonly services: readonly Service[];
  readonly body: Mapping;
}

/** A label selector. An absent one selects nothing, an empty one everything. */
export interface Selector {
  readonly body: Mapping;
  readonly at: Place;
  matches(labels: Readonly<Record<string, string>>): boolean;
}

export interface Budget {
  readonly name: string;
  readonly namespace: string;
  readonly at: Place;
  readonly minAvailable: string | number | undefined;
  readonly maxUnavailable: string | number | undefined;
  readonly selector: Selector | undefined;
  readonly manifest: Manifest;
  /** Rendered workloads whose pods it selects, Jobs and bare pods too; no Helm tests. */
  readonly workloads: readonly Workload[];
}

/** An HPA or a KEDA ScaledObject. */
export interface Autoscaler {
  readonly kind: "HorizontalPodAutoscaler" | "ScaledObject";
  readonly name: string;
  readonly namespace: string;
  readonly at: Place;
  readonly target: { readonly kind: string; readonly name: string; readonly at: Place };
  readonly workload: Workload | undefined;
  readonly min: number;
  readonly max: number;
  /** The replica count of `autoscaling.keda.sh/paused-replicas`. */
  readonly pausedAt: number | undefined;
  readonly manifest: Manifest;
}

export interface ServicePort {
  readonly name: string | undefined;
  readonly port: number;
  readonly targetPort: string | number;
  readonly protocol: string;
  readonly at: Place;
}

export interface Service {
  readonly name: string;
  readonly namespace: string;
  readonly at: Place;
  readonly type: string;
  readonly headless: boolean;
  readonly selector: Readonly<Record<string, string>> | undefined;
  readonly ports: readonly ServicePort[];
  readonly workloads: readonly Workload[];
  readonly manifest: Manifest;
}

/** One environment as Kubernetes will see it. Lists are built on first use. */
export interface Environment {
  readonly name: string;
  /** The chart or manifest path as the user gave it, and what helm calls the chart. */
  readonly chart: { readonly path: string; readonly kind: "chart" | "manifests" };
  readonly release: string;
  readonly namespace: string;
  readonly kubeVersion: string | undefined;
  readonly nodes: number | undefined;
  readonly deploy: Deploy | undefined;
  readonly external: readonly string[];
  /** Whether the config says what is external, be it nothing: then what is not rendered and not listed does not exist. */
  readonly externalDeclared: boolean;
  readonly debts: readonly Debt[];
  /** `2026-11-30`, UTC; `--today` replaces the clock. */
  readonly today: string;
  readonly manifests: Manifests;
  readonly workloads: readonly Workload[];
  readonly services: readonly Service[];
  readonly budgets: readonly Budget[];
  readonly autoscalers: readonly Autoscaler[];
  /** An object of the render by kind and name (any namespace of the release). */
  find(kind: string, name: string): Manifest | undefined;
  /** Whether the config's `external` names a host, or `Kind/name` (globs). */
  isExternal(name: string): boolean;
  /** The same chart rendered without overlays and sets, when it was asked for and did render. */
  readonly defaults: Environment | undefined;
}

/** What came of rendering values that the chart must refuse. */
export interface RefusalOutcome {
  readonly name: string;
  readonly because: string;
  readonly rendered: boolean;
  /** helm's message when it did not render, fit to be shown. */
  readonly message: string;
  /** The whole of what helm said, white space joined: to be compared, not shown. */
  readonly said: string;
  readonly origin?: { readonly file: string; readonly line: number; readonly column: number };
}

/** A chart with all of its environments, the subject of chart rules. */
export interface Chart {
  readonly path: string;
  readonly environments: readonly Environment[];
  readonly refusals: readonly RefusalOutcome[];
}
