import type { Checker } from "./check.js";
import type { Reruns } from "./model/reruns.js";
import type { Environment } from "./model/types.js";
import type { Modeller } from "./modelling.js";
import type { RenderPlan } from "./plan.js";
import type { Outcome, Rendered } from "./render/outcome.js";

/**
 * model → deep → check for each environment as soon as it is rendered, while helm is still at work on others. Gives all outcomes, in the order of
 * the plan.
 */
export async function judgeEach(input: {
  readonly plan: RenderPlan;
  /** One a job of the plan. */
  readonly starting: readonly Promise<Outcome>[];
  readonly modelOf: Modeller;
  readonly checker: Checker;
  /** Renders an environment again as far as rules need that. */
  readonly rerun: ((environment: Environment, rendered: Rendered) => Promise<Reruns>) | undefined;
}): Promise<readonly Outcome[]> {
  const { plan, starting, modelOf, checker, rerun } = input;
  const defaultsOf = async (chart: string) => {
    const outcome = await starting[plan.jobs.findIndex((job) => job.purpose === "defaults" && job.chart === chart)];
    return outcome?.render;
  };
  return Promise.all(
    starting.map(async (starts) => {
      const outcome = await starts;
      const { render } = outcome;
      if (render?.job.purpose !== "environment") return outcome;
      const environment = modelOf(render, await defaultsOf(render.job.chart));
      checker.judge(environment, await rerun?.(environment, render));
      return outcome;
    }),
  );
}
