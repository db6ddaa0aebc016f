import { isRecord } from "./complaints.js";
import { type Cursor, child, entries, items, scalarText, text } from "./cursor.js";
import { namedFile } from "./files.js";
import type { SetFlag } from "./types.js";

/** The `--set…` flags of `set`, `setString`, `setFile` and `setJson` of one map of the config, in helm's own syntax. Complains about missing files. */
export function setsOf(owner: Cursor, folder: string): readonly SetFlag[] {
  return [
    ...entries(child(owner, "setJson")).map(([key, value]) => flagOf("--set-json", userPath(key), JSON.stringify(value.value))),
    ...entries(child(owner, "set")).flatMap(([key, value]) => typedFlags(userPath(key), value)),
    ...entries(child(owner, "setString")).map(([key, value]) =>
      flagOf("--set-string", userPath(key), escapeValue(scalarText(value) ?? "")),
    ),
    ...entries(child(owner, "setFile")).flatMap(([key, value]) => {
      const file = namedFile(value, folder, "a file");
      return file === undefined ? [] : [flagOf("--set-file", userPath(key), escapeValue(file))];
    }),
  ];
}

function flagOf(flag: SetFlag["flag"], path: string, value: string): SetFlag {
  return { flag, expression: `${path}=${value}` };
}

function typedFlags(path: string, cursor: Cursor): readonly SetFlag[] {
  const { value } = cursor;
  if (Array.isArray(value)) return listFlags(path, cursor);
  if (!isRecord(value))
    return [isRetyped(value) ? flagOf("--set-string", path, escapeValue(value)) : flagOf("--set", path, scalar(cursor))];
  // helm --set has no words for an empty map or list: `{}` is a list with an empty text.
  if (Object.keys(value).length === 0) return [flagOf("--set-json", path, "{}")];
  return entries(cursor).flatMap(([key, entry]) => typedFlags(`${path}.${escapeKey(key)}`, entry));
}

function listFlags(path: string, cursor: Cursor): readonly SetFlag[] {
  const list = items(cursor);
  const nested = list.some((item) => typeof item.value === "object" && item.value !== null);
  if (list.length === 0 || nested) return [flagOf("--set-json", path, JSON.stringify(cursor.value))];
  const whole = `{${list.map(scalar).join(",")}}`;
  const retyped = list.filter((item) => isRetyped(item.value));
  if (retyped.length === 0) return [flagOf("--set", path, whole)];
  if (list.every((item) => text(item) !== undefined)) return [flagOf("--set-string", path, whole)];
  // helm applies --set-string after --set: first the whole list, then the elements that must stay a text.
  const texts = retyped.map((item) => flagOf("--set-string", `${path}[${item.path.at(-1)}]`, scalar(item)));
  return [flagOf("--set", path, whole), ...texts];
}

/** Numbers go as they are written, so that `1.10` means what it means after helm's own `--set`. */
function scalar(cursor: Cursor): string {
  return escapeValue(cursor.value === null ? "null" : (scalarText(cursor) ?? ""));
}

/** Whether helm --set would make something else than a text of this text. */
function isRetyped(value: unknown): value is string {
  return typeof value === "string" && (/^(?:true|false|null)$/i.test(value) || (value.trim() !== "" && Number.isFinite(Number(value))));
}

function escapeValue(value: string): string {
  return value.replace(/[\\,{}]/g, "\\$&");
}

/** A key as the user wrote it is a path already: dots, indexes and backslashes stay; only what would end the key is escaped. */
function userPath(key: string): string {
  return key.replace(/\\.|[,=]/gs, (found) => (found.length > 1 ? found : `\\${found}`));
}

/** A key of a nested map is one step, whatever it contains. */
function escapeKey(key: string): string {
  return key.replace(/[\\.,=[\]]/g, "\\$&");
}
