/** Keys from the top of a values tree; list elements by their 0-based index as text; `*` stands for every key. */
export type ValuePath = readonly string[];

/** What templates do with one value: all of it is used, perhaps used, only its being empty matters, or also which keys it has. */
export type Use = "whole" | "perhaps" | "emptiness" | "keys" | "presence";

/** The values that are read, as a tree of keys. */
export interface ReadTree {
  readonly children: Map<string, ReadTree>;
  readonly uses: Set<Use>;
}

/** `read`: some template refers to it. `no`: none does. `perhaps`: what the templates do with it cannot be told. */
export type Verdict = "read" | "perhaps" | "no";

/** A tree in which nothing is read. */
export function createReadTree(): ReadTree {
  return { children: new Map(), uses: new Set() };
}

/** Notes what is done with the value at a path. */
export function markUse(tree: ReadTree, path: ValuePath, use: Use): void {
  let node = tree;
  for (const key of path) {
    const child = node.children.get(key) ?? createReadTree();
    node.children.set(key, child);
    node = child;
  }
  node.uses.add(use);
}

/**
 * Whether the value at a path is read. `values` is the tree that holds it: a test for emptiness says nothing about a value that has siblings, and
 * a loop nothing about one deeper than the elements that it counts.
 */
export function readVerdict(tree: ReadTree, path: ValuePath, values: unknown): Verdict {
  let nodes: readonly ReadTree[] = [tree];
  let value = values;
  let found: Verdict = "no";
  for (const [depth, key] of path.entries()) {
    if (nodes.some(({ uses }) => uses.has("whole"))) return "read";
    if (nodes.some(({ uses }) => shallowVerdict(uses, value, path.length - depth, key))) found = "perhaps";
    nodes = nodes.flatMap(({ children }) => [children.get(key) ?? [], children.get("*") ?? []].flat());
    value = childOf(value, key);
  }
  // A value that templates only look into, such as an empty mapping, is referred to as well.
  if (nodes.some((node) => [...node.uses].some((use) => use !== "perhaps") || node.children.size > 0)) return "read";
  return nodes.length > 0 ? "perhaps" : found;
}

/** Whether a use of a parent may depend on a value `distance` keys below it, under `key`. */
function shallowVerdict(uses: ReadonlySet<Use>, parent: unknown, distance: number, key: string): boolean {
  if (uses.has("perhaps")) return true;
  if (!uses.has("keys") && !uses.has("emptiness") && !uses.has("presence")) return false;
  const isAlone = sizeOf(parent) < 2 && (distance === 1 || isChain(childOf(parent, key)));
  return isAlone || (distance === 1 ? uses.has("keys") : uses.has("keys") && isChain(childOf(parent, key)));
}

/** Whether a tree holds one value at most, however deep. */
function isChain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const children = Object.values(value);
  return children.length < 2 && children.every(isChain);
}

function sizeOf(value: unknown): number {
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** The paths that templates name, without those that hold a `*`; in no particular order. */
export function readPaths(tree: ReadTree, prefix: ValuePath = []): readonly ValuePath[] {
  const own = tree.uses.size > 0 && prefix.length > 0 ? [prefix] : [];
  return [...own, ...[...tree.children].flatMap(([key, child]) => (key === "*" ? [] : readPaths(child, [...prefix, key])))];
}
