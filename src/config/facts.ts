import { isIn, matchesName, matchesSubject } from "../subject.js";
import { isRecord, quote } from "./complaints.js";
import type { Config, DeclaredFacts, EnvFacts, FactEntry, Facts, GateFact, Reading } from "./types.js";

export { matchesName, matchesSubject };

/**
 * Everything that a config declares about a workload, or about one of its containers, in one environment. A `side` container is not the main one: of
 * what is said of the whole workload, what only the main process can mean does not hold for it. Frozen; durations in seconds, sizes in bytes. */
export function resolveFacts(
  config: Config,
  environment: string,
  subject: { readonly kind: string; readonly name: string },
  container?: string,
  side = false,
): Facts {
  const applies = (entry: { readonly of: string; readonly in: readonly string[] | undefined }): boolean =>
    isIn(entry.in, environment) && matchesSubject(entry.of, subject.kind, subject.name, container);
  const own = ({ of }: FactEntry) => !matchesSubject(of, subject.kind, subject.name);
  const entries = config.facts
    .filter(applies)
    .map((entry) => (side && !own(entry) ? { ...entry, facts: withoutProcess(entry.facts) } : entry));
  const { env, gates, ...rest } = mergedFacts(entries);
  return freeze({
    ...rest,
    ...(env === undefined ? {} : { env: wholeEnv(env) }),
    ...(gates === undefined ? {} : { gates: wholeGates(gates) }),
    readings: config.readings.filter(applies),
    ...declarations(entries),
  });
}

/** What is said of a whole workload is said of its main process: how long it boots, where it listens, which hosts and paths it answers. */
function withoutProcess(facts: FactEntry["facts"]): FactEntry["facts"] {
  const { boot, listen, basePath, serves, allowedHosts, ...rest } = facts;
  return rest;
}

/** Where each fact is declared last; what an entry does not say of this container is left out. */
function declarations(entries: readonly FactEntry[]): Pick<Facts, "declaredAt"> {
  const origins = entries.flatMap(({ facts, declaredAt }) =>
    Object.entries(declaredAt).filter(([path]) => Object.hasOwn(facts, path.split(".")[0] ?? "")),
  );
  return origins.length === 0 ? {} : { declaredAt: Object.fromEntries(origins) };
}

function mergedFacts(entries: readonly FactEntry[]): DeclaredFacts {
  return entries.reduce<DeclaredFacts>((merged, entry) => merge(merged, entry.facts), {});
}

/** Maps merge key by key; lists and scalars of `later` replace. */
function merge<T extends object>(earlier: T, later: T): T {
  const pairs = new Map<string, unknown>(Object.entries(earlier));
  for (const [key, value] of Object.entries(later)) {
    const before = pairs.get(key);
    pairs.set(key, isRecord(before) && isRecord(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(pairs) as T;
}

function wholeEnv(env: Partial<EnvFacts>): EnvFacts {
  return { required: [], neverBlank: [], oneOf: {}, reads: [], ignoreCase: false, ...env };
}

/** Gates that say how they are armed and where they are read; `unmatchedFacts` names the others. */
function wholeGates(gates: Readonly<Record<string, Partial<GateFact>>>): Readonly<Record<string, GateFact>> {
  const whole = Object.entries(gates).flatMap(([name, { armedBy, readAt, ...gate }]) =>
    armedBy === undefined || readAt === undefined ? [] : [[name, { check: name, requires: [], ...gate, name, armedBy, readAt }] as const],
  );
  return Object.fromEntries(whole);
}

/** A subject that was rendered in an environment. */
export interface RenderedSubject {
  readonly environment: string;
  readonly kind: string;
  readonly name: string;
  readonly containers: readonly string[];
}

/** Facts and readings that stand for nothing that was rendered, and gates that stay incomplete for a subject; environments without any subject are left alone. */
export function unmatchedFacts(
  config: Config,
  subjects: readonly RenderedSubject[],
): readonly { readonly entry: FactEntry | Reading; readonly message: string }[] {
  const looked = [...new Set(subjects.map((subject) => subject.environment))];
  const isUnmatched = (entry: FactEntry | Reading): boolean =>
    looked.some((environment) => isIn(entry.in, environment)) && !subjects.some((subject) => standsFor(entry, subject));
  const where = (entry: FactEntry | Reading): string =>
    `${quote(entry.of)}, which matches nothing that was rendered${entry.in === undefined ? "" : ` in ${entry.in.join(", ")}`}`;
  const facts = config.facts.flatMap((entry, i) =>
    isUnmatched(entry) ? [{ entry, message: `facts[${i}] is about ${where(entry)}` }] : [],
  );
  const seen = new Set<string>();
  const readings = config.readings.filter(isUnmatched).flatMap((entry) => {
    const message = `a reading of ${entry.endpoint} is about ${where(entry)}`;
    // A file of many readings of one endpoint is one thing to correct.
    if (seen.has(entry.origin.file + message)) return [];
    seen.add(entry.origin.file + message);
    return [{ entry, message }];
  });
  return [...facts, ...incompleteGates(config, subjects), ...readings];
}

function standsFor(entry: { readonly of: string; readonly in: readonly string[] | undefined }, subject: RenderedSubject): boolean {
  const { environment, kind, name, containers } = subject;
  if (!isIn(entry.in, environment)) return false;
  return matchesSubject(entry.of, kind, name) || containers.some((container) => matchesSubject(entry.of, kind, name, container));
}

function incompleteGates(
  config: Config,
  subjects: readonly RenderedSubject[],
): readonly { readonly entry: FactEntry; readonly message: string }[] {
  const told = new Set<string>();
  return subjects.flatMap(({ environment, kind, name, containers }) =>
    [undefined, ...containers].flatMap((container) => {
      const applying = config.facts.filter((entry) => isIn(entry.in, environment) && matchesSubject(entry.of, kind, name, container));
      const gates = mergedFacts(applying).gates ?? {};
      return Object.entries(gates).flatMap(([gate, { armedBy, readAt }]) => {
        const missing = armedBy === undefined ? "armedBy" : "readAt";
        const entry = applying.find(({ facts }) => facts.gates !== undefined && Object.hasOwn(facts.gates, gate));
        const message = `gate ${quote(gate)} has no ${missing} for ${kind}/${name} in ${environment}, so nothing is checked for it there`;
        if ((armedBy !== undefined && readAt !== undefined) || entry === undefined || told.has(message)) return [];
        told.add(message);
        return [{ entry, message }];
      });
    }),
  );
}

/** Freezes a tree of plain data. */
export function freeze<T>(tree: T): T {
  if (typeof tree !== "object" || tree === null || Object.isFrozen(tree)) return tree;
  for (const value of Object.values(tree)) freeze(value);
  return Object.freeze(tree);
}
