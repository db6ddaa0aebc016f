import type { Invocation, Location, Log, Notification, Region, Result } from "sarif";
import type { Finding } from "../findings.js";
import { jsonText, oneLine, uriPath, visible } from "./escape.js";
import { type RepositoryFiles, repositoryFiles } from "./files.js";
import { lineHashes } from "./line-hash.js";
import type { ReportOptions, RunResult } from "./result.js";
import { type Group, messageOf, relatedOf } from "./sarif-message.js";
import { fallbackSpot, type Spot, spotOf } from "./sarif-place.js";
import { couldNotJudge, ruleDescriptors, sentence } from "./sarif-rules.js";
import { atLeast, severities } from "./summary.js";

const baseId = "%SRCROOT%";
/** GitHub refuses more results than this. */
const mostResults = 25_000;

interface Context {
  readonly result: RunResult;
  readonly files: RepositoryFiles;
  readonly ruleIndex: ReadonlyMap<string, number>;
  hash(file: string, line: number): string | undefined;
}

function region({ line, column, endColumn }: Omit<Spot, "file">): Region {
  return { startLine: line, startColumn: column, endLine: line, endColumn };
}

function physical(spot: Spot): Location["physicalLocation"] {
  return { artifactLocation: { uri: uriPath(spot.file), uriBaseId: baseId }, region: region(spot) };
}

/** The edit that puts the right value in place; only when the line says that it writes the very field. */
function fixesOf(group: Group, { files }: Context): Pick<Result, "fixes"> {
  const { spot } = group;
  const [finding] = group.findings;
  if (
    group.findings.length !== 1 ||
    finding?.fix === undefined ||
    finding.location?.exact !== true ||
    finding.location.endLine !== spot.line
  )
    return {};
  const before = files.line(spot.file, spot.line)?.slice(0, spot.column - 1);
  const key = before === undefined ? undefined : /([\w-]+)["']?\s*:\s+["']?$/.exec(before)?.[1];
  if (key === undefined || key !== /([\w-]+)$/.exec(finding.field)?.[1]) return {};
  const insertedContent = { text: String(finding.fix.value) };
  const artifactLocation = { uri: uriPath(spot.file), uriBaseId: baseId };
  const artifactChanges = [{ artifactLocation, replacements: [{ deletedRegion: region(spot), insertedContent }] }];
  return { fixes: [{ description: { text: `Set ${key} to ${insertedContent.text}.` }, artifactChanges }] };
}

function suppressionsOf(finding: Finding | undefined): Pick<Result, "suppressions"> {
  if (finding === undefined || finding.status === "open") return {};
  const because = finding.waiver?.because ?? (finding.status === "baseline" ? "in the baseline" : finding.status);
  return { suppressions: [{ kind: "external", status: "accepted", justification: visible(because) }] };
}

function resultOf(group: Group, context: Context): Result {
  const [first] = group.findings;
  const related = relatedOf(group, context.files);
  const templates = related.filter((place) => place.template);
  const level =
    first === undefined
      ? "error"
      : (severities.findLast((name) => group.findings.some((finding) => finding.severity === name)) ?? "warning");
  const hash = context.hash(group.spot.file, group.spot.line);
  const name = first === undefined ? undefined : `${first.subject}#${first.field}`;
  const flow = [
    { location: { physicalLocation: physical(group.spot), message: { text: "The value is set here." } } },
    ...templates.map((place) => ({ location: { physicalLocation: physical(place.spot), message: { text: place.message } } })),
  ];
  return {
    ruleId: group.rule,
    ruleIndex: context.ruleIndex.get(group.rule) ?? -1,
    level,
    message: { text: messageOf(group, related, context.files) },
    locations: [
      {
        physicalLocation: physical(group.spot),
        ...(name === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: visible(name), kind: "property" }] }),
      },
    ],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((place, index) => ({
            id: index + 1,
            physicalLocation: physical(place.spot),
            message: { text: place.message },
          })),
        }),
    ...(templates.length === 0 ? {} : { codeFlows: [{ threadFlows: [{ locations: flow }] }] }),
    partialFingerprints: {
      ...(hash === undefined ? {} : { primaryLocationLineHash: hash }),
      ...(first === undefined ? {} : { "helmInvariants/v1": first.fingerprint }),
    },
    ...fixesOf(group, context),
    ...suppressionsOf(first),
    ...(first === undefined
      ? {}
      : { properties: { environments: [...new Set(group.findings.flatMap((finding) => finding.environments))].sort() } }),
  };
}

/** One group a rule, file and line, sorted by place. Open findings push suppressed ones out of a group. */
function groupsOf(context: Context, options: ReportOptions): readonly Group[] {
  const groups = new Map<string, Group>();
  const groupAt = (rule: string, spot: Spot) => {
    const key = JSON.stringify([rule, spot.file, spot.line]);
    const group = groups.get(key) ?? { rule, spot, findings: [], failures: [] };
    groups.set(key, group);
    return group;
  };
  const { findings, failures } = context.result;
  const open = findings.filter((finding) => finding.status === "open");
  const suppressed = options.sarifIncludeSuppressed ? findings.filter((finding) => finding.status !== "open") : [];
  for (const finding of [...open, ...suppressed]) {
    if (!atLeast(finding.severity, options.minSeverity)) continue;
    const at = finding.location ?? finding.origin;
    const spot = (at && spotOf(context.files, at)) ?? fallbackSpot(context.result, context.files, finding);
    const group = groupAt(finding.rule, spot);
    if (group.findings[0] === undefined || (group.findings[0].status === "open") === (finding.status === "open"))
      group.findings.push(finding);
  }
  for (const failure of failures) {
    if (failure.stage === "trace" || failure.stage === "report") continue;
    const spot = (failure.location && spotOf(context.files, failure.location)) ?? fallbackSpot(context.result, context.files);
    groupAt(couldNotJudge, spot).failures.push(failure);
  }
  const key = ({ rule, spot }: Group) => [spot.file, String(spot.line).padStart(9, "0"), rule].join("\n");
  return [...groups.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function invocation(context: Context, left: number): Invocation {
  const { failures, exitCode } = context.result;
  const notifications: Notification[] = failures.map((failure) => {
    const spot = failure.location && spotOf(context.files, failure.location);
    const index = failure.rule === undefined ? undefined : context.ruleIndex.get(failure.rule);
    const where = failure.environment === undefined ? failure.stage : `${failure.stage} ${failure.environment}`;
    return {
      level: "error",
      message: { text: sentence(`${oneLine(where)}: ${visible(failure.message)}`) },
      ...(spot === undefined ? {} : { locations: [{ physicalLocation: physical(spot) }] }),
      ...(failure.rule === undefined || index === undefined ? {} : { associatedRule: { id: failure.rule, index } }),
    };
  });
  if (left > 0)
    notifications.push({
      level: "error",
      message: { text: `${left} further results are left out: ${mostResults} are the most that a file may hold.` },
    });
  const executionSuccessful = failures.length === 0 && exitCode !== 2;
  return notifications.length === 0 ? { executionSuccessful } : { executionSuccessful, toolExecutionNotifications: notifications };
}

/** SARIF 2.1.0 in the profile that GitHub code scanning shows in full; open findings only unless asked. Reads the named files below the root. */
export function renderSarif(result: RunResult, options: ReportOptions): string {
  const files = repositoryFiles(options.root);
  const rules = [...ruleDescriptors(result, options)];
  const hashes = new Map<string, readonly string[]>();
  const context: Context = {
    result,
    files,
    ruleIndex: new Map(rules.map((rule, index) => [rule.id, index])),
    hash: (file, line) => {
      const known = hashes.get(file) ?? lineHashesOf(files.text(file));
      hashes.set(file, known);
      return known[line - 1];
    },
  };
  const groups = groupsOf(context, options);
  const driver = {
    name: "helm-invariants",
    fullName: `helm-invariants ${options.version}`,
    version: options.version,
    semanticVersion: options.version,
    informationUri: options.homepage ?? "pkg:npm/helm-invariants",
    rules,
  };
  const log: Log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver },
        ...(options.sarifCategory === undefined ? {} : { automationDetails: { id: `${options.sarifCategory.replace(/\/$/, "")}/` } }),
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { [baseId]: { description: { text: "The root of the repository." } } },
        invocations: [invocation(context, Math.max(0, groups.length - mostResults))],
        results: groups.slice(0, mostResults).map((group) => resultOf(group, context)),
      },
    ],
  };
  return jsonText(log);
}

function lineHashesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : lineHashes(text);
}
