import type { Question } from "../check.js";
import { exitCodes } from "../errors.js";
import { run } from "../run.js";
import type { CheckFlags } from "./check.js";
import { runOptions } from "./options.js";
import { readStdin } from "./terminal.js";

/** What to fill in for each fact, and what it says. */
const forms: Readonly<Record<string, { readonly form: string; readonly says: string }>> = {
  boot: { form: "boot:", says: "worst cold start until the endpoint answers, such as 90s" },
  pull: { form: "pull:", says: "worst image pull, such as 5m" },
  run: { form: "run:", says: "longest run of the Job or init container" },
  drain: { form: "drain:", says: "how long the app needs to stop" },
  listen: { form: "listen: []", says: "the ports that the app listens on" },
  ports: { form: "ports: {}", says: "what each port speaks, such as { 8443: { tls: true, protocol: http } }" },
  basePath: { form: "basePath:", says: "the prefix of all paths" },
  allowedHosts: { form: "allowedHosts: []", says: "the Host headers that the app answers" },
  binaries: { form: "binaries: []", says: "the programs in the image" },
  serves: { form: "serves: []", says: "the complete list of paths that the rendered image answers" },
  waitsFor: { form: "waitsFor: []", says: "what the app waits for at start, such as Job/migrate" },
  heapOverhead: { form: "heapOverhead:", says: "memory beside the heap, such as 256Mi" },
  sharedPaths: { form: "sharedPaths: []", says: "paths that all replicas must see alike" },
  env: { form: "env: {}", says: "{ required: [], neverBlank: [], oneOf: {}, reads: [], ignoreCase: false }" },
  checks: { form: "checks: {}", says: "the remedy of each health check, such as { db: { remedy: evict } }" },
  gates: { form: "gates: {}", says: "checks that hold a roll while they are armed" },
  endpoints: { form: "endpoints: {}", says: "what each probed path does, such as { /health: { latency: 2s, checks: [db] } }" },
  readings: { form: "# readings:", says: "measured answers, in a readings file" },
};

const topLevel: Readonly<Record<string, string>> = {
  nodes: "nodes:            # how many nodes can take the pods",
  deploy: "deploy: {}        # how the release is deployed, such as { with: helm, wait: true, timeout: 10m }",
  external: "external: []      # what exists but no chart of ours renders",
};

/** Prints the questions of the run as YAML to fill in; exit code 0 unless something could not be looked at. */
export async function facts(target: string | undefined, flags: CheckFlags): Promise<number> {
  const outcome = await run({ ...runOptions(target, flags), trace: false, stdin: readStdin });
  process.stdout.write(questionnaire(outcome.questions, outcome.environments));
  const failed = outcome.failures.filter(({ stage }) => stage === "render");
  for (const { environment, message } of failed) process.stderr.write(`error: ${environment} does not render: ${message}\n`);
  return failed.length > 0 ? exitCodes.incomplete : exitCodes.clean;
}

/** The YAML of `facts`: one entry a workload (and set of environments), a line a fact, with the rules that asked. */
export function questionnaire(questions: readonly Question[], environments: readonly string[]): string {
  const ofWorkload = questions.filter(({ subject, fact }) => subject !== "" && topLevel[fact] === undefined);
  const lines: string[] = [];
  for (const fact of Object.keys(topLevel)) {
    const rules = rulesOf(questions.filter((question) => question.fact === fact));
    if (rules !== "") lines.push(`${topLevel[fact]}: ${rules}`);
  }
  const subjects = [...new Set(ofWorkload.map(({ subject }) => subject))].sort();
  if (subjects.length > 0) lines.push("facts:");
  for (const subject of subjects) {
    const asked = ofWorkload.filter((question) => question.subject === subject);
    const names = [...new Set(asked.map(({ environment }) => environment))].sort();
    lines.push(`  - of: ${subject}`);
    if (names.length < environments.length) lines.push(`    in: [${names.join(", ")}]`);
    for (const fact of [...new Set(asked.map((question) => question.fact))].sort()) {
      const { form, says } = forms[fact] ?? { form: `${fact}:`, says: "" };
      lines.push(`    ${form.padEnd(18)}# ${says} (${rulesOf(asked.filter((question) => question.fact === fact))})`);
    }
  }
  return lines.length === 0 ? "# no rule asked for a fact that it did not get\n" : `${lines.join("\n")}\n`;
}

function rulesOf(questions: readonly Question[]): string {
  return [...new Set(questions.map(({ rule }) => rule))].sort().join(", ");
}
