/** The stages after the render, in one piece, to be loaded while helm is at work. */
export { allRules } from "./all-rules.js";
export { buildCharts } from "./charts.js";
export { checkRun, createChecker } from "./check.js";
export { findComments } from "./comments.js";
export { resolveFacts } from "./config/facts.js";
export { reportDebts } from "./debts.js";
export { needsOf, wantsReruns } from "./deep/needs.js";
export { judgeEach } from "./judging.js";
export { createModeller } from "./modelling.js";
export { openRoot } from "./root.js";
export { selectRules } from "./ruleset.js";
export { settle } from "./settle.js";
export { sumUp } from "./summing.js";
