import type { Place } from "../manifest/place.js";
import { isServiceVariable } from "./env.js";
import { isInline } from "./env-entry.js";
import { asString, asStrings, mappingsOf } from "./read.js";
import { referencesIn } from "./reference.js";
import type { Container } from "./types.js";

/** A `$(NAME)` that the kubelet leaves as it stands. */
export interface UndefinedReference {
  readonly name: string;
  /** The field whose text refers to it. */
  readonly at: Place;
  /** `nowhere` in the container, or by the same element of `env`, or by one that comes `later`. */
  readonly defined: "nowhere" | "itself" | "later";
  /** The element of `env` that defines it too late. */
  readonly definition?: Place;
  /** False when an `envFrom` source that is not rendered might define it before. */
  readonly certain: boolean;
}

/**
 * References that nothing defines in time: for an `env` value the `envFrom` keys, the elements before it and Services count (item 116), for command,
 * args and subPathExpr the whole environment (items 118, 119). What a source that is not rendered may define, and what may be a shell's command
 * substitution, is left out.
 */
export function undefinedReferences(container: Container): readonly UndefinedReference[] {
  const { at, body, env } = container;
  const elements = mappingsOf(body["env"]).flatMap(({ body: element, index }) => {
    const name = asString(element["name"]);
    return name === undefined ? [] : [{ name, text: asString(element["value"]) ?? "", at: at.key("env").item(index, name) }];
  });
  const imported = new Set(env.entries.flatMap((entry) => (isInline(container, entry) ? [] : [entry.name])));
  const isOpen = (name: string) => env.opaque.some(({ prefix }) => name.length > prefix.length && name.startsWith(prefix));
  const isGiven = (name: string) => imported.has(name) || isServiceVariable(name, container.workload) || mayBeService(name, container);
  const inValues = elements.flatMap(({ text, at: element, name: own }, position) =>
    [...new Set(referencesIn(text))].flatMap((name): readonly UndefinedReference[] => {
      const first = elements.findIndex((other) => other.name === name);
      if (isGiven(name) || (first >= 0 && first < position)) return [];
      const at = element.key("value");
      const later = elements[first];
      if (later !== undefined)
        return [{ name, at, defined: name === own ? "itself" : "later", definition: later.at, certain: !isOpen(name) }];
      return isOpen(name) || !isVariable(name) ? [] : [{ name, at, defined: "nowhere", certain: true }];
    }),
  );
  const names = new Set(elements.map(({ name }) => name));
  const inCommand = textsOf(container).flatMap(({ text, at: place }) =>
    [...new Set(referencesIn(text))].flatMap((name): readonly UndefinedReference[] =>
      names.has(name) || isGiven(name) || isOpen(name) || !isVariable(name) ? [] : [{ name, at: place, defined: "nowhere", certain: true }],
    ),
  );
  return [...inValues, ...inCommand];
}

/** The texts that are expanded against the whole environment. */
function textsOf({ at, body }: Container): readonly { readonly text: string; readonly at: Place }[] {
  const list = (key: string) => asStrings(body[key]).map((text, index) => ({ text, at: at.key(key).item(index) }));
  const mounts = mappingsOf(body["volumeMounts"]).flatMap(({ body: mount, index }) => {
    const text = asString(mount["subPathExpr"]);
    return text === undefined ? [] : [{ text, at: at.key("volumeMounts").item(index, asString(mount["name"])).key("subPathExpr") }];
  });
  return [...list("command"), ...list("args"), ...mounts];
}

/** Whether the text between the parentheses is the name of a variable and no command: `$(hostname)` and `$(date +%s)` are the shell's. */
function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && /[A-Z_\d]/.test(name);
}

/** Whether a Service that another chart renders may bring the name. */
function mayBeService(name: string, { workload }: Container): boolean {
  return workload.pod.body["enableServiceLinks"] !== false && /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)/.test(name);
}
