import type { Failure, Finding, Remark } from "./findings.js";
import type { Manifests } from "./manifest/types.js";

const mask = "***";
/** Shorter ones stand in every second word. */
const shortest = 4;
const mostValues = 5_000;

/** Replaces what stands in Secrets, and nowhere else, by `***`. */
export type Redact = (text: string) => string;

/** A function that hides every value of the Secrets of some renders, plain and in base64; what other objects show as well is no secret. */
export function redactorOf(renders: readonly Manifests[]): Redact {
  // A clean run shows nothing, and need not read its Secrets for that.
  let redact: Redact | undefined;
  return (text) => {
    redact ??= redactorFor(renders);
    return redact(text);
  };
}

function redactorFor(renders: readonly Manifests[]): Redact {
  const values = new Set<string>();
  for (const manifests of renders) {
    const secrets = manifests.ofKind("Secret");
    if (secrets.length === 0) continue;
    const own = new Set(secrets.flatMap(({ body }) => [...textsIn(body["stringData"], false), ...textsIn(body["data"], true)]));
    if (own.size === 0) continue;
    const elsewhere = manifests.all.filter(({ kind }) => kind !== "Secret").map(({ text }) => text);
    for (const value of own) {
      if (values.size >= mostValues) break;
      if (value.length >= shortest && !isPlain(value) && !elsewhere.some((text) => text.includes(value))) values.add(value);
    }
  }
  if (values.size === 0) return (text) => text;
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((shown, value) => (shown.includes(value) ? replaceWhole(shown, value) : shown), text);
}

/** A short value is hidden only where it stands alone, so that it does not eat into words. */
function replaceWhole(text: string, value: string): string {
  if (value.length >= 8) return text.replaceAll(value, mask);
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, "g"), () => mask);
}

/** Words that say nothing of a secret. */
function isPlain(value: string): boolean {
  return /^(?:true|false|null|none|default|\d{1,5})$/i.test(value.trim());
}

function textsIn(data: unknown, encoded: boolean): readonly string[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.values(data).flatMap((value) => {
    if (typeof value !== "string" && typeof value !== "number") return [];
    const text = String(value);
    const whole = encoded ? [text, Buffer.from(text, "base64").toString("utf8")] : [text];
    // of a text of many lines each line is one
    return whole.flatMap((part) => [part, ...part.split(/\r?\n/).map((line) => line.trim())]);
  });
}

/** A finding without secret values in anything that is shown. */
export function redactFinding(finding: Finding, redact: Redact): Finding {
  return {
    ...finding,
    message: redact(finding.message),
    ...(finding.hint !== undefined && { hint: redact(finding.hint) }),
    notes: finding.notes.map((note) => ({ ...note, text: redact(note.text) })),
    because: finding.because.map((term) => (typeof term.value === "string" ? { ...term, value: redact(term.value) } : term)),
    related: finding.related.map((related) => ({ ...related, message: redact(related.message) })),
    excerpts: finding.excerpts.map((excerpt) => ({ ...excerpt, lines: excerpt.lines.map(redact) })),
  };
}

/** A failure or remark without secret values. */
export function redactMessage<T extends Failure | Remark>(said: T, redact: Redact): T {
  return { ...said, message: redact(said.message) };
}
