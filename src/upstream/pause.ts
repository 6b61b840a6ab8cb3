// Defines how long work lets other work go first.
import { setImmediate } from 'node:timers/promises';
import type { Abortable } from './abortable.ts';

/**
 * Called often during long work. Undefined: go on. A promise: wait for it, because the event loop has been busy for long and others are
 * next; it rejects when nobody waits for the work any more.
 */
export type Pause = () => Promise<void> | undefined;

/** What long work does for others, and when it ends early. */
export interface LongWork {
  /** Default: other events are handled every few milliseconds. */
  readonly pause?: Pause | undefined;
  /** Ends the work at its next pause, with the reason. Default: nothing does. */
  readonly signal?: Abortable | undefined;
}

/** The pause of long work, which throws when the work is to end early. */
export function pauseOf({ pause = createPause(), signal }: LongWork): Pause {
  if (signal === undefined) return pause;
  return () => {
    signal.throwIfAborted();
    return pause();
  };
}

/** Milliseconds after which work that belongs to no client pauses. */
const SLICE = 5;

/** The pause of work that belongs to no client. @param slice Milliseconds after which it pauses; default 5. */
export function createPause(slice = SLICE): Pause {
  let begunAt = performance.now();
  return () => {
    if (performance.now() - begunAt < slice) return undefined;
    return setImmediate().then(() => {
      begunAt = performance.now();
    });
  };
}
