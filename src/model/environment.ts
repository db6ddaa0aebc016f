import type { Debt, Deploy } from "../config/types.js";
import { globMatcher } from "../glob.js";
import type { Manifest, Manifests } from "../manifest/types.js";
import { buildAutoscaler } from "./autoscaler.js";
import { buildBudget } from "./budget.js";
import { objectsOf, workloadKinds } from "./kinds.js";
import { once } from "./memo.js";
import { buildService } from "./service.js";
import type { Environment } from "./types.js";
import { buildWorkload } from "./workload.js";

/** What an environment is built from: its parsed render, and what the config says about it. */
export interface EnvironmentInput {
  readonly name: string;
  readonly chart: Environment["chart"];
  readonly release: string;
  readonly namespace: string;
  readonly kubeVersion?: string | undefined;
  readonly nodes?: number | undefined;
  readonly deploy?: Deploy | undefined;
  readonly external: readonly string[];
  readonly externalDeclared?: boolean | undefined;
  readonly debts: readonly Debt[];
  readonly today: string;
  readonly manifests: Manifests;
  readonly defaults?: Environment | undefined;
}

/** One environment as Kubernetes will see it. Never throws on a malformed object: a field of a wrong type counts as absent. */
export function buildEnvironment(input: EnvironmentInput): Environment {
  const { manifests } = input;
  const workloads = once(() => {
    const found = workloadKinds.flatMap((kind) => objectsOf(manifests, kind).map((manifest) => buildWorkload(manifest, kind, environment)));
    return Object.freeze(found.sort((a, b) => a.manifest.document - b.manifest.document));
  });
  const services = once(() => Object.freeze(objectsOf(manifests, "Service").map((manifest) => buildService(manifest, environment))));
  const budgets = once(() =>
    Object.freeze(objectsOf(manifests, "PodDisruptionBudget").map((manifest) => buildBudget(manifest, environment))),
  );
  const autoscalers = once(() => {
    const kinds = ["HorizontalPodAutoscaler", "ScaledObject"] as const;
    return Object.freeze(
      kinds.flatMap((kind) => objectsOf(manifests, kind).map((manifest) => buildAutoscaler(manifest, kind, environment))),
    );
  });
  const byName = new Map<string, ReadonlyMap<string, Manifest>>();
  const named = (kind: string) => {
    // Of several with one name the first is found.
    const known =
      byName.get(kind) ??
      new Map(
        manifests
          .ofKind(kind)
          .toReversed()
          .map((manifest) => [manifest.name, manifest]),
      );
    byName.set(kind, known);
    return known;
  };
  const external = once(() => input.external.map(externalMatcher));
  const environment: Environment = Object.freeze({
    name: input.name,
    chart: input.chart,
    release: input.release,
    namespace: input.namespace,
    kubeVersion: input.kubeVersion,
    nodes: input.nodes,
    deploy: input.deploy,
    external: input.external,
    externalDeclared: input.externalDeclared ?? input.external.length > 0,
    debts: input.debts,
    today: input.today,
    manifests,
    defaults: input.defaults,
    get workloads() {
      return workloads();
    },
    get services() {
      return services();
    },
    get budgets() {
      return budgets();
    },
    get autoscalers() {
      return autoscalers();
    },
    find: (kind: string, name: string) => named(kind).get(name),
    isExternal: (name: string) => external().some((matches) => matches(name)),
  });
  return environment;
}

/** A pattern that is no glob (an open brace) still matches itself. */
function externalMatcher(pattern: string): (name: string) => boolean {
  try {
    return globMatcher(pattern);
  } catch {
    return (name) => name === pattern;
  }
}
