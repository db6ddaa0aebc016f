import type { Deploy } from "../config/types.js";
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
}

/** Whether helm deploys: it does unless another tool is named. */
export function usesHelm(deploy: Deploy): boolean {
  return deploy.with === undefined || deploy.with === "helm";
}

/** Helm's timeout for each of its operations, hooks one by one (seconds); undefined when another tool deploys or nothing tells. */
export function commandTimeout(deploy: Deploy | undefined): { readonly seconds: number; readonly from: string } | undefined {
  if (deploy === undefined || !usesHelm(deploy)) return undefined;
  if (deploy.timeout !== undefined) return { seconds: deploy.timeout, from: "deploy.timeout" };
  return deploy.with === "helm" || deploy.helm !== undefined ? { seconds: helmTimeout, from: "helm's default" } : undefined;
}

/** The waits of a deploy: of the tool itself when it waits, and of the pipeline around it, which otherwise asks `kubectl rollout status`. */
export function deployWaits(deploy: Deploy | undefined): readonly DeployWait[] {
  if (deploy === undefined) return [];
  const helm = usesHelm(deploy);
  const waiter: Waiter = helm ? (deploy.helm ?? 3) : "kubectl";
  const waits: DeployWait[] = [];
  const timeout = helm
    ? commandTimeout(deploy)
    : deploy.timeout === undefined
      ? undefined
      : { seconds: deploy.timeout, from: "deploy.timeout" };
  if (deploy.wait === true && timeout !== undefined) waits.push({ who: helm ? "helm --wait" : (deploy.with ?? ""), ...timeout, waiter });
  if (deploy.ciWait !== undefined) {
    const around = deploy.wait === true ? waiter : "kubectl";
    waits.push({ who: "the pipeline", from: "deploy.ciWait", seconds: deploy.ciWait, waiter: around });
  }
  return waits;
}
