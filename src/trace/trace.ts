import type { Excerpt, Failure, Finding, Location, Remark, Severity } from "../findings.js";
import { excerptLines } from "../manifest/excerpt.js";
import { locate } from "../manifest/locate.js";
import { manifestOf } from "../manifest/parse.js";
import type { Manifest } from "../manifest/types.js";
import type { Environment } from "../model/types.js";
import type { RenderJob } from "../plan.js";
import type { Outcome, Rendered } from "../render/outcome.js";
import { copyChart, type MarkedCopy } from "./copy.js";
import { originLocation, withDeclarations } from "./declarations.js";
import { type Pointed, pointAt } from "./pointing.js";
import { mostRenders, type Tracing, traceFields, type Wanted } from "./tracing.js";

/** What tracing needs of the run. */
export interface TraceInput {
  /** Findings of one environment each. */
  readonly findings: readonly Finding[];
  readonly environments: readonly Environment[];
  /** The path of a file as reports name it. */
  readonly reportPath: (file: string) => string;
  /** The absolute file behind helm's `# Source:` path; undefined when the chart is packed. */
  readonly templateFile: (chart: string, source: string) => Promise<string | undefined>;
  /** The plain renders of the environments; without them nothing is rendered again, and charts are located by template file alone. */
  readonly renders?: readonly Rendered[];
  readonly rerender?: (job: RenderJob) => Promise<Outcome>;
  /** No render is spent on findings below this severity, which are not shown; absent = every finding counts. */
  readonly worth?: Severity;
}

/** Located findings, in the order given, and what went wrong on the way: its findings have a file then, and no line. */
export interface TraceResult {
  readonly findings: readonly Finding[];
  readonly failures: readonly Failure[];
  /** Says of which findings no values line is named because the renders ran out. */
  readonly remarks: readonly Remark[];
}

const rank: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

/**
 * Gives every finding its location: of a manifest file its own line; of a chart the values line that moves the field, else the template
 * line that wrote it, else the template file with the rendered lines as excerpt.
 */
export async function traceFindings(input: TraceInput): Promise<TraceResult> {
  const copies = new Map<string, Promise<MarkedCopy | undefined>>();
  const failures: Failure[] = [];
  const cut = new Map<string, number>();
  try {
    const tracings = new Map(
      await Promise.all(
        input.environments.map(async (environment) => {
          const own = input.findings.filter((finding) => isWorth(finding, input) && isOf(finding, environment));
          const tracing = await traceEnvironment(environment, own, input, copies).catch((error: unknown) => {
            const message = `the lines behind the findings could not be traced: ${error instanceof Error ? error.message : String(error)}`;
            failures.push({ stage: "trace", environment: environment.name, message });
            return undefined;
          });
          return [environment, tracing] as const;
        }),
      ),
    );
    const findings = await Promise.all(
      input.findings.map(async (finding) => {
        const environment = input.environments.find((one) => isOf(finding, one));
        const tracing = environment && isWorth(finding, input) ? tracings.get(environment) : undefined;
        const pointed = tracing === undefined ? undefined : pointAt(finding, tracing, input.reportPath);
        if (environment !== undefined && pointed?.cut === true) cut.set(environment.name, (cut.get(environment.name) ?? 0) + 1);
        const located = await locateFinding(finding, environment, pointed, tracing, input);
        return finding.at === undefined ? located : withDeclarations(located, input.reportPath);
      }),
    );
    return { findings, failures, remarks: [...cut].map(([name, count]) => remarkOn(name, count)) };
  } finally {
    for (const copy of copies.values()) await (await copy)?.dispose();
  }
}

function remarkOn(environment: string, count: number): Remark {
  const subject = count === 1 ? "1 finding of environment" : `${count} findings of environment`;
  const verb = count === 1 ? "points" : "point";
  return { message: `${subject} "${environment}" ${verb} at the template: the ${mostRenders} renders for tracing ran out` };
}

function isWorth({ severity }: Finding, { worth }: TraceInput): boolean {
  return worth === undefined || rank[severity] <= rank[worth];
}

function isOf(finding: Finding, { name, chart }: Environment): boolean {
  return finding.environments[0] === name && (finding.chart === "" || finding.chart === chart.path);
}

async function traceEnvironment(
  environment: Environment,
  findings: readonly Finding[],
  input: TraceInput,
  copies: Map<string, Promise<MarkedCopy | undefined>>,
): Promise<Tracing | undefined> {
  const { renders, rerender } = input;
  const { chart, name, manifests } = environment;
  const render = renders?.find(({ job }) => job.purpose === "environment" && job.environment === name && job.chart === chart.path);
  const wanted = wantedBy(findings);
  if (chart.kind !== "chart" || render === undefined || rerender === undefined || wanted.length === 0) return undefined;
  const known = copies.get(chart.path) ?? copyChart(chart.path).catch(() => undefined);
  copies.set(chart.path, known);
  return traceFields({ job: render.job, manifests, text: render.text, rerender, copy: await known, wanted });
}

/** The fields of the findings, and the places that their proofs used. */
function wantedBy(findings: readonly Finding[]): readonly Wanted[] {
  const wanted = new Map<string, Wanted>();
  const add = (one: Wanted) => {
    const key = JSON.stringify([one.at.object.document, one.at.object.item, one.at.path]);
    const known = wanted.get(key);
    if (known === undefined) wanted.set(key, one);
    else wanted.set(key, { ...known, rank: Math.min(known.rank, one.rank), alone: known.alone || one.alone });
  };
  for (const { at, because, severity } of findings) {
    if (at === undefined) continue;
    add({ at, rank: rank[severity], alone: severity !== "note" });
    for (const { at: used } of because) if (used !== undefined) add({ at: used, rank: 3, alone: false });
  }
  return [...wanted.values()];
}

async function locateFinding(
  finding: Finding,
  environment: Environment | undefined,
  pointed: Pointed | undefined,
  tracing: Tracing | undefined,
  input: TraceInput,
): Promise<Finding> {
  const { at, origin } = finding;
  if (at === undefined) return origin === undefined ? finding : { ...finding, location: originLocation(origin, input.reportPath) };
  const manifest = environment === undefined ? undefined : manifestOf(environment.manifests, at);
  if (environment === undefined || manifest === undefined) return finding;
  if (pointed?.location !== undefined) {
    const { fix, ...rest } = finding;
    const { fixes, cut, ...lines } = pointed;
    return { ...rest, ...(fixes && fix !== undefined && { fix }), ...lines };
  }
  const { packed, ...location } = await plainLocation(environment, manifest, finding, tracing, input);
  const writtenAt = [{ file: location.file, line: location.line }];
  // nobody sees what is not worth a trace
  const excerpts = isWorth(finding, input) ? [renderedExcerpt(manifest, finding)] : [];
  return { ...finding, location, excerpts, ...(packed === true && { writtenAt }), ...(pointed && { notes: pointed.notes }) };
}

/** The manifest's own line; of a chart the template file, the line that names a packed subchart, or the chart. */
async function plainLocation(
  { chart }: Environment,
  manifest: Manifest,
  finding: Finding,
  tracing: Tracing | undefined,
  input: TraceInput,
): Promise<Location & { readonly packed?: true }> {
  if (chart.kind === "manifests") {
    const { line, column, endLine, endColumn, exact } = locate(manifest, finding.at?.path ?? []);
    return { file: chart.path === "-" ? "stdin" : input.reportPath(chart.path), line, column, endLine, endColumn, exact };
  }
  const file = manifest.source === undefined ? undefined : await input.templateFile(chart.path, manifest.source);
  const packed = file === undefined ? tracing?.packedBy(manifest.source ?? "") : undefined;
  if (packed !== undefined) return { file: input.reportPath(packed.file), ...packed.range, exact: false, packed: true };
  return { file: input.reportPath(file ?? chart.path), line: 1, column: 1, endLine: 1, endColumn: 2, exact: false };
}

function renderedExcerpt(manifest: Manifest, finding: Finding): Excerpt {
  const range = locate(manifest, finding.at?.path ?? []);
  const { from, lines } = excerptLines(manifest, range.line, 1);
  return { of: "rendered", from, lines, mark: { line: range.line, column: range.column, endColumn: range.endColumn } };
}
