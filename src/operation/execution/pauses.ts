// Lets the resolution of fields pause, so that it goes on as if it had not.
import type { Pause } from '../../upstream/pause.ts';

/** What an execution needs of an AbortSignal. */
export type AbandonedSignal = Pick<AbortSignal, 'throwIfAborted'>;

/** How those who wait for an execution affect it. */
export interface ExecutionControl {
  /** Aborts when nobody waits for the result. No field below a value that comes later is resolved. */
  readonly abandoned: AbandonedSignal | undefined;
  /**
   * Called often. When its promise rejects, the execution ends with that error, and without data.
   * @param later Number of values that have been promised since the last call, each of which takes memory until it comes.
   */
  pause(later: number): ReturnType<Pause>;
  /** Called when fields pause. What they have asked for is not fetched before `resume`, so that it is fetched with what the others ask for. */
  hold(): void;
  resume(): void;
}

/**
 * Counts the fields and items that executions have resolved since one of them has asked for a pause. Executions share a count, so that many
 * short ones pause as a long one does.
 */
export class FieldCount {
  fields = 0;
  /** Fields after which an execution asks. */
  readonly interval: number;

  constructor(interval: number) {
    this.interval = interval;
  }
}

/** What work returns. It is in an object because it may be a promise, of a value that comes later. */
interface Returned {
  readonly value: unknown;
}

/**
 * Returned by work that pauses, in place of what it will return. Who gets it pauses too, and goes on with `resume`. It is a promise, so that
 * the check for promises finds it, and work that does not pause needs no further check.
 */
export class Suspended extends Promise<Returned> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Goes on with what the work has returned, or with the error that it has thrown. Returns what follows the work. */
  resume(goOn: (value: unknown) => unknown, fail: (error: unknown) => unknown): Suspended {
    return new Suspended((resolve, reject) => {
      this.then(
        ({ value }) => toReturned(goOn(value)),
        (error: unknown) => toReturned(fail(error)),
      ).then(resolve, reject);
    });
  }
}

const toReturned = (value: unknown): Returned | Suspended => (value instanceof Suspended ? value : { value });

/**
 * The pauses of one operation. What promises deliver is resolved one after another: while something pauses, it waits. So the calls of
 * resolvers and the errors have the same order as without pauses.
 */
export class Pauses {
  readonly #control: ExecutionControl;
  readonly #count: FieldCount;
  /** Promised values since the control was asked. */
  #later = 0;
  /** Pieces of work that pause: one, or several with `@defer` and `@stream`. */
  #suspended = 0;
  /** What waits until nothing pauses, in order, and the place of the first that has not begun. */
  #waiting: (() => void)[] = [];
  #first = 0;
  /** Called with the error that ends the operation in a pause. Null for none. */
  #onEnd: ((error: unknown) => void)[] | null = null;

  constructor(control: ExecutionControl, count: FieldCount) {
    this.#control = control;
    this.#count = count;
  }

  /** Aborts when nobody waits for the result. */
  get abandoned(): AbandonedSignal | undefined {
    return this.#control.abandoned;
  }

  /** @param end Called with the error that ends the operation in a pause: what pauses then does not go on. */
  onEnd(end: (error: unknown) => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(end);
  }

  /** Called before each field and each item. Undefined: go on. A promise: return `suspend` with it. */
  next(): Promise<void> | undefined {
    const count = this.#count;
    count.fields += 1;
    return count.fields < count.interval ? undefined : this.#ask();
  }

  /** Counts a value that comes later. */
  addLater(): void {
    this.#later += 1;
  }

  #ask(): Promise<void> | undefined {
    const later = this.#later;
    this.#later = 0;
    const paused = this.#control.pause(later);
    // The next field of any execution asks again as long as a pause is due.
    if (paused === undefined) this.#count.fields = 0;
    return paused;
  }

  /** Suspends work during a pause. */
  suspend(paused: Promise<void>, goOn: () => unknown): Suspended {
    return new Suspended((resolve, reject) =>
      this.#after(paused, () => {
        try {
          resolve(toReturned(goOn()));
        } catch (error) {
          reject(error);
        }
      }),
    );
  }

  /** Goes on after a pause, or ends the operation when the pause does. */
  #after(paused: Promise<void>, goOn: () => void): void {
    const run = (): void => {
      this.#count.fields = 0;
      goOn();
    };
    paused.then(run, (error: unknown) => {
      for (const end of this.#onEnd?.splice(0) ?? []) end(error);
    });
  }

  /**
   * Resolves what a promise delivers. Errors wait for the end of a pause, too: only then does the list or the object handle them that
   * contains the value.
   */
  beginWith<T>(promise: PromiseLike<T>, resolve: (value: T) => unknown): PromiseLike<unknown> {
    return promise.then(
      (value) => this.begin(() => resolve(value)),
      (error: unknown) =>
        this.begin(() => {
          throw error;
        }),
    );
  }

  /** Resolves a value now, or after a pause. Returns what has been resolved, or a promise of it. */
  begin(resolve: () => unknown): unknown {
    return this.mustWait() ? this.wait(resolve) : this.began(resolve());
  }

  /** Whether what a promise delivers has to wait: something pauses, or so much has been delivered that a pause begins. */
  mustWait(): boolean {
    if (this.#suspended > 0) return true;
    const paused = this.next();
    if (paused === undefined) return false;
    this.#hold();
    this.#after(paused, () => this.#finish());
    return true;
  }

  /** Resolves a value after the pause. Returns a promise of what has been resolved. */
  wait(resolve: () => unknown): Promise<unknown> {
    return new Promise((deliver, reject) => {
      this.#waiting.push(() => {
        try {
          deliver(this.began(resolve()));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Lets others wait while work pauses. Returns what the work returns, or a promise of it. */
  began(value: unknown): unknown {
    if (!(value instanceof Suspended)) return value;
    this.#hold();
    const finish = (): void => this.#finish();
    value.then(finish, finish);
    return value.then((returned) => returned.value);
  }

  #hold(): void {
    this.#suspended += 1;
    this.#control.hold();
  }

  /** Begins what waits, until something pauses. */
  #finish(): void {
    this.#suspended -= 1;
    while (this.#first < this.#waiting.length) {
      if (this.mustWait()) return;
      this.#first += 1;
      this.#waiting[this.#first - 1]?.();
    }
    if (this.#suspended > 0) return;
    this.#waiting = [];
    this.#first = 0;
    this.#control.resume();
  }
}
