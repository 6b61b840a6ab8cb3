// Fetches the operator's description again, at intervals and on demand.
import pLimit from 'p-limit';
import { compareSchemas } from '../schema/changes/changes.ts';
import type { ServedSchema } from '../schema/registry.ts';
import { type DescribedApiOptions, logFailure } from './caller-descriptions.ts';
import type { Callers } from './callers.ts';

/** Time between two fetches of the operator's description, and between a failed one and the next. Milliseconds. */
const INTERVAL = 600_000;
const RETRY_DELAY = 10_000;

/** Fetches the operator's description again. Those of other callers follow when their callers come back. */
export class Refresh implements Disposable {
  readonly #callers: Callers;
  readonly #options: DescribedApiOptions;
  readonly #interval: number;
  /** One fetch at a time, so that an older description never replaces a newer one. */
  readonly #oneAtATime = pLimit(1);
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds since 1970. */
  #fetchedAt = Date.now();
  #isClosed = false;

  /** Nothing is fetched before `begin` is called. */
  constructor(options: DescribedApiOptions, callers: Callers) {
    this.#callers = callers;
    this.#options = options;
    this.#interval = options.refresh?.interval ?? INTERVAL;
  }

  /** Seconds since the description in use was fetched, or found unchanged. */
  get age(): number {
    return Math.round((Date.now() - this.#fetchedAt) / 1000);
  }

  /** Begins to fetch at intervals. */
  begin(): void {
    this.#schedule(this.#interval);
  }

  /** Fetches now, and marks the descriptions of all callers as outdated, whether or not the operator's has changed. Never rejects. */
  fetchNow(): Promise<void> {
    this.#callers.markOutdated();
    return this.#oneAtATime(() => this.#fetch());
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(delay: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    // The jitter spreads the requests of facades that were started at the same time.
    const jitter = 0.9 + Math.random() * 0.2;
    this.#timer = setTimeout(() => void this.#oneAtATime(() => this.#fetch()), delay * jitter).unref();
  }

  /** A failure is logged, and the description in use stays. Never rejects. */
  async #fetch(): Promise<void> {
    const startedAt = Date.now();
    try {
      const before = await this.#callers.refresh();
      this.#fetchedAt = startedAt;
      this.#schedule(this.#interval);
      if (before !== null) this.#reportChange(before);
    } catch (error) {
      if (this.#isClosed) return;
      this.#schedule(Math.min(RETRY_DELAY, this.#interval));
      logFailure(this.#options, error);
    }
  }

  /** Logs and reports how the schema differs from the one before. */
  #reportChange(before: ServedSchema): void {
    const { log, observer } = this.#options;
    const change = compareSchemas(before.schema, this.#callers.base.schema);
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

/** The number of items, and the first ten. */
function summarize([word, items]: [string, readonly string[]]): string {
  const shown = items.slice(0, 10).join(', ');
  const more = items.length > 10 ? `, and ${items.length - 10} more` : '';
  return `${items.length} ${word}${items.length === 0 ? '' : ` (${shown}${more})`}`;
}
