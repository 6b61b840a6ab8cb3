import { LRUCache } from 'lru-cache';
import type { SchemaRegistry, ServedSchema } from '../schema/registry.ts';
import { findProbeAction } from '../upstream/description/anonymous-description.ts';
import type { Action } from '../upstream/description/description.ts';
import type { DescriptionSource } from '../upstream/description/description-source.ts';
import { UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import { DescriptionError, UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import { type Credential, credentialKey } from '../upstream/http/authentication.ts';
import type { CredentialVerifier } from './credential-verifier.ts';
import { type Entry, type Group, groupsOf, moveGroup } from './regroup.ts';
import type { TokenEnds } from './token-ends.ts';

/** Least time between two fetches of a caller's description that refusals asked for: one may be about a single object. Milliseconds. */
const DOUBT_REST = 60_000;
/** Longest that a caller's description is served without asking for their own again. Milliseconds. */
const MAX_AGE = 3_600_000;

/** How callers are told apart, and bounds of what is remembered of them. */
export interface CallersOptions {
  /** `caller`: a schema for each caller's rights. `fixed`: one for all, from the operator's credential. Default: caller. */
  readonly schemaMode?: 'caller' | 'fixed';
  /** Callers remembered; default 10,000. */
  readonly max?: number;
  /** A caller not seen for so long is forgotten, in milliseconds; default an hour. */
  readonly idle?: number;
}

/** What callers are found by. */
export interface CallersSource {
  readonly source: DescriptionSource;
  readonly registry: SchemaRegistry;
  readonly known: CredentialVerifier;
  /** The credential of the facade itself; null: none. */
  readonly operator: Credential | null;
}

interface Meeting {
  readonly credential: Credential | null;
  readonly address?: string | undefined;
  /** Asks also where the credential is known: what one that has ended is told must not replace what it was told before. */
  readonly isAgain?: boolean;
}

/** Hears of a schema that takes the place of another. */
export type OnChange = (before: ServedSchema, after: ServedSchema) => void;

/**
 * Each caller's schema: the one that the upstream's description makes for their credential. A new credential costs one
 * question whether the upstream knows it, and one description; callers of equal rights share a schema.
 */
export class Callers {
  readonly #from: CallersSource;
  readonly #isFixed: boolean;
  readonly #entries: LRUCache<string, Entry, Meeting>;
  /** When doubts last had a caller's description fetched. */
  readonly #doubtedAt: LRUCache<string, number>;
  /** Fingerprint of what anonymous callers are told, as far as one was met. */
  #anonymousText: string | null = null;
  #base: ServedSchema;

  private constructor(
    from: CallersSource,
    { schemaMode = 'caller', max = 10_000, idle = 3_600_000 }: CallersOptions,
    base: ServedSchema,
  ) {
    this.#from = from;
    this.#isFixed = schemaMode === 'fixed';
    this.#base = base;
    this.#doubtedAt = new LRUCache({ max, ttl: DOUBT_REST });
    this.#entries = new LRUCache({
      max,
      ttl: idle,
      updateAgeOnGet: true,
      // Whoever waits for a caller that is forgotten meanwhile still gets an answer.
      ignoreFetchAbort: true,
      fetchMethod: (_key, _old, { context }) => this.#meet(context),
    });
  }

  /**
   * Fetches what the operator's credential sees.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  static async create(from: CallersSource, options: CallersOptions = {}): Promise<Callers> {
    return new Callers(from, options, await fetchBase(from));
  }

  /** The schema that the operator's credential sees. What its description says of authentication holds for all. */
  get base(): ServedSchema {
    return this.#base;
  }

  /**
   * The schema of a caller (null: anonymous).
   * @param address The client's; see KnownCredentials.
   * @throws UnknownCredentialsError when the upstream does not know the credential: it never makes an anonymous caller.
   */
  async schemaFor(credential: Credential | null, address?: string): Promise<ServedSchema> {
    if (this.#isFixed && credential === null) return this.#base;
    const key = credentialKey(credential);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const entry = await this.#entries.forceFetch(key, { context: { credential, address } });
      if (credential !== null) await this.ensureKnown(credential, { address });
      if (Date.now() - entry.fetchedAt > MAX_AGE) this.revalidate(credential);
      if (this.#isFixed || entry.fingerprint === this.#base.fingerprint) return this.#base;
      const served = this.#from.registry.get(entry.fingerprint);
      if (served !== undefined) return served;
      // Too many others were served since.
      this.#entries.delete(key);
    }
    throw new DescriptionError('The description that the management API gives this caller is too large.');
  }

  /** Forgets a caller: they signed out, or the upstream refused their credential. */
  forget(credential: Credential | null): void {
    if (credential !== null) this.#from.known.forget(credential);
    this.#entries.delete(credentialKey(credential));
  }

  /** When credentials end. */
  get ends(): TokenEnds {
    return this.#from.known.ends;
  }

  /** When a credential ends; null where that is not known. See KnownCredentials. */
  expiryOf(credential: Credential | null): string | null {
    return credential === null ? null : this.#from.known.expiryOf(credential);
  }

  /**
   * Asks the upstream whether it still knows a credential, where that is in doubt or `always`. Actions that need none ignore
   * one that has ended.
   * @throws UnknownCredentialsError
   */
  async ensureKnown(
    credential: Credential,
    { always = false, address }: { always?: boolean; address?: string | undefined } = {},
  ): Promise<void> {
    if (!always && this.#from.known.isVerified(credential)) return;
    const key = credentialKey(credential);
    const { fingerprint = '' } = this.#entries.peek(key) ?? {};
    const { description } = this.#from.registry.get(fingerprint) ?? this.#base;
    try {
      if (!(await this.#couldProve(credential, findProbeAction(description), address)))
        this.#entries.set(key, await this.#meet({ credential, address, isAgain: true }));
    } catch (error) {
      if (error instanceof UnknownCredentialsError) this.#entries.delete(key);
      throw error;
    }
  }

  /**
   * A caller's rights may have changed: the upstream refused what it describes to them, or they ask for what only others
   * have. Their description is fetched again, unless that was done a moment ago; the old one is served meanwhile.
   */
  revalidate(credential: Credential | null): void {
    const key = credentialKey(credential);
    const entry = this.#entries.peek(key);
    if (this.#isFixed || entry === undefined || this.#doubtedAt.has(key)) return;
    this.#doubtedAt.set(key, Date.now());
    this.#meet({ credential, isAgain: true }).then(
      (met) => this.#replace(key, entry, met),
      (error: unknown) => {
        if (error instanceof UnknownCredentialsError) this.#replace(key, entry, null);
      },
    );
  }

  /**
   * Fetches the descriptions in use again, the operator's first, then of one or two callers of each other one (see `moveGroup`).
   * @param onChange Hears of each that changed, as soon as it is served.
   * @returns What kept descriptions of callers from being fetched.
   * @throws What kept the operator's from being fetched; then no other is.
   */
  async refresh(onChange: OnChange): Promise<readonly unknown[]> {
    const before = this.#base;
    const after = await fetchBase(this.#from);
    if (isSignable(before) && !isSignable(after))
      throw new DescriptionError('The new description has no way to authenticate, unlike the one before.');
    this.#base = after;
    if (after !== before) onChange(before, after);
    if (this.#isFixed) return [];
    const groups = groupsOf([...this.#entries.entries()]);
    const old = new Set([before.fingerprint, ...groups.keys()]);
    if (after === before) groups.delete(before.fingerprint);
    const failures: unknown[] = [];
    for (const [fingerprint, group] of groups) {
      await this.#regroup(fingerprint, group, old, onChange).catch((error: unknown) => failures.push(error));
    }
    return failures;
  }

  async #regroup(
    fingerprint: string,
    group: Group,
    old: ReadonlySet<string>,
    onChange: OnChange,
  ): Promise<void> {
    const before = this.#from.registry.get(fingerprint);
    const moved = await moveGroup(group, {
      isOld: (other) => old.has(other),
      meet: ({ credential }) => this.#meet({ credential, isAgain: true }),
      replace: (key, entry, met) => this.#replace(key, entry, met),
    });
    const after = moved === null ? undefined : this.#from.registry.get(moved);
    // What became of the operator's is told already.
    if (before !== undefined && after !== undefined && after !== this.#base) onChange(before, after);
  }

  /** Unless the caller was met again, or forgotten, meanwhile. */
  #replace(key: string, old: Entry, next: Entry | null): void {
    if (this.#entries.peek(key) !== old) return;
    if (next === null) this.#entries.delete(key);
    else this.#entries.set(key, next);
  }

  async #meet({ credential, address, isAgain = false }: Meeting): Promise<Entry> {
    const fetchedAt = Date.now();
    const { source, registry } = this.#from;
    const isProved =
      credential === null ||
      (!isAgain && this.#from.known.isVerified(credential)) ||
      (await this.#couldProve(credential, findProbeAction(this.#base.description), address));
    if (this.#isFixed && isProved) return { credential, fingerprint: this.#base.fingerprint, fetchedAt };
    const text = await source.fetch(credential);
    const { fingerprint, description } = registry.schemaFor(text, credential === null ? 'open' : 'whole');
    // An upstream tells a credential that ended a moment ago what it tells anonymous callers.
    if (credential === null) this.#anonymousText = text.fingerprint;
    const isDoubtful = text.fingerprint === this.#anonymousText;
    if (credential !== null && (!isProved || isDoubtful))
      await this.#prove(credential, findProbeAction(description), address);
    return { credential, fingerprint, fetchedAt };
  }

  /** Proves a credential; false where the description that the guard is of turns out to be old. @throws UnknownCredentialsError */
  async #couldProve(
    credential: Credential,
    guard: Action | null,
    address: string | undefined,
  ): Promise<boolean> {
    if (guard === null) return false;
    try {
      await this.#prove(credential, guard, address);
      return true;
    } catch (error) {
      if (error instanceof UpstreamProtocolError && error.status === 404) return false;
      throw error;
    }
  }

  /** @param guard Null: what was described offers nothing that needs a credential, as to an anonymous caller. */
  async #prove(credential: Credential, guard: Action | null, address: string | undefined): Promise<void> {
    const { source, known } = this.#from;
    if (guard === null) throw new UnknownCredentialsError();
    await known.verify(credential, () => source.verifyCredential(credential, guard, address), address);
  }
}

async function fetchBase({ source, registry, operator }: CallersSource): Promise<ServedSchema> {
  const base = registry.schemaFor(await source.fetch(operator), 'whole');
  const guard = findProbeAction(base.description);
  if (operator !== null && guard !== null) await source.verifyCredential(operator, guard);
  return base;
}

function isSignable({ description: { authentication } }: ServedSchema): boolean {
  const { basic, token, oauth2 } = authentication;
  return basic || token !== null || oauth2 !== null;
}
