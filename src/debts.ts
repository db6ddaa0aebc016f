import type { Debt } from "./config/types.js";
import type { Place } from "./manifest/place.js";
import type { Mapping } from "./manifest/types.js";
import type { Container, Environment, Probe, Workload } from "./model/types.js";
import { satisfies } from "./model/version.js";
import { isIn, matchesSubject } from "./subject.js";

/** One debt at one place of one environment. */
export interface DebtState {
  readonly debt: Debt;
  readonly environment: string;
  readonly at: Place;
  /** The number that the render gives the field, Kubernetes' default for an absent probe field; undefined when it is not there. */
  readonly value: number | undefined;
  /** The image tag that an image condition was compared with. */
  readonly tag: string | undefined;
  /** Whether the condition has come true; `unknown` when the tag is no version. */
  readonly due: boolean | "unknown";
  /** The field is at or below what the debt pays back to. */
  readonly paid: boolean;
  /** The field is above what the debt allows. */
  readonly exceeds: boolean;
}

/** A debt with what the same field says in the other environments. */
export interface DebtReport extends DebtState {
  readonly elsewhere: readonly { readonly environment: string; readonly value: number }[];
}

/** Every debt of every environment, each with the same field elsewhere: what has not needed to be raised there. */
export function reportDebts(environments: readonly Environment[]): readonly DebtReport[] {
  return environments.flatMap((environment) =>
    debtStates(environment).map((state) => {
      const others = environments.filter(
        (other) => other !== environment && (!isIn(state.debt.in, other.name) || state.debt.in === undefined),
      );
      const elsewhere = others.flatMap((other) =>
        other.workloads
          .flatMap((workload) => statesOf(state.debt, workload, other))
          .filter(({ at, value }) => value !== undefined && at.subject === state.at.subject && at.field === state.at.field)
          .map(({ value }) => ({ environment: other.name, value: value ?? 0 })),
      );
      return { ...state, elsewhere };
    }),
  );
}

const containerKeys = new Set(["startupProbe", "readinessProbe", "livenessProbe", "resources", "env", "lifecycle", "ports", "image"]);
const probeFields: Readonly<Record<string, keyof Probe>> = {
  initialDelaySeconds: "delay",
  periodSeconds: "period",
  timeoutSeconds: "timeout",
  failureThreshold: "failures",
  successThreshold: "successes",
};

/** The state of every debt that speaks of something in this environment. */
export function debtStates(environment: Environment): readonly DebtState[] {
  return environment.debts
    .filter((debt) => isIn(debt.in, environment.name))
    .flatMap((debt) => environment.workloads.flatMap((workload) => statesOf(debt, workload, environment)));
}

function statesOf(debt: Debt, workload: Workload, environment: Environment): readonly DebtState[] {
  const path = debt.field.split(".");
  const ofContainer = containerKeys.has(path[0] ?? "");
  if (!ofContainer) {
    if (!matchesSubject(debt.of, workload.kind, workload.name)) return [];
    return [stateOf(debt, environment, workload.at.key(...path), read(workload.body, path), workload.appContainers[0])];
  }
  return workload.containers
    .filter((container) => matchesSubject(debt.of, workload.kind, workload.name, container.name))
    .filter((container) => Object.hasOwn(container.body, path[0] ?? ""))
    .map((container) => stateOf(debt, environment, container.at.key(...path), readContainer(container, path), container));
}

function stateOf(debt: Debt, environment: Environment, at: Place, value: number | undefined, container: Container | undefined): DebtState {
  const tag = container?.image.tag;
  return {
    debt,
    environment: environment.name,
    at,
    value,
    tag,
    due: isDue(debt, tag, environment.today),
    paid: debt.payBackTo !== undefined && value !== undefined && value <= debt.payBackTo,
    exceeds: value !== undefined && value > debt.allow,
  };
}

function isDue(debt: Debt, tag: string | undefined, today: string): boolean | "unknown" {
  if (debt.until.date !== undefined && today > debt.until.date) return true;
  if (debt.until.image === undefined) return false;
  const met = tag === undefined ? undefined : satisfies(tag, debt.until.image);
  return met ?? "unknown";
}

function readContainer(container: Container, path: readonly string[]): number | undefined {
  const [probe, field] = path;
  const role = /^(startup|readiness|liveness)Probe$/.exec(probe ?? "")?.[1];
  const name = field === undefined || path.length !== 2 ? undefined : probeFields[field];
  if (role === undefined || name === undefined) return read(container.body, path);
  const found = container.probes.find((candidate) => candidate.role === role)?.[name];
  return typeof found === "number" ? found : undefined;
}

function read(body: Mapping, path: readonly string[]): number | undefined {
  let value: unknown = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Mapping)[key];
  }
  return typeof value === "number" ? value : undefined;
}
