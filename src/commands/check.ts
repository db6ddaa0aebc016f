import { dirname, join, relative } from "node:path";
import { baselineText, formatBaseline, pruned } from "../baseline.js";
import { findConfig } from "../config/defaults.js";
import { exitCodes, UsageError } from "../errors.js";
import type { Severity } from "../findings.js";
import { checkOutputs, type Format, formats, isFormat, renderReport, writeReport } from "../report/index.js";
import type { ReportOptions } from "../report/result.js";
import { type RunOptions, type RunOutcome, run } from "../run.js";
import { version } from "../version.js";
import { runOptions } from "./options.js";
import { pageOf, progressOn, readStdin, terminalColor, widthOf } from "./terminal.js";

/** Flags as commander hands them over. */
export interface CheckFlags {
  readonly values?: readonly string[];
  readonly set?: readonly string[];
  readonly setString?: readonly string[];
  readonly setFile?: readonly string[];
  readonly setJson?: readonly string[];
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
  readonly namespace?: string;
  readonly release?: string;
  readonly config?: string;
  readonly env?: readonly string[];
  readonly only?: readonly string[];
  readonly deep?: boolean;
  readonly helm?: string;
  readonly timeout: string;
  readonly maxOutput: string;
  readonly today?: string;
  readonly root?: string;
  readonly color: "auto" | "always" | "never";
  readonly format: Format;
  readonly output?: readonly string[];
  readonly minSeverity: Severity;
  readonly failOn: Severity | "never";
  readonly exitZero?: boolean;
  readonly trace?: boolean;
  readonly fix?: boolean;
  readonly fixDryRun?: boolean;
  readonly waivers?: boolean;
  readonly baseline?: string | true;
  readonly writeBaseline?: string | true;
  readonly pruneBaseline?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Checks, reports, and gives the exit code. */
export async function check(target: string | undefined, flags: CheckFlags): Promise<number> {
  const outputs = (flags.output ?? []).map(parseOutput);
  checkOutputs(outputs.map(({ file }) => file));
  const baseline = baselineFile(flags);
  const writes = flags.writeBaseline !== undefined;
  if (baseline !== undefined && (writes || flags.pruneBaseline === true)) checkOutputs([baseline]);
  const progress = progressOn(process.stderr, flags.quiet === true);
  const asked: RunOptions = {
    ...runOptions(target, flags),
    failOn: flags.failOn,
    exitZero: flags.exitZero === true,
    waivers: flags.waivers !== false,
    minSeverity: shownFrom(flags),
    // machines get every finding
    traceNotes: flags.format !== "terminal" || outputs.length > 0,
    ...(baseline !== undefined && !writes && { baseline, pruneBaseline: flags.pruneBaseline === true }),
    stdin: readStdin,
    progress: progress.show,
  };
  const first = await run(asked).finally(progress.clear);
  if (flags.fixDryRun === true) return (await import("./fix.js")).showFixes(first, asked);
  const outcome = flags.fix === true ? await (await import("./fix.js")).applyFixes(first, asked) : first;
  const result = { ...outcome, remarks: outcome.remarks.filter(({ minor }) => minor !== true || flags.verbose === true) };
  const options: ReportOptions = {
    minSeverity: shownFrom(flags),
    failOn: flags.failOn,
    color: terminalColor(flags.color, process.stdout),
    ...widthOf(process.stdout),
    root: outcome.root,
    version,
    page: pageOf,
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
  };
  // A file has no width.
  const { width: _, ...unwrapped } = { ...options, color: false };
  for (const { format, file } of outputs) writeReport(file, await renderReport(format, result, unwrapped));
  process.stdout.write(await renderReport(flags.format, result, options));
  if (baseline === undefined || outcome.exitCode === exitCodes.incomplete) return outcome.exitCode;
  if (writes) return acceptAll(baseline, outcome);
  if (flags.pruneBaseline === true) prune(baseline, outcome);
  return outcome.exitCode;
}

const rank = ["note", "warning", "error"];

/** What fails the run is shown, whatever else is hidden. */
function shownFrom({ minSeverity, failOn }: CheckFlags): Severity {
  return failOn !== "never" && rank.indexOf(failOn) < rank.indexOf(minSeverity) ? failOn : minSeverity;
}

const defaultBaseline = "helm-invariants.baseline.json";

function baselineFile(flags: CheckFlags): string | undefined {
  const { baseline, writeBaseline, pruneBaseline } = flags;
  if (writeBaseline !== undefined && (baseline !== undefined || pruneBaseline === true)) {
    throw new UsageError("--write-baseline starts anew: it does not go with --baseline or --prune-baseline");
  }
  const named = writeBaseline ?? baseline ?? (pruneBaseline === true ? true : undefined);
  if (named !== true) return named;
  // beside the config, wherever the command is typed
  const config = flags.config ?? findConfig(process.cwd());
  return config === undefined ? defaultBaseline : relative(process.cwd(), join(dirname(config), defaultBaseline));
}

/** Writes a baseline of every open finding; what it now accepts does not fail this run any more. */
function acceptAll(file: string, outcome: RunOutcome): number {
  const accepted = outcome.findings.filter(({ status }) => status === "open");
  writeReport(file, baselineText(accepted));
  process.stderr.write(
    `wrote ${accepted.length} ${accepted.length === 1 ? "finding" : "findings"} to ${file}; use it with check --baseline ${file}\n`,
  );
  return exitCodes.clean;
}

function prune(file: string, outcome: RunOutcome): void {
  const { entries, stale } = outcome.baseline ?? { entries: [], stale: [] };
  if (stale.length === 0) return;
  const left = pruned(entries, stale);
  writeReport(file, formatBaseline(left));
  const whole = entries.length - left.length;
  const took = [
    ...(whole > 0 ? [`took ${whole} ${whole === 1 ? "entry" : "entries"} out of ${file}`] : []),
    ...(stale.length > whole ? [`took environments out of ${counted(stale.length - whole, whole > 0 ? "other" : "")} of ${file}`] : []),
  ];
  process.stderr.write(took.map((line) => `${line}\n`).join(""));
}

function counted(count: number, which: string): string {
  return [count, ...(which === "" ? [] : [which]), count === 1 ? "entry" : "entries"].join(" ");
}

function parseOutput(text: string): { readonly format: Format; readonly file: string } {
  const at = text.indexOf("=");
  const format = text.slice(0, Math.max(at, 0));
  const file = text.slice(at + 1);
  if (at < 0 || file === "" || !isFormat(format)) {
    throw new UsageError(`--output is "${text}", expected FORMAT=FILE with a format of ${formats.join(", ")}`);
  }
  return { format, file };
}
