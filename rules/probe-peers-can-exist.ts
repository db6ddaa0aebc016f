import { asDeclared, askedAt, counted, defineRule, endpointOf, type Probe } from "../src/api.js";

const never = {
  startup: "startup never passes and the kubelet kills it again and again",
  readiness: "no pod is ever ready",
};

export default defineRule({
  id: "probe-peers-can-exist",
  summary: "A probe that a pod must pass to become ready needs no more pods than there are at that moment",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["endpoints"],
  *check(container, { facts, judged, ask }) {
    const { workload } = container;
    const { replicas } = workload;
    if (!workload.longRunning || container.role === "init" || replicas.ceil === 0) return;
    const probes = [container.startup, container.readiness].filter((probe): probe is Probe => probe !== undefined);
    const pods = Math.max(1, replicas.floor);
    for (const probe of probes) {
      const endpoint = endpointOf(facts, probe.handler);
      if (endpoint === undefined && probe.handler !== undefined) ask("endpoints");
      if (endpoint?.peers === undefined || probe.handler === undefined) continue;
      // How many nodes a DaemonSet has is a fact of its own.
      if (workload.kind === "DaemonSet" && workload.environment.nodes === undefined) {
        ask("nodes");
        continue;
      }
      judged();
      const peers = asDeclared({ term: "peers", value: endpoint.peers }, facts, `endpoints.${endpoint.key}.peers`);
      const role = probe.role === "startup" ? "startup" : "readiness";
      const asks = `the ${role} probe of "${container.name}" asks ${probe.handler.label}, which needs ${counted(endpoint.peers, "pod")}`;
      if (endpoint.peers > pods) {
        yield {
          at: askedAt(probe.handler),
          message: `${asks}, but ${workload.kind} "${workload.name}" may have only ${pods} (${replicas.by}): ${endpoint.peers} > ${pods}, so ${never[role]}`,
          hint: `run ${endpoint.peers} replicas or more, or ask for a state that ${counted(pods, "pod")} can reach`,
          because: [{ term: "replicas", value: pods, at: replicas.at }, peers],
        };
      } else if (endpoint.peers > 1 && workload.podManagementPolicy === "OrderedReady") {
        const policy = workload.at.key("spec", "podManagementPolicy");
        yield {
          at: askedAt(probe.handler),
          message: `${asks}, but StatefulSet "${workload.name}" starts its pods one by one (OrderedReady): pod 0 has to be ready before a second one is created, and ${endpoint.peers} > 1, so none ever is`,
          hint: "set podManagementPolicy to Parallel, or let the probe ask only about its own pod",
          because: [{ term: "podManagementPolicy", value: "OrderedReady", at: policy }, peers],
        };
      }
    }
  },
});
