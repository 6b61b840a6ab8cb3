// Carries out operations for a program in this process, which no transport has received.
import { isAsyncIterable, mapAsyncIterator } from '@envelop/core';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Requester } from '../callers/requester.ts';
import type { OperationParams } from './operation-request.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * Carries out an operation for a requester, limited, charged and reported like those over HTTP. Never rejects. The results of a
 * subscription end with the iterator.
 */
export async function executeInProcess(
  pipeline: Pipeline,
  requester: Requester,
  params: OperationParams,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const report = pipeline.beginReport(requester, 'http');
  const end = (): void => report?.end(200);
  const result = await pipeline.run({ requester, report, readSent: () => params });
  if (isAsyncIterable(result))
    return mapAsyncIterator(result, copy, (error: GraphQLError) => copy({ errors: [error] }), end);
  end();
  return copy(result);
}

/** Copies a result, which may be a record that others get, too. */
const copy = (result: ExecutionResult): ExecutionResult => JSON.parse(JSON.stringify(result));
