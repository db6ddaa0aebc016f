import type { ValuePath } from "./read-tree.js";

/** A template of a chart by its path from the chart's folder: `templates/deployment.yaml`. */
export interface TemplateText {
  readonly file: string;
  readonly text: string;
}

/** A chart as text: what `readValueReferences` needs of it, and of the charts in it. */
export interface ChartSource {
  /** `Chart.yaml` as data; of an old chart with the `dependencies` of its `requirements.yaml`. */
  readonly metadata: { readonly [key: string]: unknown };
  /** Everything below `templates/`: helpers and NOTES.txt too; not those of subcharts. */
  readonly templates: readonly TemplateText[];
  /** The other text files of the chart, which templates can read and pass to `tpl`. */
  readonly files?: readonly TemplateText[];
  /** Charts in `charts/`, unpacked or read from their archives. */
  readonly subcharts: readonly ChartSource[];
}

/** A dependency as `Chart.yaml` declares it. `key` is where its values stand: its alias, else its name. */
export interface Dependency {
  readonly name: string;
  readonly key: string;
  /** Paths with dots, from the parent's values. */
  readonly conditions: readonly string[];
  readonly tags: readonly string[];
  readonly importValues: readonly unknown[];
}

export function nameOf({ metadata }: ChartSource): string {
  return typeof metadata["name"] === "string" ? metadata["name"] : "";
}

/** The dependencies that a chart declares. */
export function dependenciesOf({ metadata }: ChartSource): readonly Dependency[] {
  return listIn(metadata["dependencies"]).flatMap((entry) => {
    if (typeof entry !== "object" || entry === null) return [];
    const { name, alias, condition, tags, "import-values": importValues } = entry as Readonly<Record<string, unknown>>;
    if (typeof name !== "string") return [];
    const conditions = typeof condition === "string" ? condition.split(",").map((path) => path.trim()) : [];
    return [
      {
        name,
        key: typeof alias === "string" && alias !== "" ? alias : name,
        conditions: conditions.filter((path) => path !== ""),
        tags: listIn(tags).filter((tag) => typeof tag === "string"),
        importValues: listIn(importValues),
      },
    ];
  });
}

/** The charts in a chart with the key of their values, once for each alias; undefined where a declared one is not there. */
export function subchartsOf(source: ChartSource): readonly { readonly key: string; readonly chart: ChartSource | undefined }[] {
  const declared = dependenciesOf(source);
  const found = declared.map(({ key, name }) => ({ key, chart: source.subcharts.find((chart) => nameOf(chart) === name) }));
  // helm loads what lies in charts/ even when nothing declares it.
  const others = source.subcharts.filter((chart) => !declared.some(({ name }) => name === nameOf(chart)));
  return [...found, ...others.map((chart) => ({ key: nameOf(chart), chart }))];
}

/** `import-values` of a dependency: paths in the child's values and the paths in the parent's that they are copied to. */
export function importsOf({ importValues }: Dependency): readonly { readonly child: ValuePath; readonly parent: ValuePath }[] {
  return importValues.flatMap((entry) => {
    if (typeof entry === "string") return [{ child: ["exports", ...pathOf(entry)], parent: [] }];
    if (typeof entry !== "object" || entry === null) return [];
    const { child, parent } = entry as Readonly<Record<string, unknown>>;
    return typeof child === "string" && typeof parent === "string" ? [{ child: pathOf(child), parent: pathOf(parent) }] : [];
  });
}

function pathOf(dotted: string): ValuePath {
  return dotted.split(".").filter((key) => key !== "");
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
