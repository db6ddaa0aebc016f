import { basename, resolve } from "node:path";
import { isCalendarDate } from "../calendar.js";
import { type Complaints, suggest } from "./complaints.js";
import { type Cursor, child, complain, glob, items, mapOf, originOf, rootOf, seconds, text, word } from "./cursor.js";
import { environmentNames } from "./entries.js";
import { filesOf, noSuchFile, statOf } from "./files.js";
import { validateReadings } from "./generated/validate.js";
import { hasWildcard } from "./glob.js";
import { displayPath, parseSource, readText } from "./source.js";
import type { Reading } from "./types.js";

/** The readings of all files that `readings:` names, by file and line. Complains about missing files and about what is wrong inside of them. */
export function readingsOf(cursor: Cursor, folder: string, known: readonly string[]): readonly Reading[] {
  const files = items(cursor).flatMap((item) => {
    const pattern = glob(item);
    if (pattern === undefined || pattern === "") return [];
    const found = filesOf(pattern, folder);
    if (found.length > 0 || hasWildcard(pattern)) return found;
    const file = resolve(folder, pattern);
    const isFolder = statOf(file)?.isDirectory() === true;
    complain(
      item,
      isFolder ? `a folder, expected a readings file or a glob such as ${pattern}/*.yaml` : noSuchFile(file, pattern, "a readings file"),
    );
    return [];
  });
  return [...new Set(files)].flatMap((file) => readReadings(file, known, cursor.complaints));
}

function readReadings(file: string, known: readonly string[], complaints: Complaints): readonly Reading[] {
  const read = readText(file);
  if ("fault" in read) {
    complaints.add({ line: 1, column: 1, ...read.fault }, read.fault.message);
    return [];
  }
  const source = parseSource(read.text, displayPath(file));
  complaints.validate(source, validateReadings);
  const own = basename(file).replace(/\.[^.]+$/, "");
  const list = items(rootOf(source, complaints));
  if (known.length > 0 && !known.includes(own)) {
    const homeless = list.find((item) => child(item, "in").value === undefined && typeof item.value === "object");
    const message = `a reading without "in" is of the environment that the file is named after, but there is no environment "${own}"${suggest(own, known)}`;
    if (homeless !== undefined) complaints.add(originOf(homeless), message);
  }
  return list.map((item) => readingOf(item, own, known));
}

function readingOf(item: Cursor, own: string, known: readonly string[]): Reading {
  const at = (key: string): Cursor => child(item, key);
  const total = seconds(at("total"));
  if (
    text(at("endpoint")) !== undefined &&
    at("samples").value === undefined &&
    at("total").value === undefined &&
    at("slowest").value === undefined
  ) {
    item.complaints.add(originOf(item), "the reading has neither samples nor total, expected one of them");
  }
  return {
    endpoint: text(at("endpoint")) ?? "",
    of: glob(at("of")) ?? "",
    in: environmentNames(at("in"), known) ?? [own],
    at: instant(at("at")) ?? "",
    phase: word(at("phase"), ["serving", "starting"] as const),
    vantage: word(at("vantage"), ["outside", "pod", "kubelet"] as const),
    samples: items(at("samples")).flatMap((sample) => seconds(sample) ?? []),
    ...(total === undefined ? {} : { total }),
    slowest: mapOf(at("slowest"), seconds) ?? {},
    origin: originOf(item),
  };
}

const shape = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The instant in UTC, to the minute or to the second as it is written. */
function instant(cursor: Cursor): string | undefined {
  const written = text(cursor);
  const match = written === undefined ? null : shape.exec(written);
  if (match === null) return undefined;
  const [, date = "", hour, minute, second, zone = "Z"] = match;
  const time = new Date(`${date}T${hour}:${minute}:${second ?? "00"}${zone}`);
  if (!isCalendarDate(date) || Number(hour) > 23 || Number.isNaN(time.getTime())) {
    complain(cursor, "expected an instant that the calendar has");
    return undefined;
  }
  return `${time.toISOString().slice(0, second === undefined ? 16 : 19)}Z`;
}
