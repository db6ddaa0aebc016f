import {
  type BlankVariable,
  blankVariables,
  type Container,
  defineRule,
  isInline,
  listed,
  type Problem,
  sameName,
  shownPlace,
} from "../src/api.js";

export default defineRule({
  id: "env-not-blank",
  summary: "No blank value takes the place of a value that matters",
  scope: "container",
  severity: "error",
  category: "configuration",
  facts: ["env"],
  options: { others: false },
  *check(container, { facts, options, judged, ask }) {
    const { env } = container;
    if (env.entries.length === 0) return;
    const declared = facts.env?.neverBlank ?? [];
    const blanks = blankVariables(container);
    // A source that is not rendered may hold the key: what a blank hides there only a declared fact can tell.
    const undecided = blanks.some(
      ({ entry }) => isInline(container, entry) && env.opaque.some(({ prefix }) => entry.name.startsWith(prefix)),
    );
    if (undecided && facts.env === undefined) ask("env");
    else judged();
    for (const blank of blanks) {
      const isDeclared = declared.some((name) => sameName(name, blank.entry.name, facts.env?.ignoreCase === true));
      if (blank.hides !== undefined) yield hiding(container, blank, isDeclared);
      else if (isDeclared) yield declaredBlank(container, blank);
      else if (options["others"] === true && isInline(container, blank.entry)) yield other(container, blank);
    }
  },
});

function hiding(container: Container, { entry, hides }: BlankVariable, isDeclared: boolean): Problem {
  const from = hides?.source.label ?? "envFrom";
  return {
    at: entry.at.key("value"),
    message: `${entry.name} of "${container.name}" is blank in env and hides the value that ${from} gives it: the blank wins${isDeclared ? ", and the name is declared as never blank" : ""}`,
    hint: `leave ${entry.name} out of env while it has no value of its own`,
    because: hides === undefined ? [] : [{ term: "hidden", value: from, at: shownPlace(hides) }],
  };
}

function declaredBlank(container: Container, { entry, hiddenBy }: BlankVariable): Problem {
  const inline = isInline(container, entry);
  const later = hiddenBy.length === 0 ? "" : `, unless ${listed(hiddenBy.map(({ label }) => label))}, which comes later, sets it`;
  return {
    at: inline ? entry.at.key("value") : shownPlace(entry),
    message: `${entry.name} of "${container.name}" is blank in ${entry.source.label}, and it is declared as never blank${later}`,
    hint: `give ${entry.name} a value, or leave it out so that the application takes its own default`,
    severity: hiddenBy.length === 0 ? "error" : "warning",
  };
}

function other(container: Container, { entry }: BlankVariable): Problem {
  return {
    at: entry.at.key("value"),
    message: `${entry.name} of "${container.name}" is blank in env: the application sees a variable that is set, and set to nothing`,
    hint: `leave ${entry.name} out while it has no value`,
    severity: "warning",
  };
}
