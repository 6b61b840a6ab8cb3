// Executes mutations with an idempotency key once, however often and wherever in the deployment their client sends them within a day.
import { networkOf } from '../../callers/requester.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import type { OperationParams, OperationRequest } from '../../server/operation-request.ts';
import type { AdmittedOperation, OperationPlugin, Services } from '../../server/plugin.ts';
import type { Limiter } from '../../sharing/replicas.ts';
import { RetryLaterError } from '../../upstream/errors.ts';
import { isObject } from '../../upstream/json.ts';
import { KEPT_FOR, type Key, POINT, Retry } from './retry.ts';

/** The part of all that one network has, and all anonymous callers together. */
const NETWORK_PART = 1 / 4;

/** Starts the plugin. */
export function useIdempotency(services: Services): OperationPlugin {
  const { replicas, api } = services;
  const createCount = createCounts(services);

  /** Makes the key of a mutation. */
  const describe = ({ params, contextValue: { session } }: AdmittedOperation, key: string): Key => {
    const { credential, address = '' } = session.caller;
    const network = networkOf(address);
    const owner = replicas.digest(
      credential === null ? `network ${network}` : `${credential.header} ${credential.value}`,
    );
    const { query, operationName = null, variables = null, onError = null, extensions } = params;
    // A dry run is not answered by what was recorded.
    const sent = JSON.stringify(
      [query, operationName, variables ?? {}, onError, extensions?.['dryRun'] === true],
      sortKeys,
    );
    return {
      name: JSON.stringify(['idempotency', api, owner, key]),
      fingerprint: replicas.digest(sent),
      count: createCount(owner, credential === null ? 'anonymous' : network),
    };
  };

  return {
    onMutation(operation, next) {
      const { request, params, contextValue } = operation;
      const key = readIdempotencyKey(request, params);
      if (key === null) return null;
      const retry = new Retry(operation, describe(operation, key), services);
      // It goes on when its client leaves, who may send it again.
      contextValue.operation.end.stayOpen();
      contextValue.operation.calls.addGuard(retry);
      return retry.run(next);
    },
  };
}

/** The results of a caller's mutations with keys, or of all callers', take all the space that they may for a day. */
class TooManyKeysError extends RetryLaterError {
  override readonly code = 'RATE_LIMIT';

  constructor(retryAfter: number) {
    super(
      `The mutations with idempotency keys of this day take all the space that they may; try again in ${retryAfter} s, or send no key.`,
      retryAfter,
    );
  }
}

/** Makes counts, which add points to each limiter until one is exceeded: what is refused takes no room of others. */
function createCounts({ replicas, limits: { recordedBytesOfCaller, recordedBytes } }: Services) {
  const limit = (name: string, size: number): Limiter =>
    replicas.createLimiter(`keys of ${name}`, {
      points: Math.max(1, Math.floor(size / POINT)),
      duration: KEPT_FOR / 1_000,
    });
  const ofCaller = limit('caller', recordedBytesOfCaller);
  const ofNetwork = limit('network', recordedBytes * NETWORK_PART);
  const ofAll = limit('all', recordedBytes);
  return (owner: string, network: string) =>
    async (points: number): Promise<void> => {
      const counts = [
        [ofCaller, owner],
        [ofNetwork, network],
        [ofAll, ''],
      ] as const;
      for (const [limiter, key] of counts) {
        const { isExceeded, msBeforeNext } = await limiter.count(key, points);
        if (isExceeded) throw new TooManyKeysError(Math.ceil(msBeforeNext / 1_000));
      }
    };
}

/** A key: 1 to 255 printable characters of ASCII. */
const KEY = /^[\x20-\x7e]{1,255}$/;
/**
 * The header has a string of structured fields, as draft-ietf-httpapi-idempotency-key-header wants it, or the key as it is, which has no
 * spaces, because HTTP joins two headers by a comma and a space.
 */
const HEADER = /^\s*(?:"((?:[^"\\]|\\["\\])*)"|([^\s"]\S*))\s*$/;

/**
 * Reads the key of a mutation from the header of its HTTP request, or from `extensions.idempotencyKey`; null for none.
 * @throws InvalidInputError when it has an invalid key, or two.
 */
export function readIdempotencyKey(
  { ownHeader }: Pick<OperationRequest, 'ownHeader'>,
  { extensions }: Pick<OperationParams, 'extensions'>,
): string | null {
  const inBody = extensions?.['idempotencyKey'] ?? null;
  const inHeader = ownHeader?.('idempotency-key') ?? null;
  const ofBody = inBody === null ? null : check(inBody, 'extensions.idempotencyKey');
  if (inHeader === null) return ofBody;
  const [, quoted, word] = HEADER.exec(inHeader) ?? [];
  const ofHeader = check(quoted?.replaceAll(/\\(.)/g, '$1') ?? word, 'The header Idempotency-Key');
  if (ofBody === null || ofBody === ofHeader) return ofHeader;
  throw new InvalidInputError(
    'The header Idempotency-Key and extensions.idempotencyKey differ; send one of them.',
  );
}

function check(key: unknown, name: string): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new InvalidInputError(
    `${name} must be one key of 1 to 255 printable ASCII characters, such as "8e03978e-40d5-43dd-bc93-6894a57f9324".`,
  );
}

/** Lets JSON have the members of objects in one order. */
function sortKeys(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
