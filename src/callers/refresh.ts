// Fetches the operator's description again at intervals, on demand, and when a described path is gone.
import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import { compareSchemas } from '../schema/changes/changes.ts';
import type { ServedSchema } from '../schema/registry.ts';
import type { Action } from '../upstream/description/description.ts';
import type { DescriptionSource } from '../upstream/description/description-source.ts';
import { OptiongraphError } from '../upstream/errors.ts';
import { explainFailure } from '../upstream/explain-failure.ts';
import type { Caller } from '../upstream/http/caller.ts';
import type { Callers } from './callers.ts';

/** Where failures are logged, and the API that they concern. */
export interface FailureLog {
  readonly log: Log;
  /** Address of the management API. */
  readonly upstream: URL;
}

/** Logs and reports how a schema differs from the one before. */
export function reportChange(
  { log, observer }: { readonly log: Log; readonly observer: Observer },
  before: ServedSchema,
  after: ServedSchema,
): void {
  const change = compareSchemas(before.schema, after.schema);
  observer.schemaChange?.(change);
  const { added, removed, breaking } = change;
  const parts = [summarize('added', added), summarize('removed', removed), summarize('breaking', breaking)];
  log.info(`the description changed: ${parts.join('; ')}`, {
    event: 'schema_change',
    added: added.length,
    removed: removed.length,
    breaking: breaking.length,
  });
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
function summarize(word: string, items: readonly string[]): string {
  const shown = items.slice(0, 10).join(', ');
  const more = items.length > 10 ? `, and ${items.length - 10} more` : '';
  return `${items.length} ${word}${items.length === 0 ? '' : ` (${shown}${more})`}`;
}

/** When the operator's description is fetched again. Times in milliseconds. */
export interface RefreshOptions {
  /** Time between two fetches, varied by up to a tenth; default ten minutes. */
  readonly interval?: number;
  /** Shortest time between a fetch and one after a described path was not found; default a minute. */
  readonly rest?: number;
}

/** Time between a failed fetch and the next one. Milliseconds. */
const RETRY_DELAY = 10_000;

/** Fetches the operator's description again. Those of other callers follow when their callers come back. */
export class Refresh implements Disposable {
  readonly #callers: Callers;
  readonly #source: Pick<DescriptionSource, 'hasAction'>;
  readonly #log: FailureLog;
  readonly #onFetched: () => Promise<void>;
  readonly #interval: number;
  readonly #rest: number;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #lastAt = Date.now();
  #fetchedAt: number;
  #isClosed = false;

  /**
   * @param onFetched Called after each successful fetch.
   * @param fetchedAt When the description in use was fetched, in milliseconds since 1970.
   */
  constructor(
    callers: Callers,
    source: Pick<DescriptionSource, 'hasAction'>,
    log: FailureLog,
    onFetched: () => Promise<void>,
    fetchedAt: number,
    { interval = 600_000, rest = 60_000 }: RefreshOptions = {},
  ) {
    this.#callers = callers;
    this.#source = source;
    this.#log = log;
    this.#onFetched = onFetched;
    this.#fetchedAt = fetchedAt;
    this.#interval = interval;
    this.#rest = rest;
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

  /**
   * Finds out whether a described path that answers 404 exists: one row that the API cannot read may be the reason. If it does not,
   * fetches the operator's description, and the caller's if that is unchanged. Does nothing if the last fetch or such question was less
   * than `rest` ago.
   */
  onMissingPath(caller: Caller, action: Action): void {
    if (Date.now() - this.#lastAt < this.#rest) return;
    this.#lastAt = Date.now();
    void this.#fetchUnlessDescribed(caller, action);
  }

  async #fetchUnlessDescribed(caller: Caller, action: Action): Promise<void> {
    if (await this.#source.hasAction(caller.credential, action).catch(() => true)) return;
    const { base } = this.#callers;
    await this.#fetch();
    if (this.#callers.base === base) this.#callers.revalidate(caller);
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
    this.#timer = setTimeout(() => void this.#fetch(), delay * jitter);
    this.#timer.unref();
  }

  /** Fetches, or joins a fetch under way. A failure is logged, and the description in use stays. Never rejects. */
  #fetch(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    this.#lastAt = Date.now();
    try {
      await this.#callers.refresh();
      this.#fetchedAt = this.#lastAt;
      this.#schedule(this.#interval);
      await this.#onFetched();
    } catch (error) {
      if (this.#isClosed) return;
      this.fetchSoon();
      logFailure(this.#log, error);
    }
  }
}
