import { availableParallelism } from "node:os";

/** One more than there are processors: the next render is at work while this process reads the last one. */
export function usualConcurrency(): number {
  return Math.max(2, availableParallelism()) + 1;
}

/** Runs at most `most` tasks at a time, in order; the first ones start before the call returns. */
export function limited(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    running -= 1;
    waiting.shift()?.();
  };
  return (task) =>
    new Promise((resolve, reject) => {
      const start = () => {
        running += 1;
        task().then(resolve, reject).finally(leave);
      };
      if (running < most) start();
      else waiting.push(start);
    });
}

/** A function that is called at most once, and whose promise everybody gets. */
export function once<T>(give: () => Promise<T>): () => Promise<T> {
  let given: Promise<T> | undefined;
  return () => {
    given ??= give();
    return given;
  };
}
