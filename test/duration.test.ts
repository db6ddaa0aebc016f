import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateConfig } from "../src/config/generated/validate.js";
import { formatHours, formatSeconds, formatSpan, parseDuration } from "../src/model/duration.js";
import { compareTags, isCondition, isVersion, normalizeKubeVersion, satisfies } from "../src/model/version.js";

describe("parseDuration", () => {
  it.each([
    ["90s", 90],
    ["30m", 1800],
    ["1h30m", 5400],
    ["1h30m15.5s", 5415.5],
    ["2m3s", 123],
    ["9412ms", 9.412],
    ["10068ms", 10.068],
    ["8.12s", 8.12],
    ["8s120ms", 8.12],
    ["0.002s", 0.002],
    ["100us", 0.0001],
    ["100µs", 0.0001],
    ["100μs", 0.0001],
    ["1ns", 1e-9],
    [".5s", 0.5],
    ["1.s", 1],
    ["+5s", 5],
    ["0", 0],
    ["0s", 0],
    ["90", 90],
    ["1.5", 1.5],
    [90, 90],
    [0.25, 0.25],
    [0, 0],
  ])("reads %j as %d seconds", (given, seconds) => {
    expect(parseDuration(given)).toBe(seconds);
  });

  it.each([
    "",
    " ",
    "90 seconds",
    "90sec",
    "1d",
    "-5s",
    "-0.1s",
    "s",
    ".s",
    "1h-5m",
    "5s ",
    " 5s",
    "1e3s",
    "∞",
    "PT5S",
    "1:30",
    "--5s",
    "9223372037s",
    "99999999h",
    "5S",
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e10,
  ])("refuses %j", (given) => {
    expect(parseDuration(given)).toBeUndefined();
  });

  it("agrees with the pattern of the schema on every text", () => {
    const piece = fc.constantFrom("1", "0", "9", ".", "+", "-", "ns", "us", "µs", "ms", "s", "m", "h", "d", " ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const boot = pieces.join("");
        expect(validateConfig({ facts: [{ of: "*", boot }] })).toBe(parseDuration(boot) !== undefined);
      }),
      { numRuns: 2000 },
    );
  });

  it("reads back what formatSeconds writes, to the millisecond", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 10_000_000 }), (ms) => parseDuration(formatSeconds(ms / 1000)) === ms / 1000));
  });

  it("takes no time for a long text", () => {
    expect(parseDuration("1".repeat(200_000))).toBeUndefined();
    expect(parseDuration(`${"1".repeat(200_000)}x`)).toBeUndefined();
  });
});

describe("formatting", () => {
  it("writes seconds with up to 3 decimals", () => {
    expect([8.12, 1805, 0.5, 10.0684, 0, 0.0002, 120].map(formatSeconds)).toEqual([
      "8.12s",
      "1805s",
      "0.5s",
      "10.068s",
      "0s",
      "0.0002s",
      "120s",
    ]);
  });

  it("writes hours with one decimal", () => {
    expect([10_790, 3600, 900].map(formatHours)).toEqual(["3.0h", "1.0h", "0.3h"]);
  });

  it("writes spans, long ones with hours", () => {
    expect(formatSpan(65, 75)).toBe("65s to 75s");
    expect(formatSpan(75, 75)).toBe("75s");
    expect(formatSpan(10_790, 10_805)).toBe("10790s to 10805s (3.0h)");
    expect(formatSpan(10_800, 10_800)).toBe("10800s (3.0h)");
    expect(formatSpan(3600, 7200)).toBe("3600s to 7200s (1.0h to 2.0h)");
  });
});

describe("versions", () => {
  it.each([
    ["3.0.1-ci.10", "3.0.0-ci.8900", 1],
    ["3.0.0-ci.8900", "3.0.0-ci.8900", 0],
    ["3.0.0-ci.8812", "3.0.0-ci.8900", -1],
    ["3.0.0-ci.900", "3.0.0-ci.8900", -1],
    ["v3.0.0", "3.0.0", 0],
    ["3.0.0-ci.1", "3.0.0", -1],
    ["1.9.3-alpine3.20", "1.9.3", 0],
    ["2.0.0-debian-12-r3", "2.0.0", 0],
    ["2.0.0-alpha.1", "2.0.0", -1],
    ["latest", "3.0.0", undefined],
    ["1", "1.0.0", undefined],
    ["3.0.0", "", undefined],
  ])("compares %s with %s", (a, b, expected) => {
    expect(compareTags(a, b)).toBe(expected);
  });

  it.each([
    ["3.0.1-ci.10", ">=3.0.0-ci.8900", true],
    ["3.0.0-ci.9218", ">=3.0.0-ci.8900", true],
    ["3.0.0-ci.8812", ">=3.0.0-ci.8900", false],
    ["v3.1.0", ">=3.0.0-ci.8900", true],
    ["4.0.0-rc.1", ">=3.0.0 <4.0.0", true],
    ["3.5.0", ">=3.0.0, <3.4.0", false],
    ["3.5.0", "<3.0.0 || >=3.5.0", true],
    ["3.0.0-ci.1", ">=3.0.0", false],
    ["main-8f2c", ">=3.0.0", undefined],
    ["3.0.0", "soon", undefined],
    ["3.0.0", "", undefined],
  ])("asks whether %s meets %s", (tag, condition, expected) => {
    expect(satisfies(tag, condition)).toBe(expected);
  });

  it("tells versions and conditions from other texts", () => {
    expect(["1.2.3", "v1.2.3-rc.1", "1.2", "latest"].map(isVersion)).toEqual([true, true, false, false]);
    expect([">=1.2.3", "1.x", " ", "when it is ready"].map(isCondition)).toEqual([true, true, false, false]);
  });

  it.each([
    ["1.31", "1.31.0"],
    ["v1.31", "1.31.0"],
    ["1.31.4", "1.31.4"],
    ["v1.31.2-gke.100", "1.31.2-gke.100"],
    ["1.30-eks", "1.30.0-eks"],
    ["1", undefined],
    ["latest", undefined],
  ])("writes the Kubernetes version %s in three parts", (given, expected) => {
    expect(normalizeKubeVersion(given)).toBe(expected);
  });
});
