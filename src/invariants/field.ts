import { Place, type Segment } from "../manifest/place.js";
import { asName, dig } from "../model/read.js";

/** A step of a field as `at` writes it: a key, or what stands in brackets: a 0-based index or the name of an element. */
export interface Step {
  readonly key: string;
  readonly bracket: boolean;
}

/** Reads `spec.template.spec.containers[portal].env[X]`, `data["a.b"]`; gives the 0-based offset of what cannot be read. */
export function parseField(text: string): readonly Step[] | number {
  const step = /(?:^|\.)([^.[\]"\s]+)|\[(?:"((?:[^"\\]|\\.)*)"|([^\]"]+))\]/y;
  const steps: Step[] = [];
  while (step.lastIndex < text.length) {
    const begin = step.lastIndex;
    const match = step.exec(text);
    if (match === null) return begin;
    const [, key, quoted, bracket] = match;
    steps.push(
      quoted !== undefined
        ? { key: quoted.replace(/\\(.)/g, "$1"), bracket: false }
        : { key: key ?? bracket ?? "", bracket: bracket !== undefined },
    );
  }
  return steps.length === 0 ? 0 : steps;
}

/** The place of a field below a place whose body is given. Elements are found by name where they have one, else by index. */
export function fieldPlace(at: Place, body: unknown, steps: readonly Step[]): Place {
  let value: unknown = body;
  let path: readonly Segment[] = at.path;
  for (const { key, bracket } of steps) {
    if (!bracket || !Array.isArray(value)) {
      path = [...path, key];
      value = dig(value, key);
      continue;
    }
    const named = value.findIndex((element) => asName(dig(element, "name")) === key);
    const index = named >= 0 ? named : /^\d+$/.test(key) ? Number(key) : value.length;
    path = [...path, elementSegment(value, index)];
    value = value[index];
  }
  return new Place(at.object, path);
}

/** The place below a place that literal keys and indexes lead to. */
export function pathPlace(at: Place, body: unknown, steps: readonly (string | number)[]): Place {
  let value: unknown = body;
  let path: readonly Segment[] = at.path;
  for (const step of steps) {
    path = [...path, typeof step === "number" ? elementSegment(value, step) : step];
    value = typeof step === "number" ? (Array.isArray(value) ? value[step] : undefined) : dig(value, step);
  }
  return new Place(at.object, path);
}

function elementSegment(list: unknown, index: number): Segment {
  const name = Array.isArray(list) ? asName(dig(list[index], "name")) : undefined;
  return name === undefined ? { index } : { index, name };
}

const containerFields = new Set(
  "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy resources restartPolicy securityContext startupProbe stdin terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir".split(
    " ",
  ),
);

/** Whether a field begins with a key that containers have. */
export function isOfContainer(steps: readonly Step[]): boolean {
  return containerFields.has(steps[0]?.key ?? "");
}
