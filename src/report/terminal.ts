import { Chalk, type ChalkInstance } from "chalk";
import type { Excerpt, Finding, Related } from "../findings.js";
import { oneLine, visible } from "./escape.js";
import { showExcerpt } from "./excerpt.js";
import type { ReportOptions, RunResult } from "./result.js";
import {
  askedFacts,
  atLeast,
  checkedLine,
  coverageLine,
  groupFailures,
  incompleteLine,
  nothingJudged,
  position,
  subjectAndField,
  where,
} from "./summary.js";
import { displayWidth, wrap } from "./width.js";

/** Columns of a source line when there is no terminal to ask. */
const unknownWidth = 140;
/** A hanging indent that leaves fewer columns than this is given up for a shallow one. */
const narrowest = 40;

interface Style {
  readonly chalk: ChalkInstance;
  readonly width: number | undefined;
}

function colorOf({ chalk }: Style, severity: Finding["severity"]): ChalkInstance {
  if (severity === "error") return chalk.red.bold;
  return severity === "warning" ? chalk.yellow.bold : chalk.cyan.bold;
}

/** A text behind a prefix, wrapped at the terminal's width, the further lines indented to the text. */
function hang(
  prefix: string,
  text: string,
  style: Style,
  paint: { prefix?: (text: string) => string; text?: (text: string) => string } = {},
): string[] {
  const wide = displayWidth(prefix);
  const indent = style.width !== undefined && style.width - wide < narrowest ? Math.min(wide, prefix.search(/\S|$/) + 4) : wide;
  const paintText = paint.text ?? ((line: string) => line);
  const begin = (paint.prefix ?? ((line: string) => line))(prefix);
  if (style.width === undefined) return text.split("\n").map((line, index) => (index === 0 ? begin : " ".repeat(indent)) + paintText(line));
  // The first line is shorter or longer than the others when the indent is shallow: stand-in characters take the place of the prefix.
  const [first = "", ...rest] = wrap("\u00b7".repeat(wide - indent) + text, Math.max(20, style.width - indent));
  return [begin + paintText(first.slice(wide - indent)), ...rest.map((line) => " ".repeat(indent) + paintText(line))];
}

function gutterOf(finding: Finding): number {
  const last = finding.excerpts.map((excerpt) => excerpt.from + excerpt.lines.length - 1);
  return String(Math.max(10, ...last)).length;
}

function excerptLines(excerpt: Excerpt, gutter: number, label: string, finding: Finding, style: Style): string[] {
  const { chalk } = style;
  const bar = (number: number | undefined) => chalk.blue.bold(`${String(number ?? "").padStart(gutter)} |`);
  const room = Math.max(20, (style.width ?? unknownWidth) - gutter - 3);
  const lines = showExcerpt(excerpt, room).flatMap(({ number, text, mark }) => {
    const source = text === "" ? bar(number) : `${bar(number)} ${text}`;
    if (mark === undefined) return [source];
    const carets = `${"^".repeat(mark.length)}${label === "" ? "" : ` ${label}`}`;
    return [source, `${bar(undefined)} ${" ".repeat(mark.from)}${colorOf(style, finding.severity)(carets)}`];
  });
  return [bar(undefined), ...lines];
}

function placeLines(finding: Finding, gutter: number, style: Style): string[] {
  const { chalk } = style;
  const arrow = (sign: string, text: string) => `${" ".repeat(gutter)}${chalk.blue.bold(sign)} ${oneLine(text)}`;
  const own = finding.excerpts.filter((excerpt) => excerpt.of === undefined || excerpt.of === finding.location?.file);
  const elsewhere = finding.excerpts.filter((excerpt) => !own.includes(excerpt));
  const lines = [arrow("-->", where(finding))];
  own.forEach((excerpt, index) => {
    if (index > 0) lines.push(chalk.blue.bold("..."));
    lines.push(...excerptLines(excerpt, gutter, "", finding, style).slice(index > 0 ? 1 : 0));
  });
  const drawn = new Set<Related>();
  for (const excerpt of elsewhere) {
    const isIn = (related: Related) =>
      related.file === excerpt.of && related.line >= excerpt.from && related.line < excerpt.from + excerpt.lines.length;
    const related = finding.related.find((place) => isIn(place) && !drawn.has(place));
    if (related !== undefined) drawn.add(related);
    const at = related ?? { file: excerpt.of ?? "", line: excerpt.mark?.line ?? excerpt.from };
    const marked = excerpt.mark !== undefined;
    const label = related === undefined ? "" : oneLine(related.message);
    lines.push(
      chalk.blue.bold(`${" ".repeat(gutter)} |`),
      arrow(":::", marked || label === "" ? position(at) : `${position(at)}  ${label}`),
    );
    lines.push(...excerptLines(excerpt, gutter, label, finding, style));
  }
  for (const related of finding.related) {
    if (!drawn.has(related))
      lines.push(...hang(`${" ".repeat(gutter)}::: ${oneLine(position(related))}  `, oneLine(related.message), style));
  }
  return lines;
}

function footnotes(finding: Finding, result: RunResult, options: ReportOptions): [string, string][] {
  const notes: [string, string][] = [];
  if (finding.location?.exact === false || (options.verbose && finding.location !== undefined))
    notes.push(["field", subjectAndField(finding)]);
  for (const note of finding.notes) notes.push([note.label, note.text]);
  if (finding.hint !== undefined) notes.push(["fix", finding.hint]);
  const ask = askedFacts(finding);
  if (ask !== undefined) notes.push(["ask", ask]);
  if (finding.waiver !== undefined) {
    const until = finding.waiver.until === undefined ? "" : `, until ${finding.waiver.until}`;
    notes.push([
      finding.status,
      `${finding.waiver.because}${until}${finding.waiver.from === finding.status ? "" : ` (${finding.waiver.from})`}`,
    ]);
  }
  if (result.environments.length > 1 && finding.environments.length > 0) notes.push(["in", finding.environments.join(", ")]);
  if (options.verbose) notes.push(["rule", `rules/${finding.rule}.md`]);
  return notes;
}

function findingLines(finding: Finding, result: RunResult, options: ReportOptions, style: Style): string[] {
  const { chalk } = style;
  const gutter = gutterOf(finding);
  const status = finding.status === "open" ? "" : ` (${finding.status})`;
  const head = `${finding.severity}[${oneLine(finding.rule)}]${status}`;
  const paint = {
    prefix: (text: string) => colorOf(style, finding.severity)(text.slice(0, -2)) + chalk.bold(": "),
    text: (text: string) => chalk.bold(text),
  };
  const notes = footnotes(finding, result, options);
  const bar = finding.excerpts.length > 0 && notes.length > 0 ? [chalk.blue.bold(`${" ".repeat(gutter)} |`)] : [];
  return [
    ...hang(`${head}: `, oneLine(finding.message), style, paint),
    ...placeLines(finding, gutter, style),
    ...bar,
    ...notes.flatMap(([label, text]) => {
      const prefix = `${" ".repeat(gutter)} = ${oneLine(label)}: `;
      return hang(prefix, label === "field" ? oneLine(text) : visible(text.trim()), style, {
        prefix: () => `${" ".repeat(gutter)} ${chalk.blue.bold("=")} ${chalk.bold(`${oneLine(label)}:`)} `,
      });
    }),
    "",
  ];
}

function failureLines(result: RunResult, style: Style): string[] {
  return groupFailures(result.failures).flatMap((group) => [
    ...hang("", oneLine(group.title), style, { text: style.chalk.red.bold }),
    ...group.lines.flatMap((line) => {
      // The only environment that failed stands in the headline already.
      const named = group.namesEnvironments && group.lines.length === 1;
      const environments = named || line.in.length === 0 || result.environments.length === 1 ? "" : ` (in: ${line.in.join(", ")})`;
      return hang("  ", visible((line.at === undefined ? "" : `${line.at}: `) + line.message.trim() + environments), style);
    }),
    "",
  ]);
}

function remarkLines(result: RunResult, style: Style): string[] {
  const lines = result.remarks.flatMap((remark) => [
    ...hang("warning: ", oneLine(remark.message), style, { prefix: colorOf(style, "warning") }),
    ...(remark.location === undefined ? [] : [`  ${style.chalk.blue.bold("-->")} ${oneLine(position(remark.location))}`]),
  ]);
  return lines.length === 0 ? [] : [...lines, ""];
}

/** What each rule judged, over all environments. */
function judgedLines(result: RunResult): string[] {
  const rows = [...new Set(result.coverage.map((row) => row.rule))].sort().map((rule) => {
    const own = result.coverage.filter((row) => row.rule === rule);
    const sum = (key: "judged" | "subjects") => own.reduce((total, row) => total + row[key], 0);
    const facts = [...new Set(own.flatMap((row) => row.missingFacts))].sort();
    return { rule, judged: `${sum("judged")} of ${sum("subjects")}`, more: facts.length === 0 ? "" : `more with ${facts.join(", ")}` };
  });
  const widest = (key: "rule" | "judged") => Math.max(...rows.map((row) => row[key].length));
  const lines = rows.map((row) => oneLine(`${row.rule.padEnd(widest("rule"))}  ${row.judged.padStart(widest("judged"))}  ${row.more}`));
  return lines.length === 0 ? [] : ["judged", ...lines.map((line) => `  ${line}`), ""];
}

function closingLines(result: RunResult, options: ReportOptions, style: Style): string[] {
  const { chalk } = style;
  const incomplete = incompleteLine(result);
  return [
    ...hang("", oneLine(checkedLine(result, options)), style),
    ...hang(nothingJudged(result) ? "warning: " : "", oneLine(coverageLine(result)), style, { prefix: colorOf(style, "warning") }),
    ...(incomplete === undefined ? [] : hang("error: ", incomplete, style, { prefix: chalk.red.bold, text: (text) => chalk.bold(text) })),
  ];
}

/** One line: `file:line:column: error[rule]: message (in: a, b)`. */
export function findingLine(finding: Finding, result: RunResult): string {
  const environments = result.environments.length > 1 && finding.environments.length > 0 ? ` (in: ${finding.environments.join(", ")})` : "";
  return oneLine(`${where(finding)}: ${finding.severity}[${finding.rule}]: ${finding.message}${environments}`);
}

/** A CI system takes a line that begins with `::error::` for a command, whoever wrote it. */
function harmless(line: string): string {
  return line.replace(/^(\s*):(?=:[\w-])/, "$1\\x3a");
}

/** The report for people: every finding with its source lines and its proof, what could not be looked at, and the count. */
export function renderTerminal(result: RunResult, options: ReportOptions): string {
  const width = options.width === undefined ? undefined : Math.max(30, options.width);
  const style: Style = { chalk: new Chalk({ level: options.color ? 1 : 0 }), width };
  const shown = result.findings.filter((finding) => {
    if (finding.status !== "open") return options.verbose === true && options.quiet !== true;
    return atLeast(finding.severity, options.minSeverity);
  });
  const lines = options.quiet
    ? [
        ...shown.map((finding) => findingLine(finding, result)),
        ...failureLines(result, style).filter((line) => line !== ""),
        ...remarkLines(result, style).filter((line) => line !== ""),
      ]
    : [
        ...shown.flatMap((finding) => findingLines(finding, result, options, style)),
        ...failureLines(result, style),
        ...remarkLines(result, style),
        ...(options.verbose ? judgedLines(result) : []),
        ...closingLines(result, options, style),
      ];
  return lines.length === 0 ? "" : `${lines.map(harmless).join("\n")}\n`;
}
