// Reads the events of a subscription only when there are any.
import type { ExecutionResult } from 'graphql';
import type { CallerActions } from '../../upstream/actions/action-states.ts';

/**
 * Waits for an event where it is made, instead of in all layers between there and the transport. Each layer would hold a promise and its
 * reactions meanwhile, which outlive the young generation of the heap.
 */
export function readWhenReady(
  events: AsyncGenerator<ExecutionResult>,
  actions: Pick<CallerActions, 'whenReady'>,
): AsyncIterableIterator<ExecutionResult> {
  return {
    async next() {
      await actions.whenReady();
      return events.next();
    },
    return: () => events.return(undefined),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
