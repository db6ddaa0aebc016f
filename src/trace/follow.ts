import { type Action, type Pairing, startsLine } from "./actions.js";

const deepest = 300;

/** Whether what follows an offset begins with a line break; `next` is the index of the first action behind the offset. */
export type LineBreaks = (offset: number, next: number) => boolean;

/**
 * Tells whether all that a template can print from an offset on begins with a line break (or is nothing), so that a comment may be
 * written there. The end of a named template counts as one: who includes it goes on on the next line, or the self-check sees it.
 */
export function lineBreaks(text: string, actions: readonly Action[], pairing: Pairing): LineBreaks {
  const known = new Map<number, boolean>();
  let depth = 0;
  // from the end, so that an answer needs no others but those that are known
  for (let index = actions.length - 1; index >= 0; index--) followsSelf(index);
  return followsText;

  /** The text from an offset up to the action `next`, then on. */
  function followsText(offset: number, next: number): boolean {
    const action = actions[next];
    const before = actions[next - 1];
    let part = text.slice(offset, action?.start ?? text.length);
    if (before?.end === offset && before.trimRight) part = part.trimStart();
    if (action?.trimLeft === true) part = part.trimEnd();
    const first = /^[ \t]*(\r?\n|\S|\r)?/.exec(part)?.[1];
    if (first !== undefined) return first.endsWith("\n");
    return action === undefined || followsSelf(next);
  }

  /** Behind the action `index`. */
  function followsAction(index: number): boolean {
    const action = actions[index];
    return action === undefined || followsText(action.end, index + 1);
  }

  function followsSelf(index: number): boolean {
    const answer = known.get(index);
    if (answer !== undefined) return answer;
    if (depth > deepest) return false;
    known.set(index, true); // a loop adds nothing to what its body and its end say
    depth++;
    const found = decide(index);
    depth--;
    known.set(index, found);
    return found;
  }

  function decide(index: number): boolean {
    const action = actions[index];
    if (action === undefined) return true;
    if (action.kind === "output") return startsLine(action);
    if (action.kind === "silent") return followsAction(index);
    if (action.kind === "define") return followsAction(pairing.ends.get(index) ?? index);
    if (action.kind === "else") return followsAction(pairing.ends.get(index) ?? index);
    if (action.kind === "end") return followsEnd(index);
    const parts = [index, ...(pairing.branches.get(index) ?? [])];
    return [...parts, pairing.ends.get(index) ?? index].every(followsAction);
  }

  function followsEnd(index: number): boolean {
    const start = pairing.starts.get(index) ?? index;
    if (actions[start]?.kind === "define") return actions[start]?.word === "define" || followsAction(index);
    return followsAction(index) && (actions[start]?.word !== "range" || followsAction(start));
  }
}
