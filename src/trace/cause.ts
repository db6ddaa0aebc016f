import type { Place } from "../manifest/place.js";
import type { Manifests } from "../manifest/types.js";
import { keyOf, type ValuePath } from "./bindings.js";
import { baseOf, type Evidence, marksOf, readEvidence } from "./evidence.js";
import { type Field, fieldKey, readField, twinsIn } from "./fields.js";
import { changeAlone, isNumeric, type Leaf, leavesOf, type StandIn, standInsBy, valuesWith } from "./leaves.js";
import type { Suspects } from "./suspects.js";

/** A field whose values line is wanted. */
export interface Sought {
  readonly at: Place;
  readonly plain: Field;
  /** The lower, the earlier renders are spent on it. */
  readonly rank: number;
  /** Whether leaves may be changed alone for it; else only what the shared renders tell. */
  readonly alone: boolean;
  readonly suspects: Suspects;
}

/** A value that was seen to move a field. */
export interface Mover {
  readonly path: ValuePath;
  /** `copy`: the field shows the value; `whole`: the field is a copy of this mapping or list; `unset`: it would show it; `change`: it is made from it. */
  readonly how: "copy" | "whole" | "unset" | "change";
}

export interface Cause {
  readonly movers: readonly Mover[];
  /** Changed, and the field stayed as it was. */
  readonly still: readonly ValuePath[];
}

export interface CauseInput {
  readonly sought: readonly Sought[];
  readonly values: unknown;
  readonly plain: Manifests;
  /** Text of the plain render. */
  readonly text: string;
  /** Renders with one more values file; undefined when that fails. */
  readonly renderWith: (values: unknown) => Promise<Manifests | undefined>;
  /** Paths that `--set` flags write, which the file has to write in their place. */
  readonly also: readonly ValuePath[];
  /** How many renders may be spent, and how many at one time. */
  readonly budget: number;
  readonly width: number;
}

/** Text that no stand-in is made for in a shared render: too much hangs on it. */
const longest = 300;
const mostNumbers = 3_000;

/** Changes values, renders again, and sees which fields move. Gives the causes in the order of `sought`. */
export async function findCauses(input: CauseInput): Promise<{ readonly causes: readonly Cause[]; readonly renders: number }> {
  const { sought, values, plain, also, width } = input;
  const standIns = standInsBy(input.text);
  const leaves = leavesOf(values);
  const states = sought.map((one) => ({
    one,
    movers: new Map<string, Mover>(),
    still: new Map<string, ValuePath>(),
    calm: false,
    bases: [] as readonly ValuePath[],
  }));
  type State = (typeof states)[number];
  const own = twinsIn(plain, plain);
  let left = input.budget;

  const open = () => states.filter(({ movers }) => ![...movers.values()].some(({ how }) => how !== "change"));
  const numbers = leaves.filter(isNumeric).slice(0, mostNumbers);
  const texts = (of: readonly State[]) => of.flatMap(({ one: { suspects } }) => [...suspects.direct, ...suspects.through]).filter(isText);
  const first = makeStandIns([...numbers, ...texts(states)]);
  let moved: ReadonlySet<State> = new Set();
  const all = await share(first);
  if (all !== undefined) moved = new Set(states.filter((state) => all.differs(state)));

  // A condition that flipped, or a text that made the render fail, hides what the lines themselves say.
  const narrow = makeStandIns(
    open()
      .flatMap(({ one: { suspects } }) => suspects.direct)
      .filter((leaf) => isNumeric(leaf) || isText(leaf)),
  );
  const isNarrower =
    narrow.length > 0 &&
    (all === undefined || narrow.length < first.length) &&
    open().some((state) => all === undefined || moved.has(state));
  const unset = unsetOf(open());
  await Promise.all([isNarrower ? share(narrow) : undefined, unset.length > 0 ? share(unset) : undefined]);

  await changeOneByOne();
  await halve();
  await requireCalm();
  return {
    renders: input.budget - left,
    causes: states.map(({ movers, still }) => ({
      movers: [...movers.values()],
      still: [...still.values()].filter((path) => !movers.has(keyOf(path))),
    })),
  };

  function makeStandIns(wanted: readonly Leaf[]): readonly StandIn[] {
    const unique = new Map(wanted.map((leaf) => [keyOf(leaf.path), leaf]));
    return [...unique.values()].map((leaf) => (isNumeric(leaf) ? standIns.number(leaf) : standIns.text(leaf)));
  }

  /** The fields of a changed render; undefined when it fails, or no render is left. */
  async function render(changes: readonly StandIn[]): Promise<((state: State, path?: Place["path"]) => Field) | undefined> {
    if (left <= 0) return undefined;
    left--;
    const other = await input.renderWith(valuesWith(values, changes, also));
    if (other === undefined) return undefined;
    const twins = twinsIn(plain, other);
    return (state, path) => {
      const field = readField(twins.of(state.one.at), path ?? state.one.at.path);
      if (path === undefined && fieldKey(field) === fieldKey(state.one.plain)) state.calm = true;
      return field;
    };
  }

  /** One render for all fields: whoever shows a stand-in is a copy of it. */
  async function share(changes: readonly StandIn[]): Promise<{ differs(state: State): boolean } | undefined> {
    if (changes.length === 0 || open().length === 0) return undefined;
    const fieldOf = await render(changes);
    if (fieldOf === undefined) return undefined;
    const marks = marksOf(changes);
    const seen = new Map(states.map((state) => [state, fieldOf(state)]));
    for (const [state, field] of seen) {
      const { at, plain: before } = state.one;
      enter(state, readEvidence(before, field, marks, values));
      const key = at.path.at(-1);
      const parent = at.path.slice(0, -1);
      if (before.exists || before.depth !== parent.length || typeof key !== "string") continue;
      // what is beside it is copied from here, so it would be too
      const bases = baseOf(readField(own.of(at), parent).value, fieldOf(state, parent).value, marks);
      state.bases = bases.map((base) => [...base, key]);
    }
    return { differs: (state) => fieldKey(seen.get(state) ?? state.one.plain) !== fieldKey(state.one.plain) };
  }

  function enter(state: State, { copied, whole }: Evidence): void {
    for (const path of copied) {
      const isUnset =
        leaves.every((leaf) => keyOf(leaf.path) !== keyOf(path)) || state.one.suspects.absent.some((own) => keyOf(own) === keyOf(path));
      state.movers.set(keyOf(path), { path, how: isUnset ? "unset" : "copy" });
    }
    if (whole !== undefined) state.movers.set(keyOf(whole), { path: whole, how: "whole" });
  }

  function unsetOf(of: readonly State[]): readonly StandIn[] {
    const found = new Map<string, StandIn>();
    for (const { one, bases } of of) {
      for (const path of [...bases, ...one.suspects.absent]) {
        if (found.size < 80 && !found.has(keyOf(path))) found.set(keyOf(path), standIns.absent(path, likeOf(one, path)));
      }
    }
    // one that is below another would replace it
    return [...found.values()].filter(
      ({ leaf }) =>
        ![...found.values()].some(
          (other) =>
            other.leaf.path.length < leaf.path.length && keyOf(leaf.path.slice(0, other.leaf.path.length)) === keyOf(other.leaf.path),
        ),
    );
  }

  function likeOf(one: Sought, path: ValuePath): unknown {
    const own = leaves.find((leaf) => keyOf(leaf.path) === keyOf(path))?.value;
    return typeof own === "object" && own !== null ? own : one.plain.value;
  }

  /** Each leaf alone, for all fields at once. */
  async function changeOneByOne(): Promise<void> {
    const queue = new Map<string, { leaf: Leaf; order: number }>();
    for (const state of open()) {
      if (!state.one.alone) continue;
      const { direct, through, around } = state.one.suspects;
      const isInert = (leaf: Leaf) =>
        all !== undefined && !moved.has(state) && (isNumeric(leaf) || first.some((own) => keyOf(own.leaf.path) === keyOf(leaf.path)));
      [...direct, ...through, ...around].forEach((leaf, index) => {
        if (isInert(leaf)) {
          state.still.set(keyOf(leaf.path), leaf.path);
          return;
        }
        const order = state.one.rank * 1_000 + index + (index >= direct.length + through.length ? 500 : 0);
        const known = queue.get(keyOf(leaf.path));
        if (known === undefined || known.order > order) queue.set(keyOf(leaf.path), { leaf, order });
      });
    }
    const ordered = [...queue.values()].sort((a, b) => a.order - b.order);
    while (ordered.length > 0 && left > 1) {
      const batch = ordered.splice(0, Math.min(width, left - 1));
      await Promise.all(batch.map(({ leaf }) => changeOne(leaf)));
      // conditions matter only to fields that nothing else moves
      const wanted = new Set(
        open()
          .filter(({ one }) => one.alone)
          .flatMap((state) =>
            [
              ...state.one.suspects.direct,
              ...state.one.suspects.through,
              ...(state.movers.size === 0 ? state.one.suspects.around : []),
            ].map(({ path }) => keyOf(path)),
          ),
      );
      for (let index = ordered.length - 1; index >= 0; index--)
        if (!wanted.has(keyOf(ordered[index]?.leaf.path ?? []))) ordered.splice(index, 1);
    }
  }

  async function changeOne(leaf: Leaf): Promise<void> {
    const change = changeAlone(leaf, standIns);
    const fieldOf = change === undefined ? undefined : await render([change]);
    if (change === undefined || fieldOf === undefined) return;
    for (const state of states) {
      const field = fieldOf(state);
      if (isMove(state.one, field)) state.movers.set(keyOf(leaf.path), { path: leaf.path, how: "change" });
      else if (field.exists || !state.one.plain.exists) state.still.set(keyOf(leaf.path), leaf.path);
    }
  }

  /** Nothing that the templates name moves the field, but some number does: find it. */
  async function halve(): Promise<void> {
    for (const state of states.toSorted((a, b) => a.one.rank - b.one.rank)) {
      if (!state.one.alone || state.movers.size > 0 || !moved.has(state)) continue;
      let set = first.filter(({ leaf }) => !state.still.has(keyOf(leaf.path)));
      if (left - 1 < Math.ceil(Math.log2(Math.max(2, set.length))) + 1) continue;
      while (set.length > 1) {
        const half = set.slice(0, set.length >> 1);
        const fieldOf = await render(half);
        if (fieldOf === undefined) break;
        set = fieldKey(fieldOf(state)) === fieldKey(state.one.plain) ? set.slice(half.length) : half;
      }
      const [only] = set;
      if (set.length === 1 && only !== undefined) await changeOne(only.leaf);
    }
  }

  /** A field that differs with every render says nothing about a single change. */
  async function requireCalm(): Promise<void> {
    const doubtful = states.filter((state) => !state.calm && [...state.movers.values()].some(({ how }) => how === "change"));
    if (doubtful.length === 0) return;
    const fieldOf = await render([]);
    for (const state of doubtful) {
      fieldOf?.(state);
      if (state.calm) continue;
      for (const [key, { how }] of state.movers) if (how === "change") state.movers.delete(key);
    }
  }
}

function isText({ value }: Leaf): boolean {
  return typeof value === "string" && value.length <= longest && !/\n/.test(value) && !/^(?:true|false)$/.test(value);
}

/** A field that goes together with its surroundings was switched off, not moved. */
function isMove({ at, plain }: Sought, field: Field): boolean {
  if (!plain.exists) return field.exists;
  if (field.exists) return fieldKey(field) !== fieldKey(plain);
  return field.depth >= at.path.length - 1 && at.path.length > 0;
}
