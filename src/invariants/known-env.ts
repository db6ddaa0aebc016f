import type { Container, EnvAnswer, EnvEntry, EnvSource } from "../model/types.js";

/** A variable of which the render does not tell what the expression asks. */
export class NotTold extends Error {
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The environment variables of some containers as `env` in an expression. What the render cannot tell is never read as absent: it throws
 * NotTold, which CEL's logic absorbs only where the other side decides.
 */
export class KnownEnv extends Map<string, string> {
  readonly #containers: readonly Container[];

  constructor(containers: readonly Container[]) {
    super();
    this.#containers = containers;
  }

  /** The value for certain; undefined when the variable is absent for certain. */
  override get(name: string): string | undefined {
    const { known, opaque, unknown } = this.#answers(name);
    const values = new Set(known.map(({ value }) => value));
    if (values.size > 1) throw new NotTold(name, `${name} has different values in ${listed(this.#containers)}: name one container in "of"`);
    const [value] = values;
    if (value !== undefined) return value;
    const [hidden] = opaque;
    if (hidden !== undefined) throw new NotTold(name, `${name} is set by ${hidden.entry.source.label}, which does not tell its value`);
    if (unknown.length > 0) throw new NotTold(name, mightBeSet(name, unknown));
    return undefined;
  }

  /** Whether a container sets the variable, to whatever value. */
  override has(name: string): boolean {
    const { known, opaque, unknown } = this.#answers(name);
    if (known.length + opaque.length > 0) return true;
    if (unknown.length > 0) throw new NotTold(name, mightBeSet(name, unknown));
    return false;
  }

  /** Names that the render sets, sorted. Sources that are not rendered may set more. */
  renderedNames(): string[] {
    return [...new Set(this.#containers.flatMap(({ env }) => env.entries.map(({ name }) => name)))]
      .filter((name) => this.#isSet(name))
      .sort();
  }

  /** All names, sorted. Throws NotTold when a source that is not rendered may set more. */
  names(): string[] {
    const sources = this.#containers.flatMap(({ env }) => env.opaque);
    if (sources.length > 0) throw new NotTold("", `the names are not all known: ${labels(sources)} may set more`);
    return this.renderedNames();
  }

  /** The entry that gives a variable its value, and sources that might set it again; undefined when the render does not tell. */
  entry(name: string): { readonly entry: EnvEntry; readonly hiddenBy: readonly EnvSource[] } | undefined {
    const { known, opaque } = this.#answers(name);
    return known[0] ?? opaque[0];
  }

  #isSet(name: string): boolean {
    const { known, opaque } = this.#answers(name);
    return known.length + opaque.length > 0;
  }

  #answers(name: string): {
    readonly known: readonly (EnvAnswer & { state: "known" })[];
    readonly opaque: readonly (EnvAnswer & { state: "opaque" })[];
    readonly unknown: readonly EnvSource[];
  } {
    const answers = this.#containers.map(({ env }) => env.get(name));
    return {
      known: answers.flatMap((answer) => (answer.state === "known" ? [answer] : [])),
      opaque: answers.flatMap((answer) => (answer.state === "opaque" ? [answer] : [])),
      unknown: answers.flatMap((answer) => (answer.state === "unknown" ? answer.sources : [])),
    };
  }
}

function mightBeSet(name: string, sources: readonly EnvSource[]): string {
  return `${name} might be set by ${labels(sources)}, which the render does not contain`;
}

function labels(sources: readonly EnvSource[]): string {
  return [...new Set(sources.map(({ label }) => label))].join(", ");
}

function listed(containers: readonly Container[]): string {
  return containers.map(({ name }) => `"${name}"`).join(", ");
}
