import type { Waiver } from "./config/types.js";
import type { DebtState } from "./debts.js";
import type { Finding } from "./findings.js";
import { isIn, matchesName, matchesSubject } from "./subject.js";

/** Findings with their status, and how many findings each waiver covered. */
export interface Waived {
  readonly findings: readonly Finding[];
  readonly waivers: readonly WaiverUse[];
}

/** How many findings a waiver covered; `uncertain` when a finding of its rule was not traced, so that a comment may well be about it. */
export interface WaiverUse {
  readonly waiver: Waiver;
  readonly matched: number;
  readonly uncertain: boolean;
}

/** Gives each finding its status. A debt covers what stands at its field while it is not due; a waiver covers what it names until its last day (UTC). */
export function waive(input: {
  readonly findings: readonly Finding[];
  readonly waivers: readonly Waiver[];
  readonly debts: readonly DebtState[];
  readonly today: string;
}): Waived {
  const matched = new Map<Waiver, number>(input.waivers.map((waiver) => [waiver, 0]));
  const findings = input.findings.map((finding): Finding => {
    const covering = input.waivers.filter((candidate) => covers(candidate, finding));
    const valid = covering.filter(({ until }) => until === undefined || until >= input.today);
    // An expired one beside a valid one covers nothing any more; of several valid ones each is meant.
    for (const waiver of valid.length > 0 ? valid : covering) matched.set(waiver, (matched.get(waiver) ?? 0) + 1);
    const [first] = valid;
    if (first !== undefined) {
      const { because, until, target } = first;
      return {
        ...finding,
        status: "waived",
        waiver: { because, ...(until && { until }), from: target === undefined ? "config" : "comment" },
      };
    }
    const owed = input.debts.find((state) => owes(state, finding));
    if (owed === undefined) return finding;
    return { ...finding, status: "debt", waiver: { because: owed.debt.because, from: "debt" } };
  });
  return {
    findings,
    waivers: [...matched].map(([waiver, count]) => ({ waiver, matched: count, uncertain: isUncertain(waiver, findings) })),
  };
}

function isUncertain({ target, rule }: Waiver, findings: readonly Finding[]): boolean {
  return target !== undefined && findings.some((finding) => finding.rule === rule && !isTraced(finding));
}

/** Whether the lines of a finding's field are known; that of the config which decides is none of them. */
function isTraced({ at, origin, writtenAt, location }: Finding): boolean {
  return at === undefined || writtenAt !== undefined || (location?.exact === true && origin === undefined);
}

function covers(waiver: Waiver, finding: Finding): boolean {
  if (!matchesName(waiver.rule, finding.rule)) return false;
  const { target } = waiver;
  if (target !== undefined) {
    const written = finding.writtenAt ?? (finding.location === undefined || !finding.location.exact ? [] : [finding.location]);
    return [...written, ...(finding.declaredAt ?? [])].some(({ file, line }) => file === target.file && line === target.line);
  }
  if (!finding.environments.every((name) => isIn(waiver.in, name))) return false;
  if (waiver.of === undefined) return true;
  const [kind = "", ...rest] = finding.subject.split("/");
  return matchesSubject(waiver.of, kind, rest.join("/"), finding.container);
}

function owes(state: DebtState, finding: Finding): boolean {
  if (finding.rule === "debt-is-due" || state.due === true || state.exceeds) return false;
  return finding.environments.includes(state.environment) && finding.subject === state.at.subject && finding.field === state.at.field;
}
