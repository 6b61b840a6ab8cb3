// Reads the events of a subscription only when there are any.
import type { ExecutionResult } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import type { CallerActions } from '../../upstream/actions/action-states.ts';

type Events = AsyncIterableIterator<ExecutionResult>;

/**
 * Waits for each event at its source, not in all layers between the source and the transport. Each layer would hold promises meanwhile,
 * which live long enough to leave the young generation of the heap.
 * @param result Events, or the result of an operation that has none, which is returned as it is.
 */
export function readWhenReady(
  result: Events | ExecutionResult,
  source: Pick<CallerActions, 'whenReady'>,
): Events | ExecutionResult {
  if (!isAsyncIterable<ExecutionResult>(result)) return result;
  const events = result[Symbol.asyncIterator]();
  const whenReady: Events = {
    async next() {
      await source.whenReady();
      return events.next();
    },
    async return() {
      return (await events.return?.()) ?? { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => whenReady,
  };
  return whenReady;
}
