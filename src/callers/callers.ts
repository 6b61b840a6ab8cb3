// Finds the schema of each caller, and keeps it up to date.
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import pTimeout from 'p-timeout';
import type { ServedSchema } from '../schema/registry.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import { DescriptionError, isDown, UnknownCredentialsError } from '../upstream/errors.ts';
import type { Credential } from '../upstream/http/caller.ts';
import { type Caller, createCaller } from '../upstream/http/caller.ts';
import type { TokenEnds } from './credential-verifier.ts';
import { CallerDescriptions, type CallersSource } from './descriptions/caller-descriptions.ts';
import { CallerTexts } from './descriptions/caller-texts.ts';
import { logFailure, reportChange } from './descriptions/description-log.ts';
import type { OpeningCalls } from './descriptions/opening-calls.ts';

/** Callers that are remembered. */
const MAX_CALLERS = 10_000;
/** Age at which a caller's description is outdated. Milliseconds. */
const MAX_AGE = 3_600_000;
/** Time after which a description that could not be fetched again is outdated again. Milliseconds. */
const RETRY_DELAY = 60_000;
/** Longest time that a request waits for a new description while there is an old one. Milliseconds. */
const MAX_WAIT = 500;
/** Shortest time between two revalidations of one caller's description: a refusal may concern a single object. Milliseconds. */
const MIN_REVALIDATION_INTERVAL = 60_000;

/** How schemas are assigned to callers. */
export interface CallersOptions {
  /** `caller`: one schema for each caller's rights. `fixed`: the schema of the operator's credential for all. Default: caller. */
  readonly schemaMode?: 'caller' | 'fixed';
  /**
   * Whether the operator is a caller too, as in a command. The base schema is then the one that this caller gets, so that
   * neither the description is fetched nor the credential verified a second time. Default: false.
   */
  readonly operatorCalls?: boolean;
}

/** What the upstream last described to a caller. */
interface CallerEntry {
  /** Identifies the description. */
  readonly fingerprint: string;
  /** The epoch in which the fetch began. In a later one, the description is outdated. */
  readonly epoch: string;
  /** Milliseconds since the description was fetched, when this entry was made. */
  readonly age: number;
}

/**
 * The schema of each caller, made from the description that the upstream sends for their credential. A new credential costs one
 * verification and one fetch of the description. Callers with the same description share a schema. An outdated description is
 * fetched again when its caller comes back.
 */
export class Callers {
  readonly #from: CallersSource;
  readonly #descriptions: CallerDescriptions;
  readonly #isFixed: boolean;
  readonly #entries: LRUCache<string, CallerEntry, Caller>;
  /** Keys of the callers whose description was revalidated recently. */
  readonly #revalidated = new LRUCache<string, true>({
    ...atMost(MAX_CALLERS),
    ...expireAfter(MIN_REVALIDATION_INTERVAL),
  });
  /** Outdated descriptions are fetched one at a time, so that those of new callers need not wait. */
  readonly #refetches = pLimit(1);
  #base: ServedSchema;
  /** The API's texts in other languages. */
  readonly texts: CallerTexts;

  private constructor(
    from: CallersSource,
    descriptions: CallerDescriptions,
    base: ServedSchema,
    { schemaMode = 'caller' }: CallersOptions,
  ) {
    this.#from = from;
    this.#descriptions = descriptions;
    this.#base = base;
    this.#isFixed = schemaMode === 'fixed';
    this.texts = new CallerTexts(from, descriptions, () => this.#base);
    this.#entries = new LRUCache({
      ...atMost(MAX_CALLERS),
      ...expireAfter(MAX_AGE),
      // A request that waits for an entry gets it even if the entry is deleted meanwhile.
      ignoreFetchAbort: true,
      fetchMethod: (_key, old, { context: caller, options }) => {
        const setAge = (entry: CallerEntry): CallerEntry => {
          options.ttl = Math.max(1, MAX_AGE - entry.age);
          return entry;
        };
        if (old === undefined) return this.#fetchEntry(caller).then(setAge);
        const { credential, clientHeaders } = caller;
        // Without the address, so that unknown credentials from the caller's network do not delay the refetches of others.
        // What another replica has fetched in this generation is enough where only the generation has changed.
        const mustAsk = old.epoch === this.#epoch;
        const refetch = () =>
          this.#fetchEntry(createCaller(credential, { clientHeaders }), true, mustAsk).then(setAge);
        return this.#refetches(refetch).catch((error: unknown) => {
          // The rejection deletes the entry.
          if (error instanceof UnknownCredentialsError) throw error;
          // The refresh of the operator's description reports once that the upstream is down.
          if (!isDown(error)) logFailure(from, error);
          options.ttl = RETRY_DELAY;
          return { ...old, epoch: this.#epoch };
        });
      },
    });
  }

  /**
   * Fetches the description for the operator's credential.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  static async create(from: CallersSource, options: CallersOptions = {}): Promise<Callers> {
    const { operatorCalls = false } = options;
    const descriptions = new CallerDescriptions(from, operatorCalls);
    const { base, age = 0, share } = await descriptions.fetchBase(false);
    share?.(from.generation.id);
    const callers = new Callers(from, descriptions, base, options);
    if (operatorCalls) callers.#addOperator(age);
    return callers;
  }

  /** The schema for the operator's credential. Its authentication methods hold for all callers. */
  get base(): ServedSchema {
    return this.#base;
  }

  get sizes() {
    const { schemas, characters } = this.#from.registry;
    return { schemas: schemas.length, schemaCharacters: characters, callers: this.#entries.size };
  }

  get schemas(): readonly GraphQLSchema[] {
    return [this.#base, ...this.#from.registry.schemas].map(({ schema }) => schema);
  }

  /**
   * The schema of a caller. When its description is outdated, the caller waits for the new one, for half a second at most, and not
   * at all while one is being fetched for another caller. After that this request gets the old schema.
   * @throws UnknownCredentialsError when the upstream does not know the credential; the caller never becomes anonymous instead.
   */
  async schemaFor(caller: Caller): Promise<ServedSchema> {
    const known = this.knownSchema(caller);
    if (known !== undefined) return known;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { fingerprint } = await this.#fetchOrKeep(caller);
      if (!this.isVerified(caller)) await this.verify(caller);
      if (this.#isFixed || fingerprint === this.#base.fingerprint) return this.#base;
      const served = this.#from.registry.get(fingerprint);
      if (served !== undefined) return served;
      // The registry has dropped the schema in favour of more recent ones.
      this.#entries.delete(caller.key);
    }
    throw new DescriptionError('The description that the management API gives this caller is too large.');
  }

  /** Fetches the description of a caller who has none, or an outdated one. Returns the outdated entry when that takes too long. */
  #fetchOrKeep(caller: Caller): Promise<CallerEntry> {
    const { key } = caller;
    const old = this.#entries.peek(key, { allowStale: true });
    const fetched = this.#entries.forceFetch(key, {
      context: caller,
      forceRefresh: old?.epoch !== this.#epoch,
      allowStale: this.#refetches.activeCount + this.#refetches.pendingCount > 0,
    });
    return old === undefined ? fetched : pTimeout(fetched, { milliseconds: MAX_WAIT, fallback: () => old });
  }

  /** The schema of a caller who was verified recently and has a description that is not outdated; undefined for any other. */
  knownSchema({ credential, key }: Caller): ServedSchema | undefined {
    if (this.#isFixed && credential === null) return this.#base;
    const entry = this.#entries.get(key);
    if (entry?.epoch !== this.#epoch) return undefined;
    if (credential !== null && !this.#from.verifier.isVerified(credential)) return undefined;
    return this.#isFixed || entry.fingerprint === this.#base.fingerprint
      ? this.#base
      : this.#from.registry.get(entry.fingerprint);
  }

  /** Forgets a caller who signed out, or whose credential the upstream refused. */
  forget(caller: Pick<Caller, 'key'>): void {
    this.#from.verifier.forget(caller);
    this.#entries.delete(caller.key);
  }

  /** The calls that sessions wait for while they open. */
  get openingCalls(): OpeningCalls {
    return this.#descriptions.calls;
  }

  /** When tokens end. */
  get ends(): TokenEnds {
    return this.#from.verifier.ends;
  }

  /** When a credential ends, see `CredentialVerifier.expiryOf`; null for anonymous callers. */
  expiryOf(credential: Credential | null): string | null {
    return credential === null ? null : this.#from.verifier.expiryOf(credential);
  }

  /** Whether a caller is anonymous, or was verified recently. */
  isVerified({ credential }: Pick<Caller, 'credential'>): boolean {
    return credential === null || this.#from.verifier.isVerified(credential);
  }

  /**
   * Verifies a caller's credential, if there is one. Actions that need none do not reject one that has ended.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   */
  async verify(caller: Caller): Promise<void> {
    const { credential, key } = caller;
    if (credential === null) return;
    const { fingerprint = '' } = this.#entries.peek(key, { allowStale: true }) ?? {};
    const { description } = this.#from.registry.get(fingerprint) ?? this.#base;
    try {
      if (!(await this.#descriptions.verify(caller, description)))
        this.#entries.set(key, await this.#fetchEntry(caller, true, true));
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
    const { key } = caller;
    if (this.#isFixed || !this.#entries.has(key) || this.#revalidated.has(key)) return;
    this.#revalidated.set(key, true);
    void this.#entries.fetch(key, { context: caller, forceRefresh: true, allowStale: true });
  }

  /** Marks the descriptions of all callers as outdated, in all replicas. Each is fetched again when its caller comes back. */
  markOutdated(): void {
    this.#from.generation.begin();
  }

  /**
   * The generation of descriptions, and the operator's description, which decides types for all callers. A replica that joins a
   * generation gets the operator's description a little later.
   */
  get #epoch(): string {
    return `${this.#from.generation.id} ${this.#base.fingerprint}`;
  }

  /** @param age Milliseconds since the base description was fetched. */
  #addOperator(age: number): void {
    const { fingerprint } = this.#base;
    const entry = { fingerprint, epoch: this.#epoch, age };
    this.#entries.set(createCaller(this.#from.operator).key, entry, { ttl: Math.max(1, MAX_AGE - age) });
  }

  /**
   * Fetches the operator's description again. If it has changed, those of all callers are outdated.
   * @param hasBegun Whether another replica has found the change and begun a generation already.
   * @throws The failure to fetch it; the descriptions in use then stay.
   */
  async refresh(hasBegun = false): Promise<void> {
    const before = this.#base;
    const { base: after, share } = await this.#descriptions.fetchBase(!hasBegun);
    if (describesSignIn(before) && !describesSignIn(after))
      throw new DescriptionError('The new description has no way to authenticate, unlike the one before.');
    const hasChanged = after.fingerprint !== before.fingerprint;
    if (hasChanged && !hasBegun) this.markOutdated();
    share?.(this.#from.generation.id);
    if (!hasChanged) return;
    this.#base = after;
    reportChange(this.#from, before, after);
  }

  /**
   * @param mustVerify Verifies the credential even if it was verified recently. A credential that has ended gets the anonymous
   *   description, which must not replace the caller's own.
   * @param mustAsk See `DescribeOptions`.
   */
  async #fetchEntry(caller: Caller, mustVerify = false, mustAsk = false): Promise<CallerEntry> {
    const { credential } = caller;
    const operator = this.#base;
    const epoch = this.#epoch;
    const generation = this.#from.generation.id;
    const isVerified =
      (!mustVerify && credential !== null && this.#from.verifier.isVerified(credential)) ||
      (await this.#descriptions.verify(caller, this.#base.description));
    if (this.#isFixed && isVerified) return { fingerprint: operator.fingerprint, epoch, age: 0 };
    const fetched = await this.#descriptions.fetch(caller, isVerified, { mustAsk, generation, operator });
    return { epoch, ...fetched };
  }
}

function describesSignIn({ description: { authentication } }: ServedSchema): boolean {
  const { basic, token, oauth2 } = authentication;
  return basic || token !== null || oauth2 !== null;
}
