// Makes the context of GraphQL operations.
import { networkOf } from '../callers/client-address.ts';
import type { Requester, Session } from '../callers/session.ts';
import { Operation } from '../loaders/operation.ts';
import type { SharedState } from '../loaders/shared-state.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { Watcher } from '../upstream/actions/watcher.ts';
import type { Caller, HeaderReader } from '../upstream/http/caller.ts';
import { CallerApi } from './caller-api.ts';
import type { OperationReport } from './reports/operation-report.ts';

/** What resolvers and plugins get. */
export interface OperationContext extends SchemaContext {
  readonly session: Session;
  readonly api: CallerApi;
  /** Reads a header of the request, or a key of `connectionParams`. */
  readonly header: HeaderReader;
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

/** What contexts are made from. */
export interface ContextSource {
  readonly watcher: Watcher;
  readonly shared: SharedState;
  /** Null: nothing is added. */
  readonly addContext: AddContext | null;
}

/** Makes the context that resolvers get: one operation on behalf of its caller. The names of the facade's own context win. */
export async function createContext(
  session: Session,
  report: OperationReport | null,
  { watcher, shared, addContext }: ContextSource,
): Promise<OperationContext> {
  const { requester, caller, client, served } = session;
  const operation = new Operation(client, caller, shared, requester.leaving, report?.observed);
  if (report !== null) report.operation = operation;
  const context: OperationContext = {
    operation,
    session,
    header: requester.header,
    actions: watcher.actionsFor(pollerKeyOf(caller), caller, client, served.actionStates, report?.observed),
    api: new CallerApi(operation, served.description),
  };
  return addContext === null ? context : { ...(await addContext(requester)), ...context };
}

/** Anonymous callers share pollers and limits with their network only. */
const pollerKeyOf = ({ credential, address, key }: Caller): string =>
  credential === null ? networkOf(address ?? '') : key;
