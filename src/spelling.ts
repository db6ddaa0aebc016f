/** The word of a list that a misspelt one most likely meant; undefined when none is near (at most a third of its letters off). */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours cost 1 each. */
export function editDistance(a: string, b: string): number {
  const width = Math.min(b.length, 200);
  const rows: number[][] = [Array.from({ length: width + 1 }, (_, j) => j)];
  for (let i = 1; i <= Math.min(a.length, 200); i++) {
    const row = [i];
    for (let j = 1; j <= width; j++) {
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(
        Math.min((rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (rows[i - 1]?.[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1), swap),
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.[width] ?? 0;
}
