// Makes a query of the command line a live one.
import { getOperationAST, OperationTypeNode, parse } from 'graphql';
import { LIVE } from '../../../src/schema/directives.ts';
import { usageError } from './command-line/exit-codes.ts';
import type { GivenRequest } from './request.ts';

/** Whether an operation has the directive of live queries. */
export const isLive = ({ operation }: GivenRequest): boolean =>
  operation.directives?.some(({ name }) => name.value === LIVE.name) === true;

/**
 * Adds the directive to a query.
 * @param interval Seconds between executions; null: the server's default, or what the document says.
 * @throws CommandError when the operation cannot be live, or says itself how it is.
 */
export function makeLive(request: GivenRequest, interval: number | null): GivenRequest {
  const { source, operation } = request;
  if (operation.operation !== OperationTypeNode.QUERY)
    throw usageError(`--live is for queries, not for a ${operation.operation}.`);
  if (isLive(request)) {
    if (interval === null) return request;
    throw usageError(`The document says @${LIVE.name} already; give the seconds there.`);
  }
  const directive = `@${LIVE.name}${interval === null ? '' : `(interval: ${interval})`} `;
  const start = operation.selectionSet.loc?.start ?? 0;
  // A query may be no more than its selection.
  const head = operation.loc?.start === start ? `query ${directive}` : directive;
  const liveSource = source.slice(0, start) + head + source.slice(start);
  const document = parse(liveSource);
  const live = getOperationAST(document, operation.name?.value) ?? operation;
  return { ...request, source: liveSource, document, operation: live };
}
