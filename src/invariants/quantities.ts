import type { Environment } from "@marcbachmann/cel-js";
import { compare, parse, type SemVer } from "semver";
import { exactQuantity, type Rational } from "../model/quantity.js";

/** Something that cannot be computed from a text; the message does not repeat the text, which may be a secret. */
export class NoValue extends Error {}

/** A Kubernetes quantity, exact. A class because the engine knows types by their constructors. */
class Quantity {
  constructor(readonly exact: Rational) {}
}

class Semver {
  constructor(readonly version: SemVer) {}
}

const sync = { async: false };
const longestVersion = 256;

/** Adds `quantity`, `isQuantity`, `semver` and `isSemver` with Kubernetes' names and methods. */
export function addQuantities(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) => environment.registerFunction(signature, handler, sync);
  environment.registerType("Quantity", Quantity);
  for (const type of ["string", "int", "double"]) {
    add(`quantity(${type}): Quantity`, quantity);
    add(`isQuantity(${type}): bool`, (text: unknown) => exactQuantity(text) !== undefined);
  }
  for (const [other, of] of [
    ["Quantity", (value: Quantity) => value.exact],
    ["int", (value: bigint) => ({ numerator: value, denominator: 1n })],
  ] as const) {
    add(`Quantity.add(${other}): Quantity`, (a: Quantity, b: never) => sum(a.exact, of(b), 1n));
    add(`Quantity.sub(${other}): Quantity`, (a: Quantity, b: never) => sum(a.exact, of(b), -1n));
  }
  add("Quantity.isGreaterThan(Quantity): bool", (a: Quantity, b: Quantity) => order(a, b) > 0);
  add("Quantity.isLessThan(Quantity): bool", (a: Quantity, b: Quantity) => order(a, b) < 0);
  add("Quantity.compareTo(Quantity): int", (a: Quantity, b: Quantity) => BigInt(order(a, b)));
  add("Quantity.sign(): int", ({ exact: { numerator } }: Quantity) => BigInt(Math.sign(Number(numerator))));
  add("Quantity.isInteger(): bool", ({ exact }: Quantity) => exact.numerator % exact.denominator === 0n);
  add("Quantity.asInteger(): int", asInteger);
  add("Quantity.asApproximateFloat(): double", ({ exact }: Quantity) => Number(exact.numerator) / Number(exact.denominator));
  environment.registerOperator("Quantity == Quantity", (a: Quantity, b: Quantity) => order(a, b) === 0);

  environment.registerType("Semver", Semver);
  add("semver(string): Semver", (text: string) => semver(text, false));
  add("semver(string, bool): Semver", semver);
  add("isSemver(string): bool", (text: string) => read(text, false) !== undefined);
  add("isSemver(string, bool): bool", (text: string, loose: boolean) => read(text, loose) !== undefined);
  add("Semver.isGreaterThan(Semver): bool", (a: Semver, b: Semver) => compare(a.version, b.version) > 0);
  add("Semver.isLessThan(Semver): bool", (a: Semver, b: Semver) => compare(a.version, b.version) < 0);
  add("Semver.compareTo(Semver): int", (a: Semver, b: Semver) => BigInt(compare(a.version, b.version)));
  for (const part of ["major", "minor", "patch"] as const) add(`Semver.${part}(): int`, ({ version }: Semver) => BigInt(version[part]));
  environment.registerOperator("Semver == Semver", (a: Semver, b: Semver) => compare(a.version, b.version) === 0);
}

function quantity(text: unknown): Quantity {
  const exact = exactQuantity(text);
  if (exact === undefined) throw new NoValue("quantity() was given what is no Kubernetes quantity");
  return new Quantity(exact);
}

function asInteger({ exact: { numerator, denominator } }: Quantity): bigint {
  if (numerator % denominator !== 0n) throw new NoValue("asInteger() was asked of a quantity that is no whole number");
  return numerator / denominator;
}

function order(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const difference = a.exact.numerator * b.exact.denominator - b.exact.numerator * a.exact.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function sum(a: Rational, b: Rational, sign: bigint): Quantity {
  const numerator = a.numerator * b.denominator + sign * b.numerator * a.denominator;
  return new Quantity({ numerator, denominator: a.denominator * b.denominator });
}

/** `normalize` takes `v1.2` for 1.2.0, as Kubernetes' second argument does. */
function semver(text: string, normalize: boolean): Semver {
  const version = read(text, normalize);
  if (version === undefined) throw new NoValue("semver() was given what is no semantic version");
  return new Semver(version);
}

function read(text: string, normalize: boolean): SemVer | undefined {
  if (text.length > longestVersion) return undefined;
  if (!normalize) return /^\d/.test(text) ? (parse(text) ?? undefined) : undefined;
  const [, core = "", rest = ""] = /^v?([\d.]*)(.*)$/.exec(text) ?? [];
  const parts = core.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return parse(parts.join(".") + rest) ?? undefined;
}
