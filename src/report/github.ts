import type { Finding, Severity } from "../findings.js";
import { commandMessage, commandProperty, logLine, oneLine } from "./escape.js";
import type { ReportOptions, RunResult } from "./result.js";
import { askedFacts, checkedLine, coverageLine, groupFailures, incompleteLine, plural, shownFindings, where } from "./summary.js";

/** GitHub drops further annotations of one kind in one step without a word. */
const mostOfAKind = 10;
const kinds: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", note: "notice" };

function command(kind: string, properties: Readonly<Record<string, string | number | undefined>>, message: string): string {
  const given = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${commandProperty(String(value))}`],
  );
  return `::${kind}${given.length === 0 ? "" : ` ${given.join(",")}`}::${commandMessage(message)}`;
}

function annotation(finding: Finding): string {
  const { location } = finding;
  // Columns may only be given for a range within one line.
  const oneLined = location !== undefined && location.endLine === location.line;
  const place = {
    file: location?.file,
    line: location?.line,
    endLine: location?.line,
    col: oneLined ? location.column : undefined,
    endColumn: oneLined ? location.endColumn : undefined,
    title: finding.rule,
  };
  const lines = [oneLine(finding.message)];
  if (location === undefined) lines.push(`at: ${oneLine(where(finding))}`);
  if (finding.hint !== undefined) lines.push(`fix: ${oneLine(finding.hint)}`);
  const ask = askedFacts(finding);
  if (ask !== undefined) lines.push(`ask: ${oneLine(ask)}`);
  if (finding.environments.length > 0) lines.push(`in: ${oneLine(finding.environments.join(", "))}`);
  return command(kinds[finding.severity], place, lines.join("\n"));
}

/** GitHub workflow commands, at most ten a kind, then everything in a folded group of the log when some had no room, then the count. */
export function renderGithub(result: RunResult, options: ReportOptions): string {
  const failures = groupFailures(result.failures).flatMap((group) =>
    group.lines.map(({ at, message, in: environments }) => {
      const [, file, line, column] = /^(.*?)(?::(\d+))?(?::(\d+))?$/s.exec(at ?? "") ?? [];
      const inside = environments.length === 0 ? "" : ` (in: ${environments.join(", ")})`;
      return command(
        "error",
        { file: file || undefined, line, col: column, title: "could-not-judge" },
        `${oneLine(group.title)}\n${message}${inside}`,
      );
    }),
  );
  const shown = shownFindings(result, options);
  const of = (severity: Severity) => shown.filter((finding) => finding.severity === severity).map(annotation);
  const all = { error: [...failures, ...of("error")], warning: of("warning"), note: of("note") };
  const lines = Object.values(all).flatMap((commands) => commands.slice(0, mostOfAKind));
  const left = Object.values(all).reduce((sum, commands) => sum + Math.max(0, commands.length - mostOfAKind), 0);
  if (left > 0) {
    const findings = shown.map((finding) => logLine(`${finding.severity}[${finding.rule}] ${where(finding)}: ${finding.message}`));
    lines.push("::group::all findings", ...findings, "::endgroup::");
    lines.push(`${plural(left, "finding is", "findings are")} not annotated: GitHub shows ${mostOfAKind} of a kind`);
  }
  const closing = [checkedLine(result, options), coverageLine(result), incompleteLine(result) ?? ""].filter((line) => line !== "");
  return `${[...lines, ...closing.map((line) => logLine(line).trim())].join("\n")}\n`;
}
