import { basename } from "node:path";
import type { Failure, Finding, Related } from "../findings.js";
import { oneLine } from "./escape.js";
import type { RepositoryFiles } from "./files.js";
import { type Spot, spotOf } from "./sarif-place.js";
import { sentence } from "./sarif-rules.js";
import { position } from "./summary.js";

const mostRelated = 20;
const mostAlso = 5;

/** Findings or failures that become one result: one rule on one line. */
export interface Group {
  readonly rule: string;
  readonly spot: Spot;
  readonly findings: Finding[];
  readonly failures: Failure[];
}

/** Another place of a result; `template` when it is the template line that rendered the field. */
export interface RelatedSpot {
  readonly spot: Spot;
  readonly message: string;
  readonly template: boolean;
}

/** A message that cannot be read as holding a link of its own. */
export function linkless(text: string): string {
  return oneLine(text).replace(/\]\(/g, "\\](");
}

const isTemplate = (related: Related) => /(^|\/)templates\//.test(related.file);

/** The text of a result: its first sentence is the whole story; then what else is on the line, where it holds, what to do, and a link to the template. */
export function messageOf(group: Group, related: readonly RelatedSpot[], files: RepositoryFiles): string {
  const { findings, failures } = group;
  const [first, ...others] = findings;
  if (first === undefined) {
    const environments = [...new Set(failures.flatMap((failure) => failure.environment ?? []))];
    const messages = [...new Set(failures.map((failure) => sentence(linkless(failure.message))))];
    const head = environments.length === 0 ? "could not judge" : `could not judge ${environments.join(", ")}`;
    return `${oneLine(head)}: ${messages.slice(0, mostAlso).join(" ")}`;
  }
  const parts = [sentence(linkless(first.message))];
  const said = new Set([first.message]);
  for (const finding of others) {
    if (said.size > mostAlso || said.has(finding.message)) continue;
    said.add(finding.message);
    parts.push(sentence(`Also: ${linkless(finding.message)}`));
  }
  const left = new Set(findings.map((finding) => finding.message)).size - said.size;
  if (left > 0) parts.push(`And ${left} more.`);
  const environments = [...new Set(findings.flatMap((finding) => finding.environments))].sort();
  if (environments.length > 0) parts.push(`In: ${oneLine(environments.join(", "))}.`);
  if (first.hint !== undefined) parts.push(sentence(`Fix: ${linkless(first.hint)}`));
  if (first.location !== undefined && files.path(first.location.file) === undefined) {
    const file = first.location.file.startsWith("../") ? first.location.file : basename(first.location.file);
    parts.push(`It stands outside of the repository, at ${linkless(position({ file, line: first.location.line }))}.`);
  }
  const template = related.findIndex((place) => place.template);
  const place = related[template];
  if (place !== undefined)
    parts.push(
      `Rendered by [${oneLine(position({ file: place.spot.file, line: place.spot.line })).replace(/[[\]]/g, "\\$&")}](${template + 1}).`,
    );
  return parts.join(" ");
}

/** The other places of a result, in the order of their ids (from 1): those of the proof, then the findings that share its line. */
export function relatedOf(group: Group, files: RepositoryFiles): readonly RelatedSpot[] {
  const [first, ...others] = group.findings;
  const own = (first?.related ?? []).map((related) => ({
    spot: spotOf(files, { ...related }),
    message: related.message,
    template: isTemplate(related),
  }));
  const merged = others.map((finding) => ({
    spot: spotOf(files, { file: group.spot.file, ...finding.location }),
    message: finding.message,
    template: false,
  }));
  const seen = new Set<string>();
  return [...own, ...merged].flatMap(({ spot, message, template }) => {
    const key = JSON.stringify([spot, message]);
    if (spot === undefined || seen.has(key) || seen.size >= mostRelated) return [];
    seen.add(key);
    return [
      {
        spot,
        message: sentence(linkless(message)),
        template: template && (spot.file !== group.spot.file || spot.line !== group.spot.line),
      },
    ];
  });
}
