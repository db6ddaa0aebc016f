import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findConfig, loadConfig } from "../config/load.js";
import type { Config } from "../config/types.js";
import { configure } from "../configure.js";
import { exitCodes, UsageError } from "../errors.js";
import { parseManifests } from "../manifest/parse.js";
import type { Place } from "../manifest/place.js";
import type { Manifest, Manifests } from "../manifest/types.js";
import { planRenders, type RenderJob } from "../plan.js";
import { redactorOf } from "../redact.js";
import { rerenderer } from "../render/again.js";
import { findHelm } from "../render/helm.js";
import type { Rendered } from "../render/outcome.js";
import { openRoot } from "../root.js";
import { nearest } from "../spelling.js";
import { copyChart } from "../trace/copy.js";
import { type Explanation, explainField, formatExplanation } from "../trace/explain.js";
import { findField, timedFields } from "../trace/field-names.js";
import { traceFields } from "../trace/tracing.js";
import type { CheckFlags } from "./check.js";
import { runOptions } from "./options.js";

/** Flags as commander hands them over. */
export type ExplainFlags = Omit<CheckFlags, "format"> & { readonly format: "terminal" | "json" };

/** Says why a field is what it is: the template line that wrote it, the values that move it, and those that were seen not to. */
export async function explain(words: readonly string[], flags: ExplainFlags): Promise<number> {
  const { chart, object, field } = readWords(words);
  const cwd = process.cwd();
  const options = runOptions(chart, flags as unknown as CheckFlags);
  const config = await configOf(chart, flags, options);
  const only = options.environments?.length ? options.environments : undefined;
  const jobs = planRenders(config, { ...(only && { only }) }).jobs.filter(({ purpose }) => purpose === "environment");
  const packs = jobs.filter(({ kind }) => kind === "manifests");
  if (packs.length > 0) throw new UsageError("plain manifests have no templates and no values: explain needs a chart");
  const helm = await findHelm(options.helm === undefined ? {} : { helm: options.helm });
  const { timeoutSeconds = 60, maxOutput } = options;
  const rerender = rerenderer(helm, { timeoutSeconds, ...(maxOutput !== undefined && { maxOutput }) });
  const outcomes = await Promise.all(jobs.map(rerender));
  const { reportPath } = openRoot(cwd, options.root, config);
  const renders = outcomes.flatMap(({ render }) => (render === undefined ? [] : [{ render, manifests: parseManifests(render.text) }]));
  for (const { failure } of outcomes)
    if (failure) process.stderr.write(`error: ${failure.job.environment} does not render: ${failure.message}\n`);
  if (renders.length === 0) return exitCodes.incomplete;
  const found = renders.flatMap(({ render, manifests }) => {
    const manifest = manifests.all.find(({ at }) => at.subject === object);
    return manifest === undefined ? [] : [{ render, manifests, manifest }];
  });
  if (found.length === 0) throw new UsageError(unknownObject(object, renders));
  const explanations: Explanation[] = [];
  let unknown: unknown;
  for (const one of found) {
    try {
      explanations.push(...(await explainIn(one, placesOf(one.manifest, field), rerender, reportPath)));
    } catch (error) {
      // another environment may have the field
      if (!(error instanceof UsageError)) throw error;
      unknown = error;
    }
  }
  if (explanations.length === 0 && unknown !== undefined) throw unknown;
  const text =
    flags.format === "json" ? `${JSON.stringify({ version: 1, explanations }, null, 2)}\n` : textOf(explanations, field, found.length);
  process.stdout.write(redactorOf(renders.map(({ manifests }) => manifests))(text));
  return outcomes.some(({ failure }) => failure !== undefined) ? exitCodes.incomplete : exitCodes.clean;
}

/** `[CHART] Kind/name [field]`: an object starts with a capital letter and is no file. */
function readWords(words: readonly string[]): { readonly chart?: string; readonly object: string; readonly field?: string } {
  const isObject = (word: string | undefined) => word !== undefined && /^[A-Z]\w*\/[^/]+$/.test(word) && !existsSync(word);
  const [first, second, third, ...more] = words;
  const named = isObject(first)
    ? { object: first, field: second, rest: [third, ...more] }
    : { chart: first, object: second, field: third, rest: more };
  if (named.object === undefined || !isObject(named.object)) {
    throw new UsageError(
      `${named.object === undefined ? "no object was named" : `"${named.object}" is no object`}, expected Kind/name\ntry: helm-invariants explain ./chart Deployment/web spec.replicas`,
    );
  }
  if (named.rest.some((word) => word !== undefined)) throw new UsageError("too many words, expected [chart] Kind/name [field]");
  return {
    ...(named.chart !== undefined && { chart: named.chart }),
    object: named.object,
    ...(named.field !== undefined && { field: named.field }),
  };
}

/** With --env a chart that the config has stands for its entry there. */
async function configOf(chart: string | undefined, flags: ExplainFlags, options: ReturnType<typeof runOptions>): Promise<Config> {
  const file = flags.config === undefined ? findConfig(process.cwd()) : resolve(flags.config);
  if (chart === undefined || !flags.env?.length || file === undefined) return configure(options);
  const config = await loadConfig(file);
  const charts = config.charts.filter(({ path }) => path === resolve(chart));
  return charts.length === 0 ? configure(options) : { ...config, charts };
}

function unknownObject(object: string, renders: readonly { readonly manifests: Manifests }[]): string {
  const known = [...new Set(renders.flatMap(({ manifests }) => manifests.all.map(({ at }) => at.subject)))];
  const guess = nearest(object, known) ?? known.find((name) => name.startsWith(`${object.split("/")[0]}/`));
  return `no object "${object}" is rendered${guess === undefined ? "" : `, did you mean "${guess}"?`}`;
}

function placesOf(manifest: Manifest, field: string | undefined): readonly Place[] {
  if (field === undefined) return timedFields(manifest);
  const named = findField(manifest, field);
  if ("place" in named) return [named.place];
  if ("several" in named) {
    throw new UsageError(
      `"${field}" can be ${named.several
        .slice(0, 5)
        .map((name) => `"${name}"`)
        .join(" or ")}, expected one of them`,
    );
  }
  const ends = new Map(named.known.map((name) => [name.split(".").slice(-field.split(".").length).join("."), name]));
  const guess = nearest(field, named.known) ?? ends.get(nearest(field, [...ends.keys()]) ?? "");
  throw new UsageError(`${manifest.at.subject} has no field "${field}"${guess === undefined ? "" : `, did you mean "${guess}"?`}`);
}

async function explainIn(
  { render, manifests }: { readonly render: Rendered; readonly manifests: Manifests },
  places: readonly Place[],
  rerender: ReturnType<typeof rerenderer>,
  named: (file: string) => string,
): Promise<readonly Explanation[]> {
  const job: RenderJob = render.job;
  const copy = await copyChart(job.chart).catch(() => undefined);
  try {
    const wanted = places.map((at) => ({ at, rank: 0, alone: true }));
    const tracing = await traceFields({ job, manifests, text: render.text, rerender, copy, wanted, curious: true });
    return places.flatMap((at) => {
      const traced = tracing.of(at);
      return traced === undefined ? [] : [explainField(traced, tracing, job.environment, named)];
    });
  } finally {
    await copy?.dispose();
  }
}

function textOf(explanations: readonly Explanation[], field: string | undefined, environments: number): string {
  const blocks = explanations.map((explanation) => {
    const heads = [environments > 1 ? `in ${explanation.environment}` : "", field === undefined ? explanation.field : ""].filter(
      (text) => text !== "",
    );
    return `${heads.length === 0 ? "" : `${heads.join(": ")}\n`}${formatExplanation(explanation)}\n`;
  });
  return blocks.length === 0 ? "no probe, strategy or environment variable is rendered\n" : blocks.join("\n");
}
