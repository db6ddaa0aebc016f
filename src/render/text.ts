const longest = 2000;

/** Text of bytes: a byte order mark is dropped, what is not UTF-8 becomes U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes);
}

/** The text on one line: white space joined, control and direction characters shown as `\u001b`, cut after `limit` characters (2,000). */
export function printable(text: string, limit = longest): string {
  const joined = text.replace(/\s+/g, " ").trim();
  const escaped = joined.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return escaped.length <= limit ? escaped : `${escaped.slice(0, limit - 1)}…`;
}
