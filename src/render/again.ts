import type { RenderJob } from "../plan.js";
import { type Helm, type RenderOptions, renderJob } from "./helm.js";
import type { Outcome } from "./outcome.js";
import { limited, usualConcurrency } from "./pool.js";

/** A function that renders changed jobs after the run's own, no more of them at one time than those. */
export function rerenderer(helm: Helm | undefined, options: RenderOptions): (job: RenderJob) => Promise<Outcome> {
  const pool = limited(Math.max(1, options.concurrency ?? usualConcurrency()));
  return (job) => pool(() => renderJob(job, helm, options));
}
