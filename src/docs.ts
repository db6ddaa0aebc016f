import type { AnyRule } from "./rule.js";

const chapters: Readonly<Record<string, string>> = {
  probes: "Probes",
  rollouts: "Rollouts",
  availability: "Availability",
  configuration: "Configuration",
  shutdown: "Shutdown and cost",
  run: "The run itself",
};

/** The README's table of rules: a chapter a category, a row a rule. */
export function rulesTable(rules: readonly AnyRule[]): string {
  return Object.entries(chapters)
    .map(([category, title]) => ({ title, own: rules.filter((rule) => rule.category === category) }))
    .filter(({ own }) => own.length > 0)
    .map(({ title, own }) =>
      [
        `### ${title}`,
        "",
        "| rule | what holds | severity | facts it can use |",
        "|---|---|---|---|",
        ...own.map(
          (rule) => `| [\`${rule.id}\`](rules/${rule.id}.md) | ${cell(rule.summary)} | ${severityText(rule)} | ${factsText(rule)} |`,
        ),
      ].join("\n"),
    )
    .join("\n\n");
}

/** What stands under a page's Facts heading. */
export function factsSection(rule: AnyRule): string {
  const own = rule.facts ?? [];
  return [
    "| | |",
    "|---|---|",
    `| severity | ${severityText(rule)} |`,
    `| looks at | each ${rule.scope} |`,
    `| facts it can use | ${own.length === 0 ? "none: the render alone decides" : own.map((fact) => `\`${fact}\``).join(", ")} |`,
  ].join("\n");
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. Throws when the markers are not there. */
export function fillMarkers(text: string, name: string, content: string): string {
  const open = `<!-- ${name} -->`;
  const close = `<!-- /${name} -->`;
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from < 0 || to < from) throw new Error(`the markers ${open} … ${close} are missing`);
  return `${text.slice(0, from + open.length)}\n${content}\n${text.slice(to)}`;
}

function severityText(rule: AnyRule): string {
  if (rule.failure === true) return "failure (exit code 2)";
  const highest = rule.severity === "note" ? "note" : rule.severity;
  return rule.deep === true ? `${highest}, with \`deep\`` : highest;
}

function factsText(rule: AnyRule): string {
  const own = rule.facts ?? [];
  return own.length === 0 ? "–" : own.map((fact) => `\`${fact}\``).join(", ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
