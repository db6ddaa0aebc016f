/** The stages after the render, in one piece, to be loaded while helm is at work. */
export { allRules } from "./all-rules.js";
export { buildCharts, readAhead } from "./charts.js";
export { checkAll, checkRun } from "./check.js";
export { resolveFacts } from "./config/facts.js";
export { reportDebts } from "./debts.js";
export { needsOf, wantsReruns } from "./deep/needs.js";
export { openRoot } from "./root.js";
export { selectRules } from "./ruleset.js";
export { settle } from "./settle.js";
export { sumUp } from "./summing.js";
