// Makes requests of transports that take several results.
import type { OperationRequest } from '../../src/server/operation-request.ts';

/** A request with the token `one`, of a transport that reads each result when it wants to. */
export const createStreamRequest = (query: string): OperationRequest => ({
  requester: {
    header: (name) => (name.toLowerCase() === 'x-library-token' ? 'one' : null),
    address: undefined,
    requestId: 'a request of a test',
    signal: undefined,
  },
  readSent: () => ({ query }),
  report: null,
  acceptsParts: false,
  liveAs: 'stream',
  admit: () => undefined,
});
