// Makes the context of GraphQL operations, and reads requesters from HTTP requests.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AddressOf, networkOf } from '../callers/client-address.ts';
import { Operation, type OperationMemory } from '../loaders/operation.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { ActionStates } from '../upstream/actions/action-states.ts';
import type { Requester, Session } from './session.ts';
import type { OperationReport } from './telemetry/operation-report.ts';

/** What a transport knows of a request. */
export interface ServerContext {
  /** The request of node's HTTP server; absent when a test calls `fetch`. */
  readonly req?: IncomingMessage;
  /** Set before the operation is executed. */
  session?: Session;
  /** What is reported of the operation; absent when nobody observes operations. */
  report?: OperationReport | undefined;
  /** Who sent the HTTP request; absent before that was read. */
  requester?: Requester;
  /** The parameters of the operation. */
  readonly params?: { readonly operationName?: string | null | undefined };
}

/** What resolvers and plugins get. */
export interface OperationContext extends SchemaContext {
  readonly session: Session;
}

/** Makes the context that resolvers get: one operation on behalf of its caller. */
export function createContext(
  { session, report }: ServerContext,
  states: ActionStates,
  remembered: OperationMemory,
): OperationContext {
  if (session === undefined) throw new TypeError('expected the session to be open before its operation');
  const { requester, caller, client, served } = session;
  const operation = new Operation(client, caller, remembered, requester.signal, report?.observed);
  if (report !== undefined) report.operation = operation;
  return {
    operation,
    actions: states.actionsFor(
      // Anonymous callers share pollers and limits with their network only.
      caller.credential === null ? networkOf(caller.address ?? '') : caller.key,
      caller,
      client,
      served.stateActions,
      report?.observed,
    ),
    session,
    header: requester.header,
  };
}

/** The requester of an HTTP request. */
export function readRequester(
  request: Request,
  req: IncomingMessage | undefined,
  addressOf: AddressOf,
): Requester {
  return {
    // `headers` would contain only the first of two `Authorization` headers.
    header: (name) => req?.headersDistinct[name.toLowerCase()]?.join(', ') ?? request.headers.get(name),
    address: req && addressOf(req),
    requestId: requestIdOf(request),
    signal: request.signal,
  };
}

const requestIds = new WeakMap<Request, string>();

/** The id of a request: the client's `X-Request-Id` when it is a plain word, else a random one. */
export function requestIdOf(request: Request): string {
  let id = requestIds.get(request);
  if (id === undefined) {
    const given = request.headers.get('x-request-id') ?? '';
    id = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    requestIds.set(request, id);
  }
  return id;
}
