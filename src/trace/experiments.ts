import type { Place } from "../manifest/place.js";
import type { Manifests } from "../manifest/types.js";
import { keyOf, type ValuePath } from "./bindings.js";
import { baseOf, type Copied, type Evidence, marksOf, readEvidence } from "./evidence.js";
import { type Field, fieldKey, readField, twinsIn } from "./fields.js";
import { changeAlone, isNumeric, type Leaf, type StandIn, standInsBy, valuesWith } from "./leaves.js";
import { isUnset, type Suspects } from "./suspects.js";

/** A field whose values line is wanted. */
export interface Sought {
  readonly at: Place;
  readonly plain: Field;
  /** The lower, the earlier renders are spent on it. */
  readonly rank: number;
  /** Whether leaves may be changed alone for it; else only what the shared renders tell. */
  readonly alone: boolean;
  /** Two renders without changes agreed on it: it is not random. */
  readonly calm: boolean;
  readonly suspects: Suspects;
}

/** A value that was seen to move a field. */
export interface Mover {
  readonly path: ValuePath;
  /** `copy`: the field shows the value; `whole`: the field is a copy of this mapping or list; `unset`: it would show it; `change`: it is made from it. */
  readonly how: "copy" | "whole" | "unset" | "change";
  /** The line of the value's text that the field is a copy of; 0-based. */
  readonly line?: number;
}

/** What has been seen of a field so far. */
export interface Observed {
  readonly one: Sought;
  readonly movers: Map<string, Mover>;
  /** Leaves that were changed while the field stayed as it was. */
  readonly still: Map<string, ValuePath>;
  /** Leaves whose stand-ins the field has shown, and that have to be seen alone. */
  readonly hints: Map<string, Leaf>;
  /** It was the same in a render with other values, so it is not random. */
  calm: boolean;
  /** One of the movers alone explains how far it moved. */
  explained: boolean;
  /** Where its siblings are copied from. */
  bases: readonly ValuePath[];
}

/** What renders are made with. */
export interface ExperimentInput {
  readonly sought: readonly Sought[];
  readonly values: unknown;
  readonly leaves: readonly Leaf[];
  readonly plain: Manifests;
  /** Text of the plain render. */
  readonly text: string;
  /** Renders with one more values file; undefined when that fails. */
  readonly renderWith: (values: unknown) => Promise<Manifests | undefined>;
  /** Paths that `--set` flags write, which the file has to write in their place. */
  readonly also: readonly ValuePath[];
  /** How many renders may be spent. */
  readonly budget: number;
}

/** A render with changed values, as far as the fields are concerned. */
export interface Seen {
  field(state: Observed, path?: Place["path"]): Field;
  differs(state: Observed): boolean;
}

/** Renders with changed values, and what they tell. */
export interface Experiments {
  readonly states: readonly Observed[];
  left(): number;
  standIns(leaves: readonly Leaf[]): readonly StandIn[];
  unset(path: ValuePath, like: unknown, literal: string | undefined): StandIn;
  /** One render with all of the changes; undefined when it fails or no render is left. */
  render(changes: readonly StandIn[]): Promise<Seen | undefined>;
  /** The same several times over; whoever shows a stand-in is a copy of its leaf, or is hinted at. */
  share(...shares: readonly (readonly StandIn[])[]): Promise<readonly (Seen | undefined)[]>;
  /** Whether a shared render changed nothing but this, so that it need not be changed alone. */
  wasAlone(path: ValuePath): boolean;
  /** Each leaf alone, for all fields at once. */
  changeAlone(leaves: readonly Leaf[]): Promise<void>;
}

/** Sets the experiments up; nothing is rendered yet. */
export function experimentsOn(input: ExperimentInput): Experiments {
  const { sought, values, leaves, plain, also } = input;
  const makers = standInsBy(input.text);
  const leafBy = new Map(leaves.map((leaf) => [keyOf(leaf.path), leaf]));
  const own = twinsIn(plain, plain);
  const states = sought.map(
    (one): Observed => ({ one, movers: new Map(), still: new Map(), hints: new Map(), calm: one.calm, explained: false, bases: [] }),
  );
  const aloneSeen = new Set<string>();
  let left = input.budget;
  return {
    states,
    left: () => left,
    standIns,
    unset: makers.absent,
    render,
    share,
    changeAlone: changeEach,
    wasAlone: (path) => aloneSeen.has(keyOf(path)),
  };

  function standIns(wanted: readonly Leaf[]): readonly StandIn[] {
    const unique = new Map(wanted.map((leaf) => [keyOf(leaf.path), leaf]));
    return [...unique.values()].map((leaf) => (isNumeric(leaf) ? makers.number(leaf) : makers.text(leaf)));
  }

  async function render(changes: readonly StandIn[]): Promise<Seen | undefined> {
    if (left <= 0) return undefined;
    left--;
    const other = await input.renderWith(valuesWith(values, changes, also));
    if (other === undefined) return undefined;
    const twins = twinsIn(plain, other);
    const fieldOf: Seen["field"] = ({ one }, path) => readField(twins.of(one.at), path ?? one.at.path);
    const differs: Seen["differs"] = (state) => fieldKey(fieldOf(state)) !== fieldKey(state.one.plain);
    for (const state of states) if (!state.one.suspects.literal && !differs(state)) state.calm = true;
    return { field: fieldOf, differs };
  }

  /** What is seen is entered in the order of the request, so that the result does not depend on which render is done first. */
  async function share(...shares: readonly (readonly StandIn[])[]): Promise<readonly (Seen | undefined)[]> {
    const seen = await Promise.all(shares.map((changes) => (changes.length === 0 ? undefined : render(changes))));
    for (const [index, one] of seen.entries()) {
      const changes = shares[index] ?? [];
      if (one === undefined) continue;
      learn(changes, one);
      const [only] = changes;
      if (only === undefined || changes.length > 1) continue;
      learnAlone(only, one);
      aloneSeen.add(keyOf(only.leaf.path));
    }
    return seen;
  }

  function learn(changes: readonly StandIn[], seen: Seen): void {
    const marks = marksOf(changes);
    for (const state of states) {
      const { at, plain: before, suspects } = state.one;
      if (suspects.literal) continue;
      enter(state, readEvidence(before, seen.field(state), marks, values));
      const key = at.path.at(-1);
      const parent = at.path.slice(0, -1);
      if (before.exists || before.depth !== parent.length || typeof key !== "string") continue;
      // what is beside it is copied from here, so it would be too
      const bases = baseOf(readField(own.of(at), parent).value, seen.field(state, parent).value, marks);
      state.bases = [...state.bases, ...bases.map((base) => [...base, key])];
    }
  }

  /** What the line of the field names and the field shows is a copy (of a value that is not set: where it showed the default); anything else has to be seen alone. */
  function enter(state: Observed, { copied, computed, hinted = [], whole }: Evidence): void {
    const { direct, through, absent } = state.one.suspects;
    const named = new Set([...direct.map(({ path }) => path), ...through.map(({ path }) => path), ...absent].map(keyOf));
    if (computed !== undefined && named.has(keyOf(computed))) {
      enterMover(state, { path: computed, how: "change" });
      state.explained = true;
      return;
    }
    if (whole !== undefined) enterMover(state, { path: whole, how: "whole" });
    const certain = copied.filter(({ path }) => named.has(keyOf(path)));
    const isNone = ({ path }: Copied) => isUnset(leafBy.get(keyOf(path))?.value);
    for (const copy of certain) enterMover(state, { ...copy, how: isNone(copy) ? "unset" : "copy" });
    for (const path of [...copied.map((copy) => copy.path), ...hinted]) {
      const key = keyOf(path);
      if (!certain.some((copy) => copy.path === path)) state.hints.set(key, leafBy.get(key) ?? { path, value: undefined });
    }
  }

  async function changeEach(wanted: readonly Leaf[]): Promise<void> {
    const changes = wanted.flatMap((leaf) => changeOf(leaf) ?? []);
    const seen = await Promise.all(changes.map((change) => render([change])));
    const milder = changes.map((change, index) => (seen[index] === undefined ? milderThan(change) : undefined));
    const again = await Promise.all(milder.map((change) => change && render([change])));
    for (const [index, change] of changes.entries()) {
      const one = seen[index] ?? again[index];
      if (one !== undefined) learnAlone(milder[index] ?? change, one);
    }
  }

  /** What to try when helm refuses a change: a number next to what it was; of a text the lines with the keys that are asked for. */
  function milderThan(change: StandIn): StandIn | undefined {
    const { leaf, parts } = change;
    if (typeof leaf.value === "number") return { ...change, value: leaf.value + 1, mark: "" };
    if (parts === undefined) return undefined;
    const key = keyOf(leaf.path);
    const askers = states.filter(({ one }) => [...one.suspects.direct, ...one.suspects.through].some(({ path }) => keyOf(path) === key));
    const keys = new Set(askers.map(({ one }) => String(one.at.path.findLast((step) => typeof step === "string"))));
    const fewer = makers.lines(leaf, keys);
    return fewer?.parts?.length === parts.length ? undefined : fewer;
  }

  function changeOf(leaf: Leaf): StandIn | undefined {
    const asker = states.find(({ hints }) => hints.has(keyOf(leaf.path)));
    if (isUnset(leaf.value) && asker !== undefined) return makers.absent(leaf.path, likeOf(asker.one, leaf), undefined);
    return changeAlone(leaf, makers);
  }

  function learnAlone(change: StandIn, seen: Seen): void {
    const { path } = change.leaf;
    for (const state of states) {
      if (state.one.suspects.literal) continue;
      const field = seen.field(state);
      if (isMove(state.one, field)) enterMover(state, moverOf(change, state, field));
      else if (field.exists || !state.one.plain.exists) state.still.set(keyOf(path), path);
    }
  }

  function moverOf(change: StandIn, { one }: Observed, field: Field): Mover {
    const { path, value } = change.leaf;
    if (isUnset(value)) return { path, how: "unset" };
    const { copied, whole } = readEvidence(one.plain, field, marksOf([change]), values);
    if (whole !== undefined) return { path: whole, how: "whole" };
    const [copy] = copied;
    return copy === undefined ? { path, how: "change" } : { ...copy, how: "copy" };
  }
}

function enterMover({ movers }: Observed, mover: Mover): void {
  movers.set(keyOf(mover.path), mover);
}

/** What kind of value a field would take for a leaf that is not set. */
export function likeOf({ plain }: Sought, { value }: Leaf): unknown {
  return typeof value === "object" && value !== null ? value : plain.value;
}

/** A field that goes together with its surroundings was switched off, not moved. */
function isMove({ at, plain }: Sought, field: Field): boolean {
  if (!plain.exists) return field.exists;
  if (field.exists) return fieldKey(field) !== fieldKey(plain);
  return field.depth >= at.path.length - 1 && at.path.length > 0;
}
