import type { Term } from "../findings.js";
import type { Place } from "../manifest/place.js";

/** Seconds, with the terms that they are the sum (or the outcome) of. */
export interface Timed {
  readonly seconds: number;
  readonly terms: readonly Term[];
  /** The arithmetic for a message: `840 boot + 10 period + 5 timeout`; terms of 0 are left out. */
  explain(): string;
}

/** An interval of seconds: an event happens no earlier and no later. */
export interface Bounds {
  readonly earliest: number;
  readonly latest: number;
}

/** The numbers of a probe that timing needs (seconds and counts, after defaults); `Probe` of the model fits. */
export interface ProbeNumbers {
  readonly delay: number;
  readonly period: number;
  readonly timeout: number;
  readonly failures: number;
  readonly successes: number;
  /** Where the probe is written; terms then name its fields. */
  readonly at?: Place;
}

/** A term of a sum, in seconds. `shown` replaces `value term` in the explanation, without a sign: `179 × 10`. */
export interface Part extends Term {
  readonly value: number;
  readonly shown?: string;
}

/** A part of a sum in seconds; `at` is the field that it comes from. */
export function part(term: string, value: number, at?: Place, shown?: string): Part {
  return { term, value, unit: "s", ...(at === undefined ? {} : { at }), ...(shown === undefined ? {} : { shown }) };
}

/** Seconds or a count as a message shows them: at most 3 decimals, no trailing zeros. */
export function plain(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** A sum with its terms. A term's value must be a number of seconds. */
export function timed(parts: readonly (Term & { readonly shown?: string })[]): Timed {
  return {
    // Microseconds are finer than any fact: rounding keeps 0.1 + 0.2 out of comparisons.
    seconds: Math.round(parts.reduce((sum, { value }) => sum + Number(value), 0) * 1e6) / 1e6,
    terms: parts.map(({ shown: _, ...term }) => term),
    explain: () => explain(parts),
  };
}

function explain(parts: readonly (Term & { readonly shown?: string })[]): string {
  let text = "";
  for (const { term, value, shown } of parts) {
    const number = Number(value);
    if (number === 0) continue;
    const sign = number < 0 ? " - " : " + ";
    text += `${text === "" && number > 0 ? "" : sign}${shown ?? `${plain(Math.abs(number))} ${term}`}`;
  }
  return text.trimStart() || "0";
}
