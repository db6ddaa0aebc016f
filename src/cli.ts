import { existsSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { type CheckFlags, check } from "./commands/check.js";
import type { ExplainFlags } from "./commands/explain.js";
import { exitCodes, InputError, UsageError } from "./errors.js";
import { nearest } from "./spelling.js";
import { version } from "./version.js";

/** Runs the command line as the whole program: what goes wrong after the report is said, and makes the exit code 2, as well. */
export async function start(argv: readonly string[]): Promise<number> {
  const code = await main(argv);
  process.on("uncaughtException", failLate);
  process.on("unhandledRejection", failLate);
  return code;
}

function failLate(error: unknown): void {
  process.exitCode = explainStray(error);
}

/** What was thrown outside of the run itself: nobody knows by whom. */
function explainStray(error: unknown): number {
  if (error instanceof InputError) return explain(error);
  const detail = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    `error: ${escapeControls(detail)}\nthrown in a timer or a promise that nobody waits for, most likely by a rule module of plugins\n`,
  );
  if (process.env["HELM_INVARIANTS_DEBUG"] !== undefined && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return exitCodes.incomplete;
}

/** Runs the command line; gives the exit code (0 clean, 1 findings, 2 could not do the whole job) and never ends the process itself. */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = exitCodes.clean;
  process.stdout.on("error", ignoreClosedPipe);
  process.stderr.on("error", ignoreClosedPipe);
  const program = programOf((result) => {
    code = result;
  });
  const end = guardEnd();
  try {
    await program.parseAsync([...argv]);
    return end(code);
  } catch (error) {
    return end(explain(error));
  }
}

/** Only the run itself may say that all is well: a rule module that ends the process, or throws in a timer, makes it exit 2. */
function guardEnd(): (code: number) => number {
  let done = false;
  let broken = false;
  const onExit = () => {
    if (done) return;
    process.exitCode = exitCodes.incomplete;
    process.stderr.write("error: the process was ended before the run was done\n");
  };
  const onError = (error: unknown) => {
    broken = true;
    explainStray(error);
  };
  process.on("exit", onExit);
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  return (code) => {
    done = true;
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onError);
    return broken ? exitCodes.incomplete : code;
  };
}

/** Turns whatever went wrong into text on stderr and exit code 2; commander's own help and version are no errors. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.clean : exitCodes.incomplete;
  if (error instanceof InputError) {
    const lines = error.complaints.map(
      ({ file, line, column, message }) =>
        `${[file, line, column].filter((part) => part !== undefined && part !== "").join(":")}: ${message}`,
    );
    if (lines.length === 0) lines.push(`error: ${error.message}`);
    process.stderr.write(`${[...lines, "nothing was checked"].map(escapeControls).join("\n")}\n`);
    return exitCodes.incomplete;
  }
  const detail = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: ${escapeControls(detail)}\nthis is a fault of helm-invariants itself; please report it\n`);
  if (process.env["HELM_INVARIANTS_DEBUG"] !== undefined && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return exitCodes.incomplete;
}

function escapeControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** What to type instead of a word that is no command. */
function misplaced(word: string | undefined, program: Command): string {
  if (word === undefined)
    return "no command was given\ntry: helm-invariants check ./chart -f values-prod.yaml\n     helm-invariants --help";
  const guess = nearest(
    word,
    program.commands.map((command) => command.name()),
  );
  if (guess !== undefined) return `unknown command "${word}", did you mean "${guess}"?`;
  return `unknown command "${word}"\ntry: helm-invariants check ${existsSync(word) ? word : "./chart"}\n     helm-invariants --help`;
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

function programOf(done: (code: number) => void): Command {
  const program = new Command("helm-invariants")
    .description("Proves that a Helm chart will roll out in every environment, before anyone runs helm upgrade.")
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .usage("<command> [options]")
    .showHelpAfterError("(--help shows the options)")
    .argument("[word...]")
    .action((words: readonly string[]) => {
      throw new UsageError(misplaced(words[0], program));
    });
  program.configureOutput({ writeErr: (text) => process.stderr.write(text) });
  const add = (command: Command) => {
    command.copyInheritedSettings(program);
    program.addCommand(command);
  };
  add(
    shared(new Command("check"))
      .description("check a chart, rendered manifests, or every environment of the config")
      .argument("[chart]", "chart folder, .tgz, manifest file, or - for manifests on stdin; without it, the config found upward from here")
      .addOption(
        new Option("--format <format>", "what goes to stdout")
          .choices(["terminal", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"])
          .default("terminal"),
      )
      .option("--output <format=file>", "write a report to a file as well (repeatable)", collect)
      .addOption(
        new Option("--min-severity <severity>", "show findings from here up").choices(["note", "warning", "error"]).default("warning"),
      )
      .addOption(
        new Option("--fail-on <severity>", "exit 1 for findings from here up")
          .choices(["note", "warning", "error", "never"])
          .default("error"),
      )
      .option("--exit-zero", "exit 0 where findings would exit 1; a run that could not look still exits 2")
      .option("--no-trace", "name the template file of each finding, and do not render again to find its line")
      .option(
        "--fix",
        "edit values files where one value is the cause and the right one is known; kept only if the finding goes and none comes",
      )
      .option("--fix-dry-run", "print the edits of --fix as a diff, and write nothing")
      .option("--no-waivers", "show what waivers cover, as if there were none")
      .option("--baseline [file]", "accept the findings that a baseline holds (default helm-invariants.baseline.json)")
      .option("--write-baseline [file]", "accept all open findings from now on")
      .option("--prune-baseline", "take out of the baseline what is no longer found")
      .option("-q, --quiet", "one line a finding, no summary")
      .option("-v, --verbose", "show waived and owed findings, and what each rule judged")
      .action(async (chart: string | undefined, flags: CheckFlags) => done(await check(chart, flags))),
  );
  add(
    shared(new Command("explain"))
      .description("say why a field is what it is: the template line, the values that move it, and those that do not")
      .argument("<words...>", "[chart] Kind/name [field], such as ./chart Deployment/web spec.replicas")
      .addOption(new Option("--format <format>").choices(["terminal", "json"]).default("terminal"))
      .action(async (words: readonly string[], flags: ExplainFlags) =>
        done(await (await import("./commands/explain.js")).explain(words, flags)),
      ),
  );
  add(
    shared(new Command("debts"))
      .description("list the settings that are allowed only until something comes true")
      .argument("[chart]")
      .action(async (chart: string | undefined, flags: CheckFlags) =>
        done(await (await import("./commands/debts.js")).debts(chart, flags)),
      ),
  );
  add(
    shared(new Command("facts"))
      .description("print the facts that rules asked for and did not get, as YAML to fill in")
      .argument("[chart]")
      .action(async (chart: string | undefined, flags: CheckFlags) =>
        done(await (await import("./commands/facts.js")).facts(chart, flags)),
      ),
  );
  add(
    new Command("rules")
      .description("list the rules, or print the page of one")
      .argument("[id]")
      .option("--config <file>", "the config that says which rules are on")
      .addOption(new Option("--format <format>").choices(["terminal", "json"]).default("terminal"))
      .addOption(new Option("--color <when>").choices(["auto", "always", "never"]).default("auto"))
      .action(async (id: string | undefined, flags: { config?: string; format: string; color: string }) =>
        done(await (await import("./commands/rules.js")).rules(id, flags)),
      ),
  );
  add(
    new Command("test")
      .description("run cases against the rules of the config: its plugins and invariants")
      .argument("[path...]", "case files, or folders with *.case.yaml; without one, those below the config's folder")
      .option("--config <file>", "the config that names the rules")
      .addOption(new Option("--color <when>").choices(["auto", "always", "never"]).default("auto"))
      .action(async (paths: readonly string[], flags: { config?: string; color: "auto" | "always" | "never" }) =>
        done(await (await import("./commands/test.js")).test(paths, flags)),
      ),
  );
  return program;
}

/** Options of every command that renders: helm's own, and which part of the config to look at. */
function shared(command: Command): Command {
  return command
    .option("-f, --values <file>", "values file, as for helm (repeatable)", collect)
    .option("--set <key=value>", "as for helm (repeatable)", collect)
    .option("--set-string <key=value>", "as for helm (repeatable)", collect)
    .option("--set-file <key=path>", "as for helm (repeatable)", collect)
    .option("--set-json <key=json>", "as for helm ≥ 3.10 (repeatable)", collect)
    .option("--kube-version <version>", "Kubernetes version that the chart sees")
    .option("-a, --api-versions <version>", "API version that the chart sees (repeatable)", collect)
    .option("-n, --namespace <name>", "namespace of the release")
    .option("--release <name>", "name of the release")
    .option("--config <file>", "config file; with a chart argument everything but its charts applies")
    .option("--env <name>", "only this environment of the config (repeatable)", collect)
    .option("--only <rule>", "only this rule (repeatable)", collect)
    .option("--deep", "also the rules that render again")
    .option("--helm <path>", "the helm to use; else $HELM_BIN, PATH, the bundled one")
    .option("--timeout <duration>", "longest time for one render", "60s")
    .option("--max-output <bytes>", "largest render that is read", "64Mi")
    .option("--today <date>", "the date to judge waivers and debts by, instead of the clock's (UTC)")
    .option("--root <folder>", "folder that reported paths start from, instead of the repository's")
    .addOption(new Option("--color <when>", "colour the terminal report").choices(["auto", "always", "never"]).default("auto"));
}
