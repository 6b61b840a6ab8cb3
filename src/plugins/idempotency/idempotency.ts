// Executes mutations with an idempotency key once, however often their client sends them.
import { OperationTypeNode } from 'graphql';
import type { AdmittedOperation, OperationPlugin, Services } from '../../server/plugin.ts';
import { Retries } from './retries.ts';

/** Starts the plugin. */
export function useIdempotency({ replicas, api, limits, shutdown, callers }: Services): OperationPlugin {
  const retries = new Retries({
    ...{ replicas, api, shutdown },
    limits,
    verify: (caller) => callers.verify(caller),
  });
  return {
    onOperation(operation, next) {
      const { request, params, document, definition, contextValue } = operation;
      if (definition.operation !== OperationTypeNode.MUTATION || !sendsKey(operation)) return next();
      const retry = retries.open(request, params, contextValue.session);
      // It goes on when its client leaves, who may send it again.
      contextValue.operation.end.stayOpen();
      contextValue.operation.addGuard(retry);
      return retry.run(document, next);
    },
  };
}

/** Whether a request has an idempotency key, which need not be a valid one. */
const sendsKey = ({ request, params }: AdmittedOperation): boolean =>
  (request.ownHeader?.('idempotency-key') ?? null) !== null ||
  (params.extensions?.['idempotencyKey'] ?? null) !== null;
