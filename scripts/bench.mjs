// Compares the tool with bare `helm template` in one run: what one environment costs on top, and eight against the same eight renders in parallel.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importSources } from "./sources.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const rounds = Number(process.argv[2] ?? 9);
const chart = join(root, "fixtures/charts/memex");
const folder = await mkdtemp(join(tmpdir(), "helm-invariants-bench-"));

function ran(command, args) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(command, args, { stdio: "ignore", cwd: folder });
    child.on("error", reject);
    // A run that broke off is fast, and no measurement.
    child.on("exit", (code) =>
      code === 0
        ? resolve(Number(process.hrtime.bigint() - start) / 1e6)
        : reject(new Error(`${command} ${args.join(" ")} ended with ${code}`)),
    );
  });
}

async function pooled(tasks, width) {
  const start = process.hrtime.bigint();
  const queue = [...tasks];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) await task();
    }),
  );
  return Number(process.hrtime.bigint() - start) / 1e6;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

try {
  const helm = process.env["HELM_BIN"] ?? (await bundled());
  // Clean environments: a finding is traced, and that costs renders of its own (third line).
  const eight = Array.from({ length: 8 }, (_, index) => `prod-${index}`);
  for (const [index, name] of eight.entries())
    await writeFile(join(folder, `${name}.yaml`), `replicas: 1\nimage:\n  tag: 3.0.0-ci.${8812 + index}\n`);
  const config = join(folder, "helm-invariants.yaml");
  const environments = eight.map((name) => `      ${name}: { values: [${JSON.stringify(join(folder, `${name}.yaml`))}] }`);
  await writeFile(config, `charts:\n  - path: ${JSON.stringify(chart)}\n    environments:\n${environments.join("\n")}\n`);
  const bin = join(root, "bin/helm-invariants.js");
  const template = (name) => [
    "template",
    "release-name",
    chart,
    "-n",
    "default",
    ...(name === undefined ? [] : ["-f", join(folder, `${name}.yaml`)]),
  ];
  const faulty = join(chart, "envs/default-deadline.yaml");
  const times = { helm1: [], tool1: [], helm8: [], tool8: [], found: [] };
  for (let round = 0; round < rounds; round++) {
    times.helm1.push(await ran(helm, template()));
    times.tool1.push(await ran(process.execPath, [bin, "check", chart, "--helm", helm]));
    times.helm8.push(
      await pooled(
        eight.map((name) => () => ran(helm, template(name))),
        Math.max(2, availableParallelism()),
      ),
    );
    times.found.push(await ran(process.execPath, [bin, "check", chart, "-f", faulty, "--helm", helm]));
    times.tool8.push(await ran(process.execPath, [bin, "check", "--config", config, "--helm", helm]));
  }
  const [helm1, tool1, helm8, tool8, found] = [times.helm1, times.tool1, times.helm8, times.tool8, times.found].map(median);
  const node = median(await Promise.all(Array.from({ length: 3 }, () => ran(process.execPath, ["-e", "0"]))));
  console.log(`median of ${rounds} rounds, node alone ${node.toFixed(0)} ms`);
  console.log(
    `one environment:     helm ${helm1.toFixed(0)} ms, check ${tool1.toFixed(0)} ms: +${(tool1 - helm1).toFixed(0)} ms (aim: +250 ms), ratio ${(tool1 / helm1).toFixed(2)}`,
  );
  console.log(
    `eight environments:  helm in parallel ${helm8.toFixed(0)} ms, check ${tool8.toFixed(0)} ms: ratio ${(tool8 / helm8).toFixed(2)} (aim: 1.3)`,
  );
  console.log(`with a finding:      check ${found.toFixed(0)} ms: ${(found / tool1).toFixed(2)} × the clean run (aim: 3)`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The helm that the tool would use itself. */
async function bundled() {
  const { findHelm } = await importSources('export { findHelm } from "./src/render/helm.ts";');
  return (await findHelm({})).path;
}
