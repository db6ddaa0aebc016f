import { type Debt, debtStates, defineRule } from "../src/api.js";

export default defineRule({
  id: "debt-is-due",
  summary: "A setting that was allowed for a while is back once its condition has come true, and never above what was allowed",
  scope: "environment",
  severity: "error",
  category: "run",
  *check(environment, { judged }) {
    for (const { debt, at, value, tag, due, paid, exceeds } of debtStates(environment)) {
      // A field that is gone has the API's default again; a tag that is no version says nothing about an image condition.
      if (value === undefined || (due === "unknown" && !exceeds)) continue;
      judged();
      const overdue = due === true && !paid;
      if (!overdue && !exceeds) continue;
      const back = debt.payBackTo === undefined ? "" : `, to be paid back to ${debt.payBackTo}`;
      const owner = at.container === undefined ? at.subject : `"${at.container}" in ${at.subject}`;
      const found = `${debt.field} of ${owner} is ${value}`;
      yield {
        at,
        message: overdue
          ? `${found}${back}: the debt is due, ${conditionMet(debt, tag, environment.today)}`
          : `${found}, more than the ${debt.allow} that the debt allows ${condition(debt)}${back}`,
        hint: debt.payBackTo === undefined ? "bring it back and remove the debt" : `set it to ${debt.payBackTo} and remove the debt`,
        notes: [{ label: "why", text: debt.because }],
        ...(debt.payBackTo === undefined ? {} : { fix: { value: debt.payBackTo } }),
      };
    }
  },
});

function condition({ until }: Debt): string {
  const parts = [
    ...(until.image === undefined ? [] : [`the image is ${until.image}`]),
    ...(until.date === undefined ? [] : [`${until.date} is over`]),
  ];
  return `until ${parts.join(" or ")}`;
}

function conditionMet({ until }: Debt, tag: string | undefined, today: string): string {
  if (until.date !== undefined && today > until.date) return `it was allowed until ${until.date}`;
  return `it was allowed until the image is ${until.image} and the tag is ${tag}`;
}
