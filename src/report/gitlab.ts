import { createHash } from "node:crypto";
import type { Severity } from "../findings.js";
import { jsonText, oneLine } from "./escape.js";
import { repositoryFiles } from "./files.js";
import type { ReportOptions, RunResult } from "./result.js";
import { fallbackSpot, spotOf } from "./sarif-place.js";
import { couldNotJudge } from "./sarif-rules.js";
import { shownFindings } from "./summary.js";

const severityNames: Readonly<Record<Severity, string>> = { error: "major", warning: "minor", note: "info" };

interface Entry {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

/** GitLab Code Quality JSON; failures are `blocker`. Fingerprints know no lines and differ from each other, or GitLab would show one for all. */
export function renderGitlab(result: RunResult, options: ReportOptions): string {
  const files = repositoryFiles(options.root);
  const seen = new Map<string, number>();
  const unique = (fingerprint: string) => {
    const count = (seen.get(fingerprint) ?? 0) + 1;
    seen.set(fingerprint, count);
    return count === 1 ? fingerprint : `${fingerprint}-${count}`;
  };
  const locate = (at: { file: string; line?: number } | undefined, of: { subject?: string; chart?: string }) => {
    const spot = (at && spotOf(files, at)) ?? fallbackSpot(result, files, of);
    return { path: spot.file, lines: { begin: spot.line } };
  };
  const failures = result.failures.map((failure): Entry => {
    const identity = JSON.stringify([failure.stage, failure.environment, failure.rule, failure.location?.file]);
    return {
      description: oneLine(`${failure.environment === undefined ? "" : `${failure.environment}: `}${failure.message}`) || failure.stage,
      check_name: couldNotJudge,
      fingerprint: unique(createHash("sha256").update(identity).digest("hex").slice(0, 16)),
      severity: "blocker",
      location: locate(failure.location, {}),
    };
  });
  const findings = shownFindings(result, options).map((finding): Entry => {
    const environments = finding.environments.length === 0 ? "" : ` (in: ${finding.environments.join(", ")})`;
    return {
      description: oneLine(`${finding.message}${environments}`),
      check_name: finding.rule,
      fingerprint: unique(finding.fingerprint),
      severity: severityNames[finding.severity],
      location: locate(finding.location ?? finding.origin, finding),
    };
  });
  return jsonText([...failures, ...findings]);
}
