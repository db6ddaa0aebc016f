import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../errors.js";
import type { ReportOptions, RunResult } from "./result.js";

export type { ReportedRule, ReportOptions, RunResult } from "./result.js";

/** The names that `--format` and `--output` take. */
export const formats = ["terminal", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"] as const;

/** A name of `formats`. */
export type Format = (typeof formats)[number];

/** Whether a text names a format. */
export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}

type Renderer = (result: RunResult, options: ReportOptions) => string;

async function rendererOf(format: Format): Promise<Renderer> {
  switch (format) {
    case "terminal":
      return (await import("./terminal.js")).renderTerminal;
    case "json":
      return (await import("./json.js")).renderJson;
    case "sarif":
      return (await import("./sarif.js")).renderSarif;
    case "github":
      return (await import("./github.js")).renderGithub;
    case "gitlab":
      return (await import("./gitlab.js")).renderGitlab;
    case "junit":
      return (await import("./junit.js")).renderJunit;
    case "markdown":
      return (await import("./markdown.js")).renderMarkdown;
    case "html":
      return (await import("./html.js")).renderHtml;
  }
}

/** The whole text of a report, newline at its end; equal input gives equal bytes. Only the module of the format is loaded. */
export async function renderReport(format: Format, result: RunResult, options: ReportOptions): Promise<string> {
  const render = await rendererOf(format);
  return render(result, options);
}

function statOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  ENOENT: "the folder does not exist",
  ENOTDIR: "a part of the path is a file, expected a folder",
  EISDIR: "it is a folder, expected a file",
  ELOOP: "its symbolic links go round in a circle",
  ENAMETOOLONG: "the name is too long",
};

function cannotWrite(file: string, error: unknown): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsageError(`cannot write the report "${file}": ${reasons[code ?? ""] ?? message}`);
}

/** The file that a name leads to; a link is followed, so that it stays a link. */
function targetOf(file: string): string {
  const path = resolve(file);
  return statOf(path) === undefined ? path : realpathSync(path);
}

/** Says before a run what would stop `writeReport`: throws UsageError for the first file that cannot be written, or that is named twice. Writes nothing. */
export function checkOutputs(files: readonly string[]): void {
  const seen = new Set<string>();
  for (const file of files) {
    if (file === "") throw new UsageError("cannot write a report without a file name");
    try {
      const target = targetOf(file);
      const stat = statOf(target);
      if (stat?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
      if (/[/\\]$/.test(file)) throw Object.assign(new Error(), { code: "ENOENT" });
      if (stat !== undefined) accessSync(target, constants.W_OK);
      if (stat === undefined || stat.isFile()) {
        const folder = statSync(dirname(target));
        if (!folder.isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
        accessSync(dirname(target), constants.W_OK | constants.X_OK);
        if (seen.has(target)) throw new UsageError(`two reports would be written to "${file}"`);
        seen.add(target);
      }
    } catch (error) {
      throw error instanceof UsageError ? error : cannotWrite(file, error);
    }
  }
}

/** Puts a report into place at once: a temporary file in the same folder, renamed; an existing file keeps its mode. Throws UsageError and leaves nothing behind. */
export function writeReport(file: string, text: string): void {
  checkOutputs([file]);
  const target = targetOf(file);
  const stat = statOf(target);
  try {
    // A pipe or a device cannot be replaced by a file.
    if (stat !== undefined && !stat.isFile()) {
      writeFileSync(target, text);
      return;
    }
  } catch (error) {
    throw cannotWrite(file, error);
  }
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${process.pid}.tmp`);
  let opened: number | undefined;
  try {
    opened = openSync(temporary, "w", 0o666);
    if (stat !== undefined) fchmodSync(opened, stat.mode & 0o7777);
    writeFileSync(opened, text);
    closeSync(opened);
    opened = undefined;
    renameSync(temporary, target);
  } catch (error) {
    if (opened !== undefined) closeSync(opened);
    rmSync(temporary, { force: true });
    throw cannotWrite(file, error);
  }
}
