const secretWords =
  "pass(?:word|wd|phrase)?|pwd|secret|token|credential|private|api[-_]?key|access[-_]?key|connection[-_]?string|dsn|salt|cert|auth";
const secretive = new RegExp(`${secretWords}|key$`, "i");
/** Texts that are secret whatever they are called: a password in an address, a private key, an access key, `Password=…;`. */
const secretTexts =
  /:\/\/[^\s:/@]*:[^\s@/]+@|-----BEGIN|\bAKIA[0-9A-Z]{16}\b|(?:pass(?:word|wd)?|pwd|secret|(?:account|shared|access)[_ -]?key)\s*=/i;

/** Whether a key or a variable's name says that its value is kept secret. */
export function isSecretKey(key: string): boolean {
  return secretive.test(key);
}

/** Whether a text looks like a secret by itself. */
export function isSecretText(text: string): boolean {
  return secretTexts.test(text);
}

const mask = "***";
const assigned = new RegExp(`((?:${secretWords}|key)[\\w.-]*["']?\\s*[:=]\\s*)(?![\\s{&*|>]|\\{\\{)(?:"[^"]*"|'[^']*'|[^\\s,}#]+)`, "gi");
const inAddress = /(:\/\/[^\s:/@]+:)[^\s@/]+(?=@)/g;
/** Scalars that say nothing of a secret. */
export const harmless = /^(?:-?\d+(?:\.\d+)?|true|false|null|~|\{\}|\[\]|""|'')$/;
/** `name: DB_PASSWORD, value: x` in one line. */
const named = new RegExp(
  `(\\bname["']?\\s*:\\s*["']?[\\w.-]*(?:${secretWords}|key)[\\w.-]*["']?\\s*,\\s*["']?value["']?\\s*:\\s*)(?:"[^"]*"|'[^']*'|[^\\s,}]+)`,
  "gi",
);
const nameAlone = /^[\s-]*["']?name["']?\s*:\s*["']?([\w.-]+)["']?\s*$/;
const valueAlone = /^(\s*["']?value["']?\s*:\s*)(?!\{\{)\S.*$/;

/** A line of text with what looks like a secret left out. */
export function maskLine(line: string): string {
  return line
    .replace(inAddress, `$1${mask}`)
    .replace(named, `$1${mask}`)
    .replace(assigned, (all, key: string) => (harmless.test(all.slice(key.length)) ? all : `${key}${mask}`));
}

/** Lines of a text, what looks like a secret left out: also the `value` below a `name` that is called like one. */
export function maskLines(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => {
    const name = nameAlone.exec(lines[index - 1] ?? "")?.[1];
    const value = name === undefined || !isSecretKey(name) ? null : valueAlone.exec(line);
    return value === null ? maskLine(line) : `${value[1] ?? ""}${mask}`;
  });
}
