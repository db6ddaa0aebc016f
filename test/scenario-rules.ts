/** These speak of the run itself or of several renders; their scenarios are in tests of their own. */
export const scenarioRules: ReadonlySet<string> = new Set([
  "baseline-is-current",
  "debt-is-due",
  "waiver-in-use",
  "refusal-holds",
  "judged-nothing",
]);
