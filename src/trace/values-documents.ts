import { firstContent } from "../manifest/split.js";
import { readValuesFile, type ValuesFile } from "./values-file.js";

/** The documents of a values file, in order; one that cannot be read as YAML is undefined. */
export function readValuesDocuments(file: string, text: string): readonly (ValuesFile | undefined)[] {
  const separators = Array.from(text.matchAll(/^---(?=[ \t\r]|$)/gm), ({ index }) => index);
  // comments above the first separator are no document
  const starts = separators.length > 0 && firstContent(text.slice(0, separators[0]), 0) === undefined ? separators : [0, ...separators];
  if (starts.length === 1) return [readValuesFile(file, text)];
  // the others as white space, so that lines and columns are those of the file
  return starts.map((start, index) =>
    readValuesFile(file, text.slice(0, start).replace(/[^\n]/g, " ") + text.slice(start, starts[index + 1])),
  );
}
