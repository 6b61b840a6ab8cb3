// Abort signals that cost little. An operation needs three: with an AbortController for each, a read of one object takes 5 % more CPU time.

/** What calls need of an abort signal; an `AbortSignal` has it. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal that aborts once, with any number of listeners. */
export class Abort implements Abortable {
  #hasAborted = false;
  #reason: unknown;
  /** Most signals have no listener, or one. Null before the first. */
  #listeners: Set<() => void> | null = null;

  get aborted(): boolean {
    return this.#hasAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Calls the listeners. Without effect when it has aborted already. */
  abort(reason: unknown): void {
    if (this.#hasAborted) return;
    this.#hasAborted = true;
    this.#reason = reason;
    const listeners = this.#listeners ?? [];
    this.#listeners = null;
    for (const listener of listeners) listener();
  }

  throwIfAborted(): void {
    if (this.#hasAborted) throw this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}

/**
 * The early end of one operation, in two steps. First no write begins and no `wait` goes on. Then reads are aborted too. A write under
 * way is never aborted.
 */
export class EarlyEnd {
  /** Aborts when no write may begin and no `wait` may go on. Its reason is the error for writes that have not begun. */
  readonly closing = new Abort();
  /** Aborts when reads are to stop, at `closing` or later. Its reason is the error for reads. */
  readonly aborted = new Abort();
  /** Aborts when nobody waits for the operation any more; undefined where it goes on in any case. */
  leaving: Abortable | undefined;

  /** @param leaving Aborts when the client leaves, which ends the operation. */
  constructor(leaving?: Abortable) {
    this.leaving = leaving;
    if (leaving === undefined) return;
    if (leaving.aborted) this.abort(leaving.reason);
    else leaving.addEventListener('abort', () => this.leaving && this.abort(leaving.reason), { once: true });
  }

  /** Lets the operation go on when its client leaves from now on. */
  stayOpen(): void {
    this.leaving = undefined;
  }

  /** Ends waits, and refuses further writes with the error. Without effect when that has happened already. */
  close(error: unknown): void {
    this.closing.abort(error);
  }

  /** Closes the operation, and ends its reads with the error. */
  abort(error: unknown): void {
    this.close(error);
    this.aborted.abort(error);
  }
}

/** Waits for a result that others may wait for too, until the signal aborts. Rejects then with the reason of the signal. */
export function untilAborted<T>(result: Promise<T>, signal: Abortable | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    result.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}

/** Makes an AbortSignal for functions that need one. The signal lives as long as what it follows. */
export function toAbortSignal(followed: Abortable): AbortSignal {
  if (followed instanceof AbortSignal) return followed;
  const controller = new AbortController();
  const follow = (): void => controller.abort(followed.reason);
  if (followed.aborted) follow();
  else followed.addEventListener('abort', follow, { once: true });
  return controller.signal;
}
