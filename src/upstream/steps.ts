// Runs long work in steps: all at once, or in slices between which the process serves other work.
import { createPause, type Pause } from './pause.ts';

/** Work that can pause after each of its steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs all steps without a pause. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Runs steps, and pauses between them when others are next. The result is a promise only if a pause was due. */
export function runWithPauses<Result>(steps: Steps<Result>, pause: Pause): Result | Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const paused = pause();
    if (paused !== undefined) return resume(steps, pause, paused);
  }
}

async function resume<Result>(steps: Steps<Result>, pause: Pause, begun: Promise<void>): Promise<Result> {
  let paused: Promise<void> | undefined = begun;
  for (;;) {
    if (paused !== undefined) await paused;
    const step = steps.next();
    if (step.done === true) return step.value;
    paused = pause();
  }
}

/**
 * Runs steps in slices, and lets the process serve other work after each slice.
 * @param slice Length of a slice, in milliseconds. Default: 5. 0 pauses after each step.
 */
export async function runInSlices<Result>(steps: Steps<Result>, slice?: number): Promise<Result> {
  return runWithPauses(steps, createPause(slice));
}

/**
 * Runs steps whose errors have no stack, so that they can be kept. V8 keeps what the functions on a stack use until somebody reads it:
 * 60 KB for each error of a validation.
 */
export function* withoutStacks<Result>(steps: Steps<Result>): Steps<Result> {
  for (;;) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    let step: IteratorResult<undefined, Result>;
    try {
      step = steps.next();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    if (step.done === true) return step.value;
    yield;
  }
}

/** Units of work between two steps. A unit takes about half a microsecond. */
export const STEP_WORK = 256;

/** Counts work between steps. */
export class WorkCounter {
  #units = 0;

  add(units: number): void {
    this.#units += units;
  }

  /** Whether a step ends after the work since the last one. */
  endsStep(): boolean {
    if (this.#units < STEP_WORK) return false;
    this.#units = 0;
    return true;
  }
}
