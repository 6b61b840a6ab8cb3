// Fetches the operator's description again at intervals and on demand, and reports what has changed.
import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import { compareSchemas } from '../schema/changes/changes.ts';
import { OptiongraphError } from '../upstream/errors.ts';
import { explainFailure } from '../upstream/explain-failure.ts';
import type { Callers } from './callers.ts';

/** When the operator's description is fetched again. Times in milliseconds. */
export interface RefreshOptions {
  /** Time between two fetches, varied by up to a tenth; default ten minutes. */
  readonly interval?: number;
}

/** Time between a failed fetch and the next one. Milliseconds. */
const RETRY_DELAY = 10_000;

/** What a refresh is made from. */
interface RefreshParts extends FailureLog, RefreshOptions {
  readonly callers: Callers;
  readonly observer?: Observer;
  /** When the description in use was fetched, in milliseconds since 1970. */
  readonly fetchedAt: number;
  /** Called after each successful fetch. */
  readonly onFetched: () => Promise<void>;
}

/** Fetches the operator's description again. Those of other callers follow when their callers come back. */
export class Refresh implements Disposable {
  readonly #callers: Callers;
  readonly #parts: RefreshParts;
  readonly #interval: number;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #fetchedAt: number;
  #isClosed = false;

  constructor(parts: RefreshParts) {
    const { callers, fetchedAt, interval = 600_000 } = parts;
    this.#callers = callers;
    this.#parts = parts;
    this.#fetchedAt = fetchedAt;
    this.#interval = interval;
    this.#schedule(interval);
  }

  /** Seconds since the description in use was fetched, or found unchanged. */
  get age(): number {
    return Math.round((Date.now() - this.#fetchedAt) / 1000);
  }

  /** Schedules a fetch in ten seconds, because the descriptions in use may be outdated. */
  fetchSoon(): void {
    this.#schedule(Math.min(RETRY_DELAY, this.#interval));
  }

  /** Fetches now, and marks the descriptions of all callers as outdated, whether or not the operator's has changed. Never rejects. */
  fetchNow(): Promise<void> {
    this.#callers.markOutdated();
    return this.#fetch();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer ?? undefined);
  }

  #schedule(delay: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer ?? undefined);
    // The jitter spreads the requests of facades that were started at the same time.
    const jitter = 0.9 + Math.random() * 0.2;
    this.#timer = setTimeout(() => void this.#fetch(), delay * jitter).unref();
  }

  /** Fetches, or joins a fetch under way. A failure is logged, and the description in use stays. Never rejects. */
  #fetch(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    const startedAt = Date.now();
    const before = this.#callers.base;
    try {
      await this.#callers.refresh();
      this.#fetchedAt = startedAt;
      this.#schedule(this.#interval);
      if (this.#callers.base !== before) this.#reportChange(before);
      await this.#parts.onFetched();
    } catch (error) {
      if (this.#isClosed) return;
      this.fetchSoon();
      logFailure(this.#parts, error);
    }
  }

  /** Logs and reports how the schema differs from the one before. */
  #reportChange({ schema: before }: Callers['base']): void {
    const { log, observer } = this.#parts;
    const change = compareSchemas(before, this.#callers.base.schema);
    observer?.schemaChange?.(change);
    const { added, removed, breaking } = change;
    const parts = Object.entries({ added, removed, breaking }).map(summarize);
    log.info(`the description changed: ${parts.join('; ')}`, {
      event: 'schema_change',
      added: added.length,
      removed: removed.length,
      breaking: breaking.length,
    });
  }
}

/** Where failures are logged, and the API that they concern. */
export interface FailureLog {
  readonly log: Log;
  /** Address of the management API. */
  readonly upstream: URL;
}

/** Logs why a description could not be replaced. */
export function logFailure({ log, upstream }: FailureLog, failure: unknown): void {
  if (failure instanceof OptiongraphError)
    log.warn(
      `a description could not be fetched again, so the previous one stays in use: ${explainFailure(failure, upstream)}`,
      { event: 'description_failure' },
    );
  else log.error('a new description could not be served, so the previous one stays in use', failure);
}

/** The number of items, and the first ten. */
function summarize([word, items]: [string, readonly string[]]): string {
  const shown = items.slice(0, 10).join(', ');
  const more = items.length > 10 ? `, and ${items.length - 10} more` : '';
  return `${items.length} ${word}${items.length === 0 ? '' : ` (${shown}${more})`}`;
}
