import { createContext, Script } from "node:vm";

/** Time that expressions may take: each, and all of a run together. */
export interface Clock {
  /** What the call gives. Throws OutOfTime when it takes longer than its share or than what is left of the whole; the call is then stopped. */
  within<T>(call: () => T): T;
}

/** An expression took longer than it may. */
export class OutOfTime extends Error {}

/** A clock (milliseconds). The shares are far above what any honest expression takes, so that a slow machine does not change an answer. */
export function startClock(each: number, all: number): Clock {
  let left = all;
  return {
    within(call) {
      if (left <= 0) throw new OutOfTime(`all invariants together took more than ${all / 1000}s`);
      const share = Math.min(each, left);
      const begin = performance.now();
      try {
        return interruptible(call, Math.ceil(share));
      } catch (error) {
        if ((error as { readonly code?: unknown } | undefined)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
        if (share === each) throw new OutOfTime(`took more than ${each / 1000}s`);
        left = 0;
        throw new OutOfTime(`all invariants together took more than ${all / 1000}s`);
      } finally {
        left -= Math.max(performance.now() - begin, 0);
      }
    },
  };
}

const sandbox: { call: () => void } = { call: () => undefined };
let script: Script | undefined;

/** Node stops what runs inside of `vm` at a deadline, regular expressions and native loops of the engine included. Nothing is isolated by it. */
function interruptible<T>(call: () => T, timeout: number): T {
  if (script === undefined) {
    createContext(sandbox);
    script = new Script("call()");
  }
  let result: { readonly value: T } | undefined;
  sandbox.call = () => {
    result = { value: call() };
  };
  script.runInContext(sandbox, { timeout });
  if (result === undefined) throw new Error("the call did not end");
  return result.value;
}
