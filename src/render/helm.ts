import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { HelmError } from "../errors.js";
import type { RenderJob, RenderPlan } from "../plan.js";
import { type BundledAlias, type HelmBinary, type HelmSearch, locateBundled, locateHelm } from "./binary.js";
import { helmEnvironment, templateArguments } from "./command.js";
import { readHelmError } from "./failure.js";
import { findMissing } from "./inputs.js";
import { readManifests } from "./manifest-file.js";
import type { FailureKind, Outcome, Rendered, RenderFailure } from "./outcome.js";
import { limited, once, usualConcurrency } from "./pool.js";
import { guardGroup, killGroup } from "./process-group.js";
import { decodeText, printable } from "./text.js";
import { readWarnings } from "./warnings.js";

export type { BundledAlias, HelmSearch } from "./binary.js";
export type { FailureKind, Outcome, Rendered, RenderFailure } from "./outcome.js";

/** A version of helm; `text` is `3.17.1`, with a pre-release when it has one. */
export interface HelmVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** A helm to render with. */
export interface Helm {
  readonly path: string;
  readonly from: HelmBinary["from"];
  /** Asked for at most once, and only here is helm run for it (0.13 s). Throws HelmError when the program is not helm 3 or later. */
  version(): Promise<HelmVersion>;
}

/** How to render. */
export interface RenderOptions {
  /** For one render; 60 by default, 0 = no limit. */
  readonly timeoutSeconds?: number;
  /** Renders at one time; see `usualConcurrency` for the default. */
  readonly concurrency?: number;
  /** Bytes of one render; 64 MiB by default. */
  readonly maxOutput?: number;
  /** Text of the manifest `-`; called at most once. */
  readonly stdin?: () => Promise<string>;
  readonly onDone?: (job: RenderJob, ok: boolean) => void;
  /** Ends every render as a failure of kind `stopped`. */
  readonly signal?: AbortSignal;
}

interface Settings {
  readonly timeoutSeconds: number;
  readonly maxOutput: number;
  readonly signal: AbortSignal | undefined;
}

/** The helm to use; see `locateHelm` for where it is looked for. It is not run. Throws HelmError. */
export async function findHelm(search: HelmSearch = {}): Promise<Helm> {
  return helmOf(await locateHelm(search));
}

/** The helm that an npm package carries. Throws HelmError. */
export async function bundledHelm(alias: BundledAlias): Promise<Helm> {
  return helmOf(await locateBundled(alias));
}

/** Whether a plan holds a chart, so that a helm must be found. */
export function needsHelm(plan: RenderPlan): boolean {
  return plan.jobs.some((job) => job.kind === "chart");
}

/** Renders a plan. A job that fails is a failure of its own; throws HelmError when helm itself cannot be used. */
export async function renderPlan(
  plan: RenderPlan,
  helm: Helm | undefined,
  options: RenderOptions = {},
): Promise<{ readonly renders: readonly Rendered[]; readonly failures: readonly RenderFailure[] }> {
  const outcomes = await Promise.all(startRenders(plan, helm, options));
  return {
    renders: outcomes.flatMap(({ render }) => render ?? []),
    failures: outcomes.flatMap(({ failure }) => failure ?? []),
  };
}

/** Starts the first renders before it returns; one promise a job, in the order of the plan. They reject with HelmError only. */
export function startRenders(plan: RenderPlan, helm: Helm | undefined, options: RenderOptions = {}): readonly Promise<Outcome>[] {
  const { timeoutSeconds = 60, maxOutput = 64 * 1024 * 1024, concurrency = usualConcurrency(), signal } = options;
  const settings = { timeoutSeconds, maxOutput, signal };
  const stdin = once(options.stdin ?? (() => Promise.reject(new Error("it is not at hand"))));
  const pool = limited(Math.max(1, concurrency));
  return plan.jobs.map((job) => {
    const outcome = pool(() => (job.kind === "chart" ? renderChart(job, helm, settings) : readManifests(job, stdin, maxOutput)));
    const told = outcome.then((result) => {
      options.onDone?.(job, result.render !== undefined);
      return result;
    });
    told.catch(() => undefined); // a caller may look at the others first
    return told;
  });
}

/** Renders one job now. Rejects with HelmError only. */
export function renderJob(job: RenderJob, helm: Helm | undefined, options: RenderOptions = {}): Promise<Outcome> {
  const [outcome] = startRenders({ jobs: [job] }, helm, options);
  return outcome ?? Promise.reject(new HelmError("nothing to render"));
}

async function renderChart(job: RenderJob, helm: Helm | undefined, settings: Settings): Promise<Outcome> {
  const missing = findMissing(job);
  if (missing !== undefined) return { failure: missing };
  if (helm === undefined) throw new HelmError("a chart cannot be rendered without helm");
  const ran = await run(helm.path, templateArguments(job), settings);
  if (ran.stopped !== undefined) return { failure: { job, kind: ran.stopped, message: stopMessages[ran.stopped](settings) } };
  if (ran.code !== 0) return { failure: await readFailure(job, helm, ran) };
  const text = ran.stdout;
  // a render starts like this: another program in helm's place is found out without asking every helm for its version
  if (!/^\s*(?:---|# Source)/.test(text)) await helm.version();
  return { render: { job, text, warnings: readWarnings(ran.stderr) } };
}

const stopMessages = {
  timeout: ({ timeoutSeconds }: Settings) => `helm took longer than ${timeoutSeconds}s and was stopped (--timeout)`,
  "too-large": ({ maxOutput }: Settings) => `helm printed more than ${maxOutput} bytes and was stopped (--max-output)`,
  stopped: () => "the render was stopped before it was done",
};

async function readFailure(job: RenderJob, helm: Helm, ran: Ran): Promise<RenderFailure> {
  const { stderr } = ran;
  const fail = (kind: FailureKind, message: string) => ({ job, kind, message: printable(message) });
  if (!/^Error: /m.test(stderr)) {
    const { text } = await helm.version();
    const ending = ran.code === undefined ? `was ended by ${ran.signal ?? "a signal"}` : `ended with exit code ${ran.code}`;
    const [first = ""] = stderr.trim().split("\n");
    return fail("crashed", `helm ${text} ${ending}${first === "" ? " and said nothing" : `: ${first}`}`);
  }
  const flag = /^Error: unknown (?:shorthand )?flag: (?:'.' in )?(-+[\w-]+)/m.exec(stderr)?.[1];
  // helm 2 takes no release name
  if (flag !== undefined || /^Error: .*needs \d+ argument/m.test(stderr)) {
    const { text } = await helm.version();
    const needs = flag === "--set-json" ? ", which needs helm 3.10 or later" : "";
    if (flag !== undefined) return fail("unsupported", `helm ${text} does not know ${flag}${needs}`);
  }
  return readHelmError(job, stderr);
}

function helmOf({ path, from, version }: HelmBinary): Helm {
  return { path, from, version: once(async () => readVersion(path, version ?? (await askVersion(path)))) };
}

/** The program's answer to `version --short`: `v3.17.1+g980d8ac`. */
async function askVersion(path: string): Promise<string> {
  const ran = await run(path, ["version", "--short"], { timeoutSeconds: 20, maxOutput: 65_536, signal: undefined });
  return ran.code === 0 ? ran.stdout : "";
}

function readVersion(path: string, answer: string): HelmVersion {
  const [, text, major, minor, patch] = /^(?:Client: )?v?((\d+)\.(\d+)\.(\d+)[^\s+]*)/.exec(answer.trim()) ?? [];
  if (text === undefined) throw new HelmError(`"${path}" is not helm: it does not answer "version --short" with a version`);
  if (Number(major) < 3) throw new HelmError(`"${path}" is helm ${text}, expected helm 3 or 4`);
  return { text, major: Number(major), minor: Number(minor), patch: Number(patch) };
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | undefined;
  readonly signal?: string | undefined;
  readonly stopped?: keyof typeof stopMessages | undefined;
}

/** Runs helm in a process group of its own, and ends with it what it has started. Throws HelmError when it cannot be started. */
async function run(path: string, args: readonly string[], settings: Settings, attempt = 0): Promise<Ran> {
  const { timeoutSeconds, maxOutput, signal } = settings;
  if (signal?.aborted) return { stdout: "", stderr: "", code: undefined, stopped: "stopped" };
  const child = execa(path, args, {
    env: helmEnvironment(),
    extendEnv: false,
    stdin: "ignore",
    detached: process.platform !== "win32",
    cleanup: false,
    // read below: execa would quote all of a failed render in its error, which takes 10 s for 16 MB
    buffer: false,
    stripFinalNewline: false,
    reject: false,
    windowsHide: true,
  });
  const { pid } = child;
  const release = pid === undefined ? undefined : guardGroup(pid);
  let stopped: Ran["stopped"];
  let grace: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  const abandoned = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  const stop = (why: NonNullable<Ran["stopped"]>) => {
    if (stopped !== undefined) return;
    stopped = why;
    if (pid !== undefined) killGroup(pid);
    // whoever left the group may still hold the pipe
    grace = setTimeout(() => giveUp?.(), 500);
  };
  const timer = timeoutSeconds > 0 ? setTimeout(stop, Math.min(timeoutSeconds * 1000, 2 ** 31 - 1), "timeout") : undefined;
  const abort = () => stop("stopped");
  signal?.addEventListener("abort", abort, { once: true });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => collect(stream, maxOutput, () => stop("too-large")));
  try {
    const result = await Promise.race([child, abandoned]);
    if (result === undefined || stopped !== undefined) return { stdout: "", stderr: "", code: undefined, stopped };
    if (result.exitCode === undefined && result.signal === undefined) {
      if (result.code === "ETXTBSY" && attempt < 20) return await sleep(50).then(() => run(path, args, settings, attempt + 1));
      throw new HelmError(`"${path}" cannot be started: ${result.code ?? result.shortMessage}`);
    }
    return { stdout: stdout?.() ?? "", stderr: stderr?.() ?? "", code: result.exitCode, signal: result.signal };
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal?.removeEventListener("abort", abort);
    release?.();
    if (stopped !== undefined) {
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
    }
  }
}

/** Keeps what a stream gives up to `most` bytes; the result gives it as text. */
function collect(stream: Readable, most: number, tooMuch: () => void): () => string {
  const chunks: Uint8Array[] = [];
  let size = 0;
  stream.on("data", (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else tooMuch();
  });
  return () => decodeText(Buffer.concat(chunks));
}
