/** A place in the merged values: keys of mappings, indexes of lists. */
export type ValuePath = readonly (string | number)[];

/** Stands for every key or index: an element of a `range`, an `index` by something computed. */
export const anyStep = "\u0000any";

/** What an expression of a template can be, as far as it can be read without rendering. */
export interface Binding {
  /** It can be the context of a chart, whose `.Values` are the values below this path. */
  readonly roots: readonly ValuePath[];
  /** It can be (or be made from) the values at these paths. */
  readonly paths: readonly ValuePath[];
  /** It is a `dict`. */
  readonly entries?: ReadonlyMap<string, Binding>;
  /** It is a `list` of these. */
  readonly items?: Binding;
}

export const unknown: Binding = { roots: [], paths: [] };

const most = 60;

export function contextOf(prefix: ValuePath): Binding {
  return { roots: [prefix], paths: [] };
}

/** What can be any of several. */
export function unite(bindings: readonly Binding[]): Binding {
  const [only = unknown] = bindings;
  if (bindings.length <= 1) return only;
  const entries = new Map<string, Binding>();
  for (const binding of bindings) {
    for (const [key, value] of binding.entries ?? [])
      entries.set(key, unite([...(entries.has(key) ? [entries.get(key) ?? unknown] : []), value]));
  }
  const items = bindings.flatMap((binding) => binding.items ?? []);
  return {
    roots: unique(bindings.flatMap(({ roots }) => roots)),
    paths: unique(bindings.flatMap(({ paths }) => paths)),
    ...(entries.size > 0 && { entries }),
    ...(items.length > 0 && { items: unite(items) }),
  };
}

/** What is behind a key. */
export function stepInto(binding: Binding, key: string | number): Binding {
  const values = key === "Values" ? binding.roots : [];
  const subcharts = binding.entries === undefined ? [] : [...binding.entries].filter(([name]) => name === key || key === anyStep);
  const below = binding.paths.flatMap((path) => globalTwin([...path, key]));
  const element = binding.items !== undefined && (typeof key === "number" || key === anyStep) ? [binding.items] : [];
  return unite([{ roots: [], paths: unique([...values, ...below]) }, ...subcharts.map(([, value]) => value), ...element]);
}

/** The values of `.Subcharts.x` are those below `x`. */
export function subchartOf(binding: Binding, name: string): Binding {
  return { roots: binding.roots.map((prefix) => [...prefix, name]), paths: [] };
}

/** Of two charts' `global` the parent's wins, so a subchart's `.Values.global.x` can be that of any chart above it. */
function globalTwin(path: ValuePath): readonly ValuePath[] {
  const at = path.indexOf("global");
  if (at <= 0) return [path];
  return [path, ...Array.from({ length: at }, (_, depth) => [...path.slice(0, depth), ...path.slice(at)])];
}

export function unique(paths: readonly ValuePath[]): readonly ValuePath[] {
  if (paths.length < 2) return paths;
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()].slice(0, most);
}

/** Equal for equal paths. */
export function keyOf(path: ValuePath): string {
  return JSON.stringify(path);
}

/** `probes.startup.path`, `list[0].name`, `a["b.c"]`: as people write it. */
export function pathText(path: ValuePath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w/-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}
