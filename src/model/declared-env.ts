import type { Facts } from "../config/types.js";
import { isInline } from "./env-entry.js";
import type { Container, EnvAnswer, EnvEntry, EnvTable, Workload } from "./types.js";

/** What the environment says of a declared name; where case does not matter, of another spelling of it when the exact one is not set. */
export function declaredAnswer(env: EnvTable, name: string, ignoreCase: boolean): EnvAnswer {
  const exact = env.get(name);
  if (!ignoreCase || exact.state === "known" || exact.state === "opaque") return exact;
  const spelling = env.entries.findLast((entry) => sameName(entry.name, name, true))?.name;
  return spelling === undefined ? exact : env.get(spelling);
}

/** Whether two names of variables are one. */
export function sameName(a: string, b: string, ignoreCase: boolean): boolean {
  return a === b || (ignoreCase && a.toLowerCase() === b.toLowerCase());
}

/** A variable that the container surely sees blank, unless one of `hiddenBy` sets it after all. */
export interface BlankVariable {
  readonly entry: EnvEntry;
  readonly hiddenBy: readonly EnvEntry["source"][];
  /** The `envFrom` key whose value the blank element of `env` takes away; its value is not blank, or the render does not tell it. */
  readonly hides: EnvEntry | undefined;
}

/** The variables of a container that are set to nothing, or to white space alone; each name once. */
export function blankVariables(container: Container): readonly BlankVariable[] {
  const { env } = container;
  const names = new Set(env.entries.map(({ name }) => name));
  return [...names].flatMap((name) => {
    const answer = env.get(name);
    if (answer.state !== "known" || answer.value.trim() !== "") return [];
    const { entry, hiddenBy } = answer;
    const before = isInline(container, entry)
      ? env.entries.findLast((other) => other.name === name && !isInline(container, other))
      : undefined;
    return [{ entry, hiddenBy, hides: before?.value?.trim() === "" ? undefined : before }];
  });
}

/**
 * Each name that is declared as required, with the containers of which one has to get it: a list that is declared for the whole workload does not
 * speak of every sidecar, and of no init container; a list of a container's own speaks of that one.
 */
export function requiredVariables(
  workload: Workload,
  factsOf: (subject: Container | Workload) => Facts,
): readonly { readonly name: string; readonly candidates: readonly Container[] }[] {
  const whole = factsOf(workload).env?.required ?? [];
  const ofContainer = (container: Container) => factsOf(container).env?.required ?? [];
  const isWhole = (container: Container) => ofContainer(container).join("\n") === whole.join("\n");
  const shared = workload.containers.filter((container) => container.role !== "init" && isWhole(container));
  const own = workload.containers.filter((container) => !isWhole(container));
  return [
    ...(shared.length === 0 ? [] : whole.map((name) => ({ name, candidates: shared }))),
    ...own.flatMap((container) => ofContainer(container).map((name) => ({ name, candidates: [container] }))),
  ];
}
