const parts = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const goDuration = /^\+?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const plainSeconds = /^\+?(?:\d+(?:\.\d*)?|\.\d+)$/;
/** Go keeps durations as 64-bit nanoseconds; what does not fit is no duration. */
const longest = 9_223_372_036;

const perSecond: Readonly<Record<string, number>> = { ns: 1e9, us: 1e6, µs: 1e6, μs: 1e6, ms: 1e3 };
const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds of a Go duration (`90s`, `1h30m`, `1.5ms`) or of plain seconds; undefined when it is neither, negative, or longer than Go can hold. */
export function parseDuration(text: string | number): number | undefined {
  if (typeof text === "number") return within(text);
  if (plainSeconds.test(text)) return within(Number(text));
  if (!goDuration.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = "s"] of text.matchAll(parts)) {
    sum += (Number(amount) * (seconds[unit] ?? 1)) / (perSecond[unit] ?? 1);
  }
  return within(sum < 1e6 ? Math.round(sum * 1e9) / 1e9 : sum);
}

function within(value: number): number | undefined {
  return value >= 0 && value <= longest ? Math.abs(value) : undefined;
}

/** Seconds as text, up to 3 decimals: `8.12s`, `1805s`; less than a millisecond keeps its first digit. */
export function formatSeconds(n: number): string {
  const rounded = Math.round(n * 1000) / 1000;
  return `${rounded === 0 && n !== 0 ? Number(n.toPrecision(1)) : rounded || 0}s`;
}

/** Seconds as hours with one decimal: `3.0h`. */
export function formatHours(n: number): string {
  return `${(n / 3600).toFixed(1)}h`;
}

/** Two bounds in seconds: `65s to 75s`; from an hour on with hours beside them: `10790s to 10805s (3.0h)`. */
export function formatSpan(a: number, b: number): string {
  const span = a === b ? formatSeconds(a) : `${formatSeconds(a)} to ${formatSeconds(b)}`;
  if (b < 3600) return span;
  const hours = [...new Set([formatHours(a), formatHours(b)])];
  return `${span} (${hours.join(" to ")})`;
}
