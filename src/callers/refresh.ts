import type { Log } from '../log/log.ts';
import { compareSchemas } from '../schema/fields/changes.ts';
import { OptiongraphError } from '../upstream/errors/optiongraph-error.ts';
import type { Callers } from './callers.ts';

/** When descriptions are fetched again. Milliseconds. */
export interface RefreshOptions {
  /** Between two fetches, give or take a tenth; default ten minutes. */
  readonly interval?: number;
  /** Least time between a fetch and one that an answer asked for by contradicting its description; default a minute. */
  readonly rest?: number;
}

/** Between a fetch that failed and the next. Milliseconds. */
const RETRY = 10_000;

/** Fetches the descriptions again: in intervals, when told to, and when the upstream contradicts them. */
export class Refresh implements Disposable {
  readonly #callers: Callers;
  readonly #log: Log;
  readonly #onDone: () => Promise<void>;
  readonly #interval: number;
  readonly #rest: number;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #lastAt = Date.now();
  #isClosed = false;

  /** @param onDone Called after each fetch that succeeded. */
  constructor(
    callers: Callers,
    log: Log,
    onDone: () => Promise<void>,
    { interval = 600_000, rest = 60_000 }: RefreshOptions = {},
  ) {
    this.#callers = callers;
    this.#log = log;
    this.#onDone = onDone;
    this.#interval = interval;
    this.#rest = rest;
    this.#schedule(interval);
  }

  /** Fetches them in a moment, since what is served now may be old. */
  soon(): void {
    this.#schedule(Math.min(RETRY, this.#interval));
  }

  /** Fetches them now; joins a fetch that is under way. A fault is logged, and what was served stays. */
  now(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** An answer contradicted the description: fetches it again, unless that was done a moment ago. */
  onContradiction(): void {
    if (Date.now() - this.#lastAt >= this.#rest) void this.now();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(wait: number): void {
    if (this.#isClosed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Facades that were started together should not ask together for ever.
    const jitter = 0.9 + Math.random() * 0.2;
    this.#timer = setTimeout(() => void this.now(), wait * jitter);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#lastAt = Date.now();
    try {
      const failures = await this.#callers.refresh((before, after) => {
        const { added, removed, breaking } = compareSchemas(before.schema, after.schema);
        this.#log.info(
          `the description changed: ${list('added', added)}; ${list('removed', removed)}; ${list('breaking', breaking)}`,
        );
      });
      for (const failure of failures) this.#tell(failure);
      this.#schedule(this.#interval);
      await this.#onDone();
    } catch (error) {
      if (this.#isClosed) return;
      this.soon();
      this.#tell(error);
    }
  }

  #tell(failure: unknown): void {
    if (failure instanceof OptiongraphError)
      this.#log.warn(`a description could not be fetched again, the one before stays: ${failure.message}`);
    else this.#log.error('a description could not be served, the one before stays', failure);
  }
}

/** Enough of a list to see what it is about. */
function list(word: string, items: readonly string[]): string {
  const shown = items.slice(0, 10).join(', ');
  const more = items.length > 10 ? `, and ${items.length - 10} more` : '';
  return `${items.length} ${word}${items.length === 0 ? '' : ` (${shown}${more})`}`;
}
