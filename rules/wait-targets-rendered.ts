import { defineRule, type Environment, nearest, type Workload, waitTargets } from "../src/api.js";

export default defineRule({
  id: "wait-targets-rendered",
  summary: "What an init container waits for is a Service of the release, or is known to exist outside of it",
  scope: "container",
  severity: "error",
  category: "rollouts",
  facts: ["external"],
  *check(container, { environment, judged, ask }) {
    if (container.role !== "init") return;
    const { workload } = container;
    for (const { host, at } of waitTargets(container)) {
      const service = serviceNamed(host, workload);
      if (service === undefined) continue;
      const names = environment.services.filter(({ namespace }) => namespace === workload.namespace).map(({ name }) => name);
      if (
        names.includes(service) ||
        environment.isExternal(host) ||
        environment.isExternal(service) ||
        environment.isExternal(`Service/${service}`)
      ) {
        judged();
        continue;
      }
      const ours = namesake(service, workload, environment);
      if (!environment.externalDeclared && (ours === undefined || mayBeMade(service, environment))) {
        ask("external");
        continue;
      }
      judged();
      const close = nearest(service, names);
      const claim = environment.externalDeclared
        ? "not rendered, and not declared as external"
        : `not rendered, although its name starts with ${ours}`;
      yield {
        at,
        message: `init container "${container.name}" of ${workload.kind} "${workload.name}" waits for "${host}", a Service that is ${claim}: it waits for ever, and the pod never starts`,
        hint: `${close === undefined ? "" : `did you mean "${close}"? else `}render the wait only together with what it waits for, or name "${service}" under external`,
        ...(environment.externalDeclared ? {} : { severity: "warning" as const, ask: ["external"] }),
      };
    }
  },
});

/** The Service that a host name stands for in the workload's namespace; undefined for hosts of elsewhere, and for what every cluster has. */
function serviceNamed(host: string, { namespace, environment }: Workload): string | undefined {
  const [service = "", second, third] = host.split(".");
  if (service === "localhost" || service === "kubernetes") return undefined;
  if (second === undefined) return service;
  if (environment.services.some(({ name }) => name === second) && (third === undefined || third === namespace)) return second;
  return second === namespace && (third === undefined || third === "svc") ? service : undefined;
}

/** What makes a name one of this release: it starts with the name of the release, or of the workload. */
function namesake(service: string, { name }: Workload, { release }: Environment): string | undefined {
  const starts = (prefix: string) => service === prefix || service.startsWith(`${prefix}-`);
  if (starts(release)) return `the release name "${release}"`;
  return starts(name) ? `the workload's own name "${name}"` : undefined;
}

/** An operator may make the Service of a custom object. */
function mayBeMade(service: string, { manifests }: Environment): boolean {
  return manifests.all.some(({ apiVersion, name }) => {
    const group = apiVersion.split("/").at(-2) ?? "";
    const custom = group.includes(".") && !group.endsWith(".k8s.io");
    return custom && name !== "" && (service === name || service.startsWith(`${name}-`));
  });
}
