import type { Finding, Location, Related } from "../findings.js";
import { excerptOfText, readText } from "./excerpt.js";
import { distinct } from "./landing.js";

type ReportPath = (file: string) => string;
type Origin = NonNullable<Finding["origin"]>;

/** A line of the configuration as a location. */
export function originLocation({ file, line, column }: Origin, reportPath: ReportPath): Location {
  return { file: reportPath(file), line, column, endLine: line, endColumn: column + 1, exact: true };
}

/** The finding with the lines of the config that declare what its proof used; it stands on the one that decides, when the rule names one. */
export function withDeclarations(finding: Finding, reportPath: ReportPath): Finding {
  const declared = finding.because.flatMap(({ term, value, unit = "", origin }): readonly Related[] => {
    if (origin === undefined) return [];
    return [
      { file: reportPath(origin.file), line: origin.line, column: origin.column, message: `${term} ${value}${unit} is declared here` },
    ];
  });
  if (declared.length === 0) return finding;
  const { location, origin } = finding;
  const declaredAt = declared.map(({ file, line }) => ({ file, line }));
  if (origin === undefined) return { ...finding, declaredAt, related: distinct([...finding.related, ...declared], location) };
  return { ...standingOn(origin, finding, declared, reportPath), declaredAt };
}

/** What the finding pointed at is shown beside the line that decides. */
function standingOn(origin: Origin, { fix: _, ...finding }: Finding, declared: readonly Related[], reportPath: ReportPath): Finding {
  const { at, because, related, excerpts } = finding;
  const location = originLocation(origin, reportPath);
  const term = because.find((one) => one.at !== undefined && `${one.at}` === `${at}`);
  const before = finding.location;
  const own = before === undefined || term === undefined ? [] : [{ ...before, message: `${term.term} ${term.value}${term.unit ?? ""}` }];
  const moved = own.map(({ file, line, column, message }) => ({ file, line, column, message }));
  const shown = excerpts.map((excerpt) => (excerpt.of === undefined && before !== undefined ? { ...excerpt, of: before.file } : excerpt));
  const text = readText(origin.file);
  const written = finding.writtenAt ?? (before?.exact === true ? [before] : undefined);
  return {
    ...finding,
    ...(written && { writtenAt: written.map(({ file, line }) => ({ file, line })) }),
    location,
    related: distinct([...moved, ...related, ...declared], location),
    excerpts: [...(text === undefined ? [] : [excerptOfText(text, location)]), ...shown],
  };
}
