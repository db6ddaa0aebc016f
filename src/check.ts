import { createHash } from "node:crypto";
import * as api from "./api.js";
import type { Config, FactName, Facts } from "./config/types.js";
import type { Coverage, Failure, Finding, Problem, Severity } from "./findings.js";
import type { Reruns } from "./model/reruns.js";
import type { Chart, Container, Environment, Workload } from "./model/types.js";
import type { AnyRule, Context, RunState, Scope, Subjects } from "./rule.js";
import type { ActiveRule } from "./ruleset.js";

/** What check gives: findings of one environment each, not yet located, waived or merged. */
export interface Checked {
  readonly findings: readonly Finding[];
  readonly coverage: readonly Coverage[];
  readonly failures: readonly Failure[];
  readonly questions: readonly Question[];
}

/** A fact that a rule asked for and did not get. `subject` is `Deployment/web`, or empty when it is about the whole environment. */
export interface Question {
  readonly rule: string;
  readonly environment: string;
  readonly subject: string;
  readonly fact: string;
}

/** Gives the facts of a workload, or of one of its containers, in an environment. */
export type FactLookup = (environment: string, kind: string, name: string, container?: string, side?: boolean) => Facts;

const problemLimit = 5_000;
const noFacts: Facts = { readings: [] };

/** What the check needs to know beside the charts. */
export interface CheckInput {
  readonly config: Config;
  readonly rules: readonly ActiveRule[];
  readonly factsFor: FactLookup;
}

/** Judges environments as they come, while helm is still at work on others. */
export interface Checker {
  /** Runs the rules about an environment and what is in it. */
  judge(environment: Environment, reruns?: Reruns): void;
  /** Runs the rules about whole charts, and gives everything in an order that does not depend on which environment came first. */
  finish(charts: readonly Chart[]): Checked;
}

/** Every rule over every subject of its scope. A rule that throws becomes a failure; the rest goes on. */
export function createChecker(input: CheckInput): Checker {
  const byEnvironment = new Map<Environment, ReadonlyMap<ActiveRule, Sink>>();
  const inside = input.rules.filter(({ rule }) => rule.scope !== "run" && rule.scope !== "chart");
  return {
    judge(environment, reruns) {
      const { name, chart } = environment;
      const sinks = inside.map((active) => {
        const sink = emptySink();
        checkScope(active, () => subjectsOf(active.rule, environment), environment, name, chart.path, { ...input, reruns }, sink);
        return [active, sink] as const;
      });
      byEnvironment.set(environment, new Map(sinks));
    },
    finish(charts) {
      const all = emptySink();
      for (const chart of charts) {
        const [first] = chart.environments;
        for (const active of input.rules) {
          if (active.rule.scope !== "chart") {
            for (const environment of chart.environments) pour(byEnvironment.get(environment)?.get(active), all);
          } else if (first !== undefined || chart.refusals.length > 0) checkScope(active, [chart], first, "*", chart.path, input, all);
        }
      }
      return all;
    },
  };
}

/** Judges charts that are all at hand; `reruns` by environment name. */
export function checkAll(
  input: CheckInput & { readonly charts: readonly Chart[]; readonly reruns?: ReadonlyMap<string, Reruns> },
): Checked {
  const checker = createChecker(input);
  for (const environment of input.charts.flatMap(({ environments }) => environments))
    checker.judge(environment, input.reruns?.get(environment.name));
  return checker.finish(input.charts);
}

/** Runs the rules about the run itself, after waiving. Problems of `failure` rules come back as failures. */
export function checkRun(input: { readonly config: Config; readonly rules: readonly ActiveRule[]; readonly state: RunState }): Checked {
  const sink = emptySink();
  for (const active of input.rules) {
    if (active.rule.scope !== "run") continue;
    checkScope(active, [input.state], undefined, "*", "", { ...input, factsFor: () => noFacts }, sink);
  }
  return sink;
}

interface Sink {
  readonly findings: Finding[];
  readonly coverage: Coverage[];
  readonly failures: Failure[];
  readonly questions: Question[];
}

function emptySink(): Sink {
  return { findings: [], coverage: [], failures: [], questions: [] };
}

function pour(from: Sink | undefined, into: Sink): void {
  for (const finding of from?.findings ?? []) into.findings.push(finding);
  for (const coverage of from?.coverage ?? []) into.coverage.push(coverage);
  for (const failure of from?.failures ?? []) into.failures.push(failure);
  for (const question of from?.questions ?? []) into.questions.push(question);
}

function subjectsOf(rule: AnyRule, environment: Environment): readonly unknown[] {
  const workloads = environment.workloads.filter((workload) => !workload.isTest);
  if (rule.scope === "environment") return [environment];
  if (rule.scope === "workload") return workloads;
  if (rule.scope === "container") return workloads.flatMap((workload) => workload.containers);
  return rule.kinds === undefined ? environment.manifests.all : rule.kinds.flatMap((kind) => environment.manifests.ofKind(kind));
}

function checkScope(
  active: ActiveRule,
  subjects: readonly unknown[] | (() => readonly unknown[]),
  environment: Environment | undefined,
  environmentName: string,
  chart: string,
  input: { readonly config: Config; readonly factsFor: FactLookup; readonly reruns?: Reruns | undefined },
  sink: Sink,
): void {
  const { rule } = active;
  const missing = new Set<string>();
  const ordinals = new Map<string, number>();
  let seen = 0;
  let judged = 0;
  try {
    for (const subject of typeof subjects === "function" ? subjects() : subjects) {
      seen++;
      let decided = false;
      const context = contextOf(rule.scope, subject, environment, active, input, {
        judged: () => {
          decided = true;
        },
        ask: (...facts) => {
          for (const fact of facts) {
            missing.add(fact);
            sink.questions.push({ rule: rule.id, environment: environmentName, subject: nameOf(rule.scope, subject), fact });
          }
        },
      });
      let count = 0;
      for (const problem of callRule(rule, subject, context)) {
        if (++count > problemLimit) throw new Error(`yields more than ${problemLimit} problems for one subject`);
        const found = findingOf(problem, active, environmentName, chart, ordinals);
        if (problem.failure === true) sink.failures.push(undecided(found, environmentName));
        else if (rule.failure !== true) sink.findings.push(found);
        else sink.failures.push({ stage: "judge", rule: rule.id, message: found.message, ...(found.origin && { location: found.origin }) });
      }
      if (decided) judged++;
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    sink.failures.push({ stage: "check", environment: environmentName, rule: rule.id, message: `the rule failed: ${message}` });
  }
  if (rule.failure === true) return;
  sink.coverage.push({ rule: rule.id, environment: environmentName, subjects: seen, judged, missingFacts: [...missing].sort() });
}

function undecided({ rule, message, origin }: Finding, environment: string): Failure {
  return { stage: "check", ...(environment !== "*" && { environment }), rule, message, ...(origin && { location: origin }) };
}

function nameOf(scope: Scope, subject: unknown): string {
  if (scope === "container") return (subject as Container).workload.at.subject;
  if (scope === "workload") return (subject as Workload).at.subject;
  return scope === "manifest" ? (subject as Subjects["manifest"]).at.subject : "";
}

/** The one place where a subject of unknown scope meets its rule. */
function callRule(rule: AnyRule, subject: unknown, context: Context): Iterable<Problem> {
  const problems = (rule as { check(subject: unknown, context: Context): unknown }).check(subject, context) ?? [];
  if (typeof problems === "object" && Symbol.iterator in problems) return problems as Iterable<Problem>;
  throw new Error("check gives no list: write a generator (*check) or return an array; it cannot be async");
}

function contextOf(
  scope: Scope,
  subject: unknown,
  environment: Environment | undefined,
  active: ActiveRule,
  input: { readonly config: Config; readonly factsFor: FactLookup; readonly reruns?: Reruns | undefined },
  report: { judged(): void; ask(...facts: readonly FactName[]): void },
): Context {
  const factsOf = (of: Container | Workload): Facts =>
    "workload" in of
      ? input.factsFor(of.workload.environment.name, of.workload.kind, of.workload.name, of.name, mainOf(of.workload) !== of)
      : input.factsFor(of.environment.name, of.kind, of.name);
  return {
    get facts() {
      if (scope === "container" || scope === "workload") return factsOf(subject as Container | Workload);
      if (scope === "manifest" && environment !== undefined) {
        const { kind, name } = subject as Subjects["manifest"];
        return input.factsFor(environment.name, kind, name);
      }
      return environment === undefined ? noFacts : input.factsFor(environment.name, "", "");
    },
    factsOf,
    get environment() {
      if (environment === undefined) throw new Error("there is no environment in this scope");
      return environment;
    },
    reruns: input.reruns,
    options: active.options,
    config: input.config,
    api,
    judged: report.judged,
    ask: report.ask,
  };
}

/** The container that facts of a whole workload speak of: the one that is called like it, else the first app container. */
function mainOf({ name, appContainers }: Workload): Container | undefined {
  return (
    appContainers.find(
      (container) => name === container.name || name.startsWith(`${container.name}-`) || name.endsWith(`-${container.name}`),
    ) ?? appContainers[0]
  );
}

const rank: Readonly<Record<Severity, number>> = { note: 0, warning: 1, error: 2 };

/** Whether a severity is at least as high as another. */
export function reaches(severity: Severity, floor: Severity): boolean {
  return rank[severity] >= rank[floor];
}

function findingOf(problem: Problem, active: ActiveRule, environment: string, chart: string, ordinals: Map<string, number>): Finding {
  if (typeof problem?.message !== "string" || problem.message === "") throw new Error("yields a problem without a message");
  if (problem.at === undefined && problem.origin === undefined) throw new Error("yields a problem without a place (at)");
  if (problem.at !== undefined && typeof problem.at?.object?.document !== "number")
    throw new Error('yields a problem whose "at" is no place of an object, such as workload.at.key("spec", "replicas")');
  const own = problem.severity !== undefined && reaches(active.rule.severity, problem.severity) ? problem.severity : active.rule.severity;
  const subject = problem.at?.subject ?? problem.subject ?? "config";
  const field = problem.at?.field ?? "";
  const container = problem.at?.container;
  const identity = `${active.rule.id}\n${subject}\n${field}${problem.at === undefined ? `\n${problem.message}` : ""}`;
  const ordinal = ordinals.get(identity) ?? 0;
  ordinals.set(identity, ordinal + 1);
  return {
    rule: active.rule.id,
    severity: active.severityOf(own),
    message: problem.message,
    ...(problem.hint !== undefined && { hint: problem.hint }),
    notes: problem.notes ?? [],
    ask: problem.ask ?? [],
    because: problem.because ?? [],
    subject,
    ...(container !== undefined && { container }),
    field,
    ...(problem.at !== undefined && { at: problem.at }),
    ...(problem.origin !== undefined && { origin: problem.origin }),
    chart,
    environments: environment === "*" ? [] : [environment],
    fingerprint: createHash("sha256").update(`${identity}\n${ordinal}`).digest("hex").slice(0, 16),
    related: [],
    excerpts: [],
    status: "open",
    ...(problem.fix !== undefined && { fix: problem.fix }),
  };
}
