import { describe, expect, it } from "vitest";
import { readComments } from "../src/comments.js";

const shown = (text: string, needsExpiry = false) => {
  const { waivers, faults } = readComments(text, "values.yaml", { needsExpiry });
  return {
    waivers: waivers.map(({ rule, until, because, target, origin }) => [rule, until, because, origin.line, target?.line]),
    faults: faults.map(({ message, origin }) => `${origin.line}:${origin.column} ${message}`),
  };
};

describe("waivers in comments", () => {
  it.each([
    ["at the end of a line", "a: 1 # helm-invariants: allow x-y -- known\n", [["x-y", undefined, "known", 1, 1]]],
    ["on the line above", "# helm-invariants: allow x-y until 2027-03-31 -- known\na: 1\n", [["x-y", "2027-03-31", "known", 1, 2]]],
    [
      "of two rules",
      "a: 1 # helm-invariants: allow x-y, acme/z until 2027-03-31 -- known: it is -- so\n",
      [
        ["x-y", "2027-03-31", "known: it is -- so", 1, 1],
        ["acme/z", "2027-03-31", "known: it is -- so", 1, 1],
      ],
    ],
    ["above other comments and blank lines", "# helm-invariants: allow x -- r\n# startup\n\n  a: 1\n", [["x", undefined, "r", 1, 4]]],
    ["with Windows line ends", "b: 2\r\n# helm-invariants: allow x -- r\r\na: 1\r\n", [["x", undefined, "r", 2, 3]]],
    ["in a template comment", "{{- /* helm-invariants: allow x -- r */ -}}\na: {{ .Values.a }}\n", [["x", undefined, "r", 1, 2]]],
  ])("%s", (_, text, waivers) => {
    expect(shown(text)).toEqual({ waivers, faults: [] });
  });

  it.each([
    ["without a reason", "a: 1 # helm-invariants: allow x-y\n", /1:6 the waiver of "x-y" gives no reason/],
    ["with an empty reason", "a: 1 # helm-invariants: allow x-y --  \n", /gives no reason/],
    ["with a date that is none", "a: 1 # helm-invariants: allow x-y until 2027-02-30 -- r\n", /valid until "2027-02-30", expected a date/],
    ["without a rule", "a: 1 # helm-invariants: allow -- r\n", /expected # helm-invariants: allow <rule>/],
    ["with another verb", "a: 1 # helm-invariants: ignore x -- r\n", /the comment says "ignore x -- r"/],
    ["with what is no rule id", "a: 1 # helm-invariants: allow * -- r\n", /allows "\*", which is no rule id/],
  ])("a comment %s waives nothing and says why", (_, text, fault) => {
    const { waivers, faults } = shown(text);
    expect(waivers).toEqual([]);
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });

  it("asks for a last day only when the config does", () => {
    expect(shown("a: 1 # helm-invariants: allow x -- r\n", true).faults).toEqual([expect.stringContaining("names no last day")]);
  });

  it("does not take a text that merely holds the words for one", () => {
    expect(shown('a: "helm-invariants: allow x -- r"\n')).toEqual({ waivers: [], faults: [] });
  });
});
