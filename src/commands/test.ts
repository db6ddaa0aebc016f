import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import chalk, { Chalk, type ChalkInstance } from "chalk";
import { allRules, ownRules } from "../all-rules.js";
import { findCases } from "../case-files.js";
import { type Case, type CaseResult, readCase, runCase } from "../cases.js";
import { defaultConfig, findConfig, loadConfig } from "../config/load.js";
import { displayPath, readText } from "../config/source.js";
import type { Config } from "../config/types.js";
import { requireKnownRules } from "../configure.js";
import { type Complaint, ConfigError, exitCodes, InputError, UsageError } from "../errors.js";
import { oneLine } from "../report/escape.js";
import type { AnyRule } from "../rule.js";
import { nearest } from "../spelling.js";
import { terminalColor } from "./terminal.js";

/** One case file with what came of it. */
interface Tested {
  readonly file: string;
  readonly faults: readonly string[];
  readonly judged: boolean;
  readonly found: readonly string[];
}

/** Runs cases against the rules of the config, and the built-in ones that a case names. Exit code 1 when a case fails, 2 when one cannot be read. */
export async function test(
  paths: readonly string[],
  flags: { readonly config?: string; readonly color: "auto" | "always" | "never" },
): Promise<number> {
  const config = testConfig(paths, flags.config);
  const files = findCases(paths, config.folder);
  const own = await ownRules(config);
  const known = await allRules({ ...config, plugins: [], invariants: [] });
  requireKnownRules(config, [...own, ...known]);
  const complaints: Complaint[] = [];
  const tested: Tested[] = [];
  for (const file of files) tested.push(...(await testFile(displayPath(file), file, own, known, complaints)));
  if (complaints.length > 0) throw new ConfigError("a case cannot be read", complaints);
  const colors = terminalColor(flags.color, process.stdout) ? new Chalk({ level: chalk.level || 1 }) : new Chalk({ level: 0 });
  process.stdout.write(report(tested, paths.length === 0 ? own : [], colors));
  return tested.some(({ faults }) => faults.length > 0) ? exitCodes.findings : exitCodes.clean;
}

/** The config whose rules are tested. `in:` does not count: a case says what holds, not where. */
function testConfig(paths: readonly string[], named: string | undefined): Config {
  const file = named === undefined ? findConfig(process.cwd()) : resolve(named);
  if (named !== undefined && file !== undefined && !existsSync(file)) throw new UsageError(`there is no config ${named}`);
  if (file === undefined && paths.length === 0) {
    throw new UsageError(
      "no case was named, and no helm-invariants.yaml was found in this folder or above it\ntry: helm-invariants test my.case.yaml",
    );
  }
  const config = file === undefined ? defaultConfig(process.cwd()) : loadConfig(file);
  return { ...config, invariants: config.invariants.map((invariant) => ({ ...invariant, in: undefined })) };
}

/** One case; none when it cannot be read. A case may bring rules of its own in its `config:`. */
async function testFile(
  shown: string,
  file: string,
  own: readonly AnyRule[],
  known: readonly AnyRule[],
  complaints: Complaint[],
): Promise<readonly Tested[]> {
  const text = readText(file);
  if ("fault" in text) {
    complaints.push(text.fault);
    return [];
  }
  const read = await orComplain(async () => {
    const given = readCase(text.text, file, dirname(file));
    const brought = await ownRules(given.config);
    return { given, rules: [...own.filter(({ id }) => !brought.some((rule) => rule.id === id)), ...brought] };
  }, complaints);
  if (read === undefined) return [];
  const { given, rules } = read;
  const faults = [...strayWants(text.text, shown), ...unknownWants(given.wants, shown, [...rules, ...known])];
  complaints.push(...faults);
  if (faults.length > 0) return [];
  const wanted = new Set(given.wants.map(({ rule }) => rule));
  const result = runCase(given, [...rules, ...known.filter(({ id }) => wanted.has(id))]);
  const found = result.findings.map(({ finding }) => finding.rule);
  return [{ file: shown, faults: faultsOf(result, shown), judged: result.judged.size > 0, found }];
}

async function orComplain<T>(read: () => Promise<T>, complaints: Complaint[]): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    complaints.push(...error.complaints);
    return undefined;
  }
}

function faultsOf(result: CaseResult, shown: string): readonly string[] {
  const failures = result.failures.map(({ rule, message }) => {
    const line = /^line (\d+): (.*)$/s.exec(message);
    if (line !== null) return `${shown}:${line[1]}: ${line[2]}`;
    return `${shown}: ${rule === undefined ? "" : `${rule}: `}${message}`;
  });
  return [
    ...failures,
    ...result
      .mismatches()
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, message }) => `${shown}:${line}: ${message}`),
  ];
}

/** Comments that look like a want and are none: a case that has only those would pass. */
function strayWants(text: string, file: string): readonly Complaint[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const rest = line.replace(/# want: [a-z0-9/-]+(?: (?:error|warning|note))?(?=\s*(?:#|$))/g, "");
    const stray = /# *wants?\b.*$/i.exec(rest)?.[0];
    if (stray === undefined) return [];
    const message = `found "${stray.trim()}", expected # want: <rule> [error|warning|note]`;
    return [{ file, line: index + 1, column: line.lastIndexOf(stray) + 1, message }];
  });
}

function unknownWants(wants: Case["wants"], file: string, rules: readonly AnyRule[]): readonly Complaint[] {
  const ids = rules.map(({ id }) => id);
  return wants
    .filter(({ rule }) => !ids.includes(rule))
    .map(({ rule, line }) => {
      const guess = nearest(rule, ids);
      const advice = guess === undefined ? "expected one that helm-invariants rules prints" : `did you mean "${guess}"?`;
      return { file, line, message: `unknown rule "${rule}", ${advice}` };
    });
}

function report(tested: readonly Tested[], own: readonly AnyRule[], colors: ChalkInstance): string {
  const lines = tested.flatMap(({ file, faults, judged }) =>
    faults.length === 0
      ? [`${colors.green("ok")}    ${file}${judged ? "" : "  (no rule judged anything in it)"}`]
      : [`${colors.red("FAIL")}  ${file}`, ...faults.map((fault) => `      ${oneLine(fault)}`)],
  );
  const failed = tested.filter(({ faults }) => faults.length > 0).length;
  const found = new Set(tested.flatMap((entry) => entry.found));
  const silent = own.map(({ id }) => id).filter((id) => !found.has(id));
  const untested = silent.length === 0 ? [] : [`found in no case: ${silent.join(", ")}`];
  return `${[...lines, "", ...untested, `${tested.length - failed} passed, ${failed} failed`].join("\n")}\n`;
}
