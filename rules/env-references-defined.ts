import { defineRule, listed, type UndefinedReference, undefinedReferences } from "../src/api.js";

export default defineRule({
  id: "env-references-defined",
  summary: "Every `$(NAME)` refers to a variable that is defined before it, so that no text with a reference in it reaches the application",
  scope: "container",
  severity: "error",
  category: "configuration",
  *check(container, { judged }) {
    const { body, env, name } = container;
    if (body["env"] === undefined && body["command"] === undefined && body["args"] === undefined) return;
    judged();
    for (const reference of undefinedReferences(container)) {
      const { at, certain, definition } = reference;
      const unless = certain ? "" : `, unless ${listed(env.opaque.map(({ label }) => label))} holds it`;
      yield {
        at,
        message: `${subject(reference)} of "${name}" refers to $(${reference.name}), which ${reason(reference)}: the text stays as it is${unless}`,
        hint: advice(reference),
        ...(definition !== undefined && { because: [{ term: reference.name, value: "defined here", at: definition }] }),
        severity: certain ? "error" : "warning",
      };
    }
  },
});

/** `FB_DB`, `command`, `args`, `subPathExpr`. */
function subject({ at }: UndefinedReference): string {
  const parts = at.path.toReversed().flatMap((segment) => (typeof segment === "string" ? [segment] : (segment.name ?? [])));
  return parts[0] === "value" ? (parts[1] ?? "value") : (parts[0] ?? "");
}

function reason({ defined, name }: UndefinedReference): string {
  if (defined === "later") return `env defines only later (what comes before it counts)`;
  if (defined === "itself") return `nothing before it defines; the image's own ${name} does not count`;
  return "neither env nor envFrom defines (the image's own variables do not count)";
}

function advice({ defined, name }: UndefinedReference): string {
  if (defined === "later") return `move ${name} in front of it; a map that is ranged over comes out in alphabetical order`;
  return `define ${name} in env, or write $$(${name}) when the text is meant literally`;
}
