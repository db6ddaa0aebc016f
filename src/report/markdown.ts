import { Buffer } from "node:buffer";
import type { Finding } from "../findings.js";
import { htmlText, markdownFence, markdownText, oneLine } from "./escape.js";
import type { ReportOptions, RunResult } from "./result.js";
import {
  askedFacts,
  checkedLine,
  coverageLine,
  groupFailures,
  incompleteLine,
  plural,
  position,
  shownFindings,
  summarize,
  where,
} from "./summary.js";

/** GitHub refuses a whole job summary above 1 MiB. */
const mostBytes = 900_000;
/** What the table may take of it, so that some details have room. */
const mostTableBytes = 300_000;

function row(finding: Finding): string {
  const cells = [finding.severity, finding.rule, where(finding), finding.message, finding.environments.join(", ")];
  return `| ${cells.map(markdownText).join(" | ")} |`;
}

function details(finding: Finding): string {
  const ask = askedFacts(finding);
  const notes = [
    ...finding.notes.map((note) => [note.label, note.text]),
    ...(finding.hint === undefined ? [] : [["fix", finding.hint]]),
    ...(ask === undefined ? [] : [["ask", ask]]),
    ...finding.related.map((related) => ["see", `${position(related)} ${related.message}`]),
  ];
  const excerpts = finding.excerpts.map((excerpt) => {
    const lines = excerpt.lines.map((line, index) => `${excerpt.from + index} | ${line}`);
    return `${excerpt.of === undefined ? "" : `${markdownText(excerpt.of)}\n\n`}${markdownFence(lines)}\n`;
  });
  const head = `<b>${finding.severity}</b> ${htmlText(oneLine(`${finding.rule}: ${where(finding)}`))}`;
  const list = notes.map(([label = "", text = ""]) => `- **${markdownText(label)}:** ${markdownText(text)}`);
  return [`<details><summary>${head}</summary>`, "", markdownText(finding.message), "", ...excerpts, ...list, "", "</details>", ""].join(
    "\n",
  );
}

/** The parts that fit into `room` bytes, in order, and how many do not. */
function fitting(parts: readonly string[], room: number): { text: string; left: number; bytes: number } {
  let bytes = 0;
  const kept: string[] = [];
  for (const part of parts) {
    const size = Buffer.byteLength(part) + 1;
    if (bytes + size > room) break;
    bytes += size;
    kept.push(part);
  }
  return { text: kept.join("\n"), left: parts.length - kept.length, bytes };
}

/** GitHub-flavoured Markdown for job summaries and comments: a table, then every finding to unfold; at most 900 KB. */
export function renderMarkdown(result: RunResult, options: ReportOptions): string {
  const sum = summarize(result);
  const shown = shownFindings(result, options);
  const failed = result.exitCode === 2 ? ", could not do the whole job" : "";
  const incomplete = incompleteLine(result);
  const head = [`## helm-invariants: ${plural(sum.errors, "error")}, ${plural(sum.warnings, "warning")}${failed}`, ""];
  const failures = groupFailures(result.failures).map((group) => {
    const lines = group.lines.map(({ at, message, in: environments }) => {
      const inside = environments.length === 0 ? "" : ` (in: ${environments.join(", ")})`;
      return `- ${markdownText(`${at === undefined ? "" : `${at}: `}${message}${inside}`)}`;
    });
    return [`**${markdownText(group.title)}**`, "", ...lines, ""].join("\n");
  });
  const remarks = result.remarks.map(
    (remark) => `- warning: ${markdownText(remark.message)}${remark.location ? ` (${markdownText(position(remark.location))})` : ""}`,
  );
  const closing = [
    markdownText(checkedLine(result, options)),
    "",
    markdownText(coverageLine(result)),
    ...(incomplete === undefined ? [] : ["", `**${markdownText(incomplete)}**`]),
    "",
  ];
  const before = fitting([...failures, ...remarks], mostTableBytes);
  const table = fitting(shown.map(row), mostTableBytes);
  const unfolded = fitting(shown.map(details), mostBytes - before.bytes - table.bytes - 10_000);
  const missing = (left: number, what: string) =>
    left > 0 ? [`${plural(left, what)} more ${left === 1 ? "is" : "are"} not shown here`, ""] : [];
  return [
    ...head,
    ...(before.text === "" ? [] : [before.text, ""]),
    ...missing(before.left, "failure"),
    ...(shown.length === 0 ? [] : ["| severity | rule | where | what | in |", "| --- | --- | --- | --- | --- |", table.text, ""]),
    ...missing(table.left, "finding"),
    ...(unfolded.text === "" ? [] : [unfolded.text, ""]),
    ...(table.left > 0
      ? []
      : missing(unfolded.left, "finding in detail").map((line) =>
          line.replace(/findings? in detail/, unfolded.left === 1 ? "detail" : "details"),
        )),
    ...closing,
  ].join("\n");
}
