import { parseDuration } from "./duration.js";

const macros: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const day = 24 * 60;
/** Days of 40 years: leap years and weekdays have met in every way after 28, and a field can ask for nothing rarer than 29 February. */
const horizon = 14_610;

/** Values that a field takes; `any` as `*` or `?`, which matters for the two day fields. */
interface Field {
  readonly values: ReadonlySet<number>;
  readonly any: boolean;
}

/**
 * The shortest time between two runs of a CronJob's schedule (seconds), in a time zone without daylight saving; Infinity when it never
 * runs; undefined when the CronJob controller would not read it. Five fields, `@hourly` and the like, `@every 90s`, `CRON_TZ=…` before.
 */
export function shortestInterval(schedule: string): number | undefined {
  const text = schedule.replace(/^(?:CRON_)?TZ=\S+\s+/, "").trim();
  const every = /^@every\s+(\S+)$/.exec(text)?.[1];
  if (every !== undefined) {
    const seconds = /[a-zµμ]/.test(every) ? parseDuration(every) : undefined;
    return seconds === undefined ? undefined : Math.max(1, Math.floor(seconds));
  }
  const [minute, hour, date, month, weekday, ...more] = (macros[text] ?? text).split(/\s+/);
  const fields = {
    minute: readField(minute, 0, 59),
    hour: readField(hour, 0, 23),
    date: readField(date, 1, 31),
    month: readField(month, 1, 12, months),
    weekday: readField(weekday, 0, 6, weekdays),
  };
  const { minute: minutes, hour: hours, date: dates, month: inMonths, weekday: onWeekdays } = fields;
  if (more.length > 0 || !minutes || !hours || !dates || !inMonths || !onWeekdays) return undefined;
  const times = [...hours.values].flatMap((h) => [...minutes.values].map((m) => h * 60 + m)).sort((a, b) => a - b);
  return 60 * shortestGap(times, daysOf(dates, inMonths, onWeekdays));
}

/** Days on which it runs, counted from an arbitrary one. */
function* daysOf(dates: Field, inMonths: Field, onWeekdays: Field): Iterable<number> {
  const start = Date.UTC(2000, 0, 1);
  for (let offset = 0; offset < horizon; offset++) {
    const at = new Date(start + offset * 86_400_000);
    if (!inMonths.values.has(at.getUTCMonth() + 1)) continue;
    const onDate = dates.values.has(at.getUTCDate());
    const onDay = onWeekdays.values.has(at.getUTCDay());
    // With both day fields given, either is enough.
    if (dates.any || onWeekdays.any ? onDate && onDay : onDate || onDay) yield offset;
  }
}

/** Minutes. `times` are minutes of a day, sorted. */
function shortestGap(times: readonly number[], days: Iterable<number>): number {
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  const within = Math.min(...times.slice(1).map((time, i) => time - (times[i] ?? 0)));
  const overnight = day + first - last;
  let shortest = Number.POSITIVE_INFINITY;
  let previous: number | undefined;
  for (const today of days) {
    // Some day runs at all: the gaps within it count.
    shortest = Math.min(shortest, within);
    if (previous !== undefined) shortest = Math.min(shortest, (today - previous - 1) * day + overnight);
    previous = today;
    if (shortest <= Math.min(within, overnight)) break;
  }
  return shortest;
}

function readField(text: string | undefined, lowest: number, highest: number, names: readonly string[] = []): Field | undefined {
  const values = new Set<number>();
  let any = false;
  for (const piece of (text ?? "").split(",").filter((given) => given !== "")) {
    const match = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d+))?$/.exec(piece);
    if (match === null) return undefined;
    const [, from = "", to, step = "1"] = match;
    const star = from === "*" || from === "?";
    const number = (given: string) =>
      names.includes(given.toLowerCase()) ? names.indexOf(given.toLowerCase()) + (lowest > 0 ? 1 : 0) : whole(given);
    const start = star ? lowest : number(from);
    // `5/10` runs on to the highest value.
    const end = star ? highest : to !== undefined ? number(to) : match[3] === undefined ? start : highest;
    if (start === undefined || end === undefined || (star && to !== undefined)) return undefined;
    if (start < lowest || end > highest || start > end || Number(step) === 0) return undefined;
    for (let value = start; value <= end; value += Number(step)) values.add(value);
    if (star && Number(step) === 1) any = true;
  }
  return values.size === 0 ? undefined : { values, any };
}

function whole(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
