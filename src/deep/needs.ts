import type { RenderPlan } from "../plan.js";

/** Which parts of `Reruns` rules want; `dead` of overlays alone, or of the chart's own defaults too. */
export interface RerunNeeds {
  readonly again: boolean;
  readonly bumped: boolean;
  readonly wires: boolean;
  readonly moves: boolean;
  readonly dead: "none" | "overlays" | "all";
}

/** What the rules that are on want to see rendered again. */
export function needsOf(ids: readonly string[], deep: boolean): RerunNeeds {
  const rules = new Set(ids);
  return {
    again: rules.has("render-is-deterministic"),
    bumped: deep && rules.has("selector-is-stable"),
    wires: rules.has("values-wired-straight"),
    moves: rules.has("config-change-rolls"),
    dead: !rules.has("values-are-read") ? "none" : deep ? "all" : "overlays",
  };
}

/** Whether anything is to be looked for at all, so that the stage need not be loaded otherwise. */
export function wantsReruns({ again, bumped, wires, moves, dead }: RerunNeeds, { jobs }: RenderPlan): boolean {
  if (again || bumped || wires || moves || dead === "all") return true;
  return dead === "overlays" && jobs.some(({ kind, values }) => kind === "chart" && values.length > 0);
}
