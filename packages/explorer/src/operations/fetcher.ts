// Sends the operations of the editor, and reports them to the panels.
import type { GraphiQL } from 'graphiql';
import type { ExecutionResult } from 'graphql';
import { createClient } from 'graphql-sse';
import type { ComponentProps } from 'react';
import { endpoint } from '../config.ts';
import { errorText } from '../error-text.ts';
import { post } from '../session/execute.ts';
import { session } from '../session/session.ts';
import {
  beginOperation,
  type OperationReport,
  type OperationShape,
  type Progress,
  type ResponseCost,
  type TracedCall,
} from './last-operation.ts';
import { readShape } from './read-shape.ts';

type Fetcher = ComponentProps<typeof GraphiQL>['fetcher'];
type Params = Parameters<Fetcher>[0];
type Observable = Exclude<ReturnType<Fetcher>, Promise<unknown>>;
interface Observer {
  readonly next: (value: ExecutionResult) => void;
  readonly complete: () => void;
}

const INTROSPECTION = 'IntrospectionQuery';
const TRACE = 'x-trace';

/** An operation under way. */
interface Sent {
  readonly params: Params;
  readonly headers: Headers;
  readonly shape: OperationShape;
  /** Null for an introspection, which the panels do not show. */
  readonly report: OperationReport | null;
  /** Whether the user has asked for the trace, which then stays in the result. */
  readonly showsTrace: boolean;
  readonly usesSession: boolean;
  /** As `performance.now()`. */
  readonly sentAt: number;
}

/** Sends an operation. It answers each failure with a result that has `errors`, never by throwing. */
export const sendOperation: Fetcher = (params, options) =>
  send(params, options).catch((error: unknown) =>
    failure(`The operation cannot be sent. ${errorText(error)}`),
  );

async function send(params: Params, options: Parameters<Fetcher>[1]) {
  const isIntrospection = params.operationName === INTROSPECTION;
  // GraphiQL asks for the schema before the header editor has its content.
  const given = options?.headers ?? (isIntrospection ? session.defaultHeaders : {});
  const { headers, usesSession } = session.authorize(given);
  const showsTrace = headers.has(TRACE);
  if (!isIntrospection) headers.set(TRACE, '1');
  const shape = readShape(params.query, params.operationName ?? null);
  const named = { ...params, operationName: shape.name };
  const report = isIntrospection ? null : beginOperation(shape);
  const sent: Sent = {
    params: named,
    headers,
    shape,
    report,
    showsTrace,
    usesSession,
    sentAt: performance.now(),
  };
  if (shape.isStream) return { subscribe: (observer: Observer) => subscribe(sent, observer) } as Observable;
  const response = await post(named, headers).catch(() => null);
  const result = await readResult(sent, response, 'The server cannot be reached; try again in a moment.');
  report?.end();
  return result;
}

/** Reads the result of a response. @param lost What the result says where there is no response. */
async function readResult(sent: Sent, response: Response | null, lost: string): Promise<ExecutionResult> {
  if (response === null) return failure(lost);
  if (sent.usesSession && response.status === 401) void session.check();
  const text = await response.text().catch(() => '');
  const status = `The server answered with HTTP status ${response.status} and without a result.`;
  const result = tryParseResult(text) ?? failure(status);
  reportResponse(sent, response.status, new Blob([text]).size, result);
  return takeTrace(sent, result);
}

function tryParseResult(text: string): ExecutionResult | null {
  try {
    return JSON.parse(text) as ExecutionResult;
  } catch {
    return null;
  }
}

/** Reports a response with its first result. @param size Bytes; null for a stream. */
function reportResponse(
  { report, sentAt }: Sent,
  status: number,
  size: number | null,
  { extensions }: ExecutionResult,
): void {
  const cost = (extensions?.['cost'] as ResponseCost | undefined) ?? null;
  report?.addResponse({ status, ms: Math.round(performance.now() - sentAt), size, cost });
}

const failure = (message: string): ExecutionResult =>
  ({ errors: [{ message }] }) as unknown as ExecutionResult;

/** Subscribes by server-sent events. Each event is a result or a part of one. */
function subscribe(sent: Sent, observer: Observer): { unsubscribe: () => void } {
  const { params, headers, shape, report } = sent;
  const client = createClient({ url: endpoint, headers: Object.fromEntries(headers), retryAttempts: 0 });
  const request = { query: params.query, variables: params.variables, operationName: params.operationName };
  const end = (): void => {
    report?.end();
    observer.complete();
  };
  let isFirst = true;
  const dispose = client.subscribe(request as { query: string }, {
    next(value) {
      if (isFirst) reportResponse(sent, 200, null, value as ExecutionResult);
      isFirst = false;
      const result = takeTrace(sent, value as ExecutionResult);
      if (shape.isSubscription) reportStates(result, report);
      if (shape.isLive) report?.addResult(readInterval(result));
      observer.next(result);
    },
    error(error) {
      const response = error instanceof Error && 'response' in error ? error.response : null;
      const lost = 'The connection to the server was lost; execute the operation again.';
      void readResult(sent, response instanceof Response ? response : null, lost).then((result) => {
        observer.next(result);
        end();
      });
    },
    complete: end,
  });
  return {
    unsubscribe: () => {
      dispose();
      report?.stop();
    },
  };
}

/** Passes the trace to the panel. It stays in the result only where the user has asked for it. */
function takeTrace({ report, showsTrace }: Sent, result: ExecutionResult): ExecutionResult {
  if (result.data) report?.addData(result.data);
  const upstream = result.extensions?.['upstream'] as { trace?: TracedCall[]; ms?: number } | undefined;
  if (upstream?.trace === undefined) return result;
  const { trace, ...rest } = upstream;
  report?.addCalls(trace, rest.ms ?? 0);
  return showsTrace ? result : { ...result, extensions: { ...result.extensions, upstream: rest } };
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
