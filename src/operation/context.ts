// Makes the context of GraphQL operations.
import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { networkOf } from '../callers/client-address.ts';
import type { Requester, Session } from '../callers/session.ts';
import { Operation } from '../loaders/operation.ts';
import type { SharedState } from '../loaders/shared-state.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { HttpRequester } from '../transports/http/requester.ts';
import type { Watcher } from '../upstream/actions/watcher.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import { CallerApi } from './caller-api.ts';
import type { Allowance } from './cost/cost-budget.ts';
import type { OperationReport } from './reports/operation-report.ts';

/** What a transport knows of a request. */
export interface ServerContext {
  /** The request of node's HTTP server; absent when a test calls `fetch`. */
  readonly req?: IncomingMessage;
  /** Set before the operation is executed. */
  session?: Session;
  /** Reports the operation; absent when nobody observes operations. */
  report?: OperationReport | undefined;
  /** Who sent the HTTP request; absent until its headers are read. */
  requester?: HttpRequester;
  /** The parameters of the operation. */
  readonly params?: { readonly operationName?: string | null | undefined };
  /** Set when the request is first asked for its id. */
  requestId?: string;
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
  readonly api: CallerApi;
}

/** The context of resolvers that users of the library add, with what their option `context` adds. */
export interface ResolverContext extends Readonly<Record<string, unknown>> {
  /** Calls actions of the management API on behalf of the caller. */
  readonly api: CallerApi;
  /** Reads a header of the request, or a key of `connectionParams`. */
  readonly header: HeaderReader;
}

/** Returns what a user of the library adds to the context of an operation. */
export type AddContext = (requester: Requester) => object | Promise<object>;

/** Makes contexts with what the user of the library adds. */
export function createContextFactory(
  addContext: AddContext | null,
  create: (initial: ServerContext) => OperationContext,
): (initial: ServerContext) => OperationContext | Promise<OperationContext> {
  if (addContext === null) return create;
  return async (initial) => {
    const context = create(initial);
    return { ...(await addContext(context.session.requester)), ...context };
  };
}

/** Makes the context that resolvers get: one operation on behalf of its caller. */
export function createContext(
  { session, report }: ServerContext,
  watcher: Watcher,
  shared: SharedState,
): OperationContext {
  if (session === undefined) throw new TypeError('expected the session to be open before its operation');
  const { requester, caller, client, served } = session;
  const operation = new Operation(client, caller, shared, requester.leaving, report?.observed);
  if (report !== undefined) report.operation = operation;
  return {
    operation,
    actions: watcher.actionsFor(
      // Anonymous callers share pollers and limits with their network only.
      caller.credential === null ? networkOf(caller.address ?? '') : caller.key,
      caller,
      client,
      served.actionStates,
      report?.observed,
    ),
    session,
    api: new CallerApi(operation, served.description),
    header: requester.header,
  };
}
