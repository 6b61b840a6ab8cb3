// Makes the context of GraphQL operations.
import { ownerOf } from '../callers/client-address.ts';
import type { Requester, Session } from '../callers/session.ts';
import { Operation } from '../loaders/operation.ts';
import type { SharedState } from '../loaders/shared-state.ts';
import type { ObservedOperation, Observer } from '../observer.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { CallerActions, Watcher } from '../upstream/actions/watcher.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import { CallerApi } from './caller-api.ts';
import type { OperationParams, OperationRequest } from './operation-request.ts';
import type { OperationPlugin } from './plugin.ts';

/** The context of resolvers that users of the library add, with what their option `context` adds. */
export interface ResolverContext extends Readonly<Record<string, unknown>> {
  /** Calls actions of the management API on behalf of the caller. */
  readonly api: CallerApi;
  /** Reads a header of the request, or a key of `connectionParams`. */
  readonly header: HeaderReader;
}

/** Returns what a user of the library adds to the context of an operation. */
export type AddContext<Added extends object = object> = (requester: Requester) => Added | Promise<Added>;

/** What contexts are made from. */
export interface ContextSource {
  readonly watcher: Watcher;
  readonly shared: SharedState;
  readonly observer: Observer;
}

/** Returns the running actions of a session's caller. */
export const actionsOf = (
  { caller, client, served }: Session,
  watcher: Watcher,
  observed: ObservedOperation | undefined,
): CallerActions => watcher.actionsFor(ownerOf(caller), caller, client, served.actionStates, observed);

/** What resolvers and plugins get: one operation on behalf of its caller. Plugins may add properties. */
export class OperationContext implements SchemaContext {
  [added: string]: unknown;
  readonly operation: Operation;
  readonly session: Session;
  /** Reads a header of the request, or a key of `connectionParams`. */
  readonly header: HeaderReader;
  readonly api: CallerApi;
  readonly actions: CallerActions;
  /** What the client has sent. */
  readonly params: OperationParams;

  constructor(
    { report }: OperationRequest,
    params: OperationParams,
    session: Session,
    { watcher, shared }: ContextSource,
  ) {
    this.params = params;
    const { requester, caller, client, served } = session;
    this.operation = new Operation(client, caller, shared, requester.leaving, report?.observed);
    if (report !== null) report.operation = this.operation;
    this.session = session;
    this.header = requester.header;
    this.api = new CallerApi(this.operation, served.description);
    this.actions = actionsOf(session, watcher, report?.observed);
  }
}

/** Makes the plugin for the option `context` of the library. The names of the facade's own context win. */
export const useAddedContext = (addContext: AddContext): OperationPlugin => ({
  async onContextBuilding({ context, extendContext }) {
    const { session } = context as OperationContext;
    extendContext({ ...(await addContext(session.requester)), ...context });
  },
});
