/** A simple command that an exec handler runs. A word that only the shell can tell (`$HOME`) is undefined. */
export interface Command {
  readonly words: readonly (string | undefined)[];
  /** Runs once, and is waited for: not in a branch or a loop, not after `||`, not in the background. */
  readonly certain: boolean;
  /** A shell runs it, which has builtins; false for the argv itself. */
  readonly byShell: boolean;
}

interface Word {
  readonly text: string;
  /** Its text is not all that there is to it: an expansion. */
  readonly opaque: boolean;
  readonly quoted: boolean;
}

type Token = { readonly word: Word } | { readonly op: string } | { readonly script: string };

const shells = new Set(["sh", "bash", "ash", "dash", "zsh", "ksh"]);
const deepest = 5;

/** The commands of an argv, with those of a script that it gives to a shell. Of a script that cannot be followed to its end, those before. */
export function commandsIn(argv: readonly (string | undefined)[], byShell = false, certain = true, depth = 0): readonly Command[] {
  const own: Command = { words: argv, certain, byShell };
  const script = scriptOf(argv);
  if (script !== undefined && depth < deepest) {
    return [own, ...commandsOf(script, depth).map((inner) => ({ ...inner, certain: inner.certain && certain }))];
  }
  const wrapped = depth < deepest ? wrappedBy(argv) : undefined;
  return wrapped === undefined
    ? [own]
    : [own, ...commandsIn(wrapped.argv, wrapped.byShell && byShell, certain && wrapped.certain, depth + 1)];
}

/** Seconds that an argv sleeps for certain, by literal `sleep` commands one after another; undefined when there is none. */
export function literalSleep(argv: readonly string[]): number | undefined {
  const sleeps = commandsIn(argv).flatMap(({ words, certain }) => (certain ? (sleepOf(words) ?? []) : []));
  return sleeps.length === 0 ? undefined : sleeps.reduce((sum, seconds) => sum + seconds, 0);
}

/** The last part of a path: `/bin/sh` is `sh`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const sleepUnits: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400 };

function sleepOf([program, ...amounts]: readonly (string | undefined)[]): number | undefined {
  if (program === undefined || baseName(program) !== "sleep" || amounts.length === 0) return undefined;
  let sum = 0;
  for (const amount of amounts) {
    const match = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(amount ?? "");
    if (match === null) return undefined;
    sum += Number(match[1]) * (sleepUnits[match[2] || "s"] ?? 1);
  }
  return sum;
}

/** The script of `sh -c`, `bash -ec`, `sh -o pipefail -c`; undefined for anything else. */
function scriptOf(argv: readonly (string | undefined)[]): string | undefined {
  const [program, ...rest] = argv;
  if (program === undefined || !shells.has(baseName(program))) return undefined;
  let isScript = false;
  for (let i = 0; i < rest.length; i++) {
    const option = rest[i];
    if (option === undefined || !/^[-+]/.test(option)) return isScript ? option : undefined;
    if (option.startsWith("--")) continue;
    if (option.startsWith("-") && option.includes("c")) isScript = true;
    if (/[oO]$/.test(option)) i++;
  }
  return undefined;
}

/** What a command such as `exec`, `env` or `timeout` runs. Only the first two leave it to the shell. */
function wrappedBy([program, ...rest]: readonly (string | undefined)[]):
  | { readonly argv: readonly (string | undefined)[]; readonly certain: boolean; readonly byShell: boolean }
  | undefined {
  const name = program === undefined ? "" : baseName(program);
  if (!["exec", "command", "env", "nohup", "timeout"].includes(name)) return undefined;
  const isBefore = (word: string | undefined) => word === "-i" || word === "--" || (name === "env" && word?.includes("=") === true);
  const duration = rest.findIndex((word) => word !== undefined && /^\d+(?:\.\d+)?[smhd]?$/.test(word));
  if (name === "timeout" && duration < 0) return undefined;
  const first = name === "timeout" ? duration + 1 : rest.findIndex((word) => !isBefore(word));
  // Other options take arguments of their own, or only look: `command -v`.
  if (first < 0 || first >= rest.length || rest[first]?.startsWith("-") === true) return undefined;
  return { argv: rest.slice(first), certain: name !== "timeout", byShell: name === "exec" || name === "command" };
}

/** The simple commands of a script, up to what cannot be followed: `case`, a function, a here-document. */
function commandsOf(script: string, depth: number): readonly Command[] {
  const commands: Command[] = [];
  let words: Word[] = [];
  let blocks = 0;
  let afterOr = false;
  let skipping = false;
  const finish = (background = false) => {
    if (words.length > 0) {
      const argv = words.map(({ text, opaque }) => (opaque ? undefined : text));
      commands.push(...commandsIn(argv, true, blocks === 0 && !afterOr && !background, depth + 1));
    }
    words = [];
  };
  for (const token of tokensOf(script)) {
    if ("script" in token) {
      if (depth < deepest) commands.push(...commandsOf(token.script, depth + 1).map((inner) => ({ ...inner, certain: false })));
      continue;
    }
    if ("op" in token) {
      // `name()` begins a function.
      if (token.op === "(" && words.length > 0) return commands;
      if (token.op === "stop") return commands;
      finish(token.op === "&");
      skipping = false;
      if (token.op === "||") afterOr = true;
      else if (token.op === ";" || token.op === "&") afterOr = false;
      continue;
    }
    const { text, opaque, quoted } = token.word;
    if (skipping && text !== "do") continue;
    skipping = false;
    if (words.length > 0) {
      words.push(token.word);
      continue;
    }
    if (!quoted && !opaque) {
      if (text === "case" || text === "function") return commands;
      if (["if", "while", "until", "for", "select"].includes(text)) blocks++;
      if (text === "fi" || text === "done") blocks--;
      if (text === "for" || text === "select") skipping = true;
      if (reserved.has(text)) continue;
    }
    if (!/^[A-Za-z_]\w*\+?=/.test(text)) words.push(token.word);
  }
  finish();
  return commands;
}

const reserved = new Set(["if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "{", "}", "!", "time"]);

/** Words and operators of a script; `stop` stands where it cannot be read any further. Command substitutions are scripts of their own. */
function tokensOf(script: string): readonly Token[] {
  const tokens: Token[] = [];
  let text: string | undefined;
  let opaque = false;
  let quoted = false;
  let redirected = false;
  let i = 0;
  const add = (more: string) => {
    text = (text ?? "") + more;
  };
  const end = () => {
    if (text !== undefined && !redirected) tokens.push({ word: { text, opaque, quoted } });
    if (text !== undefined) redirected = false;
    text = undefined;
    opaque = false;
    quoted = false;
  };
  /** Reads an expansion at `$` or a backtick; false when it has no end. */
  const expansion = (): boolean => {
    const rest = script.slice(i);
    const open = /^(?:\$\(\(|\$\(|\$\{|`)/.exec(rest)?.[0];
    if (open === undefined) {
      const name = /^\$(?:\w+|[@*#?$!-])/.exec(rest)?.[0];
      add(name === undefined ? "$" : "");
      opaque ||= name !== undefined;
      i += name?.length ?? 1;
      return true;
    }
    const close = open === "`" ? script.indexOf("`", i + 1) : closing(script, i + 1, open === "${" ? "{}" : "()");
    if (close < 0) return false;
    if (open === "$(" || open === "`") tokens.push({ script: script.slice(i + open.length, close) });
    add("");
    opaque = true;
    i = close + 1;
    return true;
  };
  while (i < script.length) {
    const char = script.charAt(i);
    if (char === "\\") {
      if (script.charAt(i + 1) !== "\n") add(script.charAt(i + 1));
      i += 2;
    } else if (char === "'") {
      const close = script.indexOf("'", i + 1);
      if (close < 0) return [...tokens, { op: "stop" }];
      add(script.slice(i + 1, close));
      quoted = true;
      i = close + 1;
    } else if (char === '"') {
      add("");
      quoted = true;
      i++;
      while (i < script.length && script.charAt(i) !== '"') {
        const inner = script.charAt(i);
        if (inner === "$" || inner === "`") {
          if (!expansion()) return [...tokens, { op: "stop" }];
        } else {
          const escaped = inner === "\\" && /[$`"\\]/.test(script.charAt(i + 1));
          add(script.charAt(escaped ? i + 1 : i));
          i += escaped ? 2 : 1;
        }
      }
      i++;
    } else if (char === "$" || char === "`") {
      if (!expansion()) return [...tokens, { op: "stop" }];
    } else if (/\s/.test(char)) {
      end();
      if (char === "\n") tokens.push({ op: ";" });
      i++;
    } else if (char === "#" && text === undefined) {
      const line = script.indexOf("\n", i);
      i = line < 0 ? script.length : line;
    } else {
      const op = /^(?:&>>?|[<>]&|>>|<<|[<>]|&&|\|\||;;|[;&|()])/.exec(script.slice(i, i + 3))?.[0];
      if (op === undefined) {
        add(char);
        i++;
        continue;
      }
      if (/[<>]/.test(op) && /^\d+$/.test(text ?? "")) text = undefined;
      end();
      if (op === "<<" || op === ";;") return [...tokens, { op: "stop" }];
      if (/[<>]/.test(op)) redirected = true;
      else tokens.push({ op });
      i += op.length;
    }
  }
  end();
  return tokens;
}

/** Offset of the bracket that closes the one at or after `from`; -1 when none does. Brackets in quotes do not count. */
function closing(script: string, from: number, pair: string): number {
  let open = 0;
  let quote = "";
  for (let i = from; i < script.length; i++) {
    const char = script.charAt(i);
    if (char === "\\") i++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === pair.charAt(0)) open++;
    else if (char === pair.charAt(1) && --open === 0) return i;
  }
  return -1;
}
