// Sends the same operation over each transport.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { recordOutput } from './secrecy.ts';

/** An error as the client of any transport gets it. */
export interface ResultError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Record<string, unknown>;
}

/** A result as the client of any transport gets it. */
export interface Result {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly ResultError[];
  readonly extensions?: Record<string, unknown>;
}

/** An operation to send. */
export interface OperationRequest {
  /** Absent: the operation names its document by an id. */
  readonly query?: string;
  readonly variables?: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
  readonly documentId?: string;
}

/** Sends an operation, and returns its results: one of a query or mutation, all of a subscription. */
export type SendAll = (
  url: string,
  request: OperationRequest,
  headers?: Record<string, string>,
) => Promise<readonly Result[]>;

/** Sends an operation, and returns its first result. */
export type Send = (
  url: string,
  request: OperationRequest,
  headers?: Record<string, string>,
) => Promise<Result>;

/** Sends an operation by HTTP. */
export const post = (
  url: string | URL,
  request: object,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
    signal,
  });

const sendOverHttp: SendAll = async (url, request, headers) => {
  const response = await post(url, request, headers);
  return [record((await response.json()) as Result)];
};

const sendOverSse: SendAll = async (url, request, headers) => {
  const response = await post(url, request, { accept: 'text/event-stream', ...headers });
  const text = await response.text();
  // A regular expression that captures megabytes can exceed its stack.
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  return events.map((line) => record(JSON.parse(line.slice(6)) as Result));
};

const sendOverWebSocket: SendAll = async (url, request, headers = {}) => {
  const client = createClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: headers,
    retryAttempts: 0,
  });
  const results: Result[] = [];
  try {
    for await (const result of client.iterate({ query: '', ...request }))
      results.push(record(result as Result));
  } catch (errors) {
    // The client throws the errors of a message of the type `error`.
    if (!Array.isArray(errors)) throw errors;
    results.push(record({ errors } as Result));
  } finally {
    await client.dispose();
  }
  return results;
};

function record(result: Result): Result {
  recordOutput('an error', JSON.stringify(result.errors ?? []));
  recordOutput('extensions', JSON.stringify(result.extensions ?? {}));
  return result;
}

/** Transports of subscriptions, by name. */
export const STREAMS: readonly (readonly [name: string, send: SendAll])[] = [
  ['SSE', sendOverSse],
  ['WebSocket', sendOverWebSocket],
];

const firstOf =
  (sendAll: SendAll): Send =>
  async (url, request, headers) =>
    (await sendAll(url, request, headers))[0] ?? {};

/** All transports, by name, as rows of `describe.each`. */
export const TRANSPORTS: readonly (readonly [name: string, send: Send])[] = [
  ['HTTP', firstOf(sendOverHttp)],
  ['SSE', firstOf(sendOverSse)],
  ['WebSocket', firstOf(sendOverWebSocket)],
];
