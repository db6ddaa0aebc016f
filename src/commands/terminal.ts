import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WriteStream } from "node:tty";
import { fileURLToPath } from "node:url";
import { UsageError } from "../errors.js";

/** Whether to colour what goes to a stream: the flag, then NO_COLOR and FORCE_COLOR, then whether it is a terminal. */
export function terminalColor(when: "auto" | "always" | "never", stream: NodeJS.WriteStream): boolean {
  if (when !== "auto") return when === "always";
  if ((process.env["NO_COLOR"] ?? "") !== "") return false;
  const force = process.env["FORCE_COLOR"];
  if (force !== undefined && force !== "" && force !== "0" && force !== "false") return true;
  return (stream as WriteStream).isTTY === true && process.env["TERM"] !== "dumb";
}

/** A counter of renders on a terminal; nothing anywhere else. */
export function progressOn(stream: NodeJS.WriteStream, quiet: boolean): { show(done: number, total: number): void; clear(): void } {
  if (quiet || stream.isTTY !== true || process.env["CI"] !== undefined) return { show: () => undefined, clear: () => undefined };
  let shown = false;
  return {
    show: (done, total) => {
      if (total < 2) return;
      shown = true;
      stream.write(`\r\u001b[Krendering ${done}/${total}`);
    },
    clear: () => {
      if (shown) stream.write("\r\u001b[K");
    },
  };
}

/** All of standard input. Throws UsageError when it is a terminal: nobody is going to type manifests. */
export async function readStdin(): Promise<string> {
  if (process.stdin.isTTY === true)
    throw new UsageError("- reads manifests from standard input, which is a terminal\ntry: kustomize build | helm-invariants check -");
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The Markdown page of a built-in rule; undefined for a rule that has none. */
export function pageOf(id: string): string | undefined {
  if (!/^[a-z0-9-]+$/.test(id)) return undefined;
  const folder = rulesFolder();
  const file = folder === undefined ? undefined : join(folder, `${id}.md`);
  return file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Pages stand in `rules/` of the package, above the sources and above the bundle. */
function rulesFolder(): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return join(folder, "rules");
  }
  return undefined;
}

/** Columns to wrap at: those of the terminal, else what COLUMNS asks for; none in a pipe, so that a sentence stays on one line. */
export function widthOf(stream: NodeJS.WriteStream): { readonly width?: number } {
  const asked = Number(process.env["COLUMNS"]);
  const width = stream.columns ?? (Number.isInteger(asked) && asked > 0 ? asked : undefined);
  return width === undefined ? {} : { width: Math.max(width, 40) };
}
