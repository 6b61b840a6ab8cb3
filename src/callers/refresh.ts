// Fetches descriptions again at intervals, on demand, and when the upstream contradicts them.
import type { Log } from '../log/log.ts';
import { compareSchemas } from '../schema/changes.ts';
import { OptiongraphError } from '../upstream/errors/optiongraph-error.ts';
import type { Callers } from './callers.ts';

/** When descriptions are fetched again. Times in milliseconds. */
export interface RefreshOptions {
  /** Time between two fetches, varied by up to a tenth; default ten minutes. */
  readonly interval?: number;
  /** Shortest time between a fetch and one after a response that contradicts the description; default a minute. */
  readonly rest?: number;
}

/** Time between a failed fetch and the next one. Milliseconds. */
const RETRY_DELAY = 10_000;

/** Fetches the descriptions again: at intervals, on demand, and when the upstream contradicts them. */
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

  /** @param onDone Called after each successful fetch. */
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

  /** Schedules a fetch in ten seconds, because the descriptions in use may be outdated. */
  soon(): void {
    this.#schedule(Math.min(RETRY_DELAY, this.#interval));
  }

  /** Fetches now, or joins a fetch under way. A failure is logged, and the descriptions in use stay. Never rejects. */
  now(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Fetches now because a response contradicts the description, unless the last fetch was less than `rest` ago. */
  onContradiction(): void {
    if (Date.now() - this.#lastAt >= this.#rest) void this.now();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(delay: number): void {
    if (this.#isClosed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // The jitter spreads the requests of facades that were started at the same time.
    const jitter = 0.9 + Math.random() * 0.2;
    this.#timer = setTimeout(() => void this.now(), delay * jitter);
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
      for (const failure of failures) this.#logFailure(failure);
      this.#schedule(this.#interval);
      await this.#onDone();
    } catch (error) {
      if (this.#isClosed) return;
      this.soon();
      this.#logFailure(error);
    }
  }

  #logFailure(failure: unknown): void {
    if (failure instanceof OptiongraphError)
      this.#log.warn(
        `a description could not be fetched again, so the previous one stays in use: ${failure.message}`,
      );
    else this.#log.error('a new description could not be served, so the previous one stays in use', failure);
  }
}

/** The number of items, and the first ten. */
function list(word: string, items: readonly string[]): string {
  const shown = items.slice(0, 10).join(', ');
  const more = items.length > 10 ? `, and ${items.length - 10} more` : '';
  return `${items.length} ${word}${items.length === 0 ? '' : ` (${shown}${more})`}`;
}
