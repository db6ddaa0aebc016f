import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTree } from "../src/manifest/similar.js";
import { readSyntax, YamlRefusal } from "../src/manifest/syntax.js";
import { buildTree } from "../src/manifest/tree.js";

/** What the document means when it is read for the first time. */
function whole(text: string): unknown {
  try {
    return buildTree(readSyntax(text)).root;
  } catch (error) {
    if (error instanceof YamlRefusal) return `refused: ${error.message}`;
    throw error;
  }
}

function shared(text: string): unknown {
  try {
    return readTree(text).root;
  } catch (error) {
    if (error instanceof YamlRefusal) return `refused: ${error.message}`;
    throw error;
  }
}

let documents = 0;

/** A document that was read, then one that differs from it. */
function reread(first: string, second: string): unknown {
  const name = `# Source: chart/templates/${documents++}.yaml\n`;
  shared(name + first);
  expect(shared(name + second)).toEqual(whole(name + second));
  return shared(name + second);
}

describe("a document that differs in words from one that was read before", () => {
  it.each([
    ["a number", "a:\n  b: 1\n", "a:\n  b: 20\n", { a: { b: 20 } }],
    ["a word of another type", "a:\n- b: x\n- c\n", "a:\n- b: yes\n- 0644\n", { a: [{ b: true }, 420] }],
    ["a quoted text", "a: \"x w\"\nb: 'z'\n", "a: \"w: #z\"\nb: '1'\n", { a: "w: #z", b: "1" }],
    ["before a comment", "a: x # why\n", "a: yz # why\n", { a: "yz" }],
    ["an escape", 'a: "x"\n', 'a: "\\n"\n', { a: "\n" }],
    ["a quote that ends early", 'a: "x"\n', 'a: "x" # "\n', { a: "x" }],
    ["a colon", "a: x\n", "a: x:\n", "refused"],
    ["a comment", "a: x w\n", "a: x #w\n", { a: "x" }],
    ["a key", "a: x\n", "b: x\n", { b: "x" }],
    ["two of one line", "a: [x, w]\n", "a: [x, z]\n", { a: ["x", "z"] }],
    ["one more on the last line", "a: x\nb:\n", "a: x\nb:\n  c: d", { a: "x", b: { c: "d" } }],
    ["text of a block", "a: |\n  b: x\n", "a: |\n  b: w\n", { a: "b: w\n" }],
    ["a text of two lines", "a: x\n  w\n", "a: x\n  z\n", { a: "x z" }],
    ["what is used twice", "a: &a x\nb: *a\n", "a: &a w\nb: *a\n", { a: "w", b: "w" }],
    ["what is merged", "a: {b: c, <<: {d: x}}\n", "a: {b: c, <<: {d: w}}\n", { a: { b: "c", d: "w" } }],
    ["a merged block", "a:\n  <<:\n    d: x\n  b: c\n", "a:\n  <<:\n    d: w\n  b: c\n", { a: { d: "w", b: "c" } }],
    ["a tag", "a: !!str 1\n", "a: !!str 2\n", { a: "2" }],
    ["a key that stands twice", "a: x\na: w\n", "a: z\na: w\n", { a: "w" }],
    ["a number that JSON does not have", "a: 1\n", "a: .inf\n", "refused"],
    ["a list entry", "- a\n- b\n", "- a\n- c\n", ["a", "c"]],
    ["a prototype", "__proto__:\n  a: x\n", "__proto__:\n  a: w\n", JSON.parse('{"__proto__": {"a": "w"}}')],
    ["line ends of Windows", "a: x\r\nb: w\r\n", "a: x\r\nb: zz\r\n", { a: "x", b: "zz" }],
  ])("is read as from scratch: %s", (_, first, second, expected) => {
    const found = reread(first, second);
    if (expected === "refused") expect(found).toMatch(/^refused/);
    else expect(JSON.parse(JSON.stringify(found))).toEqual(expected);
  });

  it("leaves the one that was read before as it was", () => {
    const before = readTree("# Source: x\na: {b: [1, {c: d}]}\ne: f\n");
    expect(JSON.stringify(readTree("# Source: x\na: {b: [1, {c: d}]}\ne: g\n").root)).toBe('{"a":{"b":[1,{"c":"d"}]},"e":"g"}');
    expect(JSON.stringify(before.root)).toBe('{"a":{"b":[1,{"c":"d"}]},"e":"f"}');
    expect(Object.isFrozen(readTree("# Source: x\na: {b: [1, {c: d}]}\ne: h\n").root)).toBe(true);
  });

  it("shares what did not change, and reads no syntax again", () => {
    const tree = (last: string) => readTree(`# Source: shared\nlong: {a: [1, 2]}\nlast: ${last}\n`).root as Record<string, unknown>;
    expect(tree("x")["long"]).toBe(tree("y")["long"]);
  });

  it("is read as from scratch, whatever is exchanged", () => {
    const piece = fc.constantFrom(
      "x",
      "1",
      "~",
      "yes",
      "a:",
      ": ",
      "- ",
      " #",
      "#",
      '"',
      "'",
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      "&a",
      "*a",
      "|",
      ">",
      "!!int",
      "<<",
      "?",
      "",
      " ",
      "0x1F",
      "1e3",
      ".inf",
      "é",
      "\t",
      "%",
      "@",
      "`",
      "a b",
      "/x:y",
    );
    const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
    const line = fc
      .tuple(fc.constantFrom("", "  ", "    ", "- ", "  - "), fc.constantFrom("a: ", "b: ", "c: ", "", "a:", "<<: "), word)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.nat(5),
        word,
        fc.constantFrom("a: ", "  a: ", "- ", ""),
        (lines, at, other, start) => {
          const changed = lines.with(at % lines.length, start + other);
          const longer = lines.with(at % lines.length, `${/^\s*(?:- )?(?:\w+:)?\s*/.exec(lines[at % lines.length] ?? "")?.[0]}${other}`);
          reread(lines.join("\n"), changed.join("\n"));
          reread(lines.join("\n"), longer.join("\n"));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
