// Executes mutations with an idempotency key once, however often and wherever in the deployment their client sends them within a day.
import { OperationTypeNode } from 'graphql';
import { networkOf } from '../../callers/requester.ts';
import type { AdmittedOperation, OperationPlugin, Services } from '../../server/plugin.ts';
import type { Limiter } from '../../sharing/replicas.ts';
import { RetryLaterError } from '../../upstream/errors.ts';
import { isObject } from '../../upstream/json.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { KEPT_FOR, POINT, Retry } from './retry.ts';

/** The part of a caller's limit that an anonymous network has, and the part of all that any network has. */
const ANONYMOUS_PART = 1 / 16;
const NETWORK_PART = 1 / 4;

/** Starts the plugin. */
export function useIdempotency(services: Services): OperationPlugin {
  const { replicas, api } = services;
  const countFor = createCounts(services);

  /** Makes the retry of a mutation with a key. @throws InvalidInputError when the key is invalid. */
  const open = ({ request, params, contextValue: { session } }: AdmittedOperation): Retry => {
    const key = readIdempotencyKey(request, params);
    const { credential, address = '' } = session.caller;
    const network = networkOf(address);
    const owner = replicas.digest(
      credential === null ? `network ${network}` : `${credential.header} ${credential.value}`,
    );
    const { query, operationName = null, variables = null, onError = null } = params;
    const fingerprint = replicas.digest(
      JSON.stringify([query, operationName, variables ?? {}, onError], sortKeys),
    );
    return new Retry(request, session, services, {
      name: JSON.stringify(['idempotency', api, owner, key]),
      fingerprint,
      count: countFor(owner, network, credential === null),
    });
  };

  return {
    onOperation(operation, next) {
      const { document, definition, contextValue } = operation;
      if (definition.operation !== OperationTypeNode.MUTATION || !sendsKey(operation)) return next();
      const retry = open(operation);
      // It goes on when its client leaves, who may send it again.
      contextValue.operation.end.stayOpen();
      contextValue.operation.calls.addGuard(retry);
      return retry.run(document, next);
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

/** Returns functions that add points to each limiter until one is exceeded: what is refused takes no room of others. */
function createCounts({ replicas, limits }: Pick<Services, 'replicas' | 'limits'>) {
  const { recordedBytesOfCaller, recordedBytes } = limits;
  const limit = (name: string, size: number): Limiter =>
    replicas.createLimiter(`keys of ${name}`, {
      points: Math.max(1, Math.floor(size / POINT)),
      duration: KEPT_FOR / 1_000,
    });
  const ofCaller = limit('caller', recordedBytesOfCaller);
  const ofAnonymousNetwork = limit('anonymous network', recordedBytesOfCaller * ANONYMOUS_PART);
  const ofNetwork = limit('network', recordedBytes * NETWORK_PART);
  const ofAll = limit('all', recordedBytes);
  return (owner: string, network: string, isAnonymous: boolean) =>
    async (points: number): Promise<void> => {
      const limits = [
        [isAnonymous ? ofAnonymousNetwork : ofCaller, owner],
        [ofNetwork, network],
        [ofAll, ''],
      ] as const;
      for (const [limiter, key] of limits) {
        const { isExceeded, msBeforeNext } = await limiter.count(key, points);
        if (isExceeded) throw new TooManyKeysError(Math.ceil(msBeforeNext / 1_000));
      }
    };
}

/** Whether a request has an idempotency key, which need not be a valid one. */
const sendsKey = ({ request, params }: AdmittedOperation): boolean =>
  (request.ownHeader?.('idempotency-key') ?? null) !== null ||
  (params.extensions?.['idempotencyKey'] ?? null) !== null;

/** Lets JSON have the members of objects in one order. */
function sortKeys(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
