import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders = new Set<string>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A folder that only this user can open, removed at the latest when the process ends. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes a temporary folder (0700). */
export async function createTemporary(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "helm-invariants-"));
  if (folders.size === 0) listen("on");
  folders.add(path);
  return {
    path,
    async remove() {
      if (!folders.delete(path)) return;
      if (folders.size === 0) listen("off");
      await rm(path, { recursive: true, force: true, maxRetries: 2 });
    },
  };
}

function listen(how: "on" | "off"): void {
  process[how]("exit", removeAll);
  for (const signal of signals) process[how](signal, onSignal);
}

function removeAll(): void {
  for (const path of folders) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // the process ends, and nobody can be told
    }
  }
  folders.clear();
}

/** Listening to a signal switches its effect off: when nobody else listens, it is sent again without us. */
function onSignal(signal: NodeJS.Signals): void {
  removeAll();
  listen("off");
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
