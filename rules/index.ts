import type { AnyRule } from "../src/rule.js";
import autoscalerCanScale from "./autoscaler-can-scale.js";
import baselineIsCurrent from "./baseline-is-current.js";
import budgetAllowsEviction from "./budget-allows-eviction.js";
import budgetSelectsOneWorkload from "./budget-selects-one-workload.js";
import checkOnRightProbe from "./check-on-right-probe.js";
import claimSurvivesUninstall from "./claim-survives-uninstall.js";
import commandInImage from "./command-in-image.js";
import configChangeRolls from "./config-change-rolls.js";
import cronjobRunsApart from "./cronjob-runs-apart.js";
import debtIsDue from "./debt-is-due.js";
import deployWaitCoversRollout from "./deploy-wait-covers-rollout.js";
import envNamesUnique from "./env-names-unique.js";
import envNotBlank from "./env-not-blank.js";
import envReferencesDefined from "./env-references-defined.js";
import envSourcesExist from "./env-sources-exist.js";
import envValuesAreStrings from "./env-values-are-strings.js";
import execProbeAffordable from "./exec-probe-affordable.js";
import gateReadByReadiness from "./gate-read-by-readiness.js";
import graceCoversShutdown from "./grace-covers-shutdown.js";
import heapFitsLimit from "./heap-fits-limit.js";
import hookReferencesReady from "./hook-references-ready.js";
import jobDeadlineFits from "./job-deadline-fits.js";
import judgedNothing from "./judged-nothing.js";
import livenessNeedsNoDependency from "./liveness-needs-no-dependency.js";
import livenessNotOnReadinessPath from "./liveness-not-on-readiness-path.js";
import manifestKeysUnique from "./manifest-keys-unique.js";
import probeHostAllowed from "./probe-host-allowed.js";
import probeKillGrace from "./probe-kill-grace.js";
import probePathSaysWhatItIs from "./probe-path-says-what-it-is.js";
import probePathServed from "./probe-path-served.js";
import probePeersCanExist from "./probe-peers-can-exist.js";
import probeProtocolMatches from "./probe-protocol-matches.js";
import probeShapeValid from "./probe-shape-valid.js";
import probeTargetExists from "./probe-target-exists.js";
import probeWorkFitsTimeout from "./probe-work-fits-timeout.js";
import progressDeadlineCoversRollout from "./progress-deadline-covers-rollout.js";
import pullSecretsAgree from "./pull-secrets-agree.js";
import readinessBehindService from "./readiness-behind-service.js";
import readinessNeedsNoSharedDependency from "./readiness-needs-no-shared-dependency.js";
import readinessNotOnStartupPath from "./readiness-not-on-startup-path.js";
import refusalHolds from "./refusal-holds.js";
import renderIsDeterministic from "./render-is-deterministic.js";
import replicasHaveBudget from "./replicas-have-budget.js";
import replicasOwnedOnce from "./replicas-owned-once.js";
import replicasShareStorage from "./replicas-share-storage.js";
import replicasSpread from "./replicas-spread.js";
import requiredConfigPresent from "./required-config-present.js";
import rollKeepsServing from "./roll-keeps-serving.js";
import selectorIsStable from "./selector-is-stable.js";
import serviceLinksClash from "./service-links-clash.js";
import serviceTargetExists from "./service-target-exists.js";
import startupCoversBoot from "./startup-covers-boot.js";
import statedBudgetIsReal from "./stated-budget-is-real.js";
import strategyValid from "./strategy-valid.js";
import surgeCanSchedule from "./surge-can-schedule.js";
import timeoutCoversLatency from "./timeout-covers-latency.js";
import timeoutWithinPeriod from "./timeout-within-period.js";
import valuesAreRead from "./values-are-read.js";
import valuesWiredStraight from "./values-wired-straight.js";
import waitTargetsRendered from "./wait-targets-rendered.js";
import waiverInUse from "./waiver-in-use.js";

/** Every built-in rule, sorted by id. */
export const rules: readonly AnyRule[] = [
  autoscalerCanScale,
  baselineIsCurrent,
  budgetAllowsEviction,
  budgetSelectsOneWorkload,
  checkOnRightProbe,
  claimSurvivesUninstall,
  commandInImage,
  configChangeRolls,
  cronjobRunsApart,
  debtIsDue,
  deployWaitCoversRollout,
  envNamesUnique,
  envNotBlank,
  envReferencesDefined,
  envSourcesExist,
  envValuesAreStrings,
  execProbeAffordable,
  gateReadByReadiness,
  graceCoversShutdown,
  heapFitsLimit,
  hookReferencesReady,
  jobDeadlineFits,
  judgedNothing,
  livenessNeedsNoDependency,
  livenessNotOnReadinessPath,
  manifestKeysUnique,
  probeHostAllowed,
  probeKillGrace,
  probePathSaysWhatItIs,
  probePathServed,
  probePeersCanExist,
  probeProtocolMatches,
  probeShapeValid,
  probeTargetExists,
  probeWorkFitsTimeout,
  progressDeadlineCoversRollout,
  pullSecretsAgree,
  readinessBehindService,
  readinessNeedsNoSharedDependency,
  readinessNotOnStartupPath,
  refusalHolds,
  renderIsDeterministic,
  replicasHaveBudget,
  replicasOwnedOnce,
  replicasShareStorage,
  replicasSpread,
  requiredConfigPresent,
  rollKeepsServing,
  selectorIsStable,
  serviceLinksClash,
  serviceTargetExists,
  startupCoversBoot,
  statedBudgetIsReal,
  strategyValid,
  surgeCanSchedule,
  timeoutCoversLatency,
  timeoutWithinPeriod,
  valuesAreRead,
  valuesWiredStraight,
  waitTargetsRendered,
  waiverInUse,
];
