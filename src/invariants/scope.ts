import type { InvariantConfig } from "../config/types.js";
import { workloadKinds } from "../model/kinds.js";
import type { Program } from "./engine.js";
import { variables } from "./variables.js";

/** What an invariant is asked of, each in turn. `kinds` is undefined for objects of every kind. */
export type Ground =
  | { readonly scope: "environment" }
  | { readonly scope: "workload" }
  | { readonly scope: "container" }
  | { readonly scope: "manifest"; readonly kinds: readonly string[] | undefined };

const otherKinds = [
  "ConfigMap",
  "Secret",
  "Service",
  "Ingress",
  "NetworkPolicy",
  "PodDisruptionBudget",
  "HorizontalPodAutoscaler",
  "ServiceAccount",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
  "PersistentVolumeClaim",
  "PersistentVolume",
  "StorageClass",
  "Namespace",
  "PriorityClass",
  "CustomResourceDefinition",
  "ResourceQuota",
  "LimitRange",
];

/**
 * Decides what an invariant is asked of: what `of` names, else what its variables are about. Gives a sentence with the expression's offset when the two
 * do not go together.
 */
export function groundOf(
  of: string | undefined,
  programs: readonly Program[],
): Ground | { readonly clash: string; readonly in: Program; readonly offset: number } {
  const uses = programs.flatMap((program) =>
    program.references.map((reference) => ({ program, reference, about: variables[reference.root]?.about ?? "any" })),
  );
  const needs = (about: string) => uses.some((use) => use.about === about);
  const kind = of?.split("/")[0] ?? "";
  const isLiteral = of !== undefined && !/[*?{]/.test(kind);
  if (of !== undefined && /\/.*\//.test(of)) return { scope: "container" };
  if (isLiteral && !workloadKinds.some((known) => known === kind)) {
    const wrong = uses.find(({ about }) => about === "workload" || about === "container");
    if (wrong === undefined) return { scope: "manifest", kinds: [kind] };
    return { clash: `"${wrong.reference.root}" is of workloads, but "of" names ${kind}`, in: wrong.program, offset: wrong.reference.start };
  }
  if (needs("container")) return { scope: "container" };
  if (isLiteral || needs("workload")) return { scope: "workload" };
  if (of !== undefined || uses.some(({ reference }) => reference.root === "object")) return { scope: "manifest", kinds: undefined };
  return needs("object") ? { scope: "workload" } : { scope: "environment" };
}

/** The kind that a misspelt one means when it differs in case or number only: `configmaps`. Kinds of CRDs cannot be known. */
export function kindMeant(kind: string): string | undefined {
  const known = [...workloadKinds, ...otherKinds];
  const bare = kind.toLowerCase().replace(/s$/, "");
  return known.some((name) => name === kind)
    ? undefined
    : known.find((name) => name.toLowerCase().replace(/s$/, "") === bare || name.toLowerCase() === bare.replace(/ie$/, "y"));
}

/** The kind that `of` begins with, unless it is a glob. */
export function literalKind({ of }: InvariantConfig): string | undefined {
  const kind = of?.split("/")[0];
  return kind === undefined || /[*?{]/.test(kind) ? undefined : kind;
}
