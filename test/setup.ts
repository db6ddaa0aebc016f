import { buildAll } from "../scripts/build.mjs";

/** Builds dist/, which the tests of the command line run, and the generated code that the sources import. */
export default async function setup(): Promise<void> {
  await buildAll();
}
