import type { Action } from "./expressions.js";

/** An action with what stands between it and its `end`; branches are the `if` and its `else`s, or the action itself. */
export interface Block {
  readonly action: Action;
  readonly branches: readonly { readonly action: Action; readonly body: readonly Block[] }[];
  /** 1-based line of the `end`, or the action's own last line. */
  readonly endLine: number;
}

const opening = new Set(["if", "with", "range", "define", "block"]);

/** The actions of a template as a tree. An `end` too many or too few is passed over: helm refuses such a template anyway. */
export function blocksOf(actions: readonly Action[]): readonly Block[] {
  let at = 0;
  return read(true).body;

  function read(top: boolean): { readonly body: readonly Block[]; readonly stop: Action | undefined } {
    const body: Block[] = [];
    while (at < actions.length) {
      const action = actions[at++];
      if (action === undefined) break;
      if (action.keyword === "end" || action.keyword === "else") {
        if (!top) return { body, stop: action };
        continue;
      }
      body.push(opening.has(action.keyword) ? readBlock(action) : { action, branches: [], endLine: action.endLine });
    }
    return { body, stop: undefined };
  }

  function readBlock(action: Action): Block {
    const branches: { action: Action; body: readonly Block[] }[] = [];
    let current = action;
    let stop: Action | undefined;
    do {
      const inner = read(false);
      branches.push({ action: current, body: inner.body });
      stop = inner.stop;
      if (stop !== undefined) current = stop;
    } while (stop?.keyword === "else");
    return { action, branches, endLine: current.endLine };
  }
}
