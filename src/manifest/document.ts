import { type Head, readHead } from "./head.js";
import { perText } from "./per-text.js";
import { readTree } from "./similar.js";
import { firstContent, newlines, type Piece } from "./split.js";
import { YamlRefusal } from "./syntax.js";
import type { Tree } from "./tree.js";
import type { ManifestFault } from "./types.js";

const noTree: Tree = { root: null, duplicates: [] };

/** A document; parsed at most once, on first use. */
export interface Doc extends Piece {
  readonly index: number;
  readonly head: Head | undefined;
  /** What the text means; of a broken document nothing. */
  readonly tree: () => Tree;
  /** Whether the tree is at hand, so that asking for it costs nothing. */
  readonly isRead: () => boolean;
  /** Whether the document was tried and could not be read. */
  readonly broken: () => boolean;
  /** Reports a fault of the document; without a line (1-based, of the render) at the first one that holds something. */
  readonly fault: (message: string, line?: number) => void;
}

/** Where the content of a document starts, and what its head says. */
const startOf = perText((text) => {
  const content = firstContent(text, 0) ?? 0;
  return { content, head: readHead(text, content) };
});

/** A document of a render; faults found while reading it are added to `faults`. */
export function openDocument(piece: Piece, index: number, faults: ManifestFault[], file: string | undefined): Doc {
  const { content, head } = startOf(piece.text);
  let tree: Tree | undefined;
  let broken = false;
  const doc: Doc = {
    ...piece,
    index,
    head,
    tree: () => {
      tree ??= read();
      return tree;
    },
    isRead: () => tree !== undefined,
    broken: () => broken,
    fault: (message, line = piece.startLine + newlines(piece.text, 0, content)) => {
      faults.push({ message, line, source: piece.source ?? file });
    },
  };
  if (piece.ignoredLine !== undefined)
    doc.fault('text after the end marker "..." is never read, expected a separator "---"', piece.ignoredLine);
  return doc;

  function read(): Tree {
    try {
      return readTree(piece.text);
    } catch (error) {
      if (!(error instanceof YamlRefusal)) throw error;
      broken = true;
      doc.fault(`the document cannot be read as YAML: ${error.message}`, piece.startLine + newlines(piece.text, 0, error.offset));
      return noTree;
    }
  }
}
