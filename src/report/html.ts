import type { Excerpt, Finding } from "../findings.js";
import { htmlText, oneLine } from "./escape.js";
import { showExcerpt } from "./excerpt.js";
import type { ReportOptions, RunResult } from "./result.js";
import {
  askedFacts,
  checkedLine,
  coverageLine,
  groupFailures,
  incompleteLine,
  nothingJudged,
  plural,
  position,
  severities,
  shownFindings,
  subjectAndField,
  summarize,
  where,
} from "./summary.js";

const sourceColumns = 160;

const style = `
:root { color-scheme: light dark; --back: #fff; --text: #1c1f23; --dim: #5b636d; --line: #d9dde2; --soft: #f5f6f8; --error: #b3261e; --warning: #8a5a00; --note: #1b5f8c; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --text: #e4e7eb; --dim: #9aa3ad; --line: #333a42; --soft: #1d2126; --error: #ff8a80; --warning: #f2c14e; --note: #7cc4f2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; } h3 { font-size: 1rem; margin: 0; font-weight: 600; }
p { margin: .35rem 0; } a { color: inherit; } .dim, dt { color: var(--dim); }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--note); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; } td.count { text-align: right; }
article, .failed { margin: 1rem 0; padding: .9rem 1.1rem; border: 1px solid var(--line); border-left: 4px solid currentColor; border-radius: 4px; }
article > *, .failed > * { color: var(--text); } article > .tag { color: inherit; font-weight: 600; font-size: .9rem; }
pre { margin: .6rem 0; padding: .6rem .8rem; background: var(--soft); border-radius: 4px; overflow-x: auto; font: 13px/1.45 ui-monospace, monospace; }
.gutter { color: var(--dim); user-select: none; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; } dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .6rem 0 0; font-size: .93rem; } dd { margin: 0; white-space: pre-line; overflow-wrap: anywhere; }
@media print { body { max-width: none; padding: 0; font-size: 11pt; } article, tr { break-inside: avoid; } pre { white-space: pre-wrap; } }
`;

function line(text: string): string {
  return htmlText(oneLine(text));
}

function excerptHtml(excerpt: Excerpt): string {
  const shown = showExcerpt(excerpt, sourceColumns);
  const gutter = String(shown.at(-1)?.number ?? 1).length;
  const lines = shown.flatMap(({ number, text, mark }) => {
    const source = `<span class="gutter">${String(number).padStart(gutter)} |</span> ${htmlText(text)}`;
    if (mark === undefined) return [source];
    return [source, `<span class="gutter">${" ".repeat(gutter)} |</span> ${" ".repeat(mark.from)}${"^".repeat(mark.length)}`];
  });
  return `${excerpt.of === undefined ? "" : `<p class="dim"><code>${line(excerpt.of)}</code></p>\n`}<pre>${lines.join("\n")}</pre>`;
}

function findingHtml(finding: Finding, index: number): string {
  const ask = askedFacts(finding);
  const terms: (readonly [string, string])[] = [
    ...finding.notes.map((note) => [note.label, note.text] as const),
    ...(finding.hint === undefined ? [] : [["fix", finding.hint] as const]),
    ...(ask === undefined ? [] : [["ask", ask] as const]),
    ...finding.related.map((related) => ["see", `${position(related)} ${related.message}`] as const),
    ...(finding.location === undefined ? [] : [["field", subjectAndField(finding)] as const]),
    ...(finding.environments.length === 0 ? [] : [["in", finding.environments.join(", ")] as const]),
  ];
  return [
    `<article class="${finding.severity}" id="finding-${index + 1}">`,
    `<p class="tag">${finding.severity}: ${line(finding.rule)}</p>`,
    `<h3>${line(finding.message)}</h3>`,
    `<p class="dim"><code>${line(where(finding))}</code></p>`,
    ...finding.excerpts.map(excerptHtml),
    `<dl>${terms.map(([label, text]) => `<dt>${line(label)}</dt><dd>${htmlText(text)}</dd>`).join("\n")}</dl>`,
    "</article>",
  ].join("\n");
}

/** Rules with findings down, environments across. */
function overview(findings: readonly Finding[], result: RunResult): string {
  const rules = [...new Set(findings.map((finding) => finding.rule))].sort();
  const rows = rules.map((rule) => {
    const cells = result.environments.map((environment) => {
      const own = findings.filter((finding) => finding.rule === rule && finding.environments.includes(environment));
      const worst = severities.findLast((severity) => own.some((finding) => finding.severity === severity));
      return worst === undefined
        ? '<td class="count dim">·</td>'
        : `<td class="count ${worst}">${own.length} ${worst === "error" ? "✗" : "!"}</td>`;
    });
    const first = findings.findIndex((finding) => finding.rule === rule);
    return `<tr><th><a href="#finding-${first + 1}">${line(rule)}</a></th>${cells.join("")}</tr>`;
  });
  const head = result.environments.map((environment) => `<th>${line(environment)}</th>`).join("");
  return `<div class="scroll"><table><thead><tr><th>rule</th>${head}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
}

function failuresHtml(result: RunResult): string[] {
  return groupFailures(result.failures).map((group) => {
    const items = group.lines.map(({ at, message, in: environments }) => {
      const inside = environments.length === 0 ? "" : ` <span class="dim">(in: ${line(environments.join(", "))})</span>`;
      return `<p>${at === undefined ? "" : `<code>${line(at)}</code> `}${htmlText(message)}${inside}</p>`;
    });
    return `<div class="failed error"><h3>${line(group.title)}</h3>\n${items.join("\n")}</div>`;
  });
}

/** One self-contained page: no script, nothing loaded from elsewhere; light and dark, and it prints. */
export function renderHtml(result: RunResult, options: ReportOptions): string {
  const sum = summarize(result);
  const findings = shownFindings(result, options);
  const title = `helm-invariants: ${plural(sum.errors, "error")}, ${plural(sum.warnings, "warning")}`;
  const incomplete = incompleteLine(result);
  const remarks = result.remarks.map(
    (remark) =>
      `<p class="warning">warning: ${line(remark.message)}${remark.location ? ` <code>${line(position(remark.location))}</code>` : ""}</p>`,
  );
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<h1>${title}</h1>`,
    `<p class="dim">${line(checkedLine(result, options))}</p>`,
    `<p class="${nothingJudged(result) ? "warning" : "dim"}">${line(coverageLine(result))}</p>`,
    ...(incomplete === undefined ? [] : [`<p class="error"><strong>${line(incomplete)}</strong></p>`]),
    ...failuresHtml(result),
    ...remarks,
    ...(findings.length === 0
      ? ["<p>No finding to show.</p>"]
      : ["<h2>By rule and environment</h2>", overview(findings, result), "<h2>Findings</h2>", ...findings.map(findingHtml)]),
    "</body>",
    "</html>",
    "",
  ].join("\n");
}
