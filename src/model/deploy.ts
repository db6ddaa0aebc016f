import type { Deploy, Origin } from "../config/types.js";
import type { Term } from "../findings.js";
import type { Waiter } from "../timing/rollout.js";

/** Helm's `--timeout` when nobody gives one (seconds; item 167). */
const helmTimeout = 300;

/** How long something waits for a roll, and by whose rules it decides that the roll is done. */
export interface DeployWait {
  /** `helm --wait`, `kubectl`, `the pipeline`. */
  readonly who: string;
  /** `deploy.timeout`, `deploy.ciWait`, `helm's default`. */
  readonly from: string;
  readonly seconds: number;
  readonly waiter: Waiter;
  /** Where the config says so; of helm's default where it says that helm waits. */
  readonly origin?: Origin;
}

/** Whether helm deploys: it does unless another tool is named. */
export function usesHelm(deploy: Deploy): boolean {
  return deploy.with === undefined || deploy.with === "helm";
}

/** Helm's timeout for each of its operations, hooks one by one (seconds); undefined when another tool deploys or nothing tells. */
export function commandTimeout(deploy: Deploy | undefined): Pick<DeployWait, "seconds" | "from" | "origin"> | undefined {
  if (deploy === undefined || !usesHelm(deploy)) return undefined;
  if (deploy.timeout !== undefined) return declaredWait(deploy, "timeout", deploy.timeout);
  return deploy.with === "helm" || deploy.helm !== undefined ? { seconds: helmTimeout, from: "helm's default" } : undefined;
}

/** The waits of a deploy: of the tool itself when it waits, and of the pipeline around it, which otherwise asks `kubectl rollout status`. */
export function deployWaits(deploy: Deploy | undefined): readonly DeployWait[] {
  if (deploy === undefined) return [];
  const helm = usesHelm(deploy);
  const waiter: Waiter = helm ? (deploy.helm ?? 3) : "kubectl";
  const waits: DeployWait[] = [];
  const own = deploy.timeout === undefined ? undefined : declaredWait(deploy, "timeout", deploy.timeout);
  const timeout = helm ? commandTimeout(deploy) : own;
  if (deploy.wait === true && timeout !== undefined) {
    const origin = timeout.origin ?? deploy.declaredAt?.["wait"];
    waits.push({ who: helm ? "helm --wait" : (deploy.with ?? ""), ...timeout, waiter, ...(origin && { origin }) });
  }
  if (deploy.ciWait !== undefined) {
    const around = deploy.wait === true ? waiter : "kubectl";
    waits.push({ who: "the pipeline", ...declaredWait(deploy, "ciWait", deploy.ciWait), waiter: around });
  }
  return waits;
}

/** A wait as a term of a proof; how long helm's default is, no config declares. */
export function waitTerm({ from, seconds, origin }: Pick<DeployWait, "seconds" | "from" | "origin">): Term {
  if (origin === undefined) return { term: from, value: seconds, unit: "s" };
  return from === "helm's default" ? { term: "deploy.wait", value: "true", origin } : { term: from, value: seconds, unit: "s", origin };
}

function declaredWait(deploy: Deploy, key: "timeout" | "ciWait", seconds: number): Pick<DeployWait, "seconds" | "from" | "origin"> {
  const origin = deploy.declaredAt?.[key];
  return { seconds, from: `deploy.${key}`, ...(origin !== undefined && { origin }) };
}
