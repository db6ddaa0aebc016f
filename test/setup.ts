import { buildValidators } from "../scripts/validator.mjs";

/** Generated code that the sources import must exist before any test file is loaded. */
export default async function setup(): Promise<void> {
  await buildValidators();
}
