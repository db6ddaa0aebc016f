import { existsSync } from "node:fs";
import { resolve } from "node:path";
import chalk, { Chalk } from "chalk";
import { allRules } from "../all-rules.js";
import { defaultConfig, findConfig, loadConfig } from "../config/load.js";
import type { Config } from "../config/types.js";
import { requireKnownRules } from "../configure.js";
import { exitCodes, UsageError } from "../errors.js";
import type { AnyRule } from "../rule.js";
import { selectRules } from "../ruleset.js";
import { nearest } from "../spelling.js";
import { pageOf, terminalColor } from "./terminal.js";

/** Lists the rules with what the config makes of them, or prints the page of one. */
export async function rules(
  id: string | undefined,
  flags: { readonly config?: string; readonly format: string; readonly color: string },
): Promise<number> {
  const file = flags.config === undefined ? findConfig(process.cwd()) : resolve(flags.config);
  if (flags.config !== undefined && file !== undefined && !existsSync(file)) throw new UsageError(`there is no config ${flags.config}`);
  const config = file === undefined ? defaultConfig(process.cwd()) : await loadConfig(file);
  const known = [...(await allRules(config))].sort((a, b) => (a.id < b.id ? -1 : 1));
  await requireKnownRules(config, known);
  const active = new Map(selectRules(known, config, {}).map((entry) => [entry.rule.id, entry]));
  const colors = terminalColor(flags.color as "auto", process.stdout) ? new Chalk({ level: chalk.level || 1 }) : new Chalk({ level: 0 });
  if (id !== undefined) {
    const rule = known.find((candidate) => candidate.id === id);
    if (rule === undefined) {
      const guess = nearest(
        id,
        known.map((candidate) => candidate.id),
      );
      throw new UsageError(
        `there is no rule "${id}"${guess === undefined ? "" : `, did you mean "${guess}"?`}\nhelm-invariants rules lists them`,
      );
    }
    const page = pageOf(id) ?? ownPage(rule, config);
    process.stdout.write(readable(page, colors));
    return exitCodes.clean;
  }
  const rows = known.map((rule) => {
    const entry = active.get(rule.id);
    return {
      id: rule.id,
      severity: entry?.severityOf(rule.severity) ?? rule.severity,
      scope: rule.scope,
      on: entry !== undefined,
      why: entry !== undefined ? "" : rule.deep ? "deep" : "off",
      facts: rule.facts ?? [],
      category: rule.category ?? "own",
      summary: rule.summary,
    };
  });
  if (flags.format === "json") {
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return exitCodes.clean;
  }
  const width = Math.max(...rows.map((row) => row.id.length));
  const shade = { error: colors.red, warning: colors.yellow, note: colors.cyan };
  for (const row of rows) {
    const state = row.on ? "on  " : row.why.padEnd(4);
    const severity = row.on ? shade[row.severity](row.severity.padEnd(7)) : row.severity.padEnd(7);
    process.stdout.write(`${row.id.padEnd(width)}  ${state}  ${severity}  ${row.scope.padEnd(11)}  ${row.facts.join(", ") || "–"}\n`);
  }
  process.stdout.write(
    `\n${rows.length} rules, ${rows.filter((row) => row.on).length} on; helm-invariants rules <id> prints the page of one\n`,
  );
  return exitCodes.clean;
}

/** The page of a rule of one's own: what it says of itself, and the expressions of an invariant. */
function ownPage(rule: AnyRule, config: Config): string {
  const invariant = config.invariants.find((candidate) => candidate.id === rule.id);
  const { of, when, require, hint } = invariant ?? {};
  const parts = Object.entries({ of, when, require, hint }).flatMap(([name, text]) =>
    text === undefined ? [] : [`${name.padEnd(8)} ${text.trim().replaceAll("\n", "\n         ")}`],
  );
  const options = Object.entries(rule.options ?? {}).map(([name, value]) => `option   ${name}: ${JSON.stringify(value)}`);
  const facts = rule.facts?.length ? [`facts    ${rule.facts.join(", ")}`] : [];
  const lines = [`scope    ${rule.scope}`, ...parts, ...facts, ...options];
  return `# ${rule.id}\n\n${rule.summary.replace(/\.$/, "")}.\n\n${lines.join("\n")}\n`;
}

/** Markdown as a terminal shows it: headings bold, markers and comments gone. */
function readable(page: string, colors: typeof chalk): string {
  return `${page
    .split("\n")
    .filter((line) => !line.startsWith("<!--"))
    .map((line) => (/^#+ /.test(line) ? colors.bold(line.replace(/^#+ /, "")) : line))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()}\n`;
}
