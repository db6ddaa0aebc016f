import type { Block } from "./blocks.js";
import type { TemplateFile } from "./types.js";

/** The file of each named template; of two with one name the later file's. */
export function findDefines(files: readonly TemplateFile[]): ReadonlyMap<string, string> {
  const defines = new Map<string, string>();
  for (const { file, text } of files) {
    for (const match of text.matchAll(/\{\{-?\s*(?:define|block)\s+(?:"([^"\n]+)"|`([^`\n]+)`)/g))
      defines.set(match[1] ?? match[2] ?? "", file);
  }
  return defines;
}

/** The named template in the actions of its file. */
export function defineIn(blocks: readonly Block[], name: string): Block | undefined {
  for (const block of blocks) {
    const [own] = block.action.pipe[0] ?? [];
    if (/^(?:define|block)$/.test(block.action.keyword) && own?.base === "text" && own.name === name) return block;
    for (const branch of block.branches) {
      const inner = defineIn(branch.body, name);
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}
