// Sends the operations of the editor, and reports them to the panels.
import type { GraphiQL } from 'graphiql';
import type { ExecutionResult } from 'graphql';
import { createClient } from 'graphql-sse';
import type { ComponentProps } from 'react';
import { endpoint } from '../config.ts';
import type { PageSession } from '../session/session.ts';
import type {
  OperationMonitor,
  OperationReport,
  OperationShape,
  Progress,
  TracedCall,
} from './last-operation.ts';
import { readShape } from './read-shape.ts';

/** GraphiQL's function that sends an operation. */
export type Fetcher = ComponentProps<typeof GraphiQL>['fetcher'];
type Params = Parameters<Fetcher>[0];

const INTROSPECTION = 'IntrospectionQuery';
const TRACE = 'x-trace';

/** Makes the function that sends operations. It answers each failure with a result that has `errors`, never by throwing. */
export function createFetcher(session: PageSession, monitor: OperationMonitor): Fetcher {
  return async (params, options) => {
    const isIntrospection = params.operationName === INTROSPECTION;
    // GraphiQL asks for the schema before the header editor has its content.
    const given = options?.headers ?? (isIntrospection ? session.defaultHeaders : {});
    const { headers, usesSession } = session.authorize(given);
    const showsTrace = headers.has(TRACE);
    if (!isIntrospection) headers.set(TRACE, '1');
    const shape = readShape(params.query, params.operationName ?? null);
    const named = { ...params, operationName: shape.name };
    const report = isIntrospection ? null : monitor.begin(shape);
    const finish = (result: ExecutionResult): ExecutionResult => reportResult(result, report, showsTrace);
    const checkSession = (status: number): void => {
      if (usesSession && status === 401) void session.check();
    };
    if (shape.isStream) return stream(named, headers, shape, { finish, report, checkSession });
    const result = await send(named, headers, checkSession);
    const finished = finish(result);
    report?.end();
    return finished;
  };
}

const failure = (message: string): ExecutionResult =>
  ({ errors: [{ message }] }) as unknown as ExecutionResult;

async function send(
  params: Params,
  headers: Headers,
  checkSession: (status: number) => void,
): Promise<ExecutionResult> {
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json, application/json;q=0.9');
  const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(params) }).catch(
    () => null,
  );
  if (response === null) return failure('The server cannot be reached; try again in a moment.');
  checkSession(response.status);
  return response
    .json()
    .catch(() => failure(`The server answered with HTTP status ${response.status} and without a result.`));
}

interface StreamHooks {
  readonly finish: (result: ExecutionResult) => ExecutionResult;
  readonly report: OperationReport | null;
  readonly checkSession: (status: number) => void;
}

/** Subscribes by server-sent events. Each event is a result or a part of one. */
function stream(
  params: Params,
  headers: Headers,
  shape: OperationShape,
  { finish, report, checkSession }: StreamHooks,
) {
  const client = createClient({ url: endpoint, headers: Object.fromEntries(headers), retryAttempts: 0 });
  const request = { query: params.query, variables: params.variables, operationName: params.operationName };
  return {
    subscribe(observer: { next: (value: ExecutionResult) => void; complete: () => void }) {
      const end = (): void => {
        report?.end();
        observer.complete();
      };
      const dispose = client.subscribe(request as { query: string }, {
        next(value) {
          const result = finish(value as ExecutionResult);
          if (shape.isSubscription) reportStates(result, report);
          if (shape.isLive) report?.addResult(readInterval(result));
          observer.next(result);
        },
        error(error) {
          void describeFailure(error, checkSession).then((result) => {
            observer.next(result);
            end();
          });
        },
        complete: end,
      });
      return {
        unsubscribe: () => {
          dispose();
          report?.end();
        },
      };
    },
  } as Exclude<ReturnType<Fetcher>, Promise<unknown>>;
}

async function describeFailure(
  error: unknown,
  checkSession: (status: number) => void,
): Promise<ExecutionResult> {
  const response = error instanceof Error && 'response' in error ? error.response : null;
  if (!(response instanceof Response))
    return failure('The connection to the server was lost; execute the operation again.');
  checkSession(response.status);
  return response.json().catch(() => failure(`The server answered with HTTP status ${response.status}.`));
}

/** Passes the trace to the panel. It stays in the result only where the user has asked for it. */
function reportResult(
  result: ExecutionResult,
  report: OperationReport | null,
  showsTrace: boolean,
): ExecutionResult {
  const upstream = result.extensions?.['upstream'] as { trace?: TracedCall[]; ms?: number } | undefined;
  if (upstream?.trace === undefined) return result;
  report?.addCalls(upstream.trace, upstream.ms ?? 0);
  if (showsTrace) return result;
  const { trace: _trace, ...rest } = upstream;
  return { ...result, extensions: { ...result.extensions, upstream: rest } };
}

/** Seconds between two executions of a live query; null where it is not live. */
function readInterval({ extensions }: ExecutionResult): number | null {
  const live = extensions?.['live'] as { readonly interval: number } | undefined;
  return live?.interval ?? null;
}

function reportStates({ data }: ExecutionResult, report: OperationReport | null): void {
  for (const state of Object.values((data ?? {}) as Record<string, Progress | null>))
    if (state !== null && typeof state === 'object' && ('progress' in state || 'outcome' in state))
      report?.addState(state);
}
