import type { Place } from "../manifest/place.js";
import type { Manifests } from "../manifest/types.js";
import type { RenderJob } from "../plan.js";
import type { Outcome } from "../render/outcome.js";
import type { MarkedCopy } from "./copy.js";

/** The template line that wrote a field. Lines and columns are 1-based, columns in UTF-16 units, `endColumn` is exclusive. */
export interface TemplateOrigin {
  /** Absolute file of the chart that was given, never of its copy; in a packed chart the path behind that of the archive. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  /** False when the line is only that of the nearest ancestor whose line is known. */
  readonly exact: boolean;
  /** `key`: the line holds the key (or starts the list element); `action`: the line's action prints the block that holds it. */
  readonly kind: "key" | "action" | "ancestor";
  /** The whole template line, without its line end. */
  readonly text: string;
  /** When the line is in a helper: the line of the document's own template that includes it, as far as known. */
  readonly include?: { readonly file: string; readonly line: number };
}

/** A template of a chart as it was before it was marked. */
export interface TemplateFile {
  /** Absolute file of the chart that was given. */
  readonly file: string;
  readonly text: string;
  /** As helm's `# Source:` names it: `<chart name>/templates/…`, `<chart name>/charts/<sub>/templates/…`. */
  readonly helmPath: string;
}

/** A private copy of a chart folder, without marks and schemas, and with a template that prints the merged values. */
export interface ChartCopy {
  /** Absolute temporary folder of the copied chart. */
  readonly folder: string;
  /** Every template file and helper, of subcharts in folders too. */
  files(): readonly TemplateFile[];
  /** Removes the copy; may be called twice. */
  dispose(): Promise<void>;
}

/** What the marked render of one environment told. */
export interface Origins {
  /** Merged values as helm sees them (of the top chart, with those of its subcharts inside); undefined when not known. */
  readonly values: unknown;
  /** For more renders; undefined when the chart could not be copied. Whoever called `findOrigins` disposes of it. */
  readonly copy: ChartCopy | undefined;
  /** How often helm was run. */
  readonly renders: number;
  /** The template line of a field of the plain render; undefined when no line of its document is known. */
  originOf(at: Place): TemplateOrigin | undefined;
  /** The absolute chart file that the document (index in the plain render) comes from; undefined inside of a packed subchart. */
  sourceFileOf(document: number): string | undefined;
  /** Templates without lines and why; one sentence each. */
  readonly notes: readonly string[];
}

/** What `findOrigins` needs. */
export interface OriginsInput {
  readonly job: RenderJob;
  /** Of the plain render of `job`. */
  readonly manifests: Manifests;
  readonly rerender: (job: RenderJob) => Promise<Outcome>;
  /** A copy of the job's chart that was made before, for another of its environments; then no further one is made. */
  readonly copy?: MarkedCopy;
}
