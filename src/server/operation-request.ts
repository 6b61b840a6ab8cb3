// Defines what a transport passes to the pipeline, checks the parameters in it, and makes the context of its resolvers.
import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type OperationDefinitionNode,
} from 'graphql';
import { ownerOf, type Requester } from '../callers/requester.ts';
import type { Session } from '../callers/session.ts';
import { Operation } from '../loaders/operation.ts';
import type { SharedState } from '../loaders/shared-state.ts';
import type { ObservedOperation } from '../observer.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { CallerActions, Watcher } from '../upstream/actions/watcher.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import { isObject } from '../upstream/json.ts';
import { CallerApi } from './caller-api.ts';
import type { Allowance } from './cost/cost-limit.ts';
import type { OperationReport } from './operation-report.ts';
import type { AdmittedOperation, Executed } from './plugin.ts';

/** One operation as a transport has received it, and what the pipeline finds out about it. */
export interface OperationRequest {
  readonly requester: Requester;
  /** Reads what the client has sent as its parameters. Nothing has checked them. @throws when they cannot be read. */
  readSent(): unknown;
  /** Absent or null when nobody observes the operation. The transport begins and ends it. */
  readonly report?: OperationReport | null;
  /** Reads a header of this operation alone; null for none. Absent where headers are those of a connection. */
  readonly ownHeader?: HeaderReader;
  /** Whether the client takes the result of `@defer` and `@stream` in parts; by default it gets the whole result at once. */
  readonly acceptsParts?: boolean;
  /** What a live query becomes: a stream of results, one result with a warning (default), or one of its executions. */
  readonly liveAs?: 'stream' | 'result' | 'execution';
  /** Called when the operation is known; a live query comes again as a subscription. @throws the error of one that the transport does not carry out. */
  admit?(definition: Pick<OperationDefinitionNode, 'operation'>): void;
  /** Takes the place of the execution, for a transport that has another result. */
  execute?(operation: AdmittedOperation): ExecutionResult;
  /** Whether its document is one that the operator trusts. Set when its parameters are read. */
  isTrusted?: boolean;
  /** Whether errors may not show names of the schema. Set when the session is open. */
  hidesSchema?: boolean;
  /** What is left of the client’s budget; null or absent where that is unknown. */
  allowance?: Allowance | null;
  /** The estimated cost. Absent before the estimate. */
  estimate?: number;
  /** The cause for which it was not executed, which the client does not get. Absent when it was executed. */
  refusal?: unknown;
}

/** What an error does where the type is non-null: null takes the place of the value, or of the nearest nullable parent. */
export type OnError = 'NULL' | 'PROPAGATE';

/** The parameters of an operation, after its document is found. */
export interface OperationParams {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
  /** Default: `PROPAGATE`. */
  readonly onError?: OnError | null | undefined;
}

const NAMES: ReadonlySet<string> = new Set([
  'query',
  'documentId',
  'variables',
  'operationName',
  'extensions',
  'onError',
]);

/** Checks what a client has sent as the parameters of an operation. @throws GraphQLError with the status 400, which says what is wrong. */
export function readParams(sent: unknown): OperationParams {
  if (!isObject(sent)) throw refuse(`The parameters of an operation must be an object, not ${kindOf(sent)}.`);
  for (const name of Object.keys(sent))
    if (!NAMES.has(name) && sent[name] != null)
      throw refuse(`Unexpected parameter "${name}" in the request body.`);
  const { query, variables, extensions, operationName, onError } = sent;
  if (query == null) throw refuse('Must provide query string.');
  checkParam('query', 'a string', typeof query === 'string', query);
  checkParam('variables', 'an object', variables == null || isObject(variables), variables);
  checkParam('extensions', 'an object', extensions == null || isObject(extensions), extensions);
  const isName = operationName == null || typeof operationName === 'string';
  checkParam('operationName', 'a string', isName, operationName);
  if (onError != null && onError !== 'NULL' && onError !== 'PROPAGATE')
    throw refuse('The parameter "onError" must be NULL or PROPAGATE.');
  return sent as unknown as OperationParams;
}

function checkParam(name: string, expected: string, isValid: boolean, value: unknown): void {
  if (!isValid) throw refuse(`The parameter "${name}" must be ${expected}, not ${kindOf(value)}.`);
}

/**
 * Whether a client wants the estimated cost of an operation instead of its result: by `extensions.estimateOnly`, or the header
 * `Estimate-Only: true` of a request over HTTP.
 * @throws GraphQLError with the status 400 for other values.
 */
export function wantsEstimate(
  { ownHeader }: Pick<OperationRequest, 'ownHeader'>,
  { extensions }: Pick<OperationParams, 'extensions'>,
): boolean {
  const inBody = extensions?.['estimateOnly'] ?? false;
  if (typeof inBody !== 'boolean') throw refuse('The extension "estimateOnly" must be true or false.');
  const inHeader = ownHeader?.('estimate-only')?.trim().toLowerCase() ?? 'false';
  if (inHeader !== 'true' && inHeader !== 'false')
    throw refuse('The header Estimate-Only must be true or false.');
  return inBody || inHeader === 'true';
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Makes the error of a request that is no operation. */
export const refuse = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { http: { status: 400 } } });

/** What contexts are made from. */
export interface ContextSource {
  readonly watcher: Watcher;
  readonly shared: SharedState;
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
  /** What the client has sent. */
  readonly params: OperationParams;
  /** Takes the place of the planned execution; null where no plugin has set it. */
  operationExecutor: ((args: ExecutionArgs) => Promise<Executed>) | null = null;
  readonly #watcher: Watcher;
  readonly #observed: ObservedOperation | undefined;
  #api: CallerApi | null = null;
  #actions: CallerActions | null = null;

  constructor(
    { report }: OperationRequest,
    params: OperationParams,
    session: Session,
    { watcher, shared }: ContextSource,
  ) {
    const { requester, caller, client } = session;
    this.#watcher = watcher;
    this.#observed = report?.observed;
    this.params = params;
    this.operation = new Operation(client, caller, shared, requester.leaving, this.#observed);
    if (report) report.operation = this.operation;
    this.session = session;
    this.header = requester.header;
  }

  get api(): CallerApi {
    this.#api ??= new CallerApi(this.operation, this.session.served.description);
    return this.#api;
  }

  get actions(): CallerActions {
    this.#actions ??= actionsOf(this.session, this.#watcher, this.#observed);
    return this.#actions;
  }
}
