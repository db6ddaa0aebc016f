const windowLength = 100;
const base = 37;
const word = 0x1_0000_0000;
const endOfText = 0xffff;

/** 37^100 modulo 2^64, as two 32-bit halves: what a unit is multiplied with when it leaves the window. */
const leaving = (() => {
  let value = 1n;
  for (let i = 0; i < windowLength; i++) value = BigInt.asUintN(64, value * BigInt(base));
  return { high: Number(value >> 32n), low: Number(value & 0xffff_ffffn) };
})();

/** The UTF-16 units that count (no spaces, no tabs, every line end one LF, an end mark) and where each line begins among them. */
function countedUnits(text: string): { units: number[]; starts: number[] } {
  const units: number[] = [];
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x20 || unit === 0x09) continue;
    if (unit !== 0x0a && unit !== 0x0d) {
      units.push(unit);
      continue;
    }
    if (unit === 0x0d && text.charCodeAt(i + 1) === 0x0a) i++;
    units.push(0x0a);
    starts.push(units.length);
  }
  units.push(endOfText);
  return { units, starts };
}

/**
 * The `primaryLocationLineHash` of every line of a text, first line first: a rolling hash over the 100 counted UTF-16 units that begin at the line,
 * then a colon and how many lines so far had that hash. This is the value by which GitHub code scanning recognises an alert; its upload action
 * warns once a result when a tool gives another. Linear in the length of the text.
 */
export function lineHashes(text: string): readonly string[] {
  const { units, starts } = countedUnits(text);
  const seen = new Map<string, number>();
  const hashes: string[] = [];
  let high = 0;
  let low = 0;
  let next = 0;
  // The window [end - 100, end) is complete after the unit at end - 1; beyond the text all units are 0.
  for (let end = 1; next < starts.length; end++) {
    const entered = units[end - 1] ?? 0;
    const left = end > windowLength ? (units[end - 1 - windowLength] ?? 0) : 0;
    const product = low * base + entered;
    high = (Math.imul(high, base) + Math.floor(product / word)) >>> 0;
    low = product % word;
    const gone = left * leaving.low;
    const difference = low - (gone % word);
    high = (high - Math.imul(left, leaving.high) - Math.floor(gone / word) - (difference < 0 ? 1 : 0)) >>> 0;
    low = difference < 0 ? difference + word : difference;
    if (end - windowLength !== starts[next]) continue;
    const hash = high === 0 ? low.toString(16) : high.toString(16) + low.toString(16).padStart(8, "0");
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    hashes.push(`${hash}:${count}`);
    next++;
  }
  return hashes;
}

/** The hash of one line (1-based); undefined when the text has no such line. */
export function primaryLocationLineHash(text: string, line: number): string | undefined {
  return lineHashes(text)[line - 1];
}
