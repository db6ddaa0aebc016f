const plain = /^[\x20-\x7e]*$/;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
const unspaced = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]+$/u;

/** First and last code points of the blocks that fill two columns (East Asian wide and full width). */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** Made when a text needs it: that takes longer than all else a short report does. */
let segmenter: Intl.Segmenter | undefined;

/** The characters of a text as a reader counts them: a base with its marks, an emoji with its joiners. */
export function graphemes(text: string): readonly string[] {
  if (plain.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return [...segmenter.segment(text)].map((part) => part.segment);
}

function characterWidth(character: string): number {
  if (plain.test(character)) return character.length;
  if (emoji.test(character)) return 2;
  if (unspaced.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Columns that a text without control characters fills in a terminal. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  return graphemes(text).reduce((sum, character) => sum + characterWidth(character), 0);
}

/** A text broken at spaces into lines of at most `width` columns; newlines stay, words longer than a line are not broken. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (line !== "" && displayWidth(longer) > width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return [...lines, line];
  });
}
