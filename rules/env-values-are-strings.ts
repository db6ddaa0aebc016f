import { defineRule, unquotedValues } from "../src/api.js";

export default defineRule({
  id: "env-values-are-strings",
  summary: "Every environment value, label and annotation is rendered as a string",
  scope: "manifest",
  severity: "error",
  category: "configuration",
  *check(manifest, { judged }) {
    // Long, and nobody writes their metadata by hand.
    if (manifest.kind === "CustomResourceDefinition") return;
    judged();
    for (const { of, value, at, secret } of unquotedValues(manifest)) {
      yield {
        at,
        message: `${of}${of.startsWith("variable") || of.startsWith("word") ? "" : ` of ${manifest.at.subject}`} is ${typeName(value, secret)}, expected a string: the API server refuses the object`,
        hint:
          typeof value === "object"
            ? "render it as text: toJson and quote, or toYaml into a block scalar"
            : "pipe it through quote in the template; quotes in the values file get lost on the way",
      };
    }
  },
});

function typeName(value: unknown, secret: boolean): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  const type = typeof value === "boolean" ? "boolean" : "number";
  return secret ? `a ${type}` : `the ${type} ${String(value)}`;
}
