// C0 and DEL, C1, invisible marks, bidi overrides and isolates, line separators, the byte order mark, non-characters, lone surrogates.
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|\p{Surrogate}/gu;
const seenInText = /[\n\t]/;

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

/** Text with everything that a reader would not see, or that would move what he sees, written out: `\x1b`, `\u{202e}`. Newlines and tabs stay. */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(unseen, (character) => (seenInText.test(character) ? character : codePoint(character)));
}

/** `visible` on one line: newlines and tabs with the space around them become one space. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, (space) => (/[\r\n\t]/.test(space) ? " " : space)).trim());
}

/** One source line as it is shown: tabs stay, everything else unseen is written out. */
export function visibleCharacter(character: string): string {
  return character === "\t" ? "    " : character.replace(unseen, codePoint);
}

/** A value as JSON, indented by two; what `visible` writes out is escaped as `\u001b`, so parsing gives the value back. Ends in a newline. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  return `${text.replace(unseen, (character) => (character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`))}\n`;
}

/** Text for HTML elements and quoted attributes. */
export function htmlText(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text for XML 1.0 elements; characters that XML forbids are written out, and `]]>` cannot appear. */
export function xmlText(text: string): string {
  return htmlText(text);
}

/** Text for quoted XML attributes: `xmlText`, with newlines and tabs that survive reading. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replace(/[\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text for one line of GitHub-flavoured Markdown, table cells included: no markup, no HTML, no mention of people. */
export function markdownText(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~$]/g, "\\$&")
    .replace(/^([#+-]|\d+[.)])/, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`)
    .replace(/[&<>]/g, (character) => ({ "&": "&amp;", "<": "&lt;" })[character] ?? "&gt;")
    .replace(/@(?=\w)/g, "@<!-- -->");
}

/** Lines in a Markdown fence that they cannot close. */
export function markdownFence(lines: readonly string[]): string {
  const text = lines.map((line) => [...line].map(visibleCharacter).join("")).join("\n");
  const runs = [...text.matchAll(/`+/g)].map((run) => run[0].length);
  const fence = "`".repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}text\n${text}\n${fence}`;
}

/** The message of a GitHub workflow command; newlines may be in it. */
export function commandMessage(text: string): string {
  return visible(text).replace(/%/g, "%25").replace(/\n/g, "%0A");
}

/** A property value of a GitHub workflow command. */
export function commandProperty(text: string): string {
  return commandMessage(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
}

/** A log line of untrusted text that the runner of GitHub Actions cannot take for a command. */
export function logLine(text: string): string {
  return `  ${oneLine(text).replace(/##\[/g, "# #[").replace(/^:+/, " $&")}`;
}

/** A relative path as a URI reference: every segment percent-encoded. */
export function uriPath(file: string): string {
  const encode = (segment: string) =>
    encodeURIComponent(segment.replace(/\p{Surrogate}/gu, "\ufffd")).replace(/%(40|2B|3D|2C|26|24|3B)/g, (code) =>
      decodeURIComponent(code),
    );
  return file.split("/").map(encode).join("/");
}
