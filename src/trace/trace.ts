import type { Excerpt, Finding, Location } from "../findings.js";
import { excerptLines } from "../manifest/excerpt.js";
import { locate } from "../manifest/locate.js";
import { manifestOf } from "../manifest/parse.js";
import type { Manifest } from "../manifest/types.js";
import type { Environment } from "../model/types.js";

/** What tracing needs of the run. */
export interface TraceInput {
  /** Findings of one environment each. */
  readonly findings: readonly Finding[];
  readonly environments: readonly Environment[];
  /** The path of a file as reports name it. */
  readonly reportPath: (file: string) => string;
  /** The absolute file behind helm's `# Source:` path; undefined when the chart is packed. */
  readonly templateFile: (chart: string, source: string) => Promise<string | undefined>;
}

/** Gives every finding its location: for a manifest file its own line, for a chart the template file, with the rendered lines as excerpt. */
export async function traceFindings(input: TraceInput): Promise<readonly Finding[]> {
  const environments = new Map(input.environments.map((environment) => [environment.name, environment]));
  return Promise.all(
    input.findings.map(async (finding) => {
      if (finding.at === undefined)
        return finding.origin === undefined ? finding : { ...finding, location: originOf(finding.origin, input) };
      const environment = environments.get(finding.environments[0] ?? "");
      const manifest = environment === undefined ? undefined : manifestOf(environment.manifests, finding.at);
      if (environment === undefined || manifest === undefined) return finding;
      const excerpt = excerptOf(manifest, finding);
      return { ...finding, location: await locationOf(environment, manifest, finding, input), excerpts: [excerpt] };
    }),
  );
}

function originOf(origin: { readonly file: string; readonly line: number; readonly column: number }, input: TraceInput): Location {
  const { line, column } = origin;
  return { file: input.reportPath(origin.file), line, column, endLine: line, endColumn: column + 1, exact: true };
}

async function locationOf(environment: Environment, manifest: Manifest, finding: Finding, input: TraceInput): Promise<Location> {
  const { chart } = environment;
  if (chart.kind === "manifests") {
    const { line, column, endLine, endColumn, exact } = locate(manifest, finding.at?.path ?? []);
    return { file: chart.path === "-" ? "stdin" : input.reportPath(chart.path), line, column, endLine, endColumn, exact };
  }
  const file = manifest.source === undefined ? undefined : await input.templateFile(chart.path, manifest.source);
  return { file: input.reportPath(file ?? chart.path), line: 1, column: 1, endLine: 1, endColumn: 2, exact: false };
}

function excerptOf(manifest: Manifest, finding: Finding): Excerpt {
  const range = locate(manifest, finding.at?.path ?? []);
  const { from, lines } = excerptLines(manifest, range.line, 1);
  return { of: "rendered", from, lines, mark: { line: range.line, column: range.column, endColumn: range.endColumn } };
}
