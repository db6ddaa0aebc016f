/** The texts that a part of a template may print; undefined when they cannot be told. */
export type Output = readonly string[] | undefined;

/** What prints nothing. */
export const nothing: Output = [""];

const most = 30;

/** What two parts print one after the other. */
export function follows(first: Output, second: Output): Output {
  if (first === undefined || second === undefined || first.length * second.length > most) return undefined;
  return distinct(first.flatMap((start) => second.map((end) => start + end)));
}

/** What is printed when one of several parts is run. */
export function oneOf(...outputs: readonly Output[]): Output {
  return outputs.includes(undefined) ? undefined : distinct(outputs.flatMap((output) => output ?? []));
}

/** What is printed when a part is run any number of times. */
export function repeated(output: Output): Output {
  return output?.every((text) => text === "") ? nothing : undefined;
}

/** Every way to take one text of each. */
export function combinations(outputs: readonly Output[]): readonly (readonly string[])[] | undefined {
  let all: readonly (readonly string[])[] = [[]];
  for (const output of outputs) {
    if (output === undefined || all.length * output.length > most) return undefined;
    all = all.flatMap((start) => output.map((text) => [...start, text]));
  }
  return all;
}

function distinct(texts: readonly string[]): Output {
  const set = [...new Set(texts)];
  return set.length > most ? undefined : set;
}
