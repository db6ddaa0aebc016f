import type { DebtReport } from "../debts.js";
import { exitCodes } from "../errors.js";
import { run } from "../run.js";
import type { CheckFlags } from "./check.js";
import { runOptions } from "./options.js";
import { readStdin } from "./terminal.js";

/** Lists what is owed, with the same field of the other environments beside it; exit code 0 unless something could not be looked at. */
export async function debts(target: string | undefined, flags: CheckFlags): Promise<number> {
  const outcome = await run({ ...runOptions(target, flags), trace: false, stdin: readStdin });
  const blocks = outcome.debts.map((state) => describe(state));
  const unseen = outcome.config.debts.filter((debt) => !outcome.debts.some((state) => state.debt === debt));
  for (const debt of unseen)
    blocks.push(`${debt.of} ${debt.field}\n        is in none of the environments that were rendered (${debt.because})`);
  process.stdout.write(blocks.length === 0 ? "nothing is owed\n" : `${blocks.join("\n")}\n`);
  const failed = outcome.failures.filter(({ stage }) => stage === "render");
  for (const { environment, message } of failed) process.stderr.write(`error: ${environment} does not render: ${message}\n`);
  return failed.length > 0 ? exitCodes.incomplete : exitCodes.clean;
}

function describe(state: DebtReport): string {
  const { debt, environment, at, value } = state;
  const pay = debt.payBackTo === undefined ? "" : `, pay back to ${debt.payBackTo}`;
  const others = new Map<number, string[]>();
  for (const other of state.elsewhere) others.set(other.value, [...(others.get(other.value) ?? []), other.environment]);
  const rest = [...others].map(([number, names]) => `${number} in ${names.sort().join(", ")}`).join("; ");
  return [
    `${environment}   ${at.subject} ${debt.field}   now ${value ?? "not rendered"}${pay}`,
    `        because ${debt.because}`,
    `        ${conditionOf(state)}${rest === "" ? "" : ` · elsewhere: ${rest}`}`,
  ].join("\n");
}

function conditionOf({ debt, due, tag, paid }: DebtReport): string {
  if (paid) return "paid back: the debt can be removed from the config";
  const conditions = [
    debt.until.image === undefined ? undefined : `the image is ${debt.until.image.replace(/^>=/, "≥ ")} (now ${tag ?? "without a tag"})`,
    debt.until.date === undefined ? undefined : `${debt.until.date} is over`,
  ].filter((text) => text !== undefined);
  if (due === "unknown") return `cannot tell whether it is due: ${conditions.join(" or ")}, and that tag is no version`;
  return `${due ? "DUE now: " : "due when "}${conditions.join(" or ")}`;
}
