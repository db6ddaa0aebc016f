import { baseName, type Container, commandsIn, defineRule, listed, type Place } from "../src/api.js";

export default defineRule({
  id: "command-in-image",
  summary: "Every binary that an exec probe or a hook runs is in the image",
  scope: "container",
  severity: "error",
  category: "shutdown",
  facts: ["binaries"],
  *check(container, { facts, judged, ask }) {
    if (container.role === "init") return;
    const { binaries } = facts;
    for (const { name, command, at } of execs(container)) {
      if (binaries === undefined) {
        ask("binaries");
        continue;
      }
      judged();
      const missing = [...new Set(binariesOf(command))].filter((binary) => !binaries.some((known) => isSame(known, binary)));
      if (missing.length === 0) continue;
      const has = binaries.length === 0 ? "nothing that can be run" : listed(binaries);
      yield {
        at,
        message: `${name} of "${container.name}" runs ${listed(missing.map((binary) => `"${binary}"`))}, but its image has ${has}: ${outcome(name)}`,
        hint:
          name === "preStop"
            ? "use preStop.sleep (Kubernetes 1.30), which needs no binary, or put it into the image"
            : "ask over httpGet, tcpSocket or grpc, or put it into the image",
      };
    }
  },
});

interface Exec {
  readonly name: string;
  readonly command: readonly string[];
  readonly at: Place;
}

function execs({ probes, preStop, postStart }: Container): readonly Exec[] {
  const hooks = [
    { name: "postStart", handler: postStart },
    { name: "preStop", handler: preStop },
  ];
  const handlers = [...probes.map(({ role, handler }) => ({ name: `the ${role} probe`, handler })), ...hooks];
  return handlers.flatMap(({ name, handler }) =>
    handler?.type === "exec" ? [{ name, command: handler.command ?? [], at: handler.at.key("command") }] : [],
  );
}

function outcome(name: string): string {
  if (name === "preStop") return "the hook fails in silence and the stop signal comes at once";
  if (name === "postStart") return "the hook fails and the container is killed at every start";
  return "the probe can never pass";
}

/** The programs that an argv needs, for certain or perhaps; a shell's builtins are none. */
function binariesOf(command: readonly string[]): readonly string[] {
  return commandsIn(command).flatMap(({ words: [program], byShell }) => {
    if (program === undefined || program === "" || (byShell && builtins.has(program))) return [];
    return [program];
  });
}

/** A path is that path; a bare name is found anywhere on the PATH. */
function isSame(known: string, binary: string): boolean {
  if (known === binary) return true;
  const bothPaths = known.includes("/") && binary.includes("/");
  return !bothPaths && baseName(known) === baseName(binary);
}

const builtins = new Set(
  ". : [ [[ alias break cd command continue declare echo eval exec exit export false getopts hash jobs kill let local printf pwd read readonly return set shift shopt source test times trap true type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);
