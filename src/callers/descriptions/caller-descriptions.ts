// Fetches the description of a caller, and verifies the caller's credential.
import { LRUCache } from 'lru-cache';
import type { Observer } from '../../observer.ts';
import type { SchemaRegistry, ServedSchema } from '../../schema/registry.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import type { Action, Description } from '../../upstream/description/description.ts';
import type { DescriptionSource } from '../../upstream/description/description-source.ts';
import { findProbeAction } from '../../upstream/description/select-actions.ts';
import { UnknownCredentialsError, UpstreamProtocolError } from '../../upstream/errors.ts';
import { CallQueue, type QueueOptions } from '../../upstream/http/call-queue.ts';
import type { Caller, Credential } from '../../upstream/http/caller.ts';
import { clientOf } from '../client-address.ts';
import type { CredentialVerifier } from '../credential-verifier.ts';
import type { FailureLog } from './description-log.ts';
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
  readonly replicas: Replicas;
  /** The language in which the operator's description is fetched. */
  readonly ownLanguage: string;
}

/** The schema that a description gives. */
export interface FetchedSchema {
  readonly served: ServedSchema;
  /** Milliseconds since the description was fetched. */
  readonly age: number;
}

/** How the description of a caller is fetched. */
export interface FetchOptions {
  /** The languages of its texts, see `CallerLanguages`. */
  readonly languages: string;
  /** See `DescribeOptions`. */
  readonly mustAsk: boolean;
  /** Whether the credential is known. False: it is verified by the new description. */
  readonly isVerified: boolean;
  /** The schema of the operator's description. */
  readonly operator: ServedSchema;
  /** The part of the description that the schema contains. */
  readonly part: ServedSchema['part'];
}

/** Fetches descriptions, each together with a verification of the credential that it was fetched for. */
export class CallerDescriptions {
  readonly #from: CallersSource;
  readonly #operatorCalls: boolean;
  /** The calls that are made for callers. */
  readonly calls = new OpeningCalls();
  readonly #queue = new CallQueue(DESCRIPTIONS);
  /** Fingerprints of the anonymous descriptions that were fetched. */
  readonly #anonymous = new LRUCache<string, true>({ max: 100 });

  /** @param operatorCalls See `CallersOptions`. */
  constructor(from: CallersSource, operatorCalls: boolean) {
    this.#from = from;
    this.#operatorCalls = operatorCalls;
  }

  /**
   * Fetches the description for the operator's credential.
   * @param mustAsk See `DescribeOptions`.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  async fetchBase(mustAsk: boolean): Promise<FetchedSchema> {
    const { source, registry, verifier, operator } = this.#from;
    const text = await source.fetch(operator, { mustAsk });
    const served = registry.schemaFor(text, this.#operatorCalls && operator === null ? 'open' : 'whole');
    const probe = findProbeAction(served.description);
    if (operator !== null && probe !== null) {
      const verify = (): Promise<void> => source.verifyCredential(operator, probe);
      await (this.#operatorCalls ? verifier.verify(operator, verify) : verify());
    }
    text.keep?.();
    return { served, age: text.age ?? 0 };
  }

  /**
   * Fetches the description of a caller.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   * @throws UpstreamBusyError when too many callers wait for theirs, or this one has waited too long.
   */
  async fetch(
    caller: Caller,
    { languages, mustAsk, isVerified, operator, part }: FetchOptions,
  ): Promise<FetchedSchema> {
    const { source, registry } = this.#from;
    const { credential, clientHeaders } = caller;
    const text = await source.fetch(credential, {
      mustAsk,
      clientHeaders,
      timeout: DESCRIPTION_TIMEOUT,
      inTurn: (send) => this.#queue.run({ client: clientOf(caller) }, send),
      ...(languages === '' ? {} : { language: languages }),
      ...this.calls.optionsFor(caller.key),
    });
    const served = registry.schemaFor(text, part, operator);
    if (credential === null) this.#anonymous.set(text.fingerprint, true);
    // The upstream sends the anonymous description for a credential that ended after its verification.
    else if (!isVerified || this.#anonymous.has(text.fingerprint))
      await this.#send(caller, credential, findProbeAction(served.description));
    text.keep?.();
    return { served, age: text.age ?? 0 };
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
