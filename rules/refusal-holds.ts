import { defineRule, type RefusalOutcome } from "../src/api.js";

/** A schema that complains about everything fills pages. */
const longest = 400;

export default defineRule({
  id: "refusal-holds",
  summary: "Values that the chart must refuse do not render, and the refusal says why",
  scope: "chart",
  severity: "error",
  category: "run",
  *check({ path, refusals }, { config, judged }) {
    for (const refusal of refusals) {
      judged();
      const fault = faultOf(refusal);
      if (fault === undefined) continue;
      yield { origin: refusal.origin ?? { file: config.file ?? path, line: 1, column: 1 }, ...fault };
    }
  },
});

function faultOf({
  name,
  because,
  rendered,
  message,
  said: whole,
}: RefusalOutcome): { readonly message: string; readonly hint: string } | undefined {
  const wanted = joined(because);
  if (rendered) {
    return {
      message: `values that must be refused do render: refusal "${name}" expects that helm fails with "${wanted}"`,
      hint: "bring the check back that refused them: a fail or required in a template, or values.schema.json",
    };
  }
  if (joined(whole).includes(wanted)) return undefined;
  const said = joined(message);
  return {
    message: `refusal "${name}" is refused for another reason: helm says "${said.length > longest ? `${said.slice(0, longest)}…` : said}", expected "${wanted}"`,
    hint: "values that fail for another reason do not show that the guard works: complete them, or correct because",
  };
}

/** helm breaks and indents its messages differently in each version. */
function joined(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
