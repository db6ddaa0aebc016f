import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isCalendarDate } from "./calendar.js";
import type { Waiver } from "./config/types.js";

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

const marker = "helm-invariants:";
const largest = 4 * 1024 * 1024;

/**
 * Reads `# helm-invariants: allow <rule>[, <rule>] [until <date>] -- <reason>` out of a values file, a template or a manifest. At the end of a line it
 * speaks of that line, alone on a line of the next one that is no comment.
 */
export function readComments(text: string, file: string, options: { readonly needsExpiry: boolean }): Comments {
  const waivers: Waiver[] = [];
  const faults: CommentFault[] = [];
  if (!text.includes(marker)) return { waivers, faults };
  const lines = text.split(/\r\n|\r|\n/);
  for (const [index, line] of lines.entries()) {
    const found = /(?:#|\{\{-? *\/\*)[ \t]*helm-invariants:[ \t]*(.*)$/.exec(line);
    if (found === null) continue;
    const origin = { file, line: index + 1, column: found.index + 1 };
    const parsed = parse((found[1] ?? "").replace(/\*\/ *-?\}\}.*$/, "").trim(), options.needsExpiry);
    if (typeof parsed === "string") {
      faults.push({ origin, message: parsed });
      continue;
    }
    const target = line.slice(0, found.index).trim() === "" ? nextLine(lines, index) : index + 1;
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
  needsExpiry: boolean,
): { readonly rules: readonly string[]; readonly until: string | undefined; readonly reason: string } | string {
  const shape = "expected # helm-invariants: allow <rule>[, <rule>] until <date> -- <reason>";
  const match = /^allow\s+(.*?)(?:\s+until\s+(\S+))?(?:\s+--\s*(.*))?$/.exec(text);
  if (match === null) return `the comment says "${text.slice(0, 60)}", ${shape}`;
  const [, list = "", until, reason = ""] = match;
  const rules = list.split(/\s*,\s*/).filter((rule) => rule !== "");
  const odd = rules.find((rule) => !/^[a-z0-9-]+(?:\/[a-z0-9-]+)?$/.test(rule));
  if (rules.length === 0 || odd !== undefined) return `the comment allows "${list.slice(0, 60)}", which is no rule id, ${shape}`;
  if (reason.trim() === "") return `the waiver of "${rules.join(", ")}" gives no reason and waives nothing: write one after --`;
  if (until !== undefined && !isCalendarDate(until))
    return `the waiver of "${rules.join(", ")}" is valid until "${until}", expected a date such as 2027-03-31`;
  if (until === undefined && needsExpiry)
    return `the waiver of "${rules.join(", ")}" names no last day, and the config asks for one: write until <date>`;
  return { rules, until, reason: reason.trim() };
}

/** The comments of every file that a run may point at: values files, the chart's own values, its templates and those of subcharts in folders, what names its dependencies, manifest files, and the `config` files. */
export async function findComments(
  charts: readonly { readonly path: string; readonly kind: "chart" | "manifests"; readonly values: readonly string[] }[],
  config: readonly string[],
  options: { readonly needsExpiry: boolean; readonly reportPath: (file: string) => string },
): Promise<Comments> {
  const files = await Promise.all(
    charts.map(async ({ path, kind, values }) => {
      if (path === "-") return [];
      return kind === "manifests" ? [path] : [...values, ...(await chartFiles(path, 0))];
    }),
  );
  const read = await Promise.all(
    [...new Set([...files.flat(), ...config])].sort().map(async (file) => {
      const text = await readFile(file, "utf8").catch(() => "");
      return text.length > largest ? { waivers: [], faults: [] } : readComments(text, options.reportPath(file), options);
    }),
  );
  return { waivers: read.flatMap(({ waivers }) => waivers), faults: read.flatMap(({ faults }) => faults) };
}

async function chartFiles(folder: string, depth: number): Promise<readonly string[]> {
  if (depth > 8) return [];
  const templates = await readdir(join(folder, "templates"), { recursive: true, withFileTypes: true }).catch(() => []);
  const subcharts = await readdir(join(folder, "charts"), { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    subcharts.filter((entry) => entry.isDirectory()).map((entry) => chartFiles(join(folder, "charts", entry.name), depth + 1)),
  );
  return [
    ...["values.yaml", "Chart.yaml", "requirements.yaml"].map((name) => join(folder, name)),
    ...templates
      .filter((entry) => entry.isFile() && /\.(ya?ml|tpl|txt)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
    ...below.flat(),
  ];
}
