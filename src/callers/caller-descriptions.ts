// Fetches the description of a caller, and verifies the caller's credential.
import { LRUCache } from 'lru-cache';
import type { Log } from '../log.ts';
import type { ObservedOperation, Observer } from '../observer.ts';
import type { SchemaRegistry, ServedSchema } from '../schema/registry.ts';
import type { Replicas } from '../sharing/replicas.ts';
import type { Action, Description } from '../upstream/description/description.ts';
import type { DescriptionSource } from '../upstream/description/description-source.ts';
import { findProbeAction } from '../upstream/description/select-actions.ts';
import { OptiongraphError, UnknownCredentialsError, UpstreamProtocolError } from '../upstream/errors.ts';
import { explainFailure } from '../upstream/explain-failure.ts';
import { CallQueue, type QueueOptions } from '../upstream/http/call-queue.ts';
import type { Caller, Credential } from '../upstream/http/caller.ts';
import type { CredentialVerifier } from './credential-verifier.ts';
import { clientOf } from './requester.ts';

/** Descriptions that are fetched for callers at once: each costs the API about a second of work, so more only queue up there. */
const DESCRIPTIONS: QueueOptions = { calls: 3, maxWait: 15_000, maxWaiting: 1_000 };
/** Longest time for one of them, which takes the API some seconds at most. Milliseconds. */
const DESCRIPTION_TIMEOUT = 10_000;

/**
 * How schemas are assigned to callers. `caller`: one schema for each caller's rights. `fixed`: that of the operator's credential for all.
 * `operator`: as `caller`, but the operator is a caller too, as in a command, whose description is not fetched again.
 */
export type SchemaMode = 'caller' | 'fixed' | 'operator';

/** What the schemas of callers are made from. */
export interface CallersSource {
  readonly log: Log;
  /** Address of the management API. */
  readonly upstream: URL;
  readonly source: DescriptionSource;
  readonly registry: SchemaRegistry;
  readonly verifier: CredentialVerifier;
  /** The credential of the facade itself; null for none. */
  readonly operator: Credential | null;
  readonly observer: Observer;
  readonly replicas: Replicas;
  /** The language in which the operator's description is fetched. */
  readonly ownLanguage: string;
  readonly schemaMode: SchemaMode;
}

/** For whom a description is fetched, or a credential verified. */
export interface Reader {
  readonly caller: Caller;
  /** The languages of texts, see `CallerLanguages`. */
  readonly languages: string;
  /** The operation that has begun the calls; others may wait for the same calls. Null (default) for none. */
  readonly cause?: ObservedOperation | null;
}

/** Fetches descriptions, each together with a verification of the credential that it was fetched for. */
export class CallerDescriptions {
  readonly #from: CallersSource;
  readonly #queue = new CallQueue(DESCRIPTIONS);
  /** Fingerprints of the anonymous descriptions that were fetched. */
  readonly #anonymous = new LRUCache<string, true>({ max: 100 });

  constructor(from: CallersSource) {
    this.#from = from;
  }

  /**
   * Fetches the description for the operator's credential.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  async fetchBase(): Promise<ServedSchema> {
    const { source, registry, verifier, operator, schemaMode } = this.#from;
    const text = await source.fetch(operator);
    const isOpen = schemaMode === 'operator' && operator === null;
    const served = registry.schemaFor(text, isOpen ? 'open' : 'whole');
    const probe = findProbeAction(served.description);
    if (operator !== null && probe !== null)
      await verifier.verify(operator, () => source.verifyCredential(operator, probe));
    return served;
  }

  /**
   * Fetches the description of a caller.
   * @param operator The schema of the operator's description.
   * @param isAgain Whether to verify the credential even if that was done recently: one that has ended gets the anonymous description,
   *   which must not replace the caller's own.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   * @throws UpstreamBusyError when too many callers wait for theirs, or this one has waited too long.
   */
  async fetch(reader: Reader, operator: ServedSchema, isAgain: boolean): Promise<ServedSchema> {
    const { source, registry, verifier } = this.#from;
    const { caller, languages, cause = null } = reader;
    const { credential, clientHeaders } = caller;
    const isKnown = !isAgain && credential !== null && verifier.isVerified(credential);
    const isVerified = isKnown || (await this.verify(reader, operator.description));
    const language = languages === '' ? {} : { language: languages };
    const text = await this.#queue.run(clientOf(caller), () =>
      source.fetch(credential, { clientHeaders, timeout: DESCRIPTION_TIMEOUT, cause, ...language }),
    );
    const served = registry.schemaFor(text, credential === null ? 'open' : 'whole', operator);
    if (credential === null) this.#anonymous.set(text.fingerprint, true);
    // The upstream sends the anonymous description for a credential that ended after its verification.
    else if (!isVerified || this.#anonymous.has(text.fingerprint))
      await this.#send(reader, credential, findProbeAction(served.description));
    return served;
  }

  /**
   * Verifies a caller's credential by an action of a description. Returns false when that action does not exist any more, so that
   * the description is outdated.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   */
  async verify(reader: Reader, description: Description): Promise<boolean> {
    const { credential } = reader.caller;
    if (credential === null) return true;
    const probe = findProbeAction(description);
    if (probe === null) return false;
    try {
      await this.#send(reader, credential, probe);
      return true;
    } catch (error) {
      if (error instanceof UpstreamProtocolError && error.status === 404) return false;
      throw error;
    }
  }

  /** @param probe An action that needs a credential; null when the caller's description has none, like an anonymous caller's. */
  async #send({ caller, cause = null }: Reader, credential: Credential, probe: Action | null): Promise<void> {
    const { source, verifier } = this.#from;
    if (probe === null) throw new UnknownCredentialsError();
    const { address, clientHeaders } = caller;
    const request = (): Promise<void> => source.verifyCredential(credential, probe, { clientHeaders, cause });
    await verifier.verify(credential, request, address);
  }
}

/** Logs why a description could not be replaced. */
export function logFailure(
  { log, upstream }: Pick<CallersSource, 'log' | 'upstream'>,
  failure: unknown,
): void {
  if (failure instanceof OptiongraphError)
    log.warn(
      `a description could not be fetched again, so the previous one stays in use: ${explainFailure(failure, upstream)}`,
      { event: 'description_failure' },
    );
  else log.error('a new description could not be served, so the previous one stays in use', failure);
}
