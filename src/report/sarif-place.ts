import type { RepositoryFiles } from "./files.js";
import type { RunResult } from "./result.js";

/** Where a result stands: a file of the repository and a range of one line. */
export interface Spot {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
}

/** The place of a range within the repository, one line of it; undefined when the file is outside. */
export function spotOf(
  files: RepositoryFiles,
  at: { file: string; line?: number; column?: number; endLine?: number; endColumn?: number },
): Spot | undefined {
  const file = files.path(at.file);
  if (file === undefined) return undefined;
  const line = Math.max(1, at.line ?? 1);
  const column = Math.max(1, at.column ?? 1);
  const length = files.line(file, line)?.length;
  const end = at.endLine === line ? at.endColumn : length === undefined ? undefined : length + 1;
  return { file, line, column, endColumn: Math.max(column + 1, end ?? column + 1) };
}

/** The first line of the chart, or of the config, for what has no line of its own: code scanning refuses a result without one. */
export function fallbackSpot(
  result: RunResult,
  files: RepositoryFiles,
  of: { readonly subject?: string; readonly chart?: string } = {},
): Spot {
  const charts = [of.chart, ...(result.charts ?? [])].filter((chart) => chart !== undefined && chart !== "");
  const chartFiles = charts.flatMap((chart) => [`${chart}/Chart.yaml`, ...(/\.(ya?ml|json|tgz)$/.test(chart ?? "") ? [chart ?? ""] : [])]);
  const config = [result.configFile, "helm-invariants.yaml", "helm-invariants.yml"].filter((file) => file !== undefined);
  const candidates = of.subject === "config" || of.chart === "" ? [...config, ...chartFiles] : [...chartFiles, "Chart.yaml", ...config];
  const file = candidates.find((candidate) => files.exists(candidate)) ?? "helm-invariants.yaml";
  return spotOf(files, { file }) ?? { file: "helm-invariants.yaml", line: 1, column: 1, endColumn: 2 };
}
