import { defineRule, type Subjects } from "../src/api.js";

type Used = Subjects["run"]["waivers"][number];

export default defineRule({
  id: "waiver-in-use",
  summary: "Every waiver covers a finding, and none has expired",
  scope: "run",
  severity: "warning",
  category: "run",
  *check({ waivers, commentFaults, rules, whole, today }, { judged }) {
    for (const { origin, message } of commentFaults) {
      judged();
      yield { origin, message };
    }
    for (const { waiver, matched, uncertain } of waivers) {
      const expired = waiver.until !== undefined && waiver.until < today;
      // What a rule that is off or was left out would have found, nobody knows.
      const known = matched > 0 || (whole && uncertain !== true && rules.includes(waiver.rule));
      if (expired || known) judged();
      const state = matched > 0 ? "what it covered is open again" : known ? "and nothing is left that it would cover" : undefined;
      if (expired) {
        const after = state === undefined ? "" : `, ${state}`;
        yield {
          origin: waiver.origin,
          message: `${named({ waiver, matched })} expired: ${waiver.until} was its last day${after}`,
          hint: matched > 0 ? "mend the finding, or give the waiver a new reason and a new day" : "remove the waiver",
        };
        continue;
      }
      if (matched > 0 || !known) continue;
      yield {
        origin: waiver.origin,
        message: `${named({ waiver, matched })} covers nothing`,
        hint: "remove the waiver: it would hide the next finding of its kind",
      };
    }
  },
});

function named({ waiver }: Used): string {
  const of = waiver.of === undefined ? "" : ` of ${waiver.of}`;
  const where = waiver.in === undefined ? "" : ` in ${waiver.in.join(", ")}`;
  return `the waiver of "${waiver.rule}"${of}${where}`;
}
