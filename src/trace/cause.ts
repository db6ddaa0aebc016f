import { keyOf, type ValuePath } from "./bindings.js";
import { type ExperimentInput, experimentsOn, likeOf, type Mover, type Observed, type Sought } from "./experiments.js";
import { isNumeric, type Leaf, type StandIn, valueAt } from "./leaves.js";
import { isReplaceable, likely, namesakes } from "./likely.js";

export type { Mover, Sought } from "./experiments.js";

/** What moves a field. */
export interface Cause {
  readonly movers: readonly Mover[];
  /** Changed, and the field stayed as it was. */
  readonly still: readonly ValuePath[];
  /** No value was seen to move it, and the renders ran out before all were tried. */
  readonly cut: boolean;
}

export interface CauseInput extends ExperimentInput {
  /** What a template takes in place of a value that is not set. */
  readonly defaultOf: (path: ValuePath) => string | undefined;
  /** Also says of the values beside those that move a field that they do not. */
  readonly curious: boolean;
}

const mostNumbers = 3_000;
const mostUnset = 80;
const crowd = 8;
/** Leaves that are tried at one time: the same on every machine, so that the findings are. */
const batchSize = 3;

/** Changes values, renders again, and sees which fields move. Gives the causes in the order of `sought`. */
export async function findCauses(input: CauseInput): Promise<{ readonly causes: readonly Cause[]; readonly renders: number }> {
  const { leaves } = input;
  const lab = experimentsOn(input);
  const { states } = lab;
  const tried = new Set<string>();
  const changed = new Set<string>();
  /** Values that are not set and were given one. */
  const asked = new Set<string>();
  /** Fields whose values were too many to be halved. */
  const short = new Set<Observed>();
  /** Fields that any of the shared changes moved. */
  let moved: ReadonlySet<Observed> = new Set(states);
  /** Fields of which the shared render shows nothing. */
  let hidden: ReadonlySet<Observed> = new Set(states);

  await shareNamed();
  await lab.share(narrower(), unset(isUnsetOnly));
  await changeOneByOne(1);
  await lab.share(unset(mayBeUnset));
  await changeOneByOne(0);
  await halve();
  await requireCalm();
  if (input.curious) await changeNeighbours();
  return {
    renders: input.budget - lab.left(),
    causes: states.map((state) => ({ movers: [...state.movers.values()], still: stillOf(state), cut: isCut(state) })),
  };

  function isCut(state: Observed): boolean {
    if (!state.one.alone || state.one.suspects.literal || state.movers.size > 0) return false;
    const wanted = [...wantedBy(state).map(({ path }) => keyOf(path)), ...absentOf(state).filter((key) => !asked.has(key))];
    // one render may have been kept for the question whether a field is random
    return short.has(state) || (lab.left() <= 1 && wanted.some((key) => !tried.has(key)));
  }

  /** Nothing else can move the field: it need not wait for other fields' values to be changed alone. */
  function isUnsetOnly({ one: { plain, suspects } }: Observed): boolean {
    return !plain.exists || suspects.direct.length + suspects.through.length === 0;
  }

  function mayBeUnset(state: Observed): boolean {
    return !isUnsetOnly(state) && state.movers.size === 0;
  }

  /** What was changed for other fields, far from this one's values, is of no interest. */
  function stillOf({ one: { suspects }, movers, still }: Observed): readonly ValuePath[] {
    const near = new Set([...movers.values()].map(({ path }) => keyOf(path.slice(0, -1))));
    // part of a text can move a field that the change of another part does not
    const isTelling = (path: ValuePath) => {
      const value = valueAt(input.values, path);
      return typeof value !== "string" || /^[\w./-]*$/.test(value);
    };
    const own = new Set([...suspects.direct, ...suspects.through, ...suspects.around].map(({ path }) => keyOf(path)));
    return [...still].flatMap(([key, path]) =>
      !movers.has(key) && isTelling(path) && (own.has(key) || near.has(keyOf(path.slice(0, -1)))) ? [path] : [],
    );
  }

  function open(): readonly Observed[] {
    return states.filter((state) => !state.one.suspects.literal && !isSettled(state));
  }

  /** A stand-in for each number and text that a line names, or a helper that it includes. */
  async function shareNamed(): Promise<void> {
    const named = lab.standIns(
      open()
        .flatMap(({ one }) => likely(one))
        .filter(isReplaceable),
    );
    // what is not set is asked for beside it, as far as it is known by now
    const [seen] = await lab.share(named, unset(isUnsetOnly));
    if (seen === undefined) return;
    for (const { leaf } of named) changed.add(keyOf(leaf.path));
    moved = new Set(states.filter((state) => seen.differs(state)));
    hidden = new Set(states.filter((state) => state.one.plain.exists && !seen.field(state).exists));
  }

  /** A condition that flipped, or a text that made the render fail, hides what the lines themselves say. */
  function narrower(): readonly StandIn[] {
    const concerned = open().filter((state) => hidden.has(state) && state.hints.size === 0);
    if (concerned.every(({ one }) => !one.alone)) return [];
    const narrow = lab.standIns(concerned.flatMap(({ one }) => namesakes(one)).filter(isReplaceable));
    return narrow.length === changed.size ? [] : narrow;
  }

  /** A stand-in for each value that is not set and would be read. */
  function unset(concerns: (state: Observed) => boolean): readonly StandIn[] {
    const found = new Map<string, StandIn>();
    for (const { one, bases } of open().filter((state) => state.one.alone && concerns(state))) {
      for (const path of [...bases, ...one.suspects.absent]) {
        const key = keyOf(path);
        if (found.size >= mostUnset || found.has(key) || tried.has(key) || asked.has(key)) continue;
        const leaf = leaves.find((candidate) => keyOf(candidate.path) === key) ?? { path, value: undefined };
        found.set(key, lab.unset(path, likeOf(one, leaf), input.defaultOf(path)));
      }
    }
    if (lab.left() > 0) for (const key of found.keys()) asked.add(key);
    const all = [...found.values()];
    // one that is below another would replace it
    return all.filter(({ leaf: { path } }) => !all.some(({ leaf: other }) => isAbove(other.path, path)));
  }

  function absentOf({ one, bases }: Observed): readonly string[] {
    return [...bases, ...one.suspects.absent].slice(0, mostUnset).map(keyOf);
  }

  /** What fields have shown first, then what their lines name. `later` renders stay for what is not set, where that is still to be asked. */
  async function changeOneByOne(later: number): Promise<void> {
    const kept = () => (open().some((state) => state.one.alone && mayBeUnset(state) && absentOf(state).length > 0) ? later : 0);
    for (let batch = nextBatch(kept()); batch.length > 0; batch = nextBatch(kept())) await lab.changeAlone(batch);
  }

  function nextBatch(later: number): readonly Leaf[] {
    const queue = new Map<string, { readonly leaf: Leaf; readonly order: number }>();
    // whoever asks why a field is what it is wants all that moves it
    for (const state of input.curious ? states : open()) {
      const late = isSettled(state) ? 1_000_000 : 0;
      wantedBy(state).forEach((leaf, index) => {
        const key = keyOf(leaf.path);
        const order = late + state.one.rank * 1_000 + index;
        if (!tried.has(key) && !lab.wasAlone(leaf.path) && (queue.get(key)?.order ?? Number.POSITIVE_INFINITY) > order)
          queue.set(key, { leaf, order });
      });
    }
    // where a field may be random one render stays for the question
    const kept = later + (open().some(({ calm }) => !calm) ? 1 : 0);
    const batch = [...queue].sort(([, a], [, b]) => a.order - b.order).slice(0, Math.max(0, Math.min(batchSize, lab.left() - kept)));
    for (const [key] of batch) tried.add(key);
    return batch.map(([, { leaf }]) => leaf);
  }

  function wantedBy(state: Observed): readonly Leaf[] {
    const hinted = [...state.hints.values()];
    if (!state.one.alone || isCrowded(state)) return hinted;
    const { direct, through, around } = state.one.suspects;
    // what was changed together with a value that the field shows would be shown too
    if (isSettled(state)) return [...hinted, ...direct, ...through].filter(({ path }) => !changed.has(keyOf(path)));
    // all of these were changed at once, and the field stayed as it was
    const isInert = (leaf: Leaf) => !moved.has(state) && changed.has(keyOf(leaf.path));
    for (const leaf of [...direct, ...through].filter(isInert)) state.still.set(keyOf(leaf.path), leaf.path);
    // conditions matter only to fields that nothing else moves
    return [...hinted, ...direct, ...through, ...(state.movers.size === 0 ? around : [])].filter((leaf) => !isInert(leaf));
  }

  /** One of many values moves the field: of those that its line may mean, else, when the templates say of none, of all numbers. */
  async function halve(): Promise<void> {
    for (const state of open().filter((candidate) => isCrowded(candidate) && candidate.movers.size === 0)) {
      await halveOver(lab.standIns(likely(state.one).filter(isReplaceable)), state);
    }
    // numbers make no text that has none in it
    const mayBeMade = ({ plain }: Sought) => typeof plain.value !== "string" || /\d/.test(plain.value);
    const isUnnamed = ({ suspects }: Sought) => suspects.direct.length + suspects.through.length === 0;
    const puzzling = open().filter(
      ({ one, movers }) => one.alone && one.plain.exists && movers.size === 0 && isUnnamed(one) && mayBeMade(one),
    );
    const all = lab.standIns(leaves.filter(isNumeric).slice(0, mostNumbers));
    if (lab.left() < 2 && all.length > 0) for (const state of puzzling) short.add(state);
    if (puzzling.length === 0 || all.length === 0 || lab.left() < 2) return;
    const [seen] = await lab.share(all);
    await changeOneByOne(0);
    const state = open().find(
      (candidate) => puzzling.includes(candidate) && candidate.movers.size === 0 && seen?.differs(candidate) === true,
    );
    if (state !== undefined) await halveOver(all, state);
  }

  /** All of the changes together move the field. */
  async function halveOver(all: readonly StandIn[], state: Observed): Promise<void> {
    if (lab.left() < stepsFor(all)) {
      short.add(state);
      return;
    }
    let set = all;
    while (set.length > 1) {
      const half = set.slice(0, set.length >> 1);
      const part = await lab.render(half);
      if (part === undefined) return;
      set = part.differs(state) ? half : set.slice(half.length);
    }
    if (set[0] !== undefined) await lab.changeAlone([set[0].leaf]);
  }

  /** More suspects than could be tried one by one, and it is known that together they move the field. */
  function isCrowded(state: Observed): boolean {
    const { direct, through } = state.one.suspects;
    return state.one.alone && direct.length + through.length > crowd && moved.has(state) && !hidden.has(state);
  }

  /** All that stands beside a mover at once: a field that stays as it was is moved by none of it. */
  async function changeNeighbours(): Promise<void> {
    const beside = new Map(states.map((state) => [state, neighboursOf(state)]));
    const all = [...beside.values()].flat();
    const seen = all.length === 0 ? undefined : await lab.render(lab.standIns(all));
    if (seen === undefined) return;
    for (const [state, near] of beside) if (!seen.differs(state)) for (const { path } of near) state.still.set(keyOf(path), path);
  }

  function neighboursOf({ movers, still }: Observed): readonly Leaf[] {
    const parents = new Set([...movers.values()].map(({ path }) => keyOf(path.slice(0, -1))));
    return leaves.filter((leaf) => {
      const key = keyOf(leaf.path);
      return (
        isReplaceable(leaf) && leaf.path.length > 1 && parents.has(keyOf(leaf.path.slice(0, -1))) && !movers.has(key) && !still.has(key)
      );
    });
  }

  /** A field that differs with every render says nothing about a single change. */
  async function requireCalm(): Promise<void> {
    const isDoubtful = ({ how }: Mover) => how === "change" || how === "unset";
    const doubtful = states.filter(({ calm, movers }) => !calm && [...movers.values()].some(isDoubtful));
    if (doubtful.length === 0) return;
    await lab.render([]);
    for (const state of doubtful) {
      if (state.calm) continue;
      for (const [key, mover] of state.movers) if (isDoubtful(mover)) state.movers.delete(key);
    }
  }
}

/** Whether the field shows a value, or one alone explains how far it moved. */
function isSettled({ explained, movers }: Observed): boolean {
  return explained || [...movers.values()].some(({ how }) => how !== "change");
}

/** Renders that halving takes, the last one alone included. */
function stepsFor(all: readonly StandIn[]): number {
  return Math.ceil(Math.log2(Math.max(1, all.length))) + 1;
}

function isAbove(path: ValuePath, other: ValuePath): boolean {
  return path.length < other.length && keyOf(other.slice(0, path.length)) === keyOf(path);
}
