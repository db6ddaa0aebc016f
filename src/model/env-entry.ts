import type { Place } from "../manifest/place.js";
import { isSecretKey, isSecretText } from "../secret-names.js";
import { mappingsOf } from "./read.js";
import { referencesIn } from "./reference.js";
import type { Container, EnvEntry } from "./types.js";

/** Whether the entry is an element of `env`; else it is a key of an `envFrom` source. */
export function isInline(container: Container, { source }: EnvEntry): boolean {
  return source.at.path[container.at.path.length] === "env";
}

/** The entry of each name that is assigned last. */
export function lastOf(entries: readonly EnvEntry[]): ReadonlyMap<string, EnvEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** Whether the value is made from the earlier one of the same name, as in `PATH: $(PATH):/opt/bin`. */
export function extendsItself({ name, literal }: EnvEntry): boolean {
  return literal !== undefined && referencesIn(literal).includes(name);
}

/** Whether two elements of `env` give the same value for certain: equal values, or the same source where the render does not tell the value. */
export function isSameAssignment(container: Container, a: EnvEntry, b: EnvEntry): boolean {
  if (a.literal !== undefined && a.literal === b.literal) return true;
  if (a.value !== undefined && b.value !== undefined) return a.value === b.value;
  const elements = mappingsOf(container.body["env"]);
  const [first, second] = [a, b].map(({ at }) => {
    const last = at.path.at(-1);
    return JSON.stringify(elements.find(({ index }) => typeof last === "object" && last.index === index)?.body);
  });
  return first === second;
}

/** Two values for a message, the beginning of long ones. Where one comes from a Secret, or is called or looks like one, neither is shown: what replaces a password is one. */
export function formatValues(...entries: readonly [EnvEntry, EnvEntry]): readonly [string, string] {
  const secret = entries.some(({ secret, name, value }) => secret || isSecretKey(name) || (value !== undefined && isSecretText(value)));
  const shown = ({ value, source }: EnvEntry, hidden: string): string => {
    if (value === undefined) return `a value from ${source.label}`;
    return secret ? hidden : `"${value.length > 60 ? `${value.slice(0, 57)}…` : value}"`;
  };
  return [shown(entries[0], "one value"), shown(entries[1], "another")];
}

/** The place of an entry that may be shown with its line: of a key of a Secret it is the element that reads it. */
export function shownPlace({ secret, at, source }: EnvEntry): Place {
  return secret ? source.at : at;
}
