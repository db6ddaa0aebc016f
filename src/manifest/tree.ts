import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from "yaml";
import type { Segment } from "./place.js";
import { isMerge, keyOf, startOf, YamlRefusal } from "./syntax.js";
import type { Mapping } from "./types.js";

/** Nesting beyond this is refused; the deepest real objects (CustomResourceDefinitions) stay under 60. */
const deepest = 200;
/** How many nodes aliases may add to a document before it counts as a bomb. */
const mostAliased = 200_000;

/** A mapping key that stands twice; `offset` is where the last one starts, the one that wins. */
export interface DuplicateKey {
  readonly path: readonly Segment[];
  readonly key: string;
  readonly offset: number;
}

/** A document as JSON would have it: frozen, mappings without prototype. */
export interface Tree {
  readonly root: unknown;
  readonly duplicates: readonly DuplicateKey[];
}

/** Told of every scalar that is a value of its own, not a key or what an anchor, alias or merge key shares; `undefined` once there is such sharing. */
export type ScalarSink = (node: Scalar | undefined, path: readonly Segment[]) => void;

/** What a syntax tree means; throws YamlRefusal. Of duplicate keys the last wins; a merge key overrides the keys before it, as in go-yaml 2. */
export function buildTree(document: Document.Parsed, tell: ScalarSink = () => undefined): Tree {
  const anchors = new Map<string, Node>();
  const finished = new Map<Node, { readonly value: unknown; readonly size: number }>();
  const duplicates: DuplicateKey[] = [];
  const path: Segment[] = [];
  let size = 0;
  let aliased = 0;
  return { root: read(document.contents), duplicates };

  function read(node: unknown): unknown {
    size++;
    if (path.length > deepest) throw new YamlRefusal(`it is nested more than ${deepest} levels deep`, startOf(node));
    if (isAlias(node)) return readAlias(node);
    if (isScalar(node)) {
      tell(node, path);
      return keep(node, node.anchor, size - 1, readScalar(node));
    }
    if (!isMap(node) && !isSeq(node)) return null;
    const before = size - 1;
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    const value = isMap(node) ? readMap(node) : Object.freeze(node.items.map(readItem));
    return keep(node, node.anchor, before, value);
  }

  function readScalar(node: Scalar): unknown {
    if (typeof node.value !== "number" || Number.isFinite(node.value)) return node.value;
    throw new YamlRefusal(`"${node.source}" has no form in JSON`, startOf(node));
  }

  function keep(node: Node, anchor: string | undefined, before: number, value: unknown): unknown {
    if (anchor === undefined) return value;
    tell(undefined, path);
    anchors.set(anchor, node);
    finished.set(node, { value, size: size - before });
    return value;
  }

  function readAlias(alias: Alias): unknown {
    const target = anchors.get(alias.source);
    if (target === undefined) throw new YamlRefusal(`unknown anchor "${alias.source}"`, startOf(alias));
    const known = finished.get(target);
    if (known === undefined) throw new YamlRefusal(`anchor "${alias.source}" contains itself`, startOf(alias));
    size += known.size;
    aliased += known.size;
    if (aliased > mostAliased) throw new YamlRefusal(`its aliases expand to more than ${mostAliased} values`, startOf(alias));
    return known.value;
  }

  function readItem(node: unknown, index: number): unknown {
    const name = isMap(node) ? nameOf(node) : undefined;
    path.push(name === undefined ? { index } : { index, name });
    const value = read(node);
    path.pop();
    return value;
  }

  function readMap(map: YAMLMap): Mapping {
    const into: Record<string, unknown> = Object.create(null);
    const written = new Map<string, number>();
    for (const pair of map.items) {
      if (isMerge(pair)) {
        merge(pair.value, into);
        continue;
      }
      const key = keyOf(pair, document);
      const anchored = isScalar(pair.key) ? pair.key.anchor : undefined;
      if (anchored !== undefined) keep(pair.key as Node, anchored, size, key);
      written.set(key, (written.get(key) ?? 0) + 1);
      path.push(key);
      into[key] = read(pair.value);
      path.pop();
    }
    if (written.size < map.items.length) reportDuplicates(map, written);
    return Object.freeze(into);
  }

  function reportDuplicates(map: YAMLMap, written: ReadonlyMap<string, number>): void {
    for (const [key, times] of written) {
      if (times < 2) continue;
      const last = map.items.findLast((pair) => !isMerge(pair) && keyOf(pair, document) === key);
      duplicates.push({ path: [...path, key], key, offset: startOf(last?.key) });
    }
  }

  function merge(source: unknown, into: Record<string, unknown>): void {
    tell(undefined, path);
    const value = read(source);
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    for (const from of sources) {
      if (!isMapping(from)) throw new YamlRefusal("a merge key needs a mapping or a list of mappings", startOf(source));
      for (const key of Object.keys(from)) into[key] = from[key];
    }
  }
}

/** Whether a parsed value is a mapping. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(map: YAMLMap): string | undefined {
  const pair = map.items.findLast((item) => isScalar(item.key) && item.key.value === "name");
  return isScalar(pair?.value) && typeof pair.value.value === "string" ? pair.value.value : undefined;
}
