// Fetches the descriptions of callers, verifies the credentials that they are fetched for, and makes schemas of them.
import { LRUCache } from 'lru-cache';
import type { Log } from '../log.ts';
import type { ObservedOperation, Observer } from '../observer.ts';
import type { SchemaExtension } from '../schema/builder.ts';
import type { Exposure } from '../schema/exposure.ts';
import type { Overrides } from '../schema/model/overrides.ts';
import { type DescriptionLimits, SchemaRegistry, type ServedSchema } from '../schema/registry.ts';
import { SchemaAddition, type SchemaAdditionOptions } from '../schema/schema-addition.ts';
import type { Replicas } from '../sharing/replicas.ts';
import type { Action, Description } from '../upstream/description/description.ts';
import { DescriptionSource } from '../upstream/description/description-source.ts';
import { findProbeAction } from '../upstream/description/select-actions.ts';
import { OptiongraphError, UnknownCredentialsError, UpstreamProtocolError } from '../upstream/errors.ts';
import { explainFailure } from '../upstream/explain-failure.ts';
import { CallQueue, type QueueOptions } from '../upstream/http/call-queue.ts';
import type { Caller, Credential } from '../upstream/http/caller.ts';
import type { LanguageOptions } from '../upstream/http/languages.ts';
import type { Transport } from '../upstream/http/transport.ts';
import type { CredentialVerifier } from './credential-verifier.ts';
import { clientOf } from './requester.ts';

/** Descriptions that are fetched for callers at once: each costs the API about a second of work, so more only queue up there. */
const DESCRIPTIONS: QueueOptions = { calls: 3, maxWait: 15_000, maxWaiting: 1_000 };
/** Longest time for one of them, which takes the API some seconds at most. Milliseconds. */
const DESCRIPTION_TIMEOUT = 10_000;

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
  /**
   * How schemas are assigned to callers. `caller` (default): one schema for each caller's rights. `fixed`: that of the operator's
   * credential for all. `operator`: as `caller`, but the operator is a caller too, as in a command, whose description is not fetched again.
   */
  readonly schemaMode?: 'caller' | 'fixed' | 'operator';
  /** When the operator's description is fetched again: milliseconds between two fetches, varied by up to a tenth; default ten minutes. */
  readonly refresh?: { readonly interval?: number };
  readonly log: Log;
  /** Observes what the facade does; default: nobody does. */
  readonly observer?: Observer;
}

/** The parts of a facade with which callers are loaded. */
export interface CallersOptions extends DescribedApiOptions {
  readonly transport: Transport;
  readonly verifier: CredentialVerifier;
  readonly replicas: Replicas;
  readonly extensions: readonly SchemaExtension[];
  /** What the library's user adds to each schema; null for nothing. */
  readonly addition: SchemaAdditionOptions | null;
  /** Finds the facts that a description lacks. */
  readonly overridesFor: (description: Description) => Overrides;
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
  /** Their schemas. */
  readonly registry: SchemaRegistry;
  readonly #options: CallersOptions;
  readonly #source: DescriptionSource;
  readonly #queue = new CallQueue(DESCRIPTIONS);
  /** Fingerprints of the anonymous descriptions that were fetched. */
  readonly #anonymous = new LRUCache<string, true>({ max: 100 });

  constructor(options: CallersOptions) {
    const { upstream, version = null, transport, addition, log } = options;
    const basePath = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
    this.#options = options;
    this.#source = new DescriptionSource(transport, basePath, version, options);
    this.registry = new SchemaRegistry({
      ...options,
      addition: addition === null ? undefined : new SchemaAddition(addition),
      onLateFinding: ({ code, path, reason }) =>
        log.warn(`${code}: ${reason} (${path})`, { event: 'finding' }),
    });
  }

  /**
   * Checks that the API has the version, and fetches the operator's description.
   * @throws VersionUnknownError, and as `fetchBase` does.
   */
  async fetchFirst(): Promise<ServedSchema> {
    await this.#source.checkVersion(this.#options.descriptionCredential ?? null);
    return this.fetchBase();
  }

  /**
   * Fetches the description for the operator's credential.
   * @throws UpstreamUnreachableError, DescriptionError, UnknownCredentialsError
   */
  async fetchBase(): Promise<ServedSchema> {
    const { verifier, descriptionCredential: operator = null, schemaMode } = this.#options;
    const text = await this.#source.fetch(operator);
    const isOpen = schemaMode === 'operator' && operator === null;
    const served = this.registry.schemaFor(text, isOpen ? 'open' : 'whole');
    const probe = findProbeAction(served.description);
    if (operator !== null && probe !== null)
      await verifier.verify(operator, () => this.#source.verifyCredential(operator, probe));
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
    const { caller, languages, cause = null } = reader;
    const { credential, clientHeaders } = caller;
    const isKnown = !isAgain && credential !== null && this.#options.verifier.isVerified(credential);
    const isVerified = isKnown || (await this.verify(reader, operator.description));
    const language = languages === '' ? {} : { language: languages };
    const text = await this.#queue.run(clientOf(caller), () =>
      this.#source.fetch(credential, { clientHeaders, timeout: DESCRIPTION_TIMEOUT, cause, ...language }),
    );
    const served = this.registry.schemaFor(text, credential === null ? 'open' : 'whole', operator);
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
    if (probe === null) throw new UnknownCredentialsError();
    const { address, clientHeaders } = caller;
    const request = () => this.#source.verifyCredential(credential, probe, { clientHeaders, cause });
    await this.#options.verifier.verify(credential, request, address);
  }
}

/** Logs why a description could not be replaced. */
export function logFailure(
  { log, upstream }: Pick<DescribedApiOptions, 'log' | 'upstream'>,
  failure: unknown,
): void {
  if (failure instanceof OptiongraphError)
    log.warn(
      `a description could not be fetched again, so the previous one stays in use: ${explainFailure(failure, upstream)}`,
      { event: 'description_failure' },
    );
  else log.error('a new description could not be served, so the previous one stays in use', failure);
}
