import { editDistance } from "../spelling.js";
import type { ValuePath } from "./read-tree.js";

const most = 3;

/**
 * Paths that a key which nothing reads was most likely meant to be, the best first: one with a misspelt word (letter case and separators count
 * little), or one with the same last key under another parent. `candidates` are paths that are read.
 */
export function similarKeys(path: ValuePath, candidates: Iterable<ValuePath>): readonly ValuePath[] {
  const scored = new Map<string, { readonly candidate: ValuePath; readonly score: number }>();
  for (const candidate of candidates) {
    const score = Math.min(misspelt(path, candidate), misplaced(path, candidate));
    if (score > 0 && score < Number.POSITIVE_INFINITY) scored.set(candidate.join("\0"), { candidate, score });
  }
  const sorted = [...scored].sort(([a, one], [b, two]) => one.score - two.score || (a < b ? -1 : 1));
  return sorted.slice(0, most).map(([, { candidate }]) => candidate);
}

/** How far off a path is of which words are misspelt; infinite when too far, or of another depth. */
function misspelt(path: ValuePath, candidate: ValuePath): number {
  if (path.length !== candidate.length) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const [index, key] of path.entries()) {
    const other = candidate[index] ?? "";
    if (key === other) continue;
    if (plain(key) === plain(other)) {
      sum += 0.5;
      continue;
    }
    const distance = editDistance(key.toLowerCase(), other.toLowerCase());
    // An index is never a misspelt one, and short words are all near each other.
    if (/^\d+$/.test(key) || distance > Math.floor(Math.max(key.length, other.length) / 3)) return Number.POSITIVE_INFINITY;
    sum += distance;
  }
  return sum;
}

/** How far off a path is whose last key stands under another parent: the parents that the two do not share. */
function misplaced(path: ValuePath, candidate: ValuePath): number {
  const last = path.at(-1);
  if (last === undefined || candidate.at(-1) !== last || tooUsual.has(last)) return Number.POSITIVE_INFINITY;
  const parents = path.slice(0, -1);
  const others = candidate.slice(0, -1);
  const shared = parents.filter((key) => others.includes(key)).length;
  const apart = parents.length + others.length - 2 * shared;
  // Without a common parent the last key has to be telling, and one of the two has to stand at the top.
  if (shared === 0 && Math.min(parents.length, others.length) > 0) return Number.POSITIVE_INFINITY;
  return 3 + apart;
}

/** Keys that stand in every second mapping, and say nothing alone. */
const tooUsual: ReadonlySet<string> = new Set(["enabled", "name", "type", "create", "value", "key", "labels", "annotations"]);

function plain(key: string): string {
  return key.toLowerCase().replace(/[-_.]/g, "");
}
