const running = new Set<number>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Kills a process with all that it started. It must have been started as the leader of a group of its own. */
export function killGroup(pid: number): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // it is gone already
  }
}

/** Takes care that a group does not outlive this process, whichever way it ends; the result ends the care. */
export function guardGroup(pid: number): () => void {
  if (running.size === 0) {
    process.on("exit", killAll);
    for (const signal of signals) process.on(signal, onSignal);
  }
  running.add(pid);
  return () => {
    if (running.delete(pid) && running.size === 0) stopListening();
  };
}

function stopListening(): void {
  process.off("exit", killAll);
  for (const signal of signals) process.off(signal, onSignal);
}

function killAll(): void {
  for (const pid of running) killGroup(pid);
}

/** Listening to a signal switches its effect off: when nobody else listens, it is sent again without us. */
function onSignal(signal: NodeJS.Signals): void {
  killAll();
  running.clear();
  stopListening();
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
