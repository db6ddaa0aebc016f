import { accessSync, constants, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { RenderJob } from "../plan.js";
import type { RenderFailure } from "./outcome.js";
import { printable } from "./text.js";

/** Why the files that a chart's job names cannot be rendered; undefined when all are there and readable. */
export function findMissing(job: RenderJob): RenderFailure | undefined {
  const chart = readable(job.chart);
  if (chart !== undefined) return { job, kind: chart.kind, message: `the chart ${chart.text}` };
  if (statSync(job.chart).isDirectory()) {
    const file = join(job.chart, "Chart.yaml");
    const found = readable(file);
    if (found?.kind === "missing") {
      return { job, kind: "missing", message: "the folder has no Chart.yaml, expected a chart", location: { file: job.chart } };
    }
    if (found !== undefined) return { job, kind: found.kind, message: `Chart.yaml ${found.text}`, location: { file } };
  }
  for (const path of job.values) {
    const found = readable(path);
    if (found === undefined) continue;
    const location = found.kind === "missing" ? job.origin : { file: path };
    const message = printable(`values file "${relative(process.cwd(), path)}" ${found.text}`);
    return { job, kind: found.kind, message, ...(location === undefined ? {} : { location }) };
  }
  return undefined;
}

function readable(path: string): { readonly kind: "missing" | "unreadable"; readonly text: string } | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR"
      ? { kind: "missing", text: "does not exist" }
      : { kind: "unreadable", text: `cannot be read (${code})` };
  }
}
