// Fetches the operator's description, and again at intervals and on demand.
import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import type { SchemaExtension } from '../schema/builder.ts';
import { compareSchemas } from '../schema/changes/changes.ts';
import type { Exposure } from '../schema/exposure.ts';
import type { Overrides } from '../schema/model/overrides.ts';
import { type DescriptionLimits, SchemaRegistry } from '../schema/registry.ts';
import { SchemaAddition, type SchemaAdditionOptions } from '../schema/schema-addition.ts';
import type { Replicas } from '../sharing/replicas.ts';
import type { Description } from '../upstream/description/description.ts';
import { DescriptionSource } from '../upstream/description/description-source.ts';
import type { Credential } from '../upstream/http/caller.ts';
import { DEFAULT_LANGUAGE, type LanguageOptions } from '../upstream/http/languages.ts';
import type { Transport } from '../upstream/http/transport.ts';
import { logFailure, type SchemaMode } from './caller-descriptions.ts';
import { Callers } from './callers.ts';
import type { CredentialVerifier } from './credential-verifier.ts';

/** Time between two fetches of the operator's description, and between a failed one and the next. Milliseconds. */
const INTERVAL = 600_000;
const RETRY_DELAY = 10_000;

/** The API that callers use, and how its descriptions are fetched. */
export interface DescribedApiOptions extends Exposure, LanguageOptions {
  /** Address of the management API, with its base path. */
  readonly upstream: URL;
  /** Version of the API; default: the default version of the upstream. */
  readonly version?: string | null;
  /** The operator's credential. It fetches the base description, never a caller's data. Default: none. */
  readonly descriptionCredential?: Credential | null;
  /** Limits of descriptions and of cached schemas; default: `DEFAULT_DESCRIPTION_LIMITS`. */
  readonly limits?: Partial<DescriptionLimits>;
  /** How schemas are assigned to callers; default: `caller`. */
  readonly schemaMode?: SchemaMode;
  /** When the operator's description is fetched again: milliseconds between two fetches, varied by up to a tenth; default ten minutes. */
  readonly refresh?: { readonly interval?: number };
  readonly log: Log;
  /** Observes what the facade does; default: nobody does. */
  readonly observer?: Observer;
}

/** The parts of a facade with which callers are loaded. */
export interface LoadOptions extends DescribedApiOptions {
  readonly transport: Transport;
  readonly verifier: CredentialVerifier;
  readonly replicas: Replicas;
  readonly extensions: readonly SchemaExtension[];
  /** What the library's user adds to each schema; null for nothing. */
  readonly addition: SchemaAdditionOptions | null;
  /** Finds the facts that a description lacks. */
  readonly overridesFor: (description: Description) => Overrides;
}

/**
 * Fetches the operator's description, and makes its schema. Nothing fetches it again before `begin` of the refresh is called.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function loadCallers(
  options: LoadOptions,
): Promise<{ readonly callers: Callers; readonly refresh: Refresh }> {
  const { upstream, version = null, descriptionCredential: operator = null } = options;
  const { language = DEFAULT_LANGUAGE, schemaMode = 'caller', log, observer = {} } = options;
  const { transport, verifier, replicas, addition } = options;
  const basePath = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
  const source = new DescriptionSource(transport, basePath, version, options);
  await source.checkVersion(operator);
  const registry = new SchemaRegistry({
    ...options,
    addition: addition === null ? undefined : new SchemaAddition(addition),
    onLateFinding: ({ code, path, reason }) => log.warn(`${code}: ${reason} (${path})`, { event: 'finding' }),
  });
  const ownLanguage = language.toLowerCase();
  const parts = { source, registry, verifier, operator, log, upstream, observer, replicas };
  const callers = await Callers.create({ ...parts, ownLanguage, schemaMode });
  return { callers, refresh: new Refresh(options, callers) };
}

/** Fetches the operator's description again. Those of other callers follow when their callers come back. */
class Refresh implements Disposable {
  readonly #callers: Callers;
  readonly #options: Pick<LoadOptions, 'log' | 'upstream' | 'observer'>;
  readonly #interval: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  /** Milliseconds since 1970. */
  #fetchedAt = Date.now();
  #isClosed = false;

  constructor(options: LoadOptions, callers: Callers) {
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
    return this.#fetch();
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
    } catch (error) {
      if (this.#isClosed) return;
      this.#schedule(Math.min(RETRY_DELAY, this.#interval));
      logFailure(this.#options, error);
    }
  }

  /** Logs and reports how the schema differs from the one before. */
  #reportChange({ schema: before }: Callers['base']): void {
    const { log, observer } = this.#options;
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

/** The number of items, and the first ten. */
function summarize([word, items]: [string, readonly string[]]): string {
  const shown = items.slice(0, 10).join(', ');
  const more = items.length > 10 ? `, and ${items.length - 10} more` : '';
  return `${items.length} ${word}${items.length === 0 ? '' : ` (${shown}${more})`}`;
}
