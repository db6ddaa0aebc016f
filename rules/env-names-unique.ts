import {
  type Container,
  defineRule,
  type EnvEntry,
  extendsItself,
  type Facts,
  formatValues,
  gateState,
  isInline,
  isSameAssignment,
  lastOf,
  type Problem,
  shownPlace,
} from "../src/api.js";

export default defineRule({
  id: "env-names-unique",
  summary: "Each environment variable of a container is given once, so that no value is dead without anybody knowing",
  scope: "container",
  severity: "error",
  category: "configuration",
  facts: ["env", "gates"],
  *check(container, { facts, judged }) {
    const { entries } = container.env;
    if (entries.length === 0) return;
    judged();
    const inline = entries.filter((entry) => isInline(container, entry));
    const imported = entries.filter((entry) => !isInline(container, entry));
    yield* repeated(container, inline);
    yield* hidden(container, facts, inline, imported);
    if (facts.env?.ignoreCase === true) yield* twins(container, entries);
  },
});

function* repeated(container: Container, inline: readonly EnvEntry[]): Iterable<Problem> {
  const before = new Map<string, EnvEntry>();
  for (const entry of inline) {
    const earlier = before.get(entry.name);
    before.set(entry.name, entry);
    if (earlier === undefined || extendsItself(entry)) continue;
    const same = isSameAssignment(container, earlier, entry);
    const [first, second] = formatValues(earlier, entry);
    const twice = `"${container.name}" sets ${entry.name} twice in env`;
    const wins = entry.source.optional ? "the last one wins if it exists" : "the last one wins, the first is dead";
    yield {
      at: entry.at,
      message: same
        ? `${twice}, both times to ${entry.secret || earlier.secret ? "the same value" : second}`
        : `${twice}, to ${first} and then to ${second}: ${wins}`,
      hint: "keep one of the two: server-side apply, which Helm 4 installs with, refuses a name that stands twice",
      because: [{ term: "first", value: first, at: shownPlace(earlier) }],
      severity: same ? "warning" : "error",
    };
  }
}

function* hidden(container: Container, facts: Facts, inline: readonly EnvEntry[], imported: readonly EnvEntry[]): Iterable<Problem> {
  const given = lastOf(imported);
  for (const entry of lastOf(inline).values()) {
    const dead = given.get(entry.name);
    // A blank entry is the business of env-not-blank; what refers to the hidden value, or is the same before expansion, is meant.
    if (dead?.value === undefined || entry.value === undefined || entry.value.trim() === "" || extendsItself(entry)) continue;
    if (dead.value === entry.value || dead.value === entry.literal) continue;
    const [lost, won] = formatValues(dead, entry);
    const matters = whyItMatters(container, facts, entry.name);
    const winner = entry.source.kind === "env" ? "the inline value" : entry.source.label;
    yield {
      at: entry.literal === undefined ? entry.at : entry.at.key("value"),
      message: `${entry.name} of "${container.name}" is ${lost} in ${dead.source.label} and ${won} in env: ${[`${winner} wins, the ${dead.source.kind}'s is dead`, ...matters].join("; ")}`,
      hint: `set ${entry.name} in one place: in env, or in ${dead.source.label}`,
      because: [{ term: dead.source.label, value: lost, at: shownPlace(dead) }],
      severity: matters.length > 0 ? "error" : "warning",
    };
  }
}

function* twins({ name: container }: Container, entries: readonly EnvEntry[]): Iterable<Problem> {
  const spellings = new Map<string, EnvEntry>();
  for (const entry of lastOf(entries).values()) {
    const first = spellings.get(entry.name.toLowerCase());
    if (first === undefined) spellings.set(entry.name.toLowerCase(), entry);
    else
      yield {
        at: shownPlace(entry),
        message: `${entry.name} (${entry.source.label}) and ${first.name} (${first.source.label}) of "${container}" are one name to an application that ignores case: which of the two it reads is chance`,
        hint: "write the name one way, in one place",
        because: [{ term: "other spelling", value: first.name, at: shownPlace(first) }],
      };
  }
}

/** What the declared facts say about the name. */
function whyItMatters(container: Container, facts: Facts, name: string): readonly string[] {
  const gates = Object.values(facts.gates ?? {}).flatMap((gate) => {
    if (gate.armedBy.env === name)
      return [`gate "${gate.name}" counts as ${gateState(container, gate).armed === true ? "armed" : "not armed"}`];
    return gate.requires.flatMap(({ env, equals }) => (env === name ? [`gate "${gate.name}" requires "${equals}"`] : []));
  });
  const allowed = facts.env !== undefined && Object.hasOwn(facts.env.oneOf, name) ? facts.env.oneOf[name] : undefined;
  const choice = allowed === undefined ? [] : [`it has to be one of ${allowed.join(", ")}`];
  return [...gates, ...(facts.env?.required.includes(name) === true ? ["it is declared as required"] : []), ...choice];
}
