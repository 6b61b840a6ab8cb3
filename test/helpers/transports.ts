// Sends the same operation over each transport.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { recordOutput } from './secrecy.ts';

/** A result as the client of any transport gets it. */
export interface Result {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
  readonly extensions?: Record<string, unknown>;
}

/** An operation to send. */
export interface OperationRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** Sends an operation, and returns its first result. */
export type Send = (
  url: string,
  request: OperationRequest,
  headers?: Record<string, string>,
) => Promise<Result>;

const sendOverHttp: Send = async (url, request, headers = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  });
  return record((await response.json()) as Result);
};

const sendOverSse: Send = async (url, request, headers = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(request),
  });
  const [, json = 'null'] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  return record(JSON.parse(json) as Result);
};

const sendOverWebSocket: Send = async (url, request, headers = {}) => {
  const client = createClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: headers,
    retryAttempts: 0,
  });
  try {
    const { value } = await client.iterate(request).next();
    return record(value as Result);
  } catch (errors) {
    // The client throws the errors of a message of the type `error`.
    if (!Array.isArray(errors)) throw errors;
    return record({ errors } as Result);
  } finally {
    await client.dispose();
  }
};

function record(result: Result): Result {
  recordOutput('an error', JSON.stringify(result.errors ?? []));
  recordOutput('extensions', JSON.stringify(result.extensions ?? {}));
  return result;
}

/** All transports, by name, as rows of `describe.each`. */
export const TRANSPORTS: readonly (readonly [name: string, send: Send])[] = [
  ['HTTP', sendOverHttp],
  ['SSE', sendOverSse],
  ['WebSocket', sendOverWebSocket],
];
