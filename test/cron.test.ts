import { describe, expect, it } from "vitest";
import { shortestInterval } from "../src/model/cron.js";

const minute = 60;
const hour = 3600;
const day = 24 * hour;

describe("the shortest time between two starts of a schedule", () => {
  it.each([
    ["* * * * *", minute],
    ["*/5 * * * *", 5 * minute],
    ["*/7 * * * *", 4 * minute],
    ["1-59/2 * * * *", 2 * minute],
    ["5/10 * * * *", 10 * minute],
    ["0,30 * * * *", 30 * minute],
    ["0 * * * *", hour],
    ["0 */5 * * *", 4 * hour],
    ["58,2 0,23 * * *", 4 * minute],
    ["0 3 * * *", day],
    ["0 3 * * mon,THU", 3 * day],
    ["0 3 * * 1", 7 * day],
    ["0 3 ? * mon", 7 * day],
    ["0 0 1 * *", 28 * day],
    ["0 0 1,31 * *", day],
    ["0 0 1 * 1", day],
    ["0 0 */2 * *", day],
    ["0 0 1 jan *", 365 * day],
    ["0 0 29 2 *", 1461 * day],
    ["0 0 30 2 *", Number.POSITIVE_INFINITY],
  ])("%s", (schedule, seconds) => {
    expect(shortestInterval(schedule)).toBe(seconds);
  });

  it.each([
    ["@hourly", hour],
    ["@daily", day],
    ["@midnight", day],
    ["@weekly", 7 * day],
    ["@monthly", 28 * day],
    ["@yearly", 365 * day],
    ["@every 90s", 90],
    ["@every 1h30m", 1.5 * hour],
    ["@every 100ms", 1],
    ["TZ=UTC 0 * * * *", hour],
    ["CRON_TZ=Europe/Berlin  */2 * * * *", 2 * minute],
  ])("%s", (schedule, seconds) => {
    expect(shortestInterval(schedule)).toBe(seconds);
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 7",
    "*/0 * * * *",
    "5-1 * * * *",
    "a * * * *",
    "1-2-3 * * * *",
    "@often",
    "@every",
    "@every 90",
    ", * * * *",
  ])("%j is none that the controller reads", (schedule) => {
    expect(shortestInterval(schedule)).toBeUndefined();
  });
});
