import {
  blankVariables,
  type Container,
  type Context,
  declaredAnswer,
  defineRule,
  type EnvAnswer,
  isInline,
  listed,
  type Problem,
  requiredVariables,
  sameName,
  shownPlace,
} from "../src/api.js";

export default defineRule({
  id: "required-config-present",
  summary: "Every variable that is declared as required reaches its container, with a value that is allowed",
  scope: "workload",
  severity: "error",
  category: "configuration",
  facts: ["env"],
  *check(workload, context) {
    const { containers } = workload;
    if (containers.every((container) => context.factsOf(container).env === undefined)) {
      if (containers.some(({ env }) => env.entries.length > 0 || env.opaque.length > 0)) context.ask("env");
      return;
    }
    for (const { name, candidates } of requiredVariables(workload, context.factsOf)) yield* required(name, candidates, context);
    for (const container of containers) yield* choices(container, context);
  },
});

function* required(name: string, candidates: readonly Container[], { factsOf, judged }: Context): Iterable<Problem> {
  const answers = candidates.map((container) => {
    const ignoreCase = factsOf(container).env?.ignoreCase === true;
    return { container, answer: declaredAnswer(container.env, name, ignoreCase), ignoreCase };
  });
  const set = answers.flatMap(({ answer, ...rest }) => ("entry" in answer ? [{ ...rest, answer }] : []));
  const [first] = candidates;
  if (set.length === 0) {
    if (first === undefined || answers.some(({ answer }) => answer.state === "unknown")) return;
    judged();
    const who = candidates.length > 1 ? `no container of ${first.workload.at.subject} gets it` : `"${first.name}" starts without it`;
    yield {
      at: first.at.key("env").item(first.env.entries.length, name),
      message: `${name} is declared as required, and nothing sets it: ${who}`,
      hint: `set ${name} in env, or in a ConfigMap or Secret that envFrom reads`,
    };
    return;
  }
  judged();
  for (const { container, answer, ignoreCase } of set) {
    const blank = blankVariables(container).find(({ entry }) => answer.state === "known" && entry === answer.entry);
    const declared = factsOf(container).env?.neverBlank.some((other) => sameName(other, name, ignoreCase));
    // What hides a value, or must never be blank, is the business of env-not-blank.
    if (blank === undefined || blank.hides !== undefined || declared === true) continue;
    yield problem(
      container,
      answer,
      `${blank.entry.name} of "${container.name}" is declared as required, and ${blank.entry.source.label} sets it to nothing`,
    );
  }
}

function* choices(container: Container, { factsOf, judged }: Context): Iterable<Problem> {
  const { env } = factsOf(container);
  if (env === undefined) return;
  for (const [name, allowed] of Object.entries(env.oneOf)) {
    const answer = declaredAnswer(container.env, name, env.ignoreCase);
    if (answer.state !== "known") continue;
    judged();
    const { value, entry } = answer;
    const isBlank = value.trim() === "" && [...env.required, ...env.neverBlank].some((other) => sameName(other, name, env.ignoreCase));
    if (allowed.includes(value) || isBlank) continue;
    const found = entry.secret ? "has another value" : `is "${value}"`;
    yield problem(
      container,
      answer,
      `${entry.name} of "${container.name}" ${found} in ${entry.source.label}, expected ${allowed.length === 1 ? "" : "one of "}${allowed.map((each) => `"${each}"`).join(", ")}`,
    );
  }
}

type SetAnswer = Extract<EnvAnswer, { entry: unknown }>;

function problem(container: Container, answer: SetAnswer, message: string): Problem {
  const { entry, hiddenBy } = answer;
  const later = hiddenBy.length === 0 ? "" : `; ${listed(hiddenBy.map(({ label }) => label))} comes later and could change it`;
  return {
    at: isInline(container, entry) && entry.literal !== undefined ? entry.at.key("value") : shownPlace(entry),
    message: message + later,
    severity: hiddenBy.length === 0 ? "error" : "warning",
  };
}
