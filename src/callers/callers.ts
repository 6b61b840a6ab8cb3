// Finds the schema of each caller: a verified credential has a description, and a description has a schema.
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import pTimeout from 'p-timeout';
import type { ObservedOperation } from '../observer.ts';
import type { ServedSchema } from '../schema/registry.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import { DescriptionError, isDown, UnknownCredentialsError } from '../upstream/errors.ts';
import { type Caller, createCaller } from '../upstream/http/caller.ts';
import { DEFAULT_LANGUAGE } from '../upstream/http/languages.ts';
import { CallerDescriptions, type CallersOptions, logFailure, type Reader } from './caller-descriptions.ts';
import { CallerLanguages } from './caller-languages.ts';
import type { CredentialVerifier } from './credential-verifier.ts';

/** What the upstream last described to a caller. */
interface CallerEntry {
  /** Identifies the description. */
  readonly fingerprint: string;
  /** The epoch in which the fetch began. In a later one, the description is outdated. */
  readonly epoch: object;
}

/** Callers that are remembered, each for one language. */
const MAX_CALLERS = 10_000;
/** Age at which a caller's description is outdated. Milliseconds. */
const MAX_AGE = 3_600_000;
/**
 * Time after which a description that could not be fetched again is outdated again, and the shortest time between two revalidations of
 * one: a refusal may concern a single object. Milliseconds.
 */
const RETRY_DELAY = 60_000;
/** Longest time that a request waits for a new description while there is an old one. Milliseconds. */
const MAX_WAIT = 500;

/**
 * The schema of each caller, made from the description that the upstream sends for their credential and in their language. A new
 * credential costs one verification and one fetch of the description. Callers with the same description share a schema. An outdated
 * description is fetched again when its caller comes back.
 */
export class Callers {
  /** Knows when credentials end. */
  readonly verifier: CredentialVerifier;
  readonly #options: CallersOptions;
  readonly #descriptions: CallerDescriptions;
  readonly #languages: CallerLanguages;
  readonly #entries: LRUCache<string, CallerEntry, Reader>;
  /** Keys of the callers whose description was revalidated recently. */
  readonly #revalidated = new LRUCache<string, true>({ ...atMost(MAX_CALLERS), ...expireAfter(RETRY_DELAY) });
  /** Outdated descriptions are fetched one at a time, so that those of new callers need not wait. */
  readonly #refetches = pLimit(1);
  #base: ServedSchema;
  /** Replaced when all descriptions are outdated: on demand, or with the operator's description, which decides types for all callers. */
  #epoch: object = {};

  private constructor(options: CallersOptions, descriptions: CallerDescriptions, base: ServedSchema) {
    const { verifier, language = DEFAULT_LANGUAGE, replicas } = options;
    this.verifier = verifier;
    this.#options = options;
    this.#descriptions = descriptions;
    this.#languages = new CallerLanguages(language.toLowerCase(), replicas);
    this.#base = base;
    this.#entries = new LRUCache({
      ...atMost(MAX_CALLERS),
      ...expireAfter(MAX_AGE),
      // A request that waits for an entry gets it even if the entry is deleted meanwhile.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, old, { context, options }) => {
        const entry = await (old === undefined ? this.#fetch(context, false) : this.#refetch(context, old));
        if (entry !== old) return entry;
        options.ttl = RETRY_DELAY;
        return { ...old, epoch: this.#epoch };
      },
    });
  }

  /**
   * Fetches the operator's description, and makes its schema. Nothing fetches it again but `refresh`.
   * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
   */
  static async load(options: CallersOptions): Promise<Callers> {
    const descriptions = new CallerDescriptions(options);
    return new Callers(options, descriptions, await descriptions.fetchFirst());
  }

  /** The schema for the operator's credential. Its authentication methods hold for all callers. */
  get base(): ServedSchema {
    return this.#base;
  }

  get sizes() {
    const { schemas, characters: schemaCharacters } = this.#descriptions.registry;
    return { schemas: schemas.length, schemaCharacters, callers: this.#entries.size };
  }

  get schemas(): readonly GraphQLSchema[] {
    return [this.#base, ...this.#descriptions.registry.schemas].map(({ schema }) => schema);
  }

  /** Whether a caller has the operator's schema without a description of their own. */
  #hasBase({ credential }: Pick<Caller, 'credential'>): boolean {
    const { schemaMode, descriptionCredential: operator } = this.#options;
    return schemaMode === 'fixed' || (schemaMode === 'operator' && credential?.key === operator?.key);
  }

  /** The schema of a caller who was verified recently and has a description that is not outdated; undefined for any other. */
  knownSchema(caller: Caller, languages = this.#languagesOf(caller)): ServedSchema | undefined {
    if (!this.isVerified(caller)) return undefined;
    if (this.#hasBase(caller)) return this.#base;
    const entry = this.#entries.get(keyOf(caller, languages));
    return entry?.epoch === this.#epoch ? this.#findSchema(entry) : undefined;
  }

  /**
   * The schema of a caller. When its description is outdated, the caller waits for the new one, for half a second at most, and not
   * at all while one is being fetched for another caller. After that this request gets the old schema. Where the description in the
   * caller's language cannot be fetched, the texts are in the operator's.
   * @param cause The operation that waits; null (default) where none does.
   * @throws UnknownCredentialsError when the upstream does not know the credential; the caller never becomes anonymous instead.
   */
  async schemaFor(caller: Caller, cause: ObservedOperation | null = null): Promise<ServedSchema> {
    if (this.#hasBase(caller)) {
      if (!this.isVerified(caller)) await this.verify(caller, cause);
      return this.#base;
    }
    const languages = this.#languagesOf(caller);
    if (languages === '' || !(await this.#languages.admits(languages, caller)))
      return this.#findOrFetch({ caller, languages: '', cause });
    try {
      return await this.#findOrFetch({ caller, languages, cause });
    } catch (error) {
      if (error instanceof UnknownCredentialsError) throw error;
      this.#languages.refuse(languages);
      logFailure(this.#options, error);
      return this.#findOrFetch({ caller, languages: '', cause });
    }
  }

  #languagesOf(caller: Caller): string {
    return caller.language === '' ? '' : this.#languages.listFor(caller);
  }

  async #findOrFetch(reader: Reader): Promise<ServedSchema> {
    const { caller, languages, cause = null } = reader;
    const known = this.knownSchema(caller, languages);
    if (known !== undefined) return known;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const entry = await this.#fetchOrKeep(reader);
      if (!this.isVerified(caller)) await this.verify(caller, cause);
      const served = this.#findSchema(entry);
      if (served !== undefined) return served;
      // The registry has dropped the schema in favour of more recent ones.
      this.#entries.delete(keyOf(caller, languages));
    }
    throw new DescriptionError('The description that the management API gives this caller is too large.');
  }

  /** Fetches the description of a caller who has none, or an outdated one. Returns the outdated entry when that takes too long. */
  #fetchOrKeep(reader: Reader): Promise<CallerEntry> {
    const key = keyOf(reader.caller, reader.languages);
    const old = this.#entries.peek(key, { allowStale: true });
    const fetched = this.#entries.forceFetch(key, {
      context: reader,
      forceRefresh: old?.epoch !== this.#epoch,
      allowStale: this.#refetches.activeCount + this.#refetches.pendingCount > 0,
    });
    return old === undefined ? fetched : pTimeout(fetched, { milliseconds: MAX_WAIT, fallback: () => old });
  }

  async #fetch(reader: Reader, isAgain: boolean): Promise<CallerEntry> {
    const epoch = this.#epoch;
    const { fingerprint } = await this.#descriptions.fetch(reader, this.#base, isAgain);
    return { fingerprint, epoch };
  }

  /** Fetches an outdated description again. Returns the old entry where that fails. */
  async #refetch({ caller, languages }: Reader, old: CallerEntry): Promise<CallerEntry> {
    // Without the address, so that unknown credentials from the caller's network do not delay the refetches of others.
    const { credential, clientHeaders } = caller;
    const reader = { caller: createCaller(credential, { clientHeaders }), languages };
    try {
      return await this.#refetches(() => this.#fetch(reader, true));
    } catch (error) {
      // The rejection deletes the entry.
      if (error instanceof UnknownCredentialsError) throw error;
      // The refresh of the operator's description reports once that the upstream is down.
      if (!isDown(error)) logFailure(this.#options, error);
      return old;
    }
  }

  #findSchema({ fingerprint }: Pick<CallerEntry, 'fingerprint'>): ServedSchema | undefined {
    return fingerprint === this.#base.fingerprint ? this.#base : this.#descriptions.registry.get(fingerprint);
  }

  /** Forgets a caller who signed out, or whose credential the upstream refused. */
  forget(caller: Pick<Caller, 'key'>): void {
    this.verifier.forget(caller);
    this.#entries.delete(caller.key);
  }

  /** Whether a caller is anonymous, or was verified recently. */
  isVerified({ credential }: Pick<Caller, 'credential'>): boolean {
    return credential === null || this.verifier.isVerified(credential);
  }

  /**
   * Verifies a caller's credential, if there is one. Actions that need none do not reject one that has ended.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   */
  async verify(caller: Caller, cause: ObservedOperation | null = null): Promise<void> {
    if (caller.credential === null) return;
    const { key } = caller;
    const reader = { caller, languages: '', cause };
    const entry = this.#entries.peek(key, { allowStale: true });
    const { description } = (entry && this.#findSchema(entry)) ?? this.#base;
    try {
      if (!(await this.#descriptions.verify(reader, description)))
        this.#entries.set(key, await this.#fetch(reader, true));
    } catch (error) {
      if (error instanceof UnknownCredentialsError) this.#entries.delete(key);
      throw error;
    }
  }

  /**
   * Fetches a caller's description again because their rights may have changed, unless that happened less than a minute ago.
   * Requests get the old schema until the new one is ready.
   */
  revalidate(caller: Caller): void {
    const languages = this.#languagesOf(caller);
    const key = keyOf(caller, languages);
    if (this.#hasBase(caller) || !this.#entries.has(key) || this.#revalidated.has(key)) return;
    this.#revalidated.set(key, true);
    void this.#entries.fetch(key, { context: { caller, languages }, forceRefresh: true, allowStale: true });
  }

  /** Marks the descriptions of all callers as outdated. Each is fetched again when its caller comes back. */
  markOutdated(): void {
    this.#epoch = {};
  }

  /**
   * Fetches the operator's description again. If it has changed, those of all callers are outdated.
   * @returns The schema that was replaced; null where the description has not changed.
   * @throws The failure to fetch it; the descriptions in use then stay.
   */
  async refresh(): Promise<ServedSchema | null> {
    const after = await this.#descriptions.fetchBase();
    const before = this.#base;
    if (describesSignIn(before) && !describesSignIn(after))
      throw new DescriptionError('The new description has no way to authenticate, unlike the one before.');
    if (after.fingerprint === before.fingerprint) return null;
    this.#base = after;
    this.markOutdated();
    return before;
  }
}

const describesSignIn = ({ description: { authentication } }: ServedSchema): boolean =>
  authentication.basic || authentication.token !== null || authentication.oauth2 !== null;

/** The key under which the description of a caller is remembered. */
const keyOf = ({ key }: Caller, languages: string): string =>
  languages === '' ? key : `${key} ${languages}`;
