/** The package's main export: what rules may import, and what tests them. */

export * from "./api.js";
export { type InvalidCase, type RuleCases, RuleTester, type ValidCase } from "./rule-tester.js";
