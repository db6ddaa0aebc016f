/** Everything that a rule may import, and the package's main export. */

export type { CheckFact, Debt, Deploy, EndpointFact, EnvFacts, FactName, Facts, GateFact, Reading, Remedy } from "./config/types.js";
export { debtStates } from "./debts.js";
export type { Note, Problem, Severity, Term } from "./findings.js";
export { type Comment, commentsNear } from "./manifest/comments.js";
export { Place } from "./manifest/place.js";
export type { Manifest, Mapping } from "./manifest/types.js";
export { remedyProbes, unreadChecks } from "./model/checks.js";
export { isClaimUsed } from "./model/claim.js";
export { shortestInterval } from "./model/cron.js";
export { type BlankVariable, blankVariables, declaredAnswer, requiredVariables, sameName } from "./model/declared-env.js";
export { asDeclared } from "./model/declared-fact.js";
export { commandTimeout, type DeployWait, deployWaits, waitTerm } from "./model/deploy.js";
export { formatHours, formatSeconds, formatSpan } from "./model/duration.js";
export {
  answerTime,
  askedAt,
  asksEndpoint,
  checksOf,
  declaredLatency,
  endpointKeys,
  endpointOf,
  endpointsWith,
  gateState,
  isServed,
  latencyTerm,
  madeFor,
  probedContainers,
  readingsOf,
  readsEndpoint,
  shareHandler,
  shippedProbe,
} from "./model/endpoint.js";
export { extendsItself, formatValues, isInline, isSameAssignment, lastOf, shownPlace } from "./model/env-entry.js";
export { type ExclusiveClaim, exclusiveClaims, runsOnOneNode, selfRepulsion } from "./model/exclusive-claim.js";
export { armingTerms, formatArming, gateHolders, isDisarmed, unmetRequirements } from "./model/gate.js";
export { type Heap, heapsOf } from "./model/heap.js";
export { compareHooks, hookWeight } from "./model/hook.js";
export { keyTableOf } from "./model/key-table.js";
export { type NeededHook, neededHooks } from "./model/needed-hook.js";
export { type PodReference, podReferences, renderedIn } from "./model/pod-references.js";
export { probeFaults, type ShapeFault } from "./model/probe-shape.js";
export { formatBytes, parseQuantity } from "./model/quantity.js";
export { dig, mappingsOf } from "./model/read.js";
export { formatGrowth, formatHeadroom, formatSpread, growthOf, readingNotes } from "./model/readings.js";
export { parseReferences, referencesIn } from "./model/reference.js";
export { registryOf } from "./model/registry.js";
export type { ConfigMove, DeadValue, Difference, Reruns, Wire } from "./model/reruns.js";
export { probeNumberFields } from "./model/reruns.js";
export { type UtilizationMetric, utilizationMetrics } from "./model/scaling-metric.js";
export { buildSelector } from "./model/selector.js";
export { isMetricsPort, type ServedPort, servedPorts } from "./model/served-port.js";
export { serviceVariables } from "./model/service.js";
export { baseName, type Command, commandsIn } from "./model/shell.js";
export { type UnquotedValue, unquotedValues } from "./model/string-field.js";
export type * from "./model/types.js";
export { type UndefinedReference, undefinedReferences } from "./model/undefined-reference.js";
export { compareTags, satisfies } from "./model/version.js";
export { type WaitTarget, waitTargets } from "./model/wait-target.js";
export { counted, formatEarliestKill, formatKill, listed } from "./model/wording.js";
export type { AnyRule, Context, Rule, Scope, Subjects } from "./rule.js";
export { defineRule } from "./rule.js";
export { nearest } from "./spelling.js";
export { matchesName } from "./subject.js";
export * from "./timing/docker.js";
export * from "./timing/probe.js";
export * from "./timing/readiness.js";
export * from "./timing/rollout.js";
export * from "./timing/shutdown.js";
export type { Bounds, ProbeNumbers, Timed } from "./timing/timed.js";
export * from "./timing/wait.js";
