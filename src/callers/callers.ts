// Finds the schema of each caller, and keeps it up to date.
import { LRUCache } from 'lru-cache';
import type { SchemaRegistry, ServedSchema } from '../schema/registry.ts';
import { findProbeAction } from '../upstream/description/anonymous-description.ts';
import type { Action } from '../upstream/description/description.ts';
import type { DescriptionSource } from '../upstream/description/description-source.ts';
import { UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import { DescriptionError, UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import { type Credential, credentialKey } from '../upstream/http/authentication.ts';
import { type CallerEntry, type CallerGroup, groupByFingerprint, refreshGroup } from './caller-group.ts';
import type { CredentialVerifier } from './credential-verifier.ts';
import type { TokenEnds } from './token-ends.ts';

/** Shortest time between two revalidations of one caller's description: a refusal may concern a single object. Milliseconds. */
const MIN_REVALIDATION_INTERVAL = 60_000;
/** Age at which a caller's description is revalidated. Milliseconds. */
const MAX_AGE = 3_600_000;

/** How schemas are assigned to callers, and how many callers are remembered. */
export interface CallersOptions {
  /** `caller`: one schema for each caller's rights. `fixed`: the schema of the operator's credential for all. Default: caller. */
  readonly schemaMode?: 'caller' | 'fixed';
  /** Number of callers remembered; default 10,000. */
  readonly max?: number;
  /** Milliseconds after its last request at which a caller is forgotten; default an hour. */
  readonly idle?: number;
}

/** What the schemas of callers are made from. */
export interface CallersSource {
  readonly source: DescriptionSource;
  readonly registry: SchemaRegistry;
  readonly verifier: CredentialVerifier;
  /** The credential of the facade itself; null for none. */
  readonly operator: Credential | null;
}

interface EntryRequest {
  readonly credential: Credential | null;
  readonly address?: string | undefined;
  /**
   * Verifies the credential even if it was verified recently. A credential that has ended gets the anonymous description, which
   * must not replace the caller's own.
   */
  readonly mustVerify?: boolean;
}

/** Receives each schema that is replaced, and its replacement. */
export type SchemaChangeListener = (before: ServedSchema, after: ServedSchema) => void;

/**
 * The schema of each caller, made from the description that the upstream sends for their credential. A new credential costs one
 * verification and one fetch of the description. Callers with the same description share a schema.
 */
export class Callers {
  readonly #from: CallersSource;
  readonly #isFixed: boolean;
  readonly #entries: LRUCache<string, CallerEntry, EntryRequest>;
  /** Time of the last revalidation, by the caller's key. */
  readonly #revalidatedAt: LRUCache<string, number>;
  /** Fingerprint of the anonymous description; null before it was fetched. */
  #anonymousFingerprint: string | null = null;
  #base: ServedSchema;

  private constructor(
    from: CallersSource,
    { schemaMode = 'caller', max = 10_000, idle = 3_600_000 }: CallersOptions,
    base: ServedSchema,
  ) {
    this.#from = from;
    this.#isFixed = schemaMode === 'fixed';
    this.#base = base;
    this.#revalidatedAt = new LRUCache({ max, ttl: MIN_REVALIDATION_INTERVAL });
    this.#entries = new LRUCache({
      max,
      ttl: idle,
      updateAgeOnGet: true,
      // A request that waits for an entry gets it even if the entry is deleted meanwhile.
      ignoreFetchAbort: true,
      fetchMethod: (_key, _old, { context }) => this.#fetchEntry(context),
    });
  }

  /**
   * Fetches the description for the operator's credential.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  static async create(from: CallersSource, options: CallersOptions = {}): Promise<Callers> {
    return new Callers(from, options, await fetchBase(from));
  }

  /** The schema for the operator's credential. Its authentication methods hold for all callers. */
  get base(): ServedSchema {
    return this.#base;
  }

  /**
   * The schema of a caller (null: anonymous).
   * @param address The client's; see `CredentialVerifier.verify`.
   * @throws UnknownCredentialsError when the upstream does not know the credential; the caller never becomes anonymous instead.
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
      // The registry has dropped the schema in favour of more recent ones.
      this.#entries.delete(key);
    }
    throw new DescriptionError('The description that the management API gives this caller is too large.');
  }

  /** Forgets a caller who signed out, or whose credential the upstream refused. */
  forget(credential: Credential | null): void {
    if (credential !== null) this.#from.verifier.forget(credential);
    this.#entries.delete(credentialKey(credential));
  }

  /** When tokens end. */
  get ends(): TokenEnds {
    return this.#from.verifier.ends;
  }

  /** When a credential ends, see `CredentialVerifier.expiryOf`; null for anonymous callers. */
  expiryOf(credential: Credential | null): string | null {
    return credential === null ? null : this.#from.verifier.expiryOf(credential);
  }

  /**
   * Verifies a credential unless it was verified recently, or in any case with `always`. Actions that need no credential do not
   * reject one that has ended.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   */
  async ensureKnown(
    credential: Credential,
    { always = false, address }: { always?: boolean; address?: string | undefined } = {},
  ): Promise<void> {
    if (!always && this.#from.verifier.isVerified(credential)) return;
    const key = credentialKey(credential);
    const { fingerprint = '' } = this.#entries.peek(key) ?? {};
    const { description } = this.#from.registry.get(fingerprint) ?? this.#base;
    try {
      if (!(await this.#tryVerify(credential, findProbeAction(description), address)))
        this.#entries.set(key, await this.#fetchEntry({ credential, address, mustVerify: true }));
    } catch (error) {
      if (error instanceof UnknownCredentialsError) this.#entries.delete(key);
      throw error;
    }
  }

  /**
   * Fetches a caller's description again because their rights may have changed, unless that happened less than a minute ago.
   * Requests get the old schema until the new one is ready.
   */
  revalidate(credential: Credential | null): void {
    const key = credentialKey(credential);
    const entry = this.#entries.peek(key);
    if (this.#isFixed || entry === undefined || this.#revalidatedAt.has(key)) return;
    this.#revalidatedAt.set(key, Date.now());
    this.#fetchEntry({ credential, mustVerify: true }).then(
      (next) => this.#replaceEntry(key, entry, next),
      (error: unknown) => {
        if (error instanceof UnknownCredentialsError) this.#replaceEntry(key, entry, null);
      },
    );
  }

  /**
   * Fetches all descriptions in use again: the operator's first, then the others, each for a few of its callers (see
   * `refreshGroup`).
   * @param onChange Called for each changed schema, as soon as the new one is served.
   * @returns The failures to fetch descriptions of callers.
   * @throws The failure to fetch the operator's description; the others are then not fetched.
   */
  async refresh(onChange: SchemaChangeListener): Promise<readonly unknown[]> {
    const before = this.#base;
    const after = await fetchBase(this.#from);
    if (describesSignIn(before) && !describesSignIn(after))
      throw new DescriptionError('The new description has no way to authenticate, unlike the one before.');
    this.#base = after;
    if (after !== before) onChange(before, after);
    if (this.#isFixed) return [];
    const groups = groupByFingerprint([...this.#entries.entries()]);
    const inUse = new Set([before.fingerprint, ...groups.keys()]);
    if (after === before) groups.delete(before.fingerprint);
    const failures: unknown[] = [];
    for (const [fingerprint, group] of groups) {
      await this.#refreshGroup(fingerprint, group, inUse, onChange).catch((error: unknown) =>
        failures.push(error),
      );
    }
    return failures;
  }

  async #refreshGroup(
    fingerprint: string,
    group: CallerGroup,
    inUse: ReadonlySet<string>,
    onChange: SchemaChangeListener,
  ): Promise<void> {
    const before = this.#from.registry.get(fingerprint);
    const newFingerprint = await refreshGroup(group, {
      wasInUse: (other) => inUse.has(other),
      fetchEntry: ({ credential }) => this.#fetchEntry({ credential, mustVerify: true }),
      replaceEntry: (key, entry, next) => this.#replaceEntry(key, entry, next),
    });
    const after = newFingerprint === null ? undefined : this.#from.registry.get(newFingerprint);
    // The change of the base schema has been reported already.
    if (before !== undefined && after !== undefined && after !== this.#base) onChange(before, after);
  }

  /** Replaces an entry, or deletes it (null), unless another request has done so meanwhile. */
  #replaceEntry(key: string, old: CallerEntry, next: CallerEntry | null): void {
    if (this.#entries.peek(key) !== old) return;
    if (next === null) this.#entries.delete(key);
    else this.#entries.set(key, next);
  }

  async #fetchEntry({ credential, address, mustVerify = false }: EntryRequest): Promise<CallerEntry> {
    const fetchedAt = Date.now();
    const { source, registry, verifier } = this.#from;
    const isVerified =
      credential === null ||
      (!mustVerify && verifier.isVerified(credential)) ||
      (await this.#tryVerify(credential, findProbeAction(this.#base.description), address));
    if (this.#isFixed && isVerified) return { credential, fingerprint: this.#base.fingerprint, fetchedAt };
    const text = await source.fetch(credential);
    const { fingerprint, description } = registry.schemaFor(text, credential === null ? 'open' : 'whole');
    if (credential === null) this.#anonymousFingerprint = text.fingerprint;
    // The upstream sends the anonymous description for a credential that ended after its verification.
    const isAnonymous = text.fingerprint === this.#anonymousFingerprint;
    if (credential !== null && (!isVerified || isAnonymous))
      await this.#verify(credential, findProbeAction(description), address);
    return { credential, fingerprint, fetchedAt };
  }

  /**
   * Verifies a credential. Returns false when the probe action does not exist any more, so that its description is outdated.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   */
  async #tryVerify(
    credential: Credential,
    probe: Action | null,
    address: string | undefined,
  ): Promise<boolean> {
    if (probe === null) return false;
    try {
      await this.#verify(credential, probe, address);
      return true;
    } catch (error) {
      if (error instanceof UpstreamProtocolError && error.status === 404) return false;
      throw error;
    }
  }

  /** @param probe An action that needs a credential; null when the caller's description has none, like an anonymous caller's. */
  async #verify(credential: Credential, probe: Action | null, address: string | undefined): Promise<void> {
    const { source, verifier } = this.#from;
    if (probe === null) throw new UnknownCredentialsError();
    await verifier.verify(credential, () => source.verifyCredential(credential, probe, address), address);
  }
}

async function fetchBase({ source, registry, operator }: CallersSource): Promise<ServedSchema> {
  const base = registry.schemaFor(await source.fetch(operator), 'whole');
  const probe = findProbeAction(base.description);
  if (operator !== null && probe !== null) await source.verifyCredential(operator, probe);
  return base;
}

function describesSignIn({ description: { authentication } }: ServedSchema): boolean {
  const { basic, token, oauth2 } = authentication;
  return basic || token !== null || oauth2 !== null;
}
