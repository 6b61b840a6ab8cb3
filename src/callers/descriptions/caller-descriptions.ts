// Fetches the description of a caller, and verifies the caller's credential.
import type { SchemaRegistry, ServedSchema } from '../../schema/registry.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import type { Observer } from '../../telemetry/observer.ts';
import type { Action, Description } from '../../upstream/description/description.ts';
import type { DescriptionSource, FetchedDescription } from '../../upstream/description/description-source.ts';
import { findProbeAction } from '../../upstream/description/select-actions.ts';
import { UnknownCredentialsError, UpstreamProtocolError } from '../../upstream/errors.ts';
import { CallQueue, type QueueOptions } from '../../upstream/http/call-queue.ts';
import type { Caller, Credential } from '../../upstream/http/caller.ts';
import { clientOf } from '../client-address.ts';
import type { CredentialVerifier } from '../credential-verifier.ts';
import type { FailureLog } from './description-log.ts';
import type { Generation } from './generation.ts';
import { OpeningCalls } from './opening-calls.ts';

/** Descriptions that are fetched for callers at once: each costs the API about a second of work, so more only queue up there. */
const DESCRIPTIONS: QueueOptions = { calls: 3, maxWait: 15_000, maxWaiting: 1_000 };
/** Longest time for one of them, which takes the API some seconds at most. Milliseconds. */
const DESCRIPTION_TIMEOUT = 10_000;

/** What the schemas of callers are made from. */
export interface CallersSource extends FailureLog {
  readonly source: DescriptionSource;
  readonly registry: SchemaRegistry;
  readonly verifier: CredentialVerifier;
  /** The credential of the facade itself; null for none. */
  readonly operator: Credential | null;
  readonly observer: Observer;
  readonly generation: Generation;
  readonly replicas: Replicas;
  /** The language in which descriptions are fetched first. */
  readonly ownLanguage: string;
}

/** The description of a caller. */
export interface FetchedSchema {
  readonly fingerprint: string;
  /** Milliseconds since it was fetched. */
  readonly age: number;
}

/** How the description of a caller is fetched. */
export interface FetchOptions {
  /** See `DescribeOptions`. */
  readonly mustAsk: boolean;
  /** The generation in which the fetch begins. */
  readonly generation: string;
  /** The schema of the operator's description. */
  readonly operator: ServedSchema;
}

/** Fetches descriptions, each together with a verification of the credential that it was fetched for. */
export class CallerDescriptions {
  readonly #from: CallersSource;
  readonly #operatorCalls: boolean;
  /** The calls that are made for callers. */
  readonly calls = new OpeningCalls();
  readonly #queue = new CallQueue(DESCRIPTIONS);
  /** Fingerprint of the anonymous description; null before it was fetched. */
  #anonymousFingerprint: string | null = null;

  /** @param operatorCalls See `CallersOptions`. */
  constructor(from: CallersSource, operatorCalls: boolean) {
    this.#from = from;
    this.#operatorCalls = operatorCalls;
  }

  /**
   * Fetches the description for the operator's credential.
   * @param mustAsk See `DescribeOptions`.
   * @returns The schema, the age of its description, and a function that shares it with other replicas; see `FetchedDescription`.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  async fetchBase(
    mustAsk: boolean,
  ): Promise<Pick<FetchedDescription, 'age' | 'share'> & { readonly base: ServedSchema }> {
    const { source, registry, verifier, operator } = this.#from;
    const text = await source.fetch(operator, { mustAsk });
    const base = await registry.schemaFor(text, this.#operatorCalls && operator === null ? 'open' : 'whole');
    const probe = findProbeAction(base.description);
    if (operator === null || probe === null) return { ...text, base };
    const verify = (): Promise<void> => source.verifyCredential(operator, probe);
    await (this.#operatorCalls ? verifier.verify(operator, verify) : verify());
    return { ...text, base };
  }

  /**
   * Fetches the description of a caller, whose credential `verify` or the verifier has found to be known.
   * @param isVerified False when that was not possible; the credential is then verified by the new description.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   * @throws UpstreamBusyError when too many callers wait for theirs, or this one has waited too long.
   */
  async fetch(
    caller: Caller,
    isVerified: boolean,
    { mustAsk, generation, operator }: FetchOptions,
  ): Promise<FetchedSchema> {
    const { source, registry } = this.#from;
    const { credential, clientHeaders } = caller;
    const inTurn = <T>(send: () => Promise<T>): Promise<T> =>
      this.#queue.run({ client: clientOf(caller) }, send);
    const text = await source.fetch(credential, {
      mustAsk,
      inTurn,
      clientHeaders,
      timeout: DESCRIPTION_TIMEOUT,
      ...this.calls.optionsFor(caller.key),
    });
    const part = credential === null ? 'open' : 'whole';
    const served = await registry.schemaFor(text, part, operator);
    if (credential === null) this.#anonymousFingerprint = text.fingerprint;
    // The upstream sends the anonymous description for a credential that ended after its verification.
    else if (!isVerified || text.fingerprint === this.#anonymousFingerprint)
      await this.#send(caller, credential, findProbeAction(served.description));
    text.share?.(generation);
    return { fingerprint: served.fingerprint, age: text.age ?? 0 };
  }

  /**
   * Fetches the description from which a caller's schema was made again, in another language.
   * @param credential The one that it was fetched for.
   */
  fetchIn(language: string, credential: Credential | null, caller: Caller): Promise<FetchedDescription> {
    return this.#from.source.fetch(credential, {
      language,
      inTurn: (send) => this.#queue.run({ client: clientOf(caller) }, send),
      clientHeaders: caller.clientHeaders,
      ...this.calls.optionsFor(caller.key),
    });
  }

  /**
   * Verifies a caller's credential by an action of a description. Returns false when that action does not exist any more, so that
   * the description is outdated.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   */
  async verify(caller: Caller, description: Description): Promise<boolean> {
    const probe = findProbeAction(description);
    if (caller.credential === null) return true;
    if (probe === null) return false;
    try {
      await this.#send(caller, caller.credential, probe);
      return true;
    } catch (error) {
      if (error instanceof UpstreamProtocolError && error.status === 404) return false;
      throw error;
    }
  }

  /** @param probe An action that needs a credential; null when the caller's description has none, like an anonymous caller's. */
  async #send(
    { address, clientHeaders, key }: Caller,
    credential: Credential,
    probe: Action | null,
  ): Promise<void> {
    const { source, verifier } = this.#from;
    if (probe === null) throw new UnknownCredentialsError();
    const request = (): Promise<void> =>
      source.verifyCredential(credential, probe, { clientHeaders, ...this.calls.optionsFor(key) });
    await verifier.verify(credential, request, address);
  }
}
