import { askedAt, type Context, compareTags, defineRule, endpointOf, type Handler, isServed, type Probe } from "../src/api.js";

export default defineRule({
  id: "probe-path-served",
  summary: "The rendered image answers the path that is probed",
  scope: "container",
  severity: "error",
  category: "probes",
  facts: ["endpoints", "serves", "basePath"],
  *check(container, context) {
    if (!container.workload.longRunning || container.role === "init") return;
    for (const probe of container.probes) {
      if (probe.handler === undefined) continue;
      const { fault, hint } = faultOf(probe, probe.handler, context);
      if (fault === undefined) continue;
      yield {
        at: askedAt(probe.handler),
        message: `the ${probe.role} probe of "${container.name}" asks ${probe.handler.label}, ${fault}: ${answerOf(probe.handler)} on every replica at once, ${consequence(probe)}`,
        hint,
        because: [{ term: "image", value: container.image.text, at: container.at.key("image") }],
      };
    }
  },
});

function faultOf(probe: Probe, handler: Handler, { facts, judged, ask }: Context): { fault?: string; hint: string } {
  const { tag } = probe.container.image;
  const endpoint = endpointOf(facts, handler);
  const roll = "roll the image first, the chart second";
  if (endpoint === undefined) ask("endpoints");
  if (endpoint?.since !== undefined || endpoint?.until !== undefined) {
    const since = endpoint.since === undefined ? 0 : order(tag, endpoint.since);
    const until = endpoint.until === undefined ? -1 : order(tag, endpoint.until);
    if (since === undefined || until === undefined) ask("serves");
    else judged();
    if (since !== undefined && since < 0)
      return { fault: `which the image answers since ${endpoint.since}, but the tag is ${tag}`, hint: roll };
    if (until !== undefined && until >= 0) {
      return {
        fault: `which the image answers before ${endpoint.until} only, but the tag is ${tag}`,
        hint: "move the probe with the image",
      };
    }
  }
  if (handler.type !== "httpGet") return { hint: "" };
  const path = (handler.path ?? "/").split("?")[0] ?? "/";
  const base = facts.basePath?.replace(/\/+$/, "") ?? "";
  if (facts.basePath !== undefined) {
    judged();
    if (path !== base && !path.startsWith(`${base}/`))
      return { fault: `outside of the base path ${facts.basePath}`, hint: `probe ${base}${path}` };
  }
  if (facts.serves === undefined) return { hint: "" };
  judged();
  if (isServed(facts.serves, handler, base)) return { hint: "" };
  const listed = facts.serves.slice(0, 5).join(", ") || "nothing";
  return {
    fault: `which is none of the paths that ${tag === undefined ? "the image" : `tag ${tag}`} answers (${listed}${facts.serves.length > 5 ? ", …" : ""})`,
    hint: `probe a path that it answers, or ${roll}`,
  };
}

function order(tag: string | undefined, bound: string): number | undefined {
  return tag === undefined ? undefined : compareTags(tag, bound);
}

function answerOf(handler: Handler): string {
  return handler.type === "httpGet" ? "404" : "a failure";
}

function consequence(probe: Probe): string {
  if (probe.role === "readiness") return "none of them is in the Service";
  if (probe.role === "startup") return "none of them gets through startup";
  return "each is restarted, again and again";
}
