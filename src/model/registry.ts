import type { Image } from "./types.js";

/** Registries where every account has images of its own, public ones and private ones: a secret there is of an account and not of the host. */
const shared = new Set([
  "docker.io",
  "ghcr.io",
  "quay.io",
  "gcr.io",
  "registry.k8s.io",
  "k8s.gcr.io",
  "public.ecr.aws",
  "mcr.microsoft.com",
  "registry.gitlab.com",
]);

/** What one pull secret is for: a registry's host (`registry.example.com:5000`), on the large shared ones with the account (`docker.io/library`). Undefined for an empty image. */
export function registryOf({ repository }: Image): string | undefined {
  if (repository === "") return undefined;
  const [first = "", ...rest] = repository.split("/");
  const named = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  // What has no host is pulled from Docker Hub, which has two more names.
  const host = !named || /^(index|registry-1)\.docker\.io$/.test(first) ? "docker.io" : first;
  const path = named ? rest : [first, ...rest];
  if (!shared.has(host)) return host;
  return `${host}/${path.length > 1 ? path[0] : "library"}`;
}
