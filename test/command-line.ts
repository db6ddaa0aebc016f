import { spawn } from "node:child_process";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");
export const memex = join(root, "fixtures/charts/memex");

/** What a command printed and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command line as a user would. */
export function helmInvariants(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "bin/helm-invariants.js"), ...args], {
      cwd: options.cwd ?? root,
      env: { ...process.env, NO_COLOR: "1", HELM_BIN: undefined, ...options.env },
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
    child.stdin.end(options.input ?? "");
  });
}
