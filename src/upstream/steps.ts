// Runs long work in steps: all at once, or in slices between which the process serves other work.
import { setImmediate } from 'node:timers/promises';

/** Work that can pause after each of its steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Length of a slice, in milliseconds. The step that exceeds it still ends. */
const SLICE = 20;

/** Runs all steps without a pause. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * Runs steps in slices, and lets the process serve other work after each slice.
 * @param slice Length of a slice, in milliseconds. Default: 20. 0 pauses after each step.
 */
export async function runInSlices<Result>(steps: Steps<Result>, slice = SLICE): Promise<Result> {
  for (;;) {
    const end = performance.now() + slice;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
    await setImmediate();
  }
}
