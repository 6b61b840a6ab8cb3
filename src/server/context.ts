import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressOf } from '../callers/client-address.ts';
import { Operation, type OperationMemory } from '../loaders/operation.ts';
import type { SchemaContext } from '../schema/builder.ts';
import { findStateActions } from '../upstream/actions/action-calls.ts';
import type { ActionStates } from '../upstream/actions/action-states.ts';
import type { Requester, Session } from './session.ts';

/** What a transport tells of a request. */
export interface ServerContext {
  /** From node's HTTP server; absent when a test calls `fetch` directly. */
  readonly req?: IncomingMessage;
  /** Whose request it is. */
  session?: Session;
}

/** Makes what resolvers get: one operation on behalf of its caller. */
export function createContext(
  { session }: ServerContext,
  states: ActionStates,
  kept: OperationMemory,
): SchemaContext {
  if (session === undefined)
    throw new TypeError('expected the session of the request, which opens before its operation');
  const { requester, caller, client, served } = session;
  return {
    operation: new Operation(client, caller, kept, requester.signal),
    actions: states.actionsFor(caller, client, findStateActions(served.description.resources)),
    session: {
      credential: caller.credential,
      // The operation's own calls may move it.
      get expiresAt() {
        return session.expiresAt;
      },
    },
    header: requester.header,
  };
}

/** Who sent an HTTP request. */
export function requesterOf(
  request: Request,
  req: IncomingMessage | undefined,
  addressOf: AddressOf,
): Requester {
  return {
    // Of an `Authorization` that was sent twice, node tells the first alone otherwise.
    header: (name) => req?.headersDistinct[name.toLowerCase()]?.join(', ') ?? request.headers.get(name),
    address: req && addressOf(req),
    requestId: requestIdOf(request),
    signal: request.signal,
  };
}

const requestIds = new WeakMap<Request, string>();

/** The id of a request: the client's `X-Request-Id` where it is a plain word, else a new one. */
export function requestIdOf(request: Request): string {
  let id = requestIds.get(request);
  if (id === undefined) {
    const given = request.headers.get('x-request-id') ?? '';
    id = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    requestIds.set(request, id);
  }
  return id;
}
