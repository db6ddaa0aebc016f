import { type Document, LineCounter } from "yaml";
import { recentSyntax } from "./similar.js";
import { lineStarts, readSyntax, YamlRefusal } from "./syntax.js";
import { buildTree } from "./tree.js";
import type { Manifest } from "./types.js";

/** The syntax tree of a document, with the offsets of its lines. */
export interface Syntax {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

const syntaxes = new WeakMap<Manifest, Syntax | undefined>();
/** Objects of one list share a document and are asked for one after the other. */
let latest: { readonly text: string; readonly syntax: Syntax | undefined } | undefined;

/** The syntax tree of a manifest's document, kept while the manifest lives; undefined when the document cannot be read. */
export function syntaxOf(manifest: Manifest): Syntax | undefined {
  if (syntaxes.has(manifest)) return syntaxes.get(manifest);
  if (latest?.text !== manifest.text) latest = { text: manifest.text, syntax: createSyntax(manifest.text) };
  syntaxes.set(manifest, latest.syntax);
  return latest.syntax;
}

function createSyntax(text: string): Syntax | undefined {
  try {
    const lines = new LineCounter();
    const known = recentSyntax(text);
    const document = known ?? readSyntax(text, lines);
    if (known !== undefined) lines.lineStarts = lineStarts(text);
    // Refuses alias bombs and anchors that contain themselves, on which a walk would not end.
    buildTree(document);
    return { document, lines };
  } catch (error) {
    if (error instanceof YamlRefusal) return undefined;
    throw error;
  }
}
