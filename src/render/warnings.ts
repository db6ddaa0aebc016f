import { nowhere } from "./command.js";
import { printable } from "./text.js";

const most = 50;

/** What helm warned of while it succeeded: one line each, sorted (helm's order is random), without times and without values. */
export function readWarnings(stderr: string): readonly string[] {
  const found = new Set<string>();
  let hidden = false;
  for (const line of stderr.split("\n")) {
    const text = withoutPrefix(line);
    if (text === line && hidden) continue; // the rest of a value of several lines
    // helm prints the value that it ignores, which may be a secret
    const short = text.replace(/(with non table for \S+|Ignoring non-table value) \(.*$/, "$1");
    hidden = short !== text && !text.trimEnd().endsWith(")");
    const clean = printable(short, 500).replace(/^warning: /i, "");
    // helm 3.8 says that our empty settings are empty
    if (clean !== "" && !clean.includes(nowhere)) found.add(clean);
  }
  return [...found].sort().slice(0, most);
}

function withoutPrefix(line: string): string {
  const logged = /^(?:time=\S+ )?level=\w+ msg=("(?:[^"\\]|\\.)*"|\S+)(.*)$/.exec(line);
  if (logged !== null) return unquote(logged[1] ?? "") + (logged[2] ?? "");
  return line.replace(/^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d |[A-Z]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] |\w+\.go:\d+: )+/, "");
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
