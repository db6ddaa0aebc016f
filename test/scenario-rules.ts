/** These speak of the run itself or of several renders; their scenarios are in tests of their own. */
export const scenarioRules: ReadonlySet<string> = new Set([
  "baseline-is-current",
  "config-change-rolls",
  "debt-is-due",
  "judged-nothing",
  "refusal-holds",
  "render-is-deterministic",
  "values-are-read",
  "values-wired-straight",
  "waiver-in-use",
]);
