import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { RenderJob } from "../plan.js";
import type { Outcome, RenderFailure } from "./outcome.js";
import { decodeText } from "./text.js";

/** Reads the rendered manifest that a job names. `stdin` gives the text of `-`; at most `maxOutput` bytes are read. */
export async function readManifests(job: RenderJob, stdin: () => Promise<string>, maxOutput: number): Promise<Outcome> {
  const fail = (kind: RenderFailure["kind"], message: string): Outcome => ({
    failure: { job, kind, message, ...(kind === "missing" || job.chart === "-" ? {} : { location: { file: job.chart } }) },
  });
  const tooLarge = () => fail("too-large", `the manifests are larger than ${maxOutput} bytes (--max-output)`);
  const accept = (text: string): Outcome => {
    if (text.includes("\0"))
      return fail("unreadable", `the manifests are not text: they hold a NUL character${isUtf16(text) ? " (UTF-16? expected UTF-8)" : ""}`);
    return { render: { job, text, warnings: [] } };
  };
  try {
    if (job.chart === "-") {
      const text = await stdin();
      return Buffer.byteLength(text) > maxOutput ? tooLarge() : accept(text.replace(/^\ufeff/, ""));
    }
    const found = await stat(job.chart);
    if (found.isDirectory()) return fail("unreadable", `the folder has no Chart.yaml, expected a chart or a file of manifests`);
    if (found.size > maxOutput) return tooLarge();
    const bytes = await readUpTo(job.chart, maxOutput);
    return bytes === undefined ? tooLarge() : accept(decodeText(bytes));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (job.chart === "-") return fail("unreadable", `standard input cannot be read: ${code ?? message}`);
    if (code === "ENOENT" || code === "ENOTDIR") return fail("missing", "the file of manifests does not exist");
    return fail("unreadable", `the file of manifests cannot be read: ${code ?? message}`);
  }
}

/** Counts while it reads: a pipe has no size. */
async function readUpTo(path: string, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isUtf16(text: string): boolean {
  return /^\ufffd\ufffd|^.\0.\0/.test(text);
}
