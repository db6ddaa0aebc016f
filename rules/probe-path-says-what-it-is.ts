import { askedAt, defineRule, endpointOf, madeFor } from "../src/api.js";

const says = {
  readiness: /^(?:is)?ready(?:z|ness)?$|^readiness(?:z|probe|check)?$|^ready(?:probe|check)$/,
  liveness: /^(?:is)?(?:a)?live(?:z|ness)?$|^liveness(?:z|probe|check)?$|^live(?:probe|check)$/,
};

export default defineRule({
  id: "probe-path-says-what-it-is",
  summary: "Liveness does not ask a path that is called ready, nor readiness one that is called live",
  scope: "container",
  severity: "note",
  category: "probes",
  facts: ["endpoints"],
  *check(container, { facts, judged }) {
    if (!container.workload.longRunning || container.role === "init") return;
    for (const { role, handler } of container.probes) {
      if (role === "startup" || handler?.path === undefined) continue;
      judged();
      const other = role === "liveness" ? "readiness" : "liveness";
      const words = handler.path.toLowerCase().split(/[^a-z]+/);
      const isCalled = (name: keyof typeof says) => words.some((word) => says[name].test(word));
      if (!isCalled(other) || isCalled(role)) continue;
      // What is declared is better than a name.
      if (endpointOf(facts, handler)?.answers === role) continue;
      const own = madeFor(facts, role, handler);
      const harm =
        role === "liveness"
          ? "a pod that only is not ready, because of something else, is killed"
          : "a pod that is alive but cannot serve stays in the Service";
      yield {
        at: askedAt(handler),
        message: `${role} of "${container.name}" asks ${handler.label}, which calls itself ${other}: ${harm}`,
        hint:
          own === undefined
            ? `ask a path that is made for ${role}, or declare answers: ${role} for this one`
            : `ask ${own}, which is made for ${role}`,
        ...(own?.startsWith("/") === true ? { fix: { value: own } } : {}),
      };
    }
  },
});
