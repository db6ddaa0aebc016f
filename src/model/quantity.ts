/** A rational number; the denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const grammar = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:([numkMGTPE])|([KMGTPE])i|[eE]([+-]?\d+))?$/;
const decimalPowers: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binarySteps = "KMGTPE";

/** Bounds on hostile input: no real quantity is longer, and BigInt arithmetic would not end. */
const longest = 128;
const largestExponent = 1000;

/** A Kubernetes quantity (`1.5Gi`, `100m`, `1e3`, a YAML number) as an exact rational; undefined when Kubernetes would refuse it. */
export function exactQuantity(text: unknown): Rational | undefined {
  if (typeof text !== "string" && typeof text !== "number" && typeof text !== "bigint") return undefined;
  const written = String(text);
  const match = written.length > longest ? null : grammar.exec(written);
  if (match === null) return undefined;
  const [, sign, whole = "", decimals = "", bareDecimals = "", decimalSuffix, binarySuffix, exponent] = match;
  const fraction = decimals + bareDecimals;
  const power = decimalSuffix === undefined ? Number(exponent ?? 0) : (decimalPowers[decimalSuffix] ?? 0);
  if (Math.abs(power) > largestExponent) return undefined;
  const digits = BigInt(whole + fraction);
  const scale = power - fraction.length;
  const binary = binarySuffix === undefined ? 1n : 1024n ** BigInt(binarySteps.indexOf(binarySuffix) + 1);
  return {
    numerator: (sign === "-" ? -digits : digits) * binary * (scale > 0 ? 10n ** BigInt(scale) : 1n),
    denominator: scale < 0 ? 10n ** BigInt(-scale) : 1n,
  };
}

/** A Kubernetes quantity as a plain number (bytes, cores): the nearest double; undefined when Kubernetes would refuse it. */
export function parseQuantity(text: unknown): number | undefined {
  const exact = exactQuantity(text);
  return exact === undefined ? undefined : toNumber(exact);
}

/** Compares two quantities exactly, whatever their suffixes; undefined when one of them is none. */
export function compareQuantities(a: unknown, b: unknown): -1 | 0 | 1 | undefined {
  const left = exactQuantity(a);
  const right = exactQuantity(b);
  if (left === undefined || right === undefined) return undefined;
  const difference = left.numerator * right.denominator - right.numerator * left.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** Bytes as a quantity with at most two decimals: `1.5Gi`, `512Mi`, `100` (bytes). */
export function formatBytes(bytes: number): string {
  for (const [suffix, size] of binarySizes) if (bytes >= size) return `${Math.round((bytes / size) * 100) / 100}${suffix}`;
  return String(bytes);
}

const binarySizes = [
  ["Ti", 2 ** 40],
  ["Gi", 2 ** 30],
  ["Mi", 2 ** 20],
  ["Ki", 2 ** 10],
] as const;

function toNumber({ numerator, denominator }: Rational): number {
  // Read as decimal text, because both halves may be too large for a double while their ratio is not.
  return Number(`${numerator}e${1 - String(denominator).length}`);
}
