import { LRUCache } from 'lru-cache';
import type { SchemaRegistry, ServedSchema } from '../schema/registry.ts';
import { guardedAction } from '../upstream/access.ts';
import { type Credential, credentialKey } from '../upstream/authentication.ts';
import type { Action } from '../upstream/description.ts';
import type { DescriptionSource } from '../upstream/description-source.ts';
import { UnknownCredentialsError } from '../upstream/errors.ts';

/** What is remembered of a caller. */
interface Entry {
  readonly credential: Credential | null;
  readonly fingerprint: string;
  /** When their description was fetched. */
  readonly metAt: number;
  /** When the upstream last told that it knows the credential. */
  readonly provedAt: number;
  /** Their description may have changed: it is fetched again while the old one is served. */
  readonly isStale: boolean;
}

/** Least age of a description that a refusal has fetched again: a refusal may as well be about one object. Milliseconds. */
const DOUBT_AFTER = 60_000;

/** How callers are told apart, and bounds of what is remembered of them. Times in milliseconds. */
export interface CallersOptions {
  /** `caller`: a schema for each caller's rights. `fixed`: one for all, from the operator's credential. Default: caller. */
  readonly schemaMode?: 'caller' | 'fixed';
  /** Callers remembered; default 10,000. */
  readonly max?: number;
  /** A caller not seen for so long is forgotten; default an hour. */
  readonly idle?: number;
  /** Longest trust in a credential without asking the upstream again; default five minutes. */
  readonly trust?: number;
}

/**
 * Each caller's schema: the one that the upstream's description makes for their credential. A new credential costs one
 * question whether the upstream knows it, and one description; callers of equal rights share a schema.
 */
export class Callers {
  readonly #source: DescriptionSource;
  readonly #registry: SchemaRegistry;
  readonly #operator: Credential | null;
  readonly #isFixed: boolean;
  readonly #trust: number;
  readonly #entries: LRUCache<string, Entry, { readonly credential: Credential | null }>;
  readonly #expiries: LRUCache<string, string>;
  #base: ServedSchema;

  private constructor(
    source: DescriptionSource,
    registry: SchemaRegistry,
    operator: Credential | null,
    { schemaMode = 'caller', max = 10_000, idle = 3_600_000, trust = 300_000 }: CallersOptions,
    base: ServedSchema,
  ) {
    this.#source = source;
    this.#registry = registry;
    this.#operator = operator;
    this.#isFixed = schemaMode === 'fixed';
    this.#trust = trust;
    this.#base = base;
    this.#expiries = new LRUCache({ max });
    this.#entries = new LRUCache({
      max,
      ttl: idle,
      updateAgeOnGet: true,
      // Whoever waits for a caller that is forgotten meanwhile still gets an answer.
      ignoreFetchAbort: true,
      fetchMethod: (_key, _old, { context }) => this.#meet(context.credential),
    });
  }

  /**
   * Fetches what the operator's credential sees.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  static async create(
    source: DescriptionSource,
    registry: SchemaRegistry,
    operator: Credential | null,
    options: CallersOptions = {},
  ): Promise<Callers> {
    const base = registry.of(await source.fetch(operator, null), 'whole');
    const guard = guardedAction(base.description);
    if (operator !== null && guard !== null) await source.prove(operator, guard);
    return new Callers(source, registry, operator, options, base);
  }

  /** The schema that the operator's credential sees. What its description says of authentication holds for all. */
  get base(): ServedSchema {
    return this.#base;
  }

  /**
   * The schema of a caller (null: anonymous).
   * @throws UnknownCredentialsError when the upstream does not know the credential: it never makes an anonymous caller.
   */
  async schemaOf(credential: Credential | null): Promise<ServedSchema> {
    if (this.#isFixed && credential === null) return this.#base;
    const key = credentialKey(credential);
    for (;;) {
      const entry = await this.#entries.forceFetch(key, { context: { credential } });
      if (credential !== null && this.#isDoubtful(key, entry)) await this.#proveAgain(key, credential, entry);
      if (entry.isStale) this.#renew(key, entry);
      if (this.#isFixed || entry.fingerprint === this.#base.fingerprint) return this.#base;
      const served = this.#registry.get(entry.fingerprint);
      if (served !== undefined) return served;
      this.#entries.delete(key);
    }
  }

  /** Forgets a caller: they signed out, or the upstream refused their credential or what their description offers. */
  forget(credential: Credential | null): void {
    this.#entries.delete(credentialKey(credential));
  }

  /**
   * Asks the upstream whether it still knows a credential, where that is in doubt: it has not told for a while, the time is
   * up that it was issued for, or `always`. Actions that need none ignore one that has ended.
   * @throws UnknownCredentialsError
   */
  async ensureKnown(credential: Credential, always = false): Promise<void> {
    const key = credentialKey(credential);
    const entry = this.#entries.get(key);
    if (entry === undefined) await this.schemaOf(credential);
    else if (always || this.#isDoubtful(key, entry)) await this.#proveAgain(key, credential, entry);
  }

  /** When a credential ends, as the upstream wrote it; null where that is not known. */
  expiryOf(credential: Credential | null): string | null {
    return credential === null ? null : (this.#expiries.get(credentialKey(credential)) ?? null);
  }

  noteExpiry(credential: Credential, expiresAt: string): void {
    this.#expiries.set(credentialKey(credential), expiresAt);
  }

  /**
   * The upstream refused what it describes to a caller, so their rights may have changed: their description is fetched
   * again, unless that was done a moment ago.
   */
  doubt(credential: Credential | null): void {
    const key = credentialKey(credential);
    const entry = this.#entries.peek(key);
    if (entry !== undefined && Date.now() - entry.metAt > DOUBT_AFTER)
      this.#entries.set(key, { ...entry, isStale: true });
  }

  /**
   * Fetches every description in use again, one a fingerprint, with the credential of one of its callers. Where it has
   * changed, the others of its callers are served the old one until theirs is fetched, since it may be their rights that differ now.
   * @returns The schemas before and after, where they are not the same.
   */
  async refresh(): Promise<readonly (readonly [before: ServedSchema, after: ServedSchema])[]> {
    const changes: [ServedSchema, ServedSchema][] = [];
    const base = this.#base;
    this.#base = this.#registry.of(
      await this.#source.fetch(this.#operator, guardedAction(base.description)),
      'whole',
    );
    if (this.#base !== base) {
      changes.push([base, this.#base]);
      this.#expire(base.fingerprint);
    }
    if (this.#isFixed) return changes;
    const others = new Set([...this.#entries.values()].map(({ fingerprint }) => fingerprint));
    others.delete(base.fingerprint);
    others.delete(this.#base.fingerprint);
    for (const fingerprint of others) {
      const before = this.#registry.get(fingerprint);
      const after = await this.#refreshOne(fingerprint);
      if (before !== undefined && after !== null && after !== before) changes.push([before, after]);
    }
    return changes;
  }

  async #refreshOne(fingerprint: string): Promise<ServedSchema | null> {
    for (const [key, entry] of [...this.#entries.entries()]) {
      if (entry.fingerprint !== fingerprint) continue;
      try {
        const met = await this.#meet(entry.credential);
        this.#entries.set(key, met);
        if (met.fingerprint !== fingerprint) this.#expire(fingerprint);
        return this.#registry.get(met.fingerprint) ?? null;
      } catch (error) {
        if (!(error instanceof UnknownCredentialsError)) throw error;
        this.#entries.delete(key);
      }
    }
    return null;
  }

  /** Has the callers of a description ask for theirs anew. */
  #expire(fingerprint: string): void {
    for (const [key, entry] of [...this.#entries.entries()]) {
      if (entry.fingerprint === fingerprint) this.#entries.set(key, { ...entry, isStale: true });
    }
  }

  async #meet(credential: Credential | null): Promise<Entry> {
    const now = Date.now();
    const guard = guardedAction(this.#base.description);
    if (credential !== null && this.#isFixed) {
      await this.#prove(credential, guard);
      return { credential, fingerprint: this.#base.fingerprint, metAt: now, provedAt: now, isStale: false };
    }
    const text = await this.#source.fetch(credential, guard);
    const { fingerprint, description } = this.#registry.of(text, credential === null ? 'open' : 'whole');
    if (credential !== null && guard === null) await this.#prove(credential, guardedAction(description));
    return { credential, fingerprint, metAt: now, provedAt: now, isStale: false };
  }

  /** @param guard Null: what was described offers nothing that needs a credential, as to an anonymous caller. */
  async #prove(credential: Credential, guard: Action | null): Promise<void> {
    if (guard === null) throw new UnknownCredentialsError();
    await this.#source.prove(credential, guard);
  }

  #isDoubtful(key: string, { provedAt }: Entry): boolean {
    const now = Date.now();
    const expiresAt = Date.parse(this.#expiries.get(key) ?? '');
    return now - provedAt > this.#trust || (now > expiresAt && provedAt <= expiresAt);
  }

  async #proveAgain(key: string, credential: Credential, entry: Entry): Promise<void> {
    const { description } = this.#registry.get(entry.fingerprint) ?? this.#base;
    try {
      await this.#prove(credential, guardedAction(description));
      this.#entries.set(key, { ...entry, provedAt: Date.now() });
    } catch (error) {
      if (error instanceof UnknownCredentialsError) this.#entries.delete(key);
      throw error;
    }
  }

  #renew(key: string, entry: Entry): void {
    this.#entries.set(key, { ...entry, isStale: false });
    this.#meet(entry.credential).then(
      (met) => this.#entries.set(key, met),
      (error: unknown) => {
        if (error instanceof UnknownCredentialsError) this.#entries.delete(key);
        else this.#entries.set(key, entry);
      },
    );
  }
}
