// Makes the context of GraphQL operations, and reads requesters from HTTP requests.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { ResponseCookie } from '../auth/response-cookie.ts';
import { type AddressOf, networkOf } from '../callers/client-address.ts';
import { Operation, type OperationMemory } from '../loaders/operation.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { ActionStates } from '../upstream/actions/action-states.ts';
import type { HeaderReader } from '../upstream/http/authentication.ts';
import type { Allowance } from './cost/cost-budget.ts';
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
  /** Set when the request is first asked for its id. */
  requestId?: string;
  /** The cookie of the response. Set before the session is opened, because failed responses carry it too. */
  cookie?: ResponseCookie;
  /** What is left of the client's budget. Set when the operation has been charged. */
  allowance?: Allowance;
  /** An operation that the fast path has executed, and whose response yoga makes. */
  executed?: {
    readonly params: GraphQLParams;
    readonly result: ExecutionResult | AsyncIterable<ExecutionResult>;
  };
}

/** A plugin of the GraphQL server. */
export type ServerPlugin = Plugin<ServerContext, ServerContext>;

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
export function readRequester(request: Request, context: ServerContext, addressOf: AddressOf): Requester {
  const { req } = context;
  return {
    header: req === undefined ? (name) => request.headers.get(name) : createRequestReader(req),
    address: req && addressOf(req),
    requestId: requestIdOf(request, context),
    signal: request.signal,
  };
}

/** Makes a reader of the headers of node's request. It joins repeated headers. */
function createRequestReader(req: IncomingMessage): HeaderReader {
  const { headers, rawHeaders } = req;
  // Without repetitions, `headers` has all, and takes no time; with them, only the first of two `Authorization` headers.
  if (rawHeaders.length !== 2 * Object.keys(headers).length)
    return (name) => req.headersDistinct[name.toLowerCase()]?.join(', ') ?? null;
  return (name) => {
    const lowerCase = name.toLowerCase();
    return Object.hasOwn(headers, lowerCase) ? String(headers[lowerCase]) : null;
  };
}

/** The id of a request: the client's `X-Request-Id` when it is a plain word, else a random one. */
export function requestIdOf(request: Request, context: ServerContext): string {
  if (context.requestId === undefined) {
    const given = request.headers.get('x-request-id') ?? '';
    context.requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  }
  return context.requestId;
}
