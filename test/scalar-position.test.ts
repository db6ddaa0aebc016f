import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMap, isScalar, parseDocument, Scalar, stringify } from "yaml";
import { characterOffsets } from "../src/config/scalar-position.js";

const styles = ["PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"] as const;
const words = fc.array(fc.constantFrom("a", 'env["X"]', "==", "'it''s'", "\\", "replicas.floor", "ü", "&&", "||", '"q"', "x\ty"), {
  minLength: 1,
  maxLength: 30,
});
const text = fc
  .tuple(words, fc.array(fc.constantFrom(" ", "\n", "  ", "\n\n", "\n  "), { minLength: 30, maxLength: 30 }))
  .map(([parts, gaps]) => parts.map((part, index) => part + (index + 1 < parts.length ? (gaps[index] ?? " ") : "")).join(""));

describe("where the characters of a YAML text stand", () => {
  it.each(styles)("in style %s every character is found where it is written", (style) => {
    fc.assert(
      fc.property(text, (value) => {
        const scalar = new Scalar(value);
        scalar.type = style;
        const source = stringify({ before: "x", list: [{ require: scalar }] }, { lineWidth: 40 });
        const doc = parseDocument(source);
        const node = doc.getIn(["list", 0, "require"], true);
        if (!isScalar(node) || !isMap(doc.contents)) throw new Error("no scalar");
        const read = String(node.value);
        const offsets = characterOffsets(source, node as Scalar);
        expect(offsets).toHaveLength(read.length + 1);
        for (const [index, character] of [...read].entries()) {
          if (/\s/.test(character)) continue;
          const at = offsets[index] ?? -1;
          if (source[at] === "\\" && node.type === Scalar.QUOTE_DOUBLE) continue;
          expect(source[at], `${JSON.stringify(source)} at ${index}`).toBe(character);
        }
      }),
      { numRuns: 300 },
    );
  });
});
