import type { AnyRule } from "../src/rule.js";
import baselineIsCurrent from "./baseline-is-current.js";
import checkOnRightProbe from "./check-on-right-probe.js";
import claimSurvivesUninstall from "./claim-survives-uninstall.js";
import debtIsDue from "./debt-is-due.js";
import envNamesUnique from "./env-names-unique.js";
import envNotBlank from "./env-not-blank.js";
import envReferencesDefined from "./env-references-defined.js";
import envSourcesExist from "./env-sources-exist.js";
import envValuesAreStrings from "./env-values-are-strings.js";
import gateReadByReadiness from "./gate-read-by-readiness.js";
import judgedNothing from "./judged-nothing.js";
import livenessNeedsNoDependency from "./liveness-needs-no-dependency.js";
import livenessNotOnReadinessPath from "./liveness-not-on-readiness-path.js";
import probePathServed from "./probe-path-served.js";
import probeWorkFitsTimeout from "./probe-work-fits-timeout.js";
import progressDeadlineCoversRollout from "./progress-deadline-covers-rollout.js";
import pullSecretsAgree from "./pull-secrets-agree.js";
import readinessNotOnStartupPath from "./readiness-not-on-startup-path.js";
import refusalHolds from "./refusal-holds.js";
import replicasHaveBudget from "./replicas-have-budget.js";
import replicasOwnedOnce from "./replicas-owned-once.js";
import replicasSpread from "./replicas-spread.js";
import requiredConfigPresent from "./required-config-present.js";
import rollKeepsServing from "./roll-keeps-serving.js";
import serviceLinksClash from "./service-links-clash.js";
import startupCoversBoot from "./startup-covers-boot.js";
import timeoutCoversLatency from "./timeout-covers-latency.js";
import timeoutWithinPeriod from "./timeout-within-period.js";
import waiverInUse from "./waiver-in-use.js";

/** Every built-in rule, sorted by id. */
export const rules: readonly AnyRule[] = [
  baselineIsCurrent,
  checkOnRightProbe,
  claimSurvivesUninstall,
  debtIsDue,
  envNamesUnique,
  envNotBlank,
  envReferencesDefined,
  envSourcesExist,
  envValuesAreStrings,
  gateReadByReadiness,
  judgedNothing,
  livenessNeedsNoDependency,
  livenessNotOnReadinessPath,
  probePathServed,
  probeWorkFitsTimeout,
  progressDeadlineCoversRollout,
  pullSecretsAgree,
  readinessNotOnStartupPath,
  refusalHolds,
  replicasHaveBudget,
  replicasOwnedOnce,
  replicasSpread,
  requiredConfigPresent,
  rollKeepsServing,
  serviceLinksClash,
  startupCoversBoot,
  timeoutCoversLatency,
  timeoutWithinPeriod,
  waiverInUse,
];
