import type { ValuePath } from "./bindings.js";

/** Values that a line of a template names. Steps can be `anyStep`. */
export interface LineReferences {
  /** On the line itself. */
  readonly direct: readonly ValuePath[];
  /** In the helpers that the line includes. */
  readonly through: readonly ValuePath[];
  /** In the `if`, `with` and `range` around the line. */
  readonly around: readonly ValuePath[];
}

/** A `default` with a literal: what a value that is not set is taken for. `line` is 1-based. */
export interface LiteralDefault {
  readonly path: ValuePath;
  readonly literal: string;
  readonly file: string;
  readonly line: number;
}

/** What the templates of a chart say about values, read without rendering: a source of suspicions, never of claims. */
export interface References {
  /**
   * The values below `prefix` are those of the chart that `file` belongs to; `line` is 1-based, and may be in another file. Conditions that
   * hold because they are also around a line that was `rendered` are left out.
   */
  of(file: string, line: number, rendered?: { readonly file: string; readonly line: number }): LineReferences;
  readonly defaults: readonly LiteralDefault[];
}
