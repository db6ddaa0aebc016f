import type { Sought } from "./experiments.js";
import { isNumeric, isSeveralLines, type Leaf } from "./leaves.js";

/** Text that no stand-in is made for in a shared render: too much hangs on it. */
const longest = 300;

/** Leaves that are called like the field; else all that the line names. */
export function namesakes({ at, suspects }: Sought): readonly Leaf[] {
  const key = at.path.findLast((step) => typeof step === "string");
  const same = suspects.direct.filter(({ path }) => path.at(-1) === key);
  return same.length > 0 ? same : suspects.direct;
}

/** The more texts are changed, the likelier helm refuses: where a line names a namesake of the field it is that one, unless the field says more. */
export function likely(one: Sought): readonly Leaf[] {
  const { direct, through } = one.suspects;
  const same = namesakes(one);
  const isComposed = typeof one.plain.value === "string" && !same.some(({ value }) => String(value).trim() === one.plain.value);
  return same.length < direct.length && !isComposed ? same : [...direct, ...through];
}

export function isReplaceable(leaf: Leaf): boolean {
  const { value } = leaf;
  if (typeof value !== "string") return isNumeric(leaf);
  return value !== "" && value.length <= longest && !isSeveralLines(value) && !/^(?:true|false)$/.test(value.trim());
}
