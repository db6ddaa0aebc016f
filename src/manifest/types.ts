import type { Place, Segment } from "./place.js";

/** A YAML mapping as rendered. Values are untrusted: narrow before use. Built without a prototype, so `__proto__` is an ordinary key. */
export type Mapping = { readonly [key: string]: unknown };

/** One document of a render that is a Kubernetes object. The body is parsed on first use and then kept. */
export interface Manifest {
  /** 0-based index of the document within the render. */
  readonly document: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The path of helm's `# Source:` line: `<chart name>/templates/…`, `<chart name>/charts/<sub>/templates/…`; undefined for plain manifests. */
  readonly source: string | undefined;
  /** Text of the document, without the `---` line. */
  readonly text: string;
  /** 1-based line of the first line of `text` within the render, or within the manifest file. */
  readonly startLine: number;
  /** The parsed object (read as YAML 1.1, the way helm does; of duplicate keys the last wins). Frozen. */
  readonly body: Mapping;
  /** `metadata` of the body, read without the rest where that is possible. Frozen. */
  readonly metadata: Mapping;
  /** The place of the whole object. */
  readonly at: Place;
  /** Where the object stands within its document, when that is a list of objects: `items[3]`. Places are relative to the object. */
  readonly prefix?: readonly Segment[];
  /** Annotations and labels with string values only. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Helm hook events (`pre-install`, …); empty when the object is no hook. */
  readonly hooks: readonly string[];
  /** Mapping keys that stand twice in one mapping of this document; each with its place and the place's 1-based render line. */
  readonly duplicateKeys: readonly { readonly at: Place; readonly key: string; readonly line: number }[];
}

/** What is wrong with a document that could not be read; the rest of the render is still judged. `line` is 1-based in the render. */
export interface ManifestFault {
  readonly message: string;
  readonly line: number;
  readonly source: string | undefined;
}

/** The parsed render of one environment. */
export interface Manifests {
  readonly all: readonly Manifest[];
  /** Objects of one kind, in render order. Only these documents get parsed. */
  ofKind(kind: string): readonly Manifest[];
  /** Faults known so far; more may appear as documents get parsed on demand. */
  readonly faults: readonly ManifestFault[];
}

/** A range in a text: 1-based lines and columns (UTF-16 units), `endColumn` exclusive. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}
