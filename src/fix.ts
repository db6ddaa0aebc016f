import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { Finding } from "./findings.js";
import { strayOf } from "./fix-strays.js";
import type { RunOptions, RunOutcome } from "./run.js";

/** One scalar of a values file that is to get another value. Lines and columns are 1-based, `endColumn` is exclusive. */
export interface Edit {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly value: number | string;
  readonly finding: Finding;
}

/** One scalar and the edits that were made of it, one after another; the last one's value stands. Its column is that of the text as it is now. */
export interface Mended extends Pick<Edit, "file" | "line" | "column" | "value"> {
  readonly rules: readonly string[];
}

/** What became of the edits: texts of the files that are better now, and findings that an edit would not have mended. */
export interface Fixed {
  /** Absolute file → new text. Nothing was written. */
  readonly texts: ReadonlyMap<string, string>;
  readonly mended: readonly Mended[];
  readonly refused: readonly { readonly edit: Edit; readonly why: string }[];
  readonly outcome: RunOutcome;
}

const mostPasses = 4;

/**
 * Tries an edit for every open finding whose cause is one value, checks again with the edited files in place of the real ones, and keeps an edit
 * only if its finding is gone, nothing new is found and nothing fails. The files themselves are not touched.
 */
export async function findFixes(
  outcome: RunOutcome,
  options: RunOptions,
  check: (options: RunOptions) => Promise<RunOutcome>,
): Promise<Fixed> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "helm-invariants-fix-")));
  const texts = new Map<string, string>();
  const kept = new Set<Edit>();
  let mended: readonly Mended[] = [];
  const refused: { edit: Edit; why: string }[] = [];
  const tried = new Set<string>();
  // An edit of a shared file is felt by environments and rules that --env and --only leave out.
  const whole = { ...options, environments: [], only: [] };
  const isPart = Boolean(options.environments?.length || options.only?.length);
  let best = isPart ? await check(whole) : outcome;
  const asked = isPart ? new Set(outcome.findings.map(({ fingerprint }) => fingerprint)) : undefined;
  let copies: ReadonlyMap<string, string> = new Map();
  try {
    for (let pass = 0; pass < mostPasses; pass++) {
      const edits = editsOf(best, copies).filter((edit) => !tried.has(keyOf(edit)) && asked?.has(edit.finding.fingerprint) !== false);
      if (edits.length === 0) break;
      for (const edit of edits) tried.add(keyOf(edit));
      const touched = new Set<string>();
      for (const group of edits.length > 1 ? [edits, ...edits.map((edit) => [edit])] : [edits]) {
        const open = group.filter((edit) => !kept.has(edit));
        if (open.length === 0) continue;
        if (open.some((edit) => touched.has(lineOf(edit)))) {
          // its columns are those of the line as it was: the next pass sees it anew
          for (const edit of open) tried.delete(keyOf(edit));
          continue;
        }
        const next = applied(texts, open);
        const substitutes = written(folder, next);
        const result = await check({ ...whole, substitutes });
        const why = worse(best, result, open);
        if (why === undefined) {
          mended = joined(mended, open, texts);
          for (const [file, text] of next) texts.set(file, text);
          for (const edit of open) {
            kept.add(edit);
            touched.add(lineOf(edit));
          }
          best = result;
          copies = substitutes;
        } else if (group.length === 1 && open[0] !== undefined) refused.push({ edit: open[0], why });
      }
    }
    return { texts, mended, refused, outcome: best };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The edits that findings ask for; of two for one value the first. */
function editsOf(outcome: RunOutcome, copies: ReadonlyMap<string, string>): readonly Edit[] {
  const originals = new Map([...copies].map(([file, copy]) => [copy, file]));
  const editable = new Set(
    outcome.config.charts
      .flatMap(({ path, kind, environments }) =>
        kind === "chart" ? [join(path, "values.yaml"), ...environments.flatMap(({ values }) => values)] : [],
      )
      .map((file) => originals.get(file) ?? file),
  );
  const edits = new Map<string, Edit>();
  for (const finding of outcome.findings) {
    const { fix, location, status } = finding;
    if (fix === undefined || location?.exact !== true || status !== "open") continue;
    const shown = resolve(outcome.root, location.file);
    const file = originals.get(shown) ?? [...editable].find((candidate) => existsSync(candidate) && realpathSync(candidate) === shown);
    if (file === undefined) continue;
    const edit = { file, line: location.line, column: location.column, endColumn: location.endColumn, value: fix.value, finding };
    const key = `${file}:${edit.line}:${edit.column}`;
    if (!edits.has(key) && replaced(readFileSync(copies.get(file) ?? file, "utf8"), edit) !== undefined) edits.set(key, edit);
  }
  return [...edits.values()];
}

function applied(texts: ReadonlyMap<string, string>, edits: readonly Edit[]): Map<string, string> {
  const next = new Map(texts);
  for (const edit of fromTheRight(edits)) {
    const text = textOf(next, edit.file);
    next.set(edit.file, replaced(text, edit) ?? text);
  }
  return next;
}

/** Edits of one line leave the columns to their left as they are. */
function fromTheRight(edits: readonly Edit[]): readonly Edit[] {
  return edits.toSorted((a, b) => b.column - a.column);
}

function textOf(texts: ReadonlyMap<string, string>, file: string): string {
  return texts.get(file) ?? readFileSync(file, "utf8");
}

/** What was mended, with more edits, of the texts as they were before these: two of one scalar are one, from its first value to its last. */
function joined(mended: readonly Mended[], edits: readonly Edit[], texts: ReadonlyMap<string, string>): readonly Mended[] {
  return fromTheRight(edits).reduce<readonly Mended[]>((known, edit) => {
    const { file, line, column, value, finding } = edit;
    const text = textOf(texts, file);
    const growth = (replaced(text, edit) ?? text).length - text.length;
    const isOf = (one: Mended) => one.file === file && one.line === line && one.column === column;
    const own = known.find(isOf);
    const rules = [...new Set([...(own?.rules ?? []), finding.rule])];
    const others = known.filter((one) => one !== own);
    const moved = others.map((one) =>
      one.file === file && one.line === line && one.column > column ? { ...one, column: one.column + growth } : one,
    );
    return [...moved, { file, line, column, value, rules }];
  }, mended);
}

/** The text with one scalar replaced, quotes, comments and line ends kept; undefined when there is no scalar of its own at that place. */
export function replaced(text: string, { line, column, endColumn, value }: Omit<Edit, "file" | "finding">): string | undefined {
  const lines = text.split("\n");
  const before = lines[line - 1];
  if (before === undefined || (line === 1 && before.startsWith("\uFEFF"))) return undefined;
  const old = before.slice(column - 1, endColumn - 1);
  if (old === "" || /^[&*!|>[{]/.test(old) || /[\r\n]/.test(old)) return undefined;
  const quote = /^(["']).*\1$/.exec(old)?.[1];
  const written = quote === "'" ? `'${String(value).replaceAll("'", "''")}'` : quote === '"' ? JSON.stringify(String(value)) : plain(value);
  lines[line - 1] = before.slice(0, column - 1) + written + before.slice(endColumn - 1);
  return lines.join("\n");
}

function plain(value: number | string): string {
  if (typeof value === "number") return String(value);
  return /^[A-Za-z/][\w./-]*$/.test(value) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value) ? value : JSON.stringify(value);
}

function written(folder: string, texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const own = mkdtempSync(join(folder, "try-"));
  let count = 0;
  return new Map(
    [...texts].map(([file, text]) => {
      const copy = join(own, `${count++}-${basename(file)}`);
      writeFileSync(copy, text, { mode: 0o600 });
      return [file, copy];
    }),
  );
}

/** Why a run is no better than the one before; undefined when it is. */
function worse(before: RunOutcome, after: RunOutcome, edits: readonly Edit[]): string | undefined {
  if (after.failures.length > before.failures.length) return `the run fails then: ${after.failures.at(-1)?.message ?? ""}`;
  const known = keysOf(before);
  const now = keysOf(after);
  const stays = edits.find(({ finding }) => finding.environments.some((name) => now.has(`${finding.fingerprint} ${name}`)));
  if (stays !== undefined) return "the finding stays";
  const fresh = after.findings.find(
    ({ rule, fingerprint, environments, status, severity }) =>
      // the text of a chart's own values is tried as one more overlay, of which more is expected
      rule !== "values-are-read" &&
      status === "open" &&
      environments.some((name) => (known.get(`${fingerprint} ${name}`) ?? -1) < rank[severity]),
  );
  if (fresh !== undefined) return `a new finding appears, or one gets worse: ${fresh.rule}: ${fresh.message}`;
  const stray = strayOf(before, after, edits);
  return stray === undefined ? undefined : `${stray} too, which is another field`;
}

const rank = { note: 0, warning: 1, error: 2 } as const;

/** Open findings by fingerprint and environment, each with its severity. */
function keysOf({ findings }: RunOutcome): ReadonlyMap<string, number> {
  const open = findings.filter(({ status }) => status === "open");
  return new Map(
    open.flatMap(({ fingerprint, environments, severity }) =>
      environments.map((name) => [`${fingerprint} ${name}`, rank[severity]] as const),
    ),
  );
}

function lineOf({ file, line }: Edit): string {
  return `${file}:${line}`;
}

function keyOf({ file, line, column, value }: Edit): string {
  return `${file}:${line}:${column}:${value}`;
}

/** A unified diff of the files that edits changed; paths as reports name them. Its context ends before a line that may not be shown. */
export function unifiedDiff(
  texts: ReadonlyMap<string, string>,
  named: (file: string) => string,
  isSafe: (line: string) => boolean,
): string {
  return [...texts].map(([file, text]) => fileDiff(named(file), readFileSync(file, "utf8"), text, isSafe)).join("");
}

const context = 3;

/** Edits replace within lines, so the two texts have the same number of them. */
function fileDiff(name: string, before: string, after: string, isSafe: (line: string) => boolean): string {
  const endsOpen = !before.endsWith("\n");
  const old = before.replace(/\n$/, "").split("\n");
  const fresh = after.replace(/\n$/, "").split("\n");
  const changed = old.flatMap((line, index) => (line === fresh[index] ? [] : [index]));
  const hunks: [number, number][] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    const reach = (step: number) => {
      let count = 0;
      while (count < context && isSafe(old[index + step * (count + 1)] ?? "") && old[index + step * (count + 1)] !== undefined) count++;
      return count;
    };
    const from = index - reach(-1);
    const to = index + reach(1) + 1;
    if (last !== undefined && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  const body = hunks.map(([from, to]) => {
    const lines: string[] = [];
    for (let index = from; index < to; index++) {
      const open = endsOpen && index === old.length - 1 ? ["\\ No newline at end of file"] : [];
      if (old[index] === fresh[index]) lines.push(` ${old[index]}`, ...open);
      else lines.push(`-${old[index]}`, ...open, `+${fresh[index]}`, ...open);
    }
    return `@@ -${from + 1},${to - from} +${from + 1},${to - from} @@\n${lines.join("\n")}\n`;
  });
  return body.length === 0 ? "" : `--- a/${name}\n+++ b/${name}\n${body.join("")}`;
}
