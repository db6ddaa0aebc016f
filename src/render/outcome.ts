import type { RenderJob } from "../plan.js";

/** What helm printed for a job, or the text of a manifest file. */
export interface Rendered {
  readonly job: RenderJob;
  /** Without a byte order mark; bytes that are not UTF-8 are replaced by U+FFFD. */
  readonly text: string;
  /** What helm said beside it: sorted, control characters escaped, times and values taken out. */
  readonly warnings: readonly string[];
}

/** Why a job has no text. `helm`: helm refused to render; every other kind: the job could not be carried out. */
export type FailureKind = "helm" | "timeout" | "too-large" | "missing" | "unreadable" | "unsupported" | "crashed" | "stopped";

/** A job without a render. */
export interface RenderFailure {
  readonly job: RenderJob;
  readonly kind: FailureKind;
  /** One line, at most 2,000 characters, control characters escaped. */
  readonly message: string;
  /** Absolute file that exists; 1-based line and column when they are known. */
  readonly location?: { readonly file: string; readonly line?: number; readonly column?: number };
  /** helm's whole error with white space joined (a refusal's `because` is a part of it); only for kind `helm`. */
  readonly said?: string;
}

/** What became of one job. */
export type Outcome =
  | { readonly render: Rendered; readonly failure?: never }
  | { readonly failure: RenderFailure; readonly render?: never };
