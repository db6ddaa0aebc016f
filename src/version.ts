declare const __VERSION__: string;

/** The version of the package. */
export const version = typeof __VERSION__ === "string" ? __VERSION__ : "0.0.0";
