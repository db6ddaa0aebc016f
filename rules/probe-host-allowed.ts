import { defineRule, dig, type Handler, listed, mappingsOf, type Place, type Probe } from "../src/api.js";

export default defineRule({
  id: "probe-host-allowed",
  summary: "An HTTP probe sends a Host header that the app accepts",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["allowedHosts"],
  *check(container, { facts, judged, ask }) {
    if (!container.workload.longRunning || container.role === "init") return;
    for (const probe of container.probes) {
      const { handler } = probe;
      if (handler?.type !== "httpGet") continue;
      const allowed = facts.allowedHosts ?? [];
      if (allowed.length === 0) {
        ask("allowedHosts");
        continue;
      }
      const sent = sentHost(probe, handler);
      // Nobody knows a pod's address before it runs: a range of addresses may hold it.
      if (sent === undefined && allowed.some((host) => /^[\d.:a-f]+\/\d+$/i.test(host))) continue;
      judged();
      if (allowed.includes("*") || (sent !== undefined && allowed.some((host) => accepts(host, sent.value)))) continue;
      const right = allowed.find((host) => !/^[.*]/.test(host));
      const what = sent === undefined ? "no Host header, so the pod's address is sent" : `Host "${sent.value}"`;
      yield {
        at: sent?.at ?? handler.at.key("httpHeaders"),
        message: `the ${probe.role} probe of "${container.name}" asks ${handler.label} with ${what}, but it accepts only ${listed(allowed.map((host) => `"${host}"`))}: every attempt is answered with an error`,
        hint: `send a Host header that is accepted: httpHeaders: [{name: Host, value: ${right ?? "an accepted host"}}]`,
        ...(sent?.isHeader === true && right !== undefined ? { fix: { value: right } } : {}),
      };
    }
  },
});

/** What the kubelet sends as Host, as far as the manifest tells: the first Host header, else `host`, else the pod's address. */
function sentHost(probe: Probe, handler: Handler): { readonly value: string; readonly at: Place; readonly isHeader: boolean } | undefined {
  for (const { body, index } of mappingsOf(dig(probe.body, "httpGet", "httpHeaders"))) {
    const { name, value } = body;
    if (typeof name !== "string" || name.toLowerCase() !== "host" || typeof value !== "string") continue;
    return { value, at: handler.at.key("httpHeaders").item(index, name).key("value"), isHeader: true };
  }
  return handler.host === undefined ? undefined : { value: handler.host, at: handler.at.key("host"), isHeader: false };
}

/** Whether an entry of an allow-list takes a host: `*.example.org` its subdomains, `.example.org` itself too; ports and case do not count. */
function accepts(entry: string, host: string): boolean {
  const wanted = bare(entry);
  const given = bare(host);
  if (wanted.startsWith("*.")) return given.endsWith(wanted.slice(1));
  if (wanted.startsWith(".")) return given.endsWith(wanted) || given === wanted.slice(1);
  return given === wanted;
}

function bare(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}
