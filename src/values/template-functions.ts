import { type Abstract, join, listOf, listWith, other, textOf, textsOf } from "./abstract-value.js";
import { childOf, elementOf, makeDict, mergeInto, put, type Reader, use } from "./reader.js";

type Arguments = readonly Abstract[];

/** What a function does with its arguments: those that it does not pass on it uses. */
type Behaviour = (reader: Reader, args: Arguments) => Abstract;

/** Uses every argument as a whole; so does every function that is not in the table. */
const uses: Behaviour = (reader, args) => {
  for (const arg of args) use(reader, arg, "whole");
  return other;
};

const looksAtEmptiness: Behaviour = (reader, args) => {
  for (const arg of args) use(reader, arg, "emptiness");
  return other;
};

const looksAtKeys: Behaviour = (reader, args) => {
  for (const arg of args) use(reader, arg, "keys");
  return other;
};

/** Gives one of its arguments, and looks at which are empty. */
const chooses: Behaviour = (reader, args) => {
  looksAtEmptiness(reader, args);
  return join(...args);
};

/** Gives a list of what is in its arguments, which are lists. */
const relists: Behaviour = (reader, args) => {
  looksAtKeys(reader, args);
  return listOf(...args.map((arg) => elementOf(reader, arg)));
};

const appends: Behaviour = (reader, [list = other, value = other]) =>
  list.kind === "list" && list.items !== undefined && list.items.length < 100
    ? listWith(...list.items, value)
    : listOf(elementOf(reader, list), value);

const table: Readonly<Record<string, Behaviour>> = {
  dict: (reader, args) => {
    const made = makeDict(reader);
    for (let i = 0; i < args.length; i += 2) {
      for (const key of keysOf(reader, args[i])) put(reader, made, key, args[i + 1] ?? other);
    }
    return made;
  },
  set: (reader, [target = other, key, value = other]) => {
    for (const name of keysOf(reader, key)) put(reader, target, name, value);
    return target;
  },
  unset: (reader, [target = other, key]) => {
    keysOf(reader, key);
    return target;
  },
  list: (_, args) => listWith(...args),
  tuple: (_, args) => listWith(...args),
  get: (reader, [target = other, key]) => lookInto(reader, target, [key]),
  index: (reader, [target = other, ...keys]) => lookInto(reader, target, keys),
  dig: (reader, args) => {
    const keys = args.slice(0, -2);
    return join(lookInto(reader, args.at(-1) ?? other, keys), args.at(-2) ?? other);
  },
  pluck: (reader, [key, ...targets]) => listOf(...targets.map((target) => lookInto(reader, target, [key]))),
  hasKey: (reader, [target = other, key]) => {
    for (const name of keysOf(reader, key)) {
      if (name === undefined) use(reader, target, "keys");
      else use(reader, childOf(reader, target, name), "presence");
    }
    return other;
  },
  pick: (reader, [target = other, ...keys]) => {
    const made = makeDict(reader);
    for (const name of keys.flatMap((key) => keysOf(reader, key))) put(reader, made, name, childOf(reader, target, name));
    return made;
  },
  omit: (reader, [target = other, ...keys]) => {
    for (const key of keys) use(reader, key, "whole");
    return target;
  },
  merge: (reader, [target = other, ...sources]) => mergeInto(reader, target, sources),
  mergeOverwrite: (reader, [target = other, ...sources]) => mergeInto(reader, target, sources),
  deepCopy: (reader, [value = other]) => copyOf(reader, value),
  default: chooses,
  coalesce: chooses,
  or: chooses,
  and: chooses,
  ternary: (reader, [yes = other, no = other, condition = other]) => {
    use(reader, condition, "whole");
    return join(yes, no);
  },
  required: (reader, [message = other, value = other]) => {
    use(reader, message, "whole");
    use(reader, value, "emptiness");
    return value;
  },
  not: looksAtEmptiness,
  empty: looksAtEmptiness,
  all: looksAtEmptiness,
  any: looksAtEmptiness,
  kindOf: looksAtEmptiness,
  kindIs: looksAtEmptiness,
  typeOf: looksAtEmptiness,
  typeIs: looksAtEmptiness,
  typeIsLike: looksAtEmptiness,
  len: looksAtKeys,
  keys: looksAtKeys,
  values: (reader, [value = other]) => relists(reader, [value]),
  first: (reader, [list = other]) => takeFrom(reader, list),
  last: (reader, [list = other]) => takeFrom(reader, list),
  rest: relists,
  initial: relists,
  reverse: relists,
  uniq: relists,
  compact: relists,
  concat: relists,
  slice: (reader, [list = other]) => relists(reader, [list]),
  without: (reader, [list = other, ...removed]) => {
    uses(reader, removed);
    return relists(reader, [list]);
  },
  append: appends,
  push: appends,
  prepend: (reader, [list = other, value = other]) => listOf(elementOf(reader, list), value),
  splitList: (reader, [separator = other, text = other]) => splitText(reader, separator, text),
  // A mapping with the keys _0, _1, …: looped over it gives the same as the list, as long as there are no more than ten.
  split: (reader, [separator = other, text = other]) => splitText(reader, separator, text),
  chunk: (reader, [size = other, list = other]) => {
    use(reader, size, "whole");
    return listOf(relists(reader, [list]));
  },
};

/** What a function gives, with its uses of values noted. `include`, `tpl` and what else needs the templates is not among them. */
export function callFunction(reader: Reader, name: string, args: Arguments): Abstract {
  const plain = /^must[A-Z]/.test(name) ? name.charAt(4).toLowerCase() + name.slice(5) : name;
  const behaviour = Object.hasOwn(table, plain) ? table[plain] : undefined;
  return (behaviour ?? uses)(reader, args);
}

function splitText(reader: Reader, separator: Abstract, text: Abstract): Abstract {
  if (separator.kind !== "text" || text.kind !== "text" || separator.text === "") return uses(reader, [separator, text]);
  const parts = text.text.split(separator.text).map(textOf);
  return parts.length > 10 ? listOf(...parts) : listWith(...parts);
}

/** The keys that an argument can be; undefined = one that cannot be told, and whose value is used. */
function keysOf(reader: Reader, key: Abstract | undefined): readonly (string | undefined)[] {
  if (key === undefined) return [];
  const texts = textsOf(key);
  if (texts !== undefined) return texts;
  use(reader, key, "whole");
  return [undefined];
}

function lookInto(reader: Reader, target: Abstract, keys: readonly (Abstract | undefined)[]): Abstract {
  return keys.reduce<Abstract>((value, key) => join(...keysOf(reader, key).map((name) => childOf(reader, value, name))), target);
}

function takeFrom(reader: Reader, list: Abstract): Abstract {
  use(reader, list, "emptiness");
  return elementOf(reader, list);
}

/** A copy that can be changed apart from what it is a copy of. */
function copyOf(reader: Reader, value: Abstract): Abstract {
  if (value.kind === "union") return join(...value.members.map((member) => copyOf(reader, member)));
  return value.kind === "values" || value.kind === "root" || value.kind === "dict" ? makeDict(reader, value) : value;
}
