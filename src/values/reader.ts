import { type Abstract, type Dict, join, other } from "./abstract-value.js";
import { markUse, type ReadTree, type Use, type ValuePath } from "./read-tree.js";

/** Where uses of values are noted. */
export interface Reader {
  readonly reads: ReadTree;
  /** How many mappings were made. */
  born: number;
  /** The number of the oldest mapping that was changed; whoever wants to know sets it back to Infinity first. */
  oldestChanged: number;
}

/** A new mapping with what is merged into it. */
export function makeDict(reader: Reader, ...layers: readonly Abstract[]): Dict {
  const made: Dict = { kind: "dict", entries: new Map(), layers: [], rest: other, born: ++reader.born };
  mergeInto(reader, made, layers);
  return made;
}

function noteChange(reader: Reader, { born }: Dict): void {
  reader.oldestChanged = Math.min(reader.oldestChanged, born);
}

/** A path with more keys in a row that cannot be told is taken for a template that walks through everything. */
const deepestWalk = 3;

/** The value under a key; undefined = a key that cannot be told. Looking into a value does not use it. */
export function childOf(reader: Reader, value: Abstract, key: string | undefined): Abstract {
  if (value.kind === "values") {
    if (key === undefined && value.keys.length >= deepestWalk && value.keys.slice(-deepestWalk).every((each) => each === "*")) {
      use(reader, value, "whole");
      return other;
    }
    return { ...value, keys: [...value.keys, key ?? "*"] };
  }
  if (value.kind === "root") {
    if (key === "Values" || (key === undefined && value.guessed !== true)) return { kind: "values", base: value.base, keys: [] };
    return key === "Subcharts" ? { kind: "subcharts", base: value.base } : other;
  }
  if (value.kind === "subcharts") return key === undefined ? other : { kind: "root", base: [...value.base, key] };
  if (value.kind === "list") return value.element;
  if (value.kind === "union") return join(...value.members.map((member) => childOf(reader, member, key)));
  if (value.kind !== "dict") return other;
  const own = key === undefined ? [...value.entries.values()] : [value.entries.get(key) ?? []].flat();
  const rest = value.rest.kind === "other" ? [] : [value.rest];
  return join(...own, ...rest, ...value.layers.map((layer) => childOf(reader, layer, key)));
}

/** What a loop over a value sees, or `first` of it: any element. */
export function elementOf(reader: Reader, value: Abstract): Abstract {
  if (value.kind === "list") return value.element;
  if (value.kind === "union") return join(...value.members.map((member) => elementOf(reader, member)));
  return childOf(reader, value, undefined);
}

/** Notes a use of a value; "whole" goes into everything that it holds, the others look at the value itself. */
export function use(reader: Reader, value: Abstract, what: Use, seen: Set<Abstract> = new Set()): void {
  if (value.kind === "values") markValues(reader, value.base, value.keys, what);
  else if (value.kind === "union") for (const member of value.members) use(reader, member, what, seen);
  else if (value.kind === "dict") useDict(reader, value, what, seen);
  if (what !== "whole" && what !== "perhaps") return;
  if ((value.kind === "root" && value.guessed !== true) || value.kind === "subcharts") markValues(reader, value.base, [], what);
  else if (value.kind === "list") use(reader, value.element, what, seen);
}

function useDict(reader: Reader, dict: Dict, what: Use, seen: Set<Abstract>): void {
  if (seen.has(dict)) return;
  seen.add(dict);
  for (const layer of dict.layers) use(reader, layer, what, seen);
  if (what !== "whole" && what !== "perhaps") return;
  for (const entry of [...dict.entries.values(), dict.rest]) use(reader, entry, what, seen);
}

/** A subchart's globals are its own and those of every chart above it. */
function markValues({ reads }: Reader, base: ValuePath, keys: ValuePath, what: Use): void {
  markUse(reads, [...base, ...keys], what);
  const [first, ...inside] = keys;
  const isGlobal = first === "global" || first === "*" || (first === undefined && (what === "whole" || what === "perhaps"));
  if (!isGlobal) return;
  for (let length = 0; length < base.length; length++) markUse(reads, [...base.slice(0, length), "global", ...inside], what);
}

/** Puts a value under a key of a mapping that the template made. What goes into an object that is not of its making counts as used. */
export function put(reader: Reader, target: Abstract, key: string | undefined, value: Abstract): void {
  if (target.kind === "union") {
    for (const member of target.members) put(reader, member, key, value);
    return;
  }
  if (target.kind !== "dict") {
    use(reader, value, "whole");
    return;
  }
  const before = key === undefined ? target.rest : target.entries.get(key);
  const after = before === undefined ? value : join(before, value);
  if (before !== undefined && sameValue(before, after)) return;
  noteChange(reader, target);
  if (key === undefined) target.rest = after;
  else target.entries.set(key, after);
}

/** Merges objects into one; into one that the template did not make, they count as used. */
export function mergeInto(reader: Reader, target: Abstract, sources: readonly Abstract[]): Abstract {
  if (target.kind === "union") {
    for (const member of target.members) mergeInto(reader, member, sources);
    return join(target, ...sources);
  }
  if (target.kind !== "dict") {
    for (const source of sources) use(reader, source, "whole");
    return makeDict(reader, target, ...sources);
  }
  for (const source of sources) addLayer(reader, target, source);
  return target;
}

/** What a template merges it copies: of a mapping that it made the entries, of anything else a link to it. */
function addLayer(reader: Reader, target: Dict, source: Abstract): void {
  if (source === target || source.kind === "other") return;
  if (source.kind === "union") {
    for (const member of source.members) addLayer(reader, target, member);
    return;
  }
  if (source.kind === "dict") {
    for (const [key, entry] of source.entries) put(reader, target, key, entry);
    for (const layer of source.layers) addLayer(reader, target, layer);
    if (source.rest.kind !== "other") put(reader, target, undefined, source.rest);
    return;
  }
  if (target.layers.some((layer) => sameValue(layer, source))) return;
  noteChange(reader, target);
  target.layers.push(source);
}

/** Whether two values are one and the same, by identity where they can be changed. */
function sameValue(a: Abstract, b: Abstract): boolean {
  if (a === b) return true;
  if (a.kind === "union" && b.kind === "union")
    return a.members.length === b.members.length && a.members.every((member, index) => sameValue(member, b.members[index] ?? other));
  if (a.kind === "values" && b.kind === "values") return a.base.join("\0") === b.base.join("\0") && a.keys.join("\0") === b.keys.join("\0");
  if (a.kind === "root" && b.kind === "root") return a.base.join("\0") === b.base.join("\0");
  if (a.kind === "text" && b.kind === "text") return a.text === b.text;
  if (a.kind === "list" && b.kind === "list") return a.items === undefined && b.items === undefined && sameValue(a.element, b.element);
  return a.kind === b.kind && a.kind === "other";
}
