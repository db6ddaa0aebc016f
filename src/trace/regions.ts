import type { ValuePath } from "./bindings.js";

/** Lines of which values decide whether they are rendered; `branches` are the lines that the `if` and its `else`s start on. */
export interface Region {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly branches: readonly number[];
  readonly paths: readonly ValuePath[];
}

interface FileLine {
  readonly file: string;
  readonly line: number;
}

/** The regions that a line is in, without those whose branch also holds a line that was rendered: their conditions are met. */
export function regionsAround(regions: readonly Region[], at: FileLine, rendered: FileLine | undefined): readonly Region[] {
  return regions.filter((region) => {
    if (!isIn(region, at)) return false;
    return rendered === undefined || !isIn(region, rendered) || branchOf(region, rendered) !== branchOf(region, at);
  });
}

function isIn({ file, from, to }: Region, at: FileLine): boolean {
  return at.file === file && from <= at.line && at.line <= to;
}

function branchOf({ branches }: Region, { line }: FileLine): number {
  return branches.filter((start) => start <= line).length;
}
