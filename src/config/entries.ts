import type { Severity } from "../findings.js";
import { isCondition } from "../model/version.js";
import { matchesName } from "../subject.js";
import { isRecord, suggest } from "./complaints.js";
import {
  type Cursor,
  child,
  complain,
  day,
  defined,
  entries,
  glob,
  globs,
  items,
  keyOriginOf,
  originOf,
  seconds,
  text,
  word,
} from "./cursor.js";
import { namedFile } from "./files.js";
import type { Config, Debt, InvariantConfig, Origin, RuleSetting, Waiver } from "./types.js";

const severities: readonly Severity[] = ["error", "warning", "note"];

/** Names of environments in `in:`; complains about names and globs that stand for none. Without charts every name will do. */
export function environmentNames(cursor: Cursor, known: readonly string[]): readonly string[] | undefined {
  const list = globs(cursor);
  if (list === undefined || known.length === 0) return list;
  for (const item of items(cursor)) {
    const name = text(item);
    if (name === undefined || name === "" || known.some((environment) => matchesName(name, environment))) continue;
    complain(item, `no such environment${suggest(name, known)}`);
  }
  return list;
}

/** `rules:` by rule id. */
export function rulesOf(cursor: Cursor): Readonly<Record<string, RuleSetting>> {
  return Object.fromEntries(
    entries(cursor).map(([id, setting]): readonly [string, RuleSetting] => {
      const options = entries(setting).filter(([key]) => key !== "severity");
      const severity = severityOf(isRecord(setting.value) ? child(setting, "severity") : setting);
      return [
        id,
        {
          ...defined({ severity }),
          options: Object.fromEntries(options.map(([key, option]) => [key, option.value])),
          origin: keyOriginOf(setting),
        },
      ];
    }),
  );
}

function severityOf(cursor: Cursor): Severity | "off" | undefined {
  return cursor.value === false ? "off" : word(cursor, ["off", ...severities]);
}

/** `invariants:`; complains about ids that stand twice. */
export function invariantsOf(cursor: Cursor, known: readonly string[]): readonly InvariantConfig[] {
  const taken = new Map<string, Origin>();
  return items(cursor).map((item) => {
    const id = text(child(item, "id")) ?? "";
    const first = taken.get(id);
    const expected = `already the id of the invariant in line ${first?.line}, expected another`;
    if (first !== undefined && id !== "") complain(child(item, "id"), expected);
    taken.set(id, first ?? originOf(item));
    return {
      id,
      of: glob(child(item, "of")),
      in: environmentNames(child(item, "in"), known),
      when: text(child(item, "when")),
      require: text(child(item, "require")) ?? "",
      message: text(child(item, "message")) ?? "",
      severity: word(child(item, "severity"), severities),
      hint: text(child(item, "hint")),
      ...defined({ at: text(child(item, "at")) }),
      origin: originOf(item),
      position: (name, offset) => item.source.within([...item.path, name], offset),
    };
  });
}

/** `waivers:`. */
export function waiversOf(cursor: Cursor, known: readonly string[]): readonly Waiver[] {
  return items(cursor).map((item) => ({
    rule: text(child(item, "rule")) ?? "",
    of: glob(child(item, "of")),
    in: environmentNames(child(item, "in"), known),
    because: text(child(item, "because")) ?? "",
    until: day(child(item, "until")),
    origin: originOf(item),
  }));
}

/** `debts:`. */
export function debtsOf(cursor: Cursor, known: readonly string[]): readonly Debt[] {
  return items(cursor).map((item) => {
    const until = child(item, "until");
    const image = text(child(until, "image"));
    if (image !== undefined && image !== "" && !isCondition(image)) {
      complain(child(until, "image"), 'expected a version condition such as ">=3.0.0-ci.8900"');
    }
    return {
      of: glob(child(item, "of")) ?? "",
      in: environmentNames(child(item, "in"), known),
      field: text(child(item, "field")) ?? "",
      allow: seconds(child(item, "allow")) ?? 0,
      payBackTo: seconds(child(item, "payBackTo")),
      because: text(child(item, "because")) ?? "",
      until: defined({ image, date: day(child(until, "date")) }),
      origin: originOf(item),
    };
  });
}

/** `plugins:` with absolute paths; complains about missing files. */
export function pluginsOf(cursor: Cursor, folder: string): Config["plugins"] {
  return items(cursor).flatMap((item) => {
    const path = namedFile(item, folder, "a module with rules");
    return path === undefined ? [] : [{ path, origin: originOf(item) }];
  });
}

/** Where the names of rules and of their options stand, by path (`mustJudge[0]`, `rules.x.headroom`, `waivers[0].rule`). */
export function ruleOrigins(root: Cursor): Readonly<Record<string, Origin>> {
  const judged = items(child(root, "mustJudge")).map((item, i) => [`mustJudge[${i}]`, originOf(item)] as const);
  const waived = items(child(root, "waivers")).map((item, i) => [`waivers[${i}].rule`, originOf(child(item, "rule"))] as const);
  const options = entries(child(root, "rules")).flatMap(([id, setting]) =>
    entries(setting).map(([key, option]) => [`rules.${id}.${key}`, keyOriginOf(option)] as const),
  );
  return Object.fromEntries([...judged, ...waived, ...options]);
}
