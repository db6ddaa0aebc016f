import { compareText } from "../findings.js";
import { type Fixed, findFixes, unifiedDiff } from "../fix.js";
import { writeReport } from "../report/index.js";
import { reportPath } from "../root.js";
import { type RunOptions, type RunOutcome, run } from "../run.js";
import { maskLine } from "../secret-names.js";

/** Writes the edits that hold, says on stderr what was done, and gives a run over the files as they are now. */
export async function applyFixes(outcome: RunOutcome, options: RunOptions): Promise<RunOutcome> {
  const fixed = await findFixes(outcome, options, run);
  for (const [file, text] of fixed.texts) writeReport(file, text);
  tell(fixed, outcome.root, "fixed");
  return fixed.texts.size === 0 ? outcome : run(options);
}

/** Prints the edits that hold as a diff; gives the exit code of the run as it is. */
export async function showFixes(outcome: RunOutcome, options: RunOptions): Promise<number> {
  const fixed = await findFixes(outcome, options, run);
  const isSafe = (line: string) => maskLine(line) === line && outcome.redact(line) === line;
  process.stdout.write(unifiedDiff(fixed.texts, (file) => reportPath(outcome.root, file), isSafe));
  tell(fixed, outcome.root, "would fix");
  return outcome.exitCode;
}

function tell({ mended, refused }: Fixed, root: string, done: string): void {
  const place = (file: string, line: number) => `${reportPath(root, file)}:${line}`;
  for (const { file, line, value, rules } of mended.toSorted(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  ))
    process.stderr.write(`${done} ${rules.join(", ")}: ${place(file, line)} is now ${value}\n`);
  for (const { edit, why } of refused)
    process.stderr.write(`left ${edit.finding.rule} at ${place(edit.file, edit.line)} alone: with ${edit.value}, ${why}\n`);
  if (mended.length + refused.length === 0) process.stderr.write("nothing that one value of a values file would fix\n");
}
