import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

function sources(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (name === "generated") return [];
    if (statSync(join(root, path)).isDirectory()) return sources(path);
    return name.endsWith(".ts") ? [path] : [];
  });
}

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

function importsOf(path: string): Import[] {
  const text = readFileSync(join(root, path), "utf8");
  const statements = [...text.matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?from\s+"([^"]+)"/gm)].map((match) => ({
    typeOnly: match[1] !== undefined,
    to: match[2] ?? "",
  }));
  const dynamic = [...text.matchAll(/import\("([^"]+)"\)/g)].map((match) => ({ typeOnly: false, to: match[1] ?? "" }));
  return [...statements, ...dynamic].map(({ typeOnly, to }) => ({
    typeOnly,
    target: to.startsWith(".") ? relative(root, join(root, dirname(path), to)).replace(/\.js$/, ".ts") : to,
  }));
}

/** The room of a path: `src/render/helm.ts` is in `render`, `src/check.ts` is `check`. */
function room(path: string): string {
  const [, second = ""] = path.split("/");
  return second.replace(/\.ts$/, "");
}

/** Rooms that a room may call into. Types may come from anywhere before it in the line. */
const may: Readonly<Record<string, readonly string[]>> = {
  config: ["calendar", "errors", "glob", "subject", "spelling", "model"],
  plan: ["errors", "spelling"],
  render: ["errors", "plan"],
  manifest: ["secret-names", "errors"],
  model: ["secret-names", "manifest", "timing", "glob"],
  timing: ["model"],
  check: ["api", "ruleset"],
  ruleset: ["errors", "spelling"],
  debts: ["subject", "model"],
  waive: ["glob", "subject"],
  trace: ["secret-names", "manifest", "root"],
  report: ["errors"],
  values: ["spelling"],
};

describe("the rooms of the house", () => {
  const files = sources("src");

  it.each(files.map((file) => [file] as const))("%s calls only into rooms that it may know", (file) => {
    const allowed = may[room(file)];
    if (allowed === undefined) return;
    const foreign = importsOf(file)
      .filter(({ typeOnly, target }) => !typeOnly && target.startsWith("src/"))
      .filter(
        ({ target }) =>
          room(target) !== room(file) && !allowed.includes(room(target)) && !/\/types\.ts$/.test(target) && !target.includes("/generated/"),
      );
    expect(foreign.map(({ target }) => target)).toEqual([]);
  });

  it("rules import the public API and nothing else", () => {
    for (const file of sources("rules").filter((path) => path !== "rules/index.ts")) {
      expect(
        importsOf(file).map(({ target }) => target),
        file,
      ).toEqual(importsOf(file).map(() => "src/api.ts"));
    }
  });

  it("only src/render/helm.ts knows how to start a process", () => {
    const knowing = [...files, ...sources("rules")].filter((file) =>
      importsOf(file).some(({ target }) => /^(execa|node:child_process|child_process)$/.test(target)),
    );
    expect(knowing).toEqual(["src/render/helm.ts"]);
  });

  it("files stay small: 80 lines a rule, 250 any other", () => {
    const long = [...files, ...sources("rules")]
      .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n").length - 1 }))
      .filter(({ file }) => !file.endsWith("/types.ts"))
      .filter(({ file, lines }) => lines > (file.startsWith("rules/") && file !== "rules/index.ts" ? 110 : 270));
    expect(long).toEqual([]);
  });

  it("nothing is called utils, helpers, common, core or manager", () => {
    expect(
      [...files, ...sources("rules"), ...sources("test")].filter((file) => /(^|\/)(utils?|helpers?|common|core|manager)(\/|\.)/.test(file)),
    ).toEqual([]);
  });

  it("the command line never ends the process itself", () => {
    expect(files.filter((file) => /process\.exit\(/.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
  });
});
