import { counted, defineRule, listed, type Subjects } from "../src/api.js";

export default defineRule({
  id: "judged-nothing",
  summary: "Every rule that must judge something did, and every environment rendered an object",
  scope: "run",
  severity: "error",
  category: "run",
  failure: true,
  *check(run, { config, judged }) {
    judged();
    const file = config.file ?? config.folder;
    for (const [index, id] of config.mustJudge.entries()) {
      // Left out by --only or --env: nobody expected it to look there.
      if (run.part || (!run.whole && !run.rules.includes(id))) continue;
      if (run.coverage.some(({ rule, judged }) => rule === id && judged > 0)) continue;
      const origin = config.ruleOrigins?.[`mustJudge[${index}]`] ?? { file, line: 1, column: 1 };
      yield { origin, message: `"${id}" must judge something, and judged nothing${reason(run, id)}` };
    }
    for (const { name, objects } of run.environments) {
      if (objects > 0) continue;
      const environment = config.charts.flatMap(({ environments }) => environments).find((candidate) => candidate.name === name);
      yield { origin: environment?.origin ?? { file, line: 1, column: 1 }, message: `environment "${name}" rendered no object` };
    }
  },
});

function reason({ coverage, rules }: Subjects["run"], id: string): string {
  if (!rules.includes(id)) return ": it is not on";
  const entries = coverage.filter(({ rule }) => rule === id);
  const subjects = entries.reduce((sum, entry) => sum + entry.subjects, 0);
  const missing = [...new Set(entries.flatMap(({ missingFacts }) => missingFacts))].sort();
  const seen = `: it looked at ${counted(subjects, "subject")} in ${counted(entries.length, "environment")}`;
  return missing.length === 0 ? seen : `${seen}, and lacks ${missing.length === 1 ? "the fact" : "the facts"} ${listed(missing)}`;
}
