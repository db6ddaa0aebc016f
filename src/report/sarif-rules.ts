import type { ReportingDescriptor } from "sarif";
import type { Severity } from "../findings.js";
import { visible } from "./escape.js";
import type { ReportedRule, ReportOptions, RunResult } from "./result.js";

/** The id under which SARIF and GitLab show that something could not be judged. */
export const couldNotJudge = "could-not-judge";

const ownRules: readonly ReportedRule[] = [
  {
    id: couldNotJudge,
    summary: "Every environment renders and every rule comes to an end: what could not be looked at is never clean",
    severity: "error",
    scope: "run",
    category: "run",
    facts: [],
  },
];

const longest = 1024;
const mostTags = 10;
const problemSeverity: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", note: "recommendation" };

/** Text that ends in a period, at most 1024 UTF-16 units. */
export function sentence(text: string): string {
  const trimmed = visible(text).trim();
  const cut = trimmed.length < longest ? trimmed : `${trimmed.slice(0, longest - 2).replace(/[\ud800-\udbff]$/, "")}…`;
  return /[.!?]$/.test(cut) ? cut : `${cut}.`;
}

/** `progress-deadline-covers-rollout` → `ProgressDeadlineCoversRollout`. */
export function pascalCase(id: string): string {
  const words = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return words
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
    .slice(0, 255);
}

/** The first paragraph of a page below its title (*#*) or its first heading (*##*, What it guards), without markup. */
function paragraph(page: string, heading: "#" | "##"): string | undefined {
  const body = new RegExp(`^${heading}\\s[^\\n]*\\n+([\\s\\S]*?)(?:\\n\\s*\\n|\\n#|(?![\\s\\S]))`, "m").exec(page)?.[1];
  const text = body
    ?.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" || text === undefined || /^[|#]/.test(text) ? undefined : text;
}

function descriptor(rule: ReportedRule, options: ReportOptions): ReportingDescriptor {
  const page = options.page(rule.id);
  const text = page === undefined ? undefined : visible(page).trim();
  const link =
    options.homepage === undefined || page === undefined ? undefined : `${options.homepage.replace(/\/$/, "")}/rules/${rule.id}.md`;
  const summary = sentence(rule.summary);
  const facts = rule.facts.length === 0 ? "" : `\n\nFacts it can use: ${rule.facts.join(", ")}.`;
  const tags = ["helm", "kubernetes", rule.category, rule.scope].filter((tag) => tag !== undefined);
  return {
    id: rule.id,
    name: pascalCase(rule.id),
    shortDescription: { text: summary },
    fullDescription: { text: sentence((text === undefined ? undefined : paragraph(text, "##")) ?? rule.summary) },
    help: {
      text: `${text ?? summary + facts}${link === undefined ? "" : `\n\nMore: ${link}`}`,
      markdown: `${text ?? summary + facts}\n\n${link === undefined ? `Rule \`${rule.id}\`` : `[Rule \`${rule.id}\`](${link})`}`,
    },
    ...(link === undefined ? {} : { helpUri: link }),
    defaultConfiguration: { level: rule.severity },
    properties: { tags: [...new Set(tags)].slice(0, mostTags), precision: "high", "problem.severity": problemSeverity[rule.severity] },
  };
}

/** Descriptors of every rule that was on, of the ones that findings name beside them, and of `could-not-judge`; sorted by id. */
export function ruleDescriptors(result: RunResult, options: ReportOptions): readonly ReportingDescriptor[] {
  const rules = new Map<string, ReportedRule>();
  for (const rule of [...ownRules, ...result.rules]) rules.set(rule.id, rule);
  for (const finding of result.findings) {
    if (rules.has(finding.rule)) continue;
    const page = options.page(finding.rule);
    const summary = (page === undefined ? undefined : paragraph(page, "#")) ?? `The invariant ${finding.rule} holds`;
    rules.set(finding.rule, { id: finding.rule, summary, severity: finding.severity, scope: "run", facts: [] });
  }
  return [...rules.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map((rule) => descriptor(rule, options));
}
