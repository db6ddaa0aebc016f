import type { Note, Term } from "../findings.js";
import { compile, type Program } from "./engine.js";
import type { Reference } from "./references.js";
import type { Subject } from "./subject.js";
import { shownScalar } from "./values.js";

/** A variable or field whose value findings show. */
export interface Shown {
  readonly reference: Reference;
  readonly program: Program;
}

/** What expressions read, each once, in their order, ready to be evaluated by itself. */
export function shownIn(references: readonly Reference[]): readonly Shown[] {
  const byText = new Map<string, Shown>();
  for (const reference of references) {
    if (byText.has(reference.text)) continue;
    const program = compile(reference.text);
    if ("run" in program) byText.set(reference.text, { reference, program });
  }
  return [...byText.values()];
}

/** The values that decided, with their places. What is no scalar, has no value or comes from a Secret is not shown. */
export function termsOf(shown: readonly Shown[], subject: Subject): readonly Term[] {
  return shown.flatMap(({ reference, program }): Term[] => {
    const value = valueText({ reference, program }, subject);
    if (value === undefined) return [];
    const at = attempt(() => subject.placeOf(reference));
    return [subject.declared({ term: reference.text, value, ...(at && { at }) }, reference)];
  });
}

/** `seen: replicas.floor is 3, env["X"] is "Localhost"`, and what might set a variable again. */
export function notesOf(terms: readonly Term[], shown: readonly Shown[], subject: Subject): readonly Note[] {
  const seen = terms.map(({ term, value }) => `${term} is ${value}`).join(", ");
  const hidden = shown.flatMap(({ reference: { root, path } }) => {
    const [name] = path;
    const sources = root === "env" && typeof name === "string" ? (attempt(() => subject.env?.entry(name)?.hiddenBy) ?? []) : [];
    return sources.length === 0 ? [] : [`${sources.map(({ label }) => label).join(", ")} might set ${name} again`];
  });
  return [...(seen === "" ? [] : [{ label: "seen", text: seen }]), ...hidden.map((text) => ({ label: "where", text }))];
}

/** A piece of a message: text, or a value to put in. */
export type Piece = string | Shown;

/** Takes `{replicas.floor}` out of a message; braces that hold anything but a variable with literal fields stay as they are. */
export function readMessage(text: string): readonly Piece[] {
  return text.split(/(\{[^{}\n]+\})/).map((part) => {
    const program = /^\{.*\}$/.test(part) ? compile(part.slice(1, -1).trim()) : undefined;
    if (program === undefined || !("run" in program)) return part;
    const [reference] = program.references;
    return reference !== undefined && program.references.length === 1 && isWhole(reference, program.text) ? { reference, program } : part;
  });
}

/** The message with its values; texts stand without quotes, since the message brings its own. */
export function sayMessage(pieces: readonly Piece[], subject: Subject): string {
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      const value = valueText(piece, subject);
      if (value === undefined) return `{${piece.reference.text}}`;
      return value.startsWith('"') ? String(JSON.parse(value)) : value;
    })
    .join("");
}

function isWhole(reference: Reference, text: string): boolean {
  const bare = (written: string) => written.replace(/[\s"']/g, "");
  return bare(reference.text) === bare(text);
}

function valueText({ reference, program }: Shown, subject: Subject): string | undefined {
  if (attempt(() => subject.isSecret(reference)) !== false) return undefined;
  return shownScalar(attempt(() => program.run(subject.inputs)));
}

/** What cannot be read is not shown; that it cannot be read is said elsewhere. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
