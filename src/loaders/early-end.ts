// Ends an operation before it has finished.
import { Abort, type Abortable } from '../upstream/abortable.ts';

/**
 * The early end of one operation, in two steps. First no write begins and no `wait` goes on. Then reads are aborted too. A write under
 * way is never aborted.
 */
export class EarlyEnd {
  readonly #closing = new Abort();
  readonly #aborting = new Abort();

  /** @param leaving Aborts when the client leaves, which ends the operation. */
  constructor(leaving?: Abortable) {
    if (leaving === undefined) return;
    if (leaving.aborted) this.abort(leaving.reason);
    else leaving.addEventListener('abort', () => this.abort(leaving.reason), { once: true });
  }

  /** Aborts when no write may begin and no `wait` may go on. Its reason is the error for writes that have not begun. */
  get closing(): Abortable {
    return this.#closing;
  }

  /** Aborts when reads are to stop, at `closing` or later. Its reason is the error for reads. */
  get aborted(): Abortable {
    return this.#aborting;
  }

  /** Ends waits, and refuses further writes with the error. Without effect when that has happened already. */
  close(error: unknown): void {
    this.#closing.abort(error);
  }

  /** Closes the operation, and ends its reads with the error. */
  abort(error: unknown): void {
    this.close(error);
    this.#aborting.abort(error);
  }
}
