import { UsageError } from "../errors.js";
import type { Severity } from "../findings.js";
import { checkOutputs, type Format, formats, isFormat, renderReport, writeReport } from "../report/index.js";
import type { ReportOptions } from "../report/result.js";
import { run } from "../run.js";
import { version } from "../version.js";
import { runOptions } from "./options.js";
import { pageOf, progressOn, readStdin, terminalColor } from "./terminal.js";

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
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Checks, reports, and gives the exit code. */
export async function check(target: string | undefined, flags: CheckFlags): Promise<number> {
  const outputs = (flags.output ?? []).map(parseOutput);
  checkOutputs(outputs.map(({ file }) => file));
  const progress = progressOn(process.stderr, flags.quiet === true);
  const outcome = await run({
    ...runOptions(target, flags),
    failOn: flags.failOn,
    exitZero: flags.exitZero === true,
    stdin: readStdin,
    progress: progress.show,
  }).finally(progress.clear);
  const result = { ...outcome, remarks: outcome.remarks.filter(({ minor }) => minor !== true || flags.verbose === true) };
  const options: ReportOptions = {
    minSeverity: flags.minSeverity,
    ...(flags.failOn !== "never" && { failOn: flags.failOn }),
    color: terminalColor(flags.color, process.stdout),
    ...(process.stdout.columns !== undefined && { width: process.stdout.columns }),
    root: outcome.root,
    version,
    page: pageOf,
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
  };
  for (const { format, file } of outputs) writeReport(file, await renderReport(format, result, { ...options, color: false }));
  process.stdout.write(await renderReport(flags.format, result, options));
  return outcome.exitCode;
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
