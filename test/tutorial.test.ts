import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "./command-line.js";

const page = join(root, "docs/write-a-rule.md");
const folder = mkdtempSync(join(tmpdir(), "helm-invariants-tutorial-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A fenced block of the page: a file to write, or a session of `$ commands` with what they print. Lines are 0-based, of the content. */
interface Block {
  readonly info: string;
  readonly from: number;
  readonly lines: readonly string[];
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { info: string; from: number; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (open === undefined && /^```\w/.test(line)) open = { info: line.slice(3), from: index + 1, lines: [] };
    else if (line === "```" && open !== undefined) {
      blocks.push(open);
      open = undefined;
    } else open?.lines.push(line);
  }
  return blocks;
}

/** Types a command in the tutorial's folder, as on a terminal without colours: what it writes to either stream. */
function type(command: string): Promise<string> {
  const bin = join(folder, ".bin");
  mkdirSync(bin, { recursive: true });
  const script = join(bin, "helm-invariants");
  writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "bin/helm-invariants.js")}" "$@"\n`);
  chmodSync(script, 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}`, NO_COLOR: "1", HELM_BIN: undefined, COLUMNS: undefined };
  return new Promise((done) => {
    execFile("sh", ["-c", `{ ${command}\n} 2>&1`], { cwd: folder, env }, (_, out) => done(out));
  });
}

/** The session as the terminal would show it. */
async function replay(block: Block): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const line of block.lines.filter((text) => text.startsWith("$ "))) {
    const out = (await type(line.slice(2))).trimEnd();
    shown.push(line, ...(out === "" ? [] : out.split("\n").map((text) => text.trimEnd())));
  }
  return shown;
}

/** `UPDATE_TUTORIAL=1 npx vitest run test/tutorial.test.ts` writes what the commands print now into the page. */
const update = process.env["UPDATE_TUTORIAL"] === "1";

describe("docs/write-a-rule.md", () => {
  const text = readFileSync(page, "utf8");
  const blocks = blocksOf(text);

  it("has files and commands, and no block that nobody looks at", () => {
    expect(blocks.filter(({ info }) => info === "console").length).toBeGreaterThan(4);
    expect(blocks.filter(({ info }) => info.includes(" file=")).length).toBeGreaterThan(6);
    expect(blocks.map(({ info }) => info).filter((info) => info !== "console" && !info.includes(" file="))).toEqual(["js"]);
  });

  it("prints what the page says", { timeout: 180_000 }, async () => {
    const lines = text.split("\n");
    const edits: { from: number; count: number; lines: readonly string[] }[] = [];
    for (const block of blocks) {
      const file = / file=(\S+)$/.exec(block.info)?.[1];
      if (file !== undefined) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), `${block.lines.join("\n")}\n`);
      }
      if (block.info !== "console") continue;
      const shown = await replay(block);
      if (update) edits.push({ from: block.from, count: block.lines.length, lines: shown });
      else expect(shown.join("\n"), `docs/write-a-rule.md:${block.from + 1}`).toBe(block.lines.join("\n"));
    }
    for (const edit of edits.toReversed()) lines.splice(edit.from, edit.count, ...edit.lines);
    if (update) writeFileSync(page, lines.join("\n"));
  });
});
