import type { Place } from "../manifest/place.js";
import type { Workload } from "./types.js";

/** What rendering an environment again has shown. A part is absent when no rule asked for it, or when its render failed. */
export interface Reruns {
  /** Fields that are different when the same input is rendered a second time. */
  readonly differences?: readonly Difference[];
  /** Fields that another version of the chart and of the app changes. */
  readonly bumped?: readonly Difference[];
  /** Where the numbers of probe blocks in the values went. */
  readonly wires?: readonly Wire[];
  /** What a change of one value did to a ConfigMap or Secret, and to the pods that read it at start. */
  readonly moves?: readonly ConfigMove[];
  /** Values that no template refers to, and whose change moved nothing. */
  readonly dead?: readonly DeadValue[];
}

/** A field to which two renders give different values. */
export interface Difference {
  readonly at: Place;
  readonly inPodTemplate: boolean;
}

/** A number of the values, and the probe fields that show it. */
export interface Wire {
  /** `probes.startup.periodSeconds` as keys. */
  readonly path: readonly (string | number)[];
  readonly reached: readonly { readonly at: Place; readonly role: string; readonly field: string }[];
  /** Whether changing it moved anything at all. */
  readonly moved: boolean;
}

/** A value was changed, and the data of an object followed. */
export interface ConfigMove {
  /** `ConfigMap/web`. */
  readonly source: string;
  readonly at: Place;
  /** `config.level`. */
  readonly path: string;
  readonly readers: readonly { readonly workload: Workload; readonly moved: boolean }[];
}

/** A value that nothing reads. */
export interface DeadValue {
  readonly path: string;
  /** Absolute file and 1-based position of the line that sets it. */
  readonly origin: { readonly file: string; readonly line: number; readonly column: number };
  /** Set by an overlay, as against a default of the chart. */
  readonly overlay: boolean;
  /** A key that is read, and was most likely meant. */
  readonly meant?: string;
}

/** The fields of a probe that are numbers. */
export const probeNumberFields: readonly string[] = [
  "initialDelaySeconds",
  "periodSeconds",
  "timeoutSeconds",
  "failureThreshold",
  "successThreshold",
  "terminationGracePeriodSeconds",
];
