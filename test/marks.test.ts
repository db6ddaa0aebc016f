import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMarks, withoutMarks, writeMark } from "../src/trace/mark.js";
import { markTemplate } from "../src/trace/marks.js";
import { readMarkedLines } from "../src/trace/spans.js";

/** The numbers of the marked lines: `3` for a key, `a3` for an action. */
function marked(text: string): string {
  return [...markTemplate(text, 0).lines].map(([line, kind]) => (kind === "key" ? `${line}` : `a${line}`)).join(" ");
}

const cases: readonly (readonly [what: string, template: string, lines: string])[] = [
  ["keys and elements", 'a: 1\nb:\n  - name: x\n    value: "y"\n  - plain\n  -\n  - - deep\n"q": 1\n', "1 2 3 4 5 6 7 8"],
  ["a key that is computed", "{{ $k }}: {{ $v }}\npre-{{ .x }}.post: 1\n", "1 2"],
  ["comments stay", "# a: 1\n  # b: 2\n{{/* c: 3 */}}\nd: 4 # e: 5\n", "4"],
  ["branches around lines", "{{- if .a }}\na: 1\n{{- else if .b }}\nb: 1\n{{- else }}\nc: 1\n{{- end }}\nd: 1\n", "2 4 6 8"],
  ["a branch on one line", "{{ if .a }}a: 1{{ end }}\nb: {{ if .x }}1{{ else }}2{{ end }}\n", "1 2"],
  ["alternatives on one line", "{{ if .a }}a: 1{{ else }}b: 1{{ end }}\n", ""],
  ["a branch that begins behind a value", "a: 1 {{- if .x }}\nb: 2\n{{- end }}\n", "1 2"],
  ["a branch that begins within a value", "a: {{ if .x }}1\nb: 2{{ end }}\n", "2"],
  ["text that follows behind a cut line break", "a: x\n{{- if .b }}-b{{ end }}\nc: 1\n", "3"],
  ["output that follows behind a cut line break", "a: x\n{{- .b }}\nc: 1\n", "3"],
  ["a block that follows behind a cut line break", "a:\n{{- toYaml .b | nindent 2 }}\nc: 1\n", "1 a2 3"],
  ["a line that joins the one above", "a: 1\n{{- if .b }} b: 2 {{ end }}\n", ""],
  ["blocks of lines", "a:\n  {{- toYaml .b | nindent 2 }}\nc:\n{{ toYaml .d | indent 2 }}\n{{ tpl .e . }}\n", "1 a2 3 a4 a5"],
  ["a block behind its key", 'a: {{- include "b" . | nindent 2 }}\n  c: 1\nd: |{{ .e | nindent 2 }}\n', "1 2 3"],
  ["a cut behind the action", "a:\n  {{- toYaml .b | nindent 2 -}}\n{{- end }}", ""],
  ["a cut behind the last action", "{{- with .x }}\na:\n  {{- toYaml .b | nindent 2 -}}\n{{- end }}\nc: 1\n", "2 a3 5"],
  ["a cut before text", "a: {{ .b -}}\n  c\nd: 1\n", "3"],
  ["block scalars", "a: |\n  b: 1\n\n  {{- if .x }}\n  c: 2\n  {{- end }}\n{{ .y | indent 2 }}\nd: >-\n  e: 3\nf: 4\n", "1 8 10"],
  ["a block scalar in a list", "- |\n  a: 1\n- key: |2-\n    b: 2\n  c: 3\n", "1 3 5"],
  ["plain scalars that go on", "a: b\n  c: d\n  e\nf: g\nh:\n  i\n", "4 5"],
  ["quoted scalars that go on", "a: \"b\n  c: d\n  e\"\nf: 'g\n  h: i''\n  j'\nk: 1\n", "7"],
  ["quotes with actions inside", 'a: "{{ .x }}"\nb: {{ .y | quote }}\nc: \'{{ include "z" . }}\'\n', "1 2 3"],
  ["flow collections", "a: [1, 2]\nb: {c: {{ .d }}}\ne: [\n  f: 1,\n]\ng: {h: 1,\n  i: 2}\nj: 1\n", "1 2 8"],
  [
    "an action on several lines",
    'a: {{ tpl (dict\n  "b: " 1) . }}\nc:\n  {{- include "x" (dict\n    "y" 1) | nindent 2 }}\nd: 1\n',
    "1 3 a4 6",
  ],
  ["a comment on several lines", "{{- /* a: 1\nb: 2\n*/ -}}\nc: 1\n", "4"],
  ["strings with braces", 'a: {{ "}}" }}\nb: {{ `{{` }}\n', "1 2"],
  ["anchors and tags", "a: &x\n  b: 1\nc: *x\nd: !!str 1\n<<: *x\n", "1 2 3 4 5"],
  ["documents", "a: |\n  x\n---\n  b: 1\n--- # c: 1\nd: 1\n", "1 4 6"],
  ["named templates", '{{ define "a" }}\nb: 1\n{{ .c }}\n{{ toYaml .d }}\n{{ toYaml .e | nindent 2 }}\n{{ end }}\nf: 1\n', "2 a5 7"],
  ["definitions alone", "kind: CustomResourceDefinition\nspec: 1\n", ""],
  ["a template that Go refuses", "a: 1\n{{ if .x }}\n", ""],
  ["an action that does not end", "a: 1\nb: {{ .x\n", ""],
  ["tabs", "\tb: 2\nc:\t3\n", "2"],
  ["keywords without a space", "{{- with.Values.x }}\na: 1\n{{- end }}\n{{- if(.y) }}\nb: 1\n{{- end }}\n", "2 5"],
];

describe("marking a template", () => {
  it.each(cases)("%s", (_, template, lines) => {
    expect(marked(template)).toBe(lines);
  });

  it("writes file and line behind the key, and around a block", () => {
    expect(markTemplate("a: 1\nb:\n    {{- toYaml .c | nindent 2 }}\n", 7).text).toBe(
      "a: 1 #@hi:7:1@\nb: #@hi:7:2@\n  #@hi<7:3@{{- toYaml .c | nindent 2 }} #@hi>7:3@\n",
    );
    expect(markTemplate("b:\n{{ toYaml .c | indent 2 }}\n", 7).text).toBe(
      "b: #@hi:7:1@\n  #@hi<7:2@\n{{ toYaml .c | indent 2 }} #@hi>7:2@\n",
    );
  });

  it("keeps what an action cuts behind itself", () => {
    expect(markTemplate("{{- with .x }}\na: {{ . -}}\n{{ end }}\n\nb: 1\n", 1).text).toBe(
      '{{- with .x }}\na: {{ . }} #@hi:1:2@{{ "" -}}\n{{ end }}\n\nb: 1 #@hi:1:5@\n',
    );
  });

  it("keeps line ends of Windows and a byte order mark", () => {
    expect(markTemplate("\uFEFFa: ü\r\nb:\r\n{{ toYaml .c | indent 2 }}\r\n", 1).text).toBe(
      "\uFEFFa: ü #@hi:1:1@\r\nb: #@hi:1:2@\r\n  #@hi<1:3@\r\n{{ toYaml .c | indent 2 }} #@hi>1:3@\r\n",
    );
  });

  it("takes no more time for a megabyte than its size asks for", () => {
    for (const line of [
      "  key: {{ .Values.a }}\n",
      "  {{- toYaml .x | nindent 2 }}\n",
      "{{- if .a }}\n  a: b\n{{- end }}\n",
      "{{- $x := 1 -}}\n",
      'a: "x\n',
    ]) {
      const started = performance.now();
      markTemplate(line.repeat(Math.ceil(1e6 / line.length)), 1);
      expect(performance.now() - started, line).toBeLessThan(8000);
    }
  });

  it("never throws and changes nothing but comments, whatever the text", () => {
    const piece = fc.constantFrom(
      "{{",
      "}}",
      "{{-",
      " -}}",
      "if .x",
      "end",
      "else",
      'define "a"',
      "a",
      ": ",
      "- ",
      "\n",
      "\r\n",
      "  ",
      '"',
      "'",
      "|",
      "[",
      "}",
      "#",
      "/*",
      "*/",
      "nindent 2",
      "| ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const result = markTemplate(text, 3).text;
        const bare = withoutMarks(result)
          .replaceAll('{{ "" -}}', "")
          .replace(/\s|-(?=\}\})/g, "");
        expect(bare).toBe(text.replace(/\s|-(?=\}\})/g, ""));
      }),
      { numRuns: 3000 },
    );
  });
});

describe("reading marks", () => {
  it("reads what was written", () => {
    const marks = [
      { kind: "own", file: 3, line: 14 },
      { kind: "begin", file: 0, line: 1 },
      { kind: "end", file: 12, line: 7 },
    ] as const;
    const line = `a: 1${marks.map((mark) => ` ${writeMark(mark)}`).join("")}`;
    expect(readMarks(line)).toEqual(marks);
    expect(withoutMarks(line)).toBe("a: 1");
  });

  it("finds the innermost action around a line, and no action without an end", () => {
    const lines = [
      "a: #@hi<0:1@",
      "  #@hi<1:5@",
      "  b: 1",
      "  c: 2 #@hi>1:5@",
      "  d: 3",
      "  #@hi<1:9@",
      "  e: 4 #@hi:1:10@ #@hi>0:1@",
      "f: 5",
    ];
    const read = readMarkedLines(lines);
    const at = (index: number) => read.spansAt(index).map(({ file, line }) => `${file}:${line}`);
    expect([2, 3, 4, 6, 7].map(at)).toEqual([["1:5", "0:1"], ["1:5", "0:1"], ["0:1"], ["0:1"], []]);
    expect(read.ownMarks(0)).toHaveLength(1);
    expect(read.ownMarks(1)).toHaveLength(0);
    expect(read.ownMarks(6).map(({ line }) => line)).toEqual([10]);
  });
});
