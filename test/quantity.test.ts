import { describe, expect, it } from "vitest";
import { compareQuantities, exactQuantity, formatBytes, parseQuantity } from "../src/model/quantity.js";

const valid: readonly (readonly [unknown, number])[] = [
  ["0", 0],
  ["1", 1],
  ["+1", 1],
  ["-1", -1],
  ["007", 7],
  ["0.5", 0.5],
  [".5", 0.5],
  ["5.", 5],
  ["-.5", -0.5],
  ["5.Gi", 5_368_709_120],
  ["1n", 1e-9],
  ["1u", 1e-6],
  ["100m", 0.1],
  ["250m", 0.25],
  ["1k", 1e3],
  ["1M", 1e6],
  ["1G", 1e9],
  ["1T", 1e12],
  ["1P", 1e15],
  ["1E", 1e18],
  ["1Ki", 1024],
  ["1Mi", 1_048_576],
  ["1.5Gi", 1_610_612_736],
  ["1Ti", 1_099_511_627_776],
  ["1Pi", 1024 ** 5],
  ["1Ei", 1024 ** 6],
  ["-1Ki", -1024],
  ["1e3", 1000],
  ["1E3", 1000],
  ["1e+3", 1000],
  ["1E+3", 1000],
  ["1e-3", 0.001],
  ["1.5e3", 1500],
  [".5E1", 5],
  ["128974848", 128_974_848],
  ["129e6", 129e6],
  ["123Mi", 128_974_848],
  [2, 2],
  [0.1, 0.1],
  [-3.5, -3.5],
  [1e21, 1e21],
  [1e-7, 1e-7],
  [7n, 7],
];

const invalid: readonly unknown[] = [
  "",
  " ",
  "abc",
  "1K",
  "1m5",
  "100 m",
  " 1",
  "1 ",
  "1\n",
  ".",
  "+",
  "-",
  "--1",
  "+-1",
  "Mi",
  "m",
  "E",
  ".Gi",
  "1i",
  "1mi",
  "1ni",
  "1ki",
  "1KI",
  "1gi",
  "1g",
  "1t",
  "1GiB",
  "1e",
  "1e+",
  "1e3.5",
  "1e3Gi",
  "1e3k",
  "1Ei3",
  "1.2.3",
  "1,5",
  "1_000",
  "0x10",
  "١",
  "NaN",
  "Infinity",
  `1e${"9".repeat(30)}`,
  "9".repeat(1000),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  null,
  undefined,
  {},
  ["1"],
];

const ordered: readonly (readonly [unknown, -1 | 0 | 1, unknown])[] = [
  ["100m", 0, "0.1"],
  ["100m", 0, 0.1],
  ["0.1", -1, "101m"],
  ["1E", 0, "1e18"],
  ["1E", -1, "1Ei"],
  ["1e3", 0, "1k"],
  ["1k", -1, "1Ki"],
  ["1024Mi", 0, "1Gi"],
  ["1.5Gi", 0, "1536Mi"],
  ["1G", -1, "1Gi"],
  ["-1", -1, "0"],
  ["-1Gi", -1, "-1G"],
  ["0", 0, "-0"],
  // Equal as doubles.
  ["9007199254740993", 1, "9007199254740992"],
  ["1000000000000000000.000000001", 1, "1E"],
  ["0.3", 0, "300000000n"],
];

describe("quantities", () => {
  it.each(valid)("%s is %d", (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });

  it.each(invalid.map((text) => [text]))("%s is refused", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect(exactQuantity(text)).toBeUndefined();
    expect(compareQuantities(text, "1")).toBeUndefined();
    expect(compareQuantities("1", text)).toBeUndefined();
  });

  it.each(ordered)("%s against %s", (a, sign, b) => {
    expect(compareQuantities(a, b)).toBe(sign);
    expect(compareQuantities(b, a)).toBe(sign === 0 ? 0 : -sign);
  });

  it("keeps every digit", () => {
    expect(exactQuantity("1.5Gi")).toEqual({ numerator: 15n * 1024n ** 3n, denominator: 10n });
    expect(exactQuantity("-2k")).toEqual({ numerator: -2000n, denominator: 1n });
  });
});

describe("bytes as text", () => {
  it.each([
    [0, "0"],
    [1023, "1023"],
    [1024, "1Ki"],
    [512 * 2 ** 20, "512Mi"],
    [1.5 * 2 ** 30, "1.5Gi"],
    [1e9, "953.67Mi"],
    [3 * 2 ** 40, "3Ti"],
  ])("%d is %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
