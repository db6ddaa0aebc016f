import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument, stringify } from "yaml";
import { commentsNear } from "../src/manifest/comments.js";
import { excerptLines, locate, locateKey } from "../src/manifest/locate.js";
import { parseManifests } from "../src/manifest/parse.js";
import type { Segment } from "../src/manifest/place.js";
import { repair } from "../src/manifest/repair.js";
import { readTree } from "../src/manifest/similar.js";
import { readSyntax, repairedText } from "../src/manifest/syntax.js";
import type { Manifest } from "../src/manifest/types.js";
import { yaml11 } from "../src/manifest/yaml-1-1.js";

/** Texts that YAML forbids, and what helm 4.1.4 reads in them. */
const taken: readonly (readonly [why: string, text: string, value: unknown])[] = [
  ["a double-quoted scalar as deep as its key", 'a:\n  b: "x\n  y"\n  c: 1', { a: { b: "x y", c: 1 } }],
  ["a single-quoted scalar as deep as its key", "a:\n  b: 'x\n  y'\n  c: 1", { a: { b: "x y", c: 1 } }],
  ["a quoted scalar that starts on the line after its quote", 'e:\n- v: "\n  -Da=b\n    "\n  w: 1', { e: [{ v: " -Da=b ", w: 1 }] }],
  ["a quoted scalar at column 0", "a:\n  b:\n  - 'x\ny''s\n\nz'\n  - q", { a: { b: ["x y's\nz", "q"] } }],
  ["its end with a bracket on a line of its own", "a:\n  b: ['x;\n  ']\n  c: 1", { a: { b: ["x; "], c: 1 } }],
  ["its end at column 0", 'a:\n  f: "x\n    y\n}"\n', { a: { f: "x y }" } }],
  ["its end below the dash", "a:\n    - b: 'x\n   '", { a: [{ b: "x " }] }],
  ["escaped line breaks", 'a:\n    - "curl \\\n  -H \\"x\\" \\\n  y"', { a: ['curl -H "x" y'] }],
  ["a tab before what goes on", 'a: "x\n\ty"', { a: "x y" }],
  ["a line that looks like a comment", 'a: "x\n# y"\nb: 1', { a: "x # y", b: 1 }],
  ["a line that looks like a key", "a: 'x\nb: y'\nc: 1", { a: "x b: y", c: 1 }],
  ["CRLF", 'a: "x\r\ny"\r\nb: 1\r\n', { a: "x y", b: 1 }],
  ["a quoted scalar below its tag", 'a: !!str\n  "x\ny"', { a: "x y" }],
  ["a quoted scalar in a list in a list", '- - "x\ny"\n  - z', [["x y", "z"]]],
  ["a flow sequence as deep as its key", "a:\n  c: [ b,\n  'd', \"e f\" ]\n  v:\n  - m: 1", { a: { c: ["b", "d", "e f"], v: [{ m: 1 }] } }],
  ["a flow mapping at column 0", 'a:\n  b: {\n"c": 1,\n"d": [\n2\n]\n}\n  e: 1', { a: { b: { c: 1, d: [2] }, e: 1 } }],
  ["a flow collection of a list element", "a:\n- b: [x,\n  z]\n  c: 1", { a: [{ b: ["x", "z"], c: 1 }] }],
  ["a comma at the start of a line", "a: [b\n, c\n, {d: e\n}]", { a: ["b", "c", { d: "e" }] }],
  ["tabs in a flow collection", 'a: {\n\t"b": 1,\n\t"c": [\n\t\t"2"\n\t]\n}', { a: { b: 1, c: ["2"] } }],
  ["a plain scalar that goes on in it", "a: [b c\nd\ne, f]", { a: ["b c d e", "f"] }],
  ["a quoted scalar that goes on in it", "a: [\"-c\", 'echo ''\n{\n  \"x\": [\n'''\n]", { a: ["-c", "echo ' { \"x\": [ '"] }],
  ["brackets and quotes in its comments", "a: [ # it's ] \"\nb,\n# it's [\nc]\nd: 1", { a: ["b", "c"], d: 1 }],
  ["a comment at column 0 in it", "a: {b: 1\n# c\n  , d: 2\n# e\n}", { a: { b: 1, d: 2 } }],
  ["a comment right behind a comma", "a: [b,#c\n  d]", { a: ["b", "d"] }],
  ["a comment right behind a bracket", "a: [#c\n  d]", { a: ["d"] }],
  ["the escape \\'", 'a: "it\\\'s"\nb: "\\\\\'"', { a: "it's", b: "\\'" }],
  ["the header of a block scalar as deep as its key", "a:\n  b:\n  |-\n    x\n     y\n  c: 1", { a: { b: "x\n y", c: 1 } }],
  [
    "what looks like all that in a block scalar, beside the thing itself",
    'a: |\n  "x\n\n  {b,#c\nb: "d\ne"',
    { a: '"x\n\n{b,#c\n', b: "d e" },
  ],
  ["a block scalar that says its indentation", 'a:\n- |1-\n   "x\n  y\n- "d\ne"', { a: ['  "x\n y', "d e"] }],
  ["quotes in plain scalars", "a: it's\n  \"b\nc: d'e\nf: 'g\nh'", { a: "it's \"b", c: "d'e", f: "g h" }],
  ["quoted keys, and keys that are flow collections' elements", '"a b": "c\nd"\n\'e\': {"f": "g\nh"}', { "a b": "c d", e: { f: "g h" } }],
  ["anchors and aliases", 'a: &x "b\nc"\nd: *x\n&k e: [\n*x\n]', { a: "b c", d: "b c", e: ["b c"] }],
  ["explicit keys", '? a\n: "b\nc"', { a: "b c" }],
];

/** Texts that helm refuses too. */
const refused: readonly (readonly [why: string, text: string])[] = [
  ["a quote without end", 'a: "b\nc: d'],
  ["a quote that ends at the next one", 'a: "b\nc: d\ne: "f"'],
  ["a bracket without end", "a: [b,\nc"],
  ["a bracket without start", 'a: "b\nc"\nd: ]'],
  ["a value below its key", 'a:\n"b"\nc: "d\ne"'],
  ["a separator within quotes", 'a: "b\n---\nc"'],
  ["a block scalar that is less deep than its key", "a:\n  b:\n|\n    x"],
  ["two values", 'a: b\n|\n  c\nd: "e\nf"'],
  ["bad indentation", 'a: "b\nc"\n d: e'],
];

/** Line breaks that only one of the two knows, and text after the first node, which helm drops in silence: better said than guessed. */
const left: readonly (readonly [why: string, text: string])[] = [
  ["a lone carriage return", 'a: "b\nc\rd"'],
  ["a next line character", 'a: "b\nc\u0085d"'],
  ["a line that is less deep than the first", '  a: "b\nc"\nd: e'],
];

const chart = `---
# Source: shop/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    note: "first
second"
  name: web
spec:
  replicas: 2
  args: ["-c", "one
two", three,
  'four', {five: 5}] # tail
  quoted: "it\\'s" # it's
`;

function only(text: string): Manifest {
  const { all } = parseManifests(text);
  expect(all).toHaveLength(1);
  return all[0] as Manifest;
}

function shown(text: string, path: readonly Segment[], find = locate): string {
  const range = find(only(text), path);
  const line = text.split("\n")[range.line - 1] ?? "";
  return `${range.line}:${line.slice(range.column - 1, range.endColumn - 1)}${range.exact ? "" : " (near)"}`;
}

function isStrict(text: string): boolean {
  return parseDocument(text, yaml11).errors.length === 0;
}

function meaning(text: string): unknown {
  try {
    return readTree(text).root;
  } catch {
    return undefined;
  }
}

describe("texts that only helm takes", () => {
  it.each(taken)("%s", (_, text, value) => {
    expect(isStrict(text)).toBe(false);
    expect(readTree(text).root).toEqual(value);
    expect(repair(text)?.text.split("\n")).toHaveLength(text.split("\n").length);
  });

  it.each([...refused, ...left])("stay refused: %s", (_, text) => {
    expect(() => readTree(text)).toThrow();
  });

  it("are faults with the words and the line of the text as it is", () => {
    const manifests = parseManifests('a: "b\nc"\nd: [e\n');
    expect(manifests.all).toEqual([]);
    expect(manifests.faults).toMatchObject([{ line: 1, message: 'the document cannot be read as YAML: missing closing "quote' }]);
  });
});

describe("ranges are those of the text as it was written", () => {
  it.each<[readonly Segment[], string]>([
    [["metadata", "annotations", "note"], "7:note"],
    [["metadata", "name"], "9:web"],
    [["spec", "replicas"], "11:2"],
    [["spec", "args"], "12:args"],
    [["spec", "args", { index: 0 }], '12:"-c"'],
    [["spec", "args", { index: 1 }], '12:"one'],
    [["spec", "args", { index: 2 }], "13:three"],
    [["spec", "args", { index: 3 }], "14:'four'"],
    [["spec", "args", { index: 4 }, "five"], "14:5"],
    [["spec", "quoted"], '15:"it\\\'s"'],
    [["spec", "nope"], "10:spec (near)"],
  ])("%j is %s", (path, text) => {
    expect(shown(chart, path)).toBe(text);
  });

  it("of keys too", () => {
    expect(shown(chart, ["spec", "args", { index: 4 }, "five"], locateKey)).toBe("14:five");
    expect(shown(chart, ["spec", "quoted"], locateKey)).toBe("15:quoted");
  });

  it("and of duplicate keys and comments", () => {
    const manifest = only(`${chart}  args: [\n]\n`);
    expect(manifest.duplicateKeys).toMatchObject([{ key: "args", line: 16 }]);
    expect(commentsNear(only(chart), ["spec", "quoted"])).toEqual([{ text: "it's", line: 15 }]);
    const hash = only(`${chart}  text: "a\n  # no comment"\n  b: 1 # yes\n`);
    expect(commentsNear(hash, ["spec"]).map(({ line }) => line)).not.toContain(17);
  });

  it("so no value of a Secret is shown", () => {
    const secret = only('apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  a: "hush\nhush"\n  b: [\nhush]\n');
    expect(excerptLines(secret, 1, 99).lines.join("\n")).not.toContain("hush");
  });

  it("and the name is found behind a quoted value at the start of a line", () => {
    expect(only(chart).name).toBe("web");
  });

  it("for every offset: those of an insertion are where it was made", () => {
    const repaired = repair('a: "b\nc"\nd: "it\\\'s"');
    expect(repaired?.text).toBe('a: "b\n c"\nd: "it\'s"');
    const { length } = repaired?.text ?? "";
    const offsets = Array.from({ length: length + 1 }, (_, offset) => repaired?.original(offset));
    expect(offsets).toEqual([0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19]);
  });
});

describe("whatever the layout", () => {
  const word = fc.constantFrom(
    "a",
    "it's",
    'say "hi"',
    "a: b",
    "# no",
    "l1\nl2",
    "one two three four five six seven",
    "[",
    "a,b",
    "- q",
    "",
    "x\n\ny",
  );
  const tree = fc.letrec((tie) => ({
    node: fc.oneof({ depthSize: "small" }, word, fc.integer(), tie("map"), tie("list")),
    list: fc.array(tie("node"), { maxLength: 3 }),
    map: fc.dictionary(word, tie("node"), { maxKeys: 4 }),
  })).map;
  const layout = fc.record({
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    lineWidth: fc.constantFrom(20, 80),
    collectionStyle: fc.constantFrom("any" as const, "flow" as const, "block" as const),
    defaultStringType: fc.constantFrom("PLAIN" as const, "BLOCK_FOLDED" as const, "QUOTE_DOUBLE" as const, "QUOTE_SINGLE" as const),
    doubleQuotedMinMultiLineLength: fc.constant(5),
  });

  it("a text that is YAML is never changed", () => {
    fc.assert(
      fc.property(tree, layout, fc.nat(), fc.nat(), (value, options, from, to) => {
        const lines = stringify(value, options).split("\n");
        lines.splice(to % lines.length, 0, lines[from % lines.length] ?? "");
        const text = lines.join("\n");
        if (!isStrict(text)) return;
        expect(repairedText(readSyntax(text)), text).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it("and would mean the same if it were", () => {
    fc.assert(
      fc.property(tree, layout, (value, options) => {
        const text = stringify(value, options);
        const repaired = repair(text);
        if (repaired !== undefined) expect(meaning(repaired.text), text).toEqual(meaning(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("lines of quoted scalars and flow collections may lose their indentation", () => {
    const styles = layout.map((options) => ({ ...options, collectionStyle: "flow" as const, defaultStringType: "QUOTE_DOUBLE" as const }));
    fc.assert(
      fc.property(tree, styles, fc.array(fc.nat(), { maxLength: 5 }), (value, options, chosen) => {
        const lines = stringify({ flow: value }, options).split("\n");
        for (const index of chosen) lines[index % lines.length] = (lines[index % lines.length] ?? "").trimStart();
        expect(meaning(lines.join("\n")), lines.join("\n")).toEqual(meaning(stringify({ flow: value }, options)));
      }),
      { numRuns: 1000 },
    );
  });

  it("long texts take no longer than their length asks for", () => {
    const start = performance.now();
    for (const text of [`a: b${"\n".repeat(300_000)}c`, "[\n".repeat(300_000), `a: "${"x\n".repeat(300_000)}"`, "- ".repeat(300_000)])
      repair(text);
    // Half a second; if it grew with the square it would be minutes.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("broken texts are no cause to throw anything else, and keep their lines", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(..."\"'[]{},:#-?|>&*!\\ \n\t".split(""), "a", "\n  ", ": ", "\r\n")), (parts) => {
        const text = parts.join("");
        const repaired = repair(text);
        if (repaired === undefined) return;
        expect(repaired.text.split("\n")).toHaveLength(text.split("\n").length);
        expect(repaired.original(repaired.text.length)).toBe(text.length);
      }),
      { numRuns: 3000 },
    );
  });
});
