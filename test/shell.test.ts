import { describe, expect, it } from "vitest";
import { commandsIn, literalSleep } from "../src/model/shell.js";

/** Each command as text, `?` for a word that only the shell knows, `~` behind one that may not run, or not once. */
function commands(script: string): readonly string[] {
  return commandsIn(["sh", "-c", script])
    .slice(1)
    .map(({ words, certain }) => `${words.map((word) => word ?? "?").join(" ")}${certain ? "" : "~"}`);
}

describe("the commands of a script", () => {
  it.each([
    ["a b; c", ["a b", "c"]],
    ["a && b | c\nd", ["a", "b", "c", "d"]],
    ["a || b; c", ["a", "b~", "c"]],
    ["a & b", ["a~", "b"]],
    ["if a; then b; else c; fi; d", ["a~", "b~", "c~", "d"]],
    ["for x in 1 2 3; do a; done; b", ["a~", "b"]],
    ["for x do a; done", ["a~"]],
    ["while ! a; do b; done", ["a~", "b~"]],
    ["(a; b) && { c; }", ["a", "b", "c"]],
    ["A=1 B=$X a", ["a"]],
    ["A=1", []],
    ["'a b' \"c $d\" e\\ f", ["a b ? e f"]],
    ["a > /dev/null 2>&1 < x", ["a"]],
    ["a &> log", ["a"]],
    ["a # b; c\nd", ["a", "d"]],
    ["a#b", ["a#b"]],
    ["a \\\n b", ["a b"]],
    ["a $(b 'c)') `d`", ["b c)~", "d~", "a ? ?"]],
    ['a "$(b "c")"', ["b c~", "a ?"]],
    ["a \u0024{x:-$(b)} $((1 + 2)) $1 $", ["a ? ? ? $"]],
    ["exec a", ["exec a", "a"]],
    ["timeout -s KILL 5 a b", ["timeout -s KILL 5 a b", "a b~"]],
    ["timeout 5 a b", ["timeout 5 a b", "a b~"]],
    ["env -i A=1 a", ["env -i A=1 a", "a"]],
    ["env -u A a", ["env -u A a"]],
    ["command -v a", ["command -v a"]],
    ["a; case x in y) b ;; esac; c", ["a"]],
    ["f() { a; }; f", []],
    ["a; cat << END\nb\nEND", ["a"]],
    ["a 'b", []],
    ["bash -c 'a; b' || c", ["bash -c a; b", "a", "b", "c~"]],
  ])("%s", (script, expected) => {
    expect(commands(script)).toEqual(expected);
  });

  it("knows the ways to give a script to a shell", () => {
    for (const argv of [
      ["sh", "-c", "a"],
      ["/bin/bash", "-ec", "a"],
      ["sh", "-e", "-c", "a", "name"],
      ["bash", "-o", "pipefail", "-c", "a"],
      ["bash", "--norc", "-c", "a"],
    ]) {
      expect(commandsIn(argv).at(-1)?.words).toEqual(["a"]);
    }
    for (const argv of [["sh", "/a.sh"], ["sh"], ["sh", "-c"], ["check", "-c", "a"]]) expect(commandsIn(argv)).toHaveLength(1);
  });

  it("ends on scripts within scripts", () => {
    expect(commandsIn(["sh", "-c", "$(".repeat(500)]).length).toBe(1);
    expect(commandsIn(["exec", ...Array<string>(1000).fill("exec")]).length).toBeLessThan(20);
  });
});

describe("literal sleeps", () => {
  it.each([
    [["sleep", "60"], 60],
    [["/bin/sleep", "1.5"], 1.5],
    [["sleep", "1m", "30s"], 90],
    [["sleep", "1h"], 3600],
    [["sh", "-c", "sleep 5 && a; sleep 10"], 15],
    [["sh", "-c", "exec sleep 5"], 5],
    [["sh", "-c", "sleep 5 || true"], 5],
    [["sleep", "infinity"], undefined],
    [["sleep", "-5"], undefined],
    [["sleep"], undefined],
    [["sh", "-c", "sleep 5 &"], undefined],
    [["sh", "-c", "timeout 5 sleep 60"], undefined],
    [["sh", "-c", "while a; do sleep 5; done"], undefined],
    [["echo", "sleep 5"], undefined],
  ])("%j", (argv, seconds) => {
    expect(literalSleep(argv)).toBe(seconds);
  });
});
