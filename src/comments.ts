import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Document, LineCounter, parseAllDocuments, visit } from "yaml";
import { isCalendarDate } from "./calendar.js";
import type { Config, Waiver } from "./config/types.js";
import { nearest } from "./spelling.js";

/** A waiver that is written beside what it waives, or a comment that tries to be one. */
export interface Comments {
  readonly waivers: readonly Waiver[];
  /** Comments that waive nothing because they are not well formed. */
  readonly faults: readonly CommentFault[];
}

/** What is wrong with a comment; `line` and `column` are 1-based. */
export interface CommentFault {
  readonly message: string;
  readonly origin: { readonly file: string; readonly line: number; readonly column: number };
}

/** How to read comments. */
export interface CommentOptions {
  readonly needsExpiry: boolean;
  /** Ids of all rules; without them every id is taken. */
  readonly rules?: readonly string[];
  /** Whether the text is YAML, in which a text of several lines may hold what looks like a comment. A template is not. */
  readonly isYaml?: boolean;
}

const marker = "helm-invariants:";
const largest = 4 * 1024 * 1024;

/**
 * Reads `# helm-invariants: allow <rule>[, <rule>] [until <date>] -- <reason>` out of a values file, a template or a manifest. At the end of a line it
 * speaks of that line, alone on a line of the next one that is no comment.
 */
export function readComments(text: string, file: string, options: CommentOptions): Comments {
  const waivers: Waiver[] = [];
  const faults: CommentFault[] = [];
  if (!text.includes(marker)) return { waivers, faults };
  const lines = text.split(/\r\n|\r|\n/);
  const blocks = options.isYaml === true ? textBlocks(text) : undefined;
  for (const [index, line] of lines.entries()) {
    const found = /(?:#|\{\{-? *\/\*)[ \t]*helm-invariants:[ \t]*(.*)$/.exec(line);
    if (found === null) continue;
    const origin = { file, line: index + 1, column: found.index + 1 };
    const target = line.slice(0, found.index).trim() === "" ? nextLine(lines, index) : index + 1;
    const around = blocks?.find(({ from, to }) => from <= index + 1 && index + 1 <= to);
    // text, not a comment, for all that stands outside of it
    if (around !== undefined && target > around.to) continue;
    const parsed = parse((found[1] ?? "").replace(/\*\/ *-?\}\}.*$/, "").trim(), options);
    if (typeof parsed === "string") {
      faults.push({ origin, message: parsed });
      continue;
    }
    for (const rule of parsed.rules) {
      waivers.push({
        rule,
        of: undefined,
        in: undefined,
        because: parsed.reason,
        until: parsed.until,
        origin,
        target: { file, line: target },
      });
    }
  }
  return { waivers, faults };
}

/** Lines (1-based) of the texts of a YAML file that go over several lines, the header of a block left out. */
function textBlocks(text: string): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  for (const document of documentsOf(text, lines)) {
    visit(document, {
      Scalar(_, { range }) {
        if (!range || lineAt(range[0]) === lineAt(Math.max(range[0], range[1] - 1))) return;
        found.push({ from: lineAt(range[0]) + 1, to: lineAt(Math.max(range[0], range[1] - 1)) });
      },
    });
  }
  return found;
}

function documentsOf(text: string, lineCounter: LineCounter): readonly Document[] {
  try {
    return [...parseAllDocuments(text, { lineCounter, logLevel: "silent", prettyErrors: false })];
  } catch {
    return []; // nested too deep: the run itself says so
  }
}

/** The 1-based number of the next line that is neither blank nor a comment; the one after a comment at the end of the file. */
function nextLine(lines: readonly string[], from: number): number {
  for (let index = from + 1; index < lines.length; index++) {
    const line = (lines[index] ?? "").trim();
    if (line !== "" && !line.startsWith("#") && !/^\{\{-? *\/\*.*\*\/ *-?\}\}$/.test(line)) return index + 1;
  }
  return from + 2;
}

function parse(
  text: string,
  { needsExpiry, rules: known }: CommentOptions,
): { readonly rules: readonly string[]; readonly until: string | undefined; readonly reason: string } | string {
  const shape = "expected # helm-invariants: allow <rule>[, <rule>] until <date> -- <reason>";
  const match = /^allow\s+(.*?)(?:\s+until\s+(\S+))?(?:\s+--\s*(.*))?$/.exec(text);
  if (match === null) return `the comment says "${text.slice(0, 60)}", ${shape}`;
  const [, list = "", until, reason = ""] = match;
  const rules = list.split(/\s*,\s*/).filter((rule) => rule !== "");
  const odd = rules.find((rule) => !/^[a-z0-9-]+(?:\/[a-z0-9-]+)?$/.test(rule));
  if (rules.length === 0 || odd !== undefined) return `the comment allows "${list.slice(0, 60)}", which is no rule id, ${shape}`;
  // the rules of a module that this run does not load are no strangers
  const mayBeElsewhere = (rule: string) => rule.includes("/") && !known?.some((id) => id.startsWith(rule.replace(/[^/]*$/, "")));
  const stranger = known === undefined ? undefined : rules.find((rule) => !known.includes(rule) && !mayBeElsewhere(rule));
  if (stranger !== undefined && known !== undefined) {
    const guess = nearest(stranger, known);
    return `the comment allows "${stranger}", which is no rule${guess === undefined ? "" : `, did you mean "${guess}"?`}`;
  }
  if (reason.trim() === "") return `the waiver of "${rules.join(", ")}" gives no reason and waives nothing: write one after --`;
  if (until !== undefined && !isCalendarDate(until))
    return `the waiver of "${rules.join(", ")}" is valid until "${until}", expected a date such as 2027-03-31`;
  if (until === undefined && needsExpiry)
    return `the waiver of "${rules.join(", ")}" names no last day, and the config asks for one: write until <date>`;
  return { rules, until, reason: reason.trim() };
}

/**
 * The comments of every file that a run may point at: values files, the chart's own values, its templates and those of subcharts in folders, what names
 * its dependencies, manifest files, the config and its readings.
 */
export function findComments(config: Config, reportPath: (file: string) => string, rules: readonly string[]): Comments {
  const files = config.charts.flatMap(({ path, kind, environments }) => {
    if (path === "-") return [];
    return kind === "manifests" ? [path] : [...environments.flatMap(({ values }) => values), ...chartFiles(path, 0)];
  });
  const declared = [...(config.file === undefined ? [] : [config.file]), ...config.readings.map(({ origin }) => resolve(origin.file))];
  const read = [...new Set([...files, ...declared])].sort().flatMap((file) => {
    const text = textWithMarker(file);
    return text === undefined
      ? []
      : [readComments(text, reportPath(file), { needsExpiry: config.waiverNeedsExpiry, rules, isYaml: !/[\\/]templates[\\/]/.test(file) })];
  });
  return { waivers: read.flatMap(({ waivers }) => waivers), faults: read.flatMap(({ faults }) => faults) };
}

/** Few files have such a comment; one that cannot be read has none, and a pipe is not emptied for it. */
function textWithMarker(file: string): string | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > largest) return undefined;
    const content = readFileSync(file);
    return content.includes(marker) ? content.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

function chartFiles(folder: string, depth: number): readonly string[] {
  if (depth > 8) return [];
  const templates = entriesOf(join(folder, "templates"), true).filter((entry) => entry.isFile() && /\.(ya?ml|tpl|txt)$/.test(entry.name));
  const subcharts = entriesOf(join(folder, "charts"), false).filter((entry) => entry.isDirectory());
  return [
    ...["values.yaml", "Chart.yaml", "requirements.yaml"].map((name) => join(folder, name)),
    ...templates.map((entry) => join(entry.parentPath, entry.name)),
    ...subcharts.flatMap((entry) => chartFiles(join(folder, "charts", entry.name), depth + 1)),
  ];
}

function entriesOf(folder: string, recursive: boolean): readonly Dirent[] {
  try {
    return readdirSync(folder, { recursive, withFileTypes: true });
  } catch {
    return [];
  }
}
