// Subscribes with the clients of graphql-ws and graphql-sse.
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import WebSocket from 'ws';
import { recordOutput } from './secrecy.ts';

/** A subscription. */
export interface Stream extends AsyncDisposable {
  /** Returns the next event. Undefined: the subscription has ended. Rejects with the errors that ended it. */
  next(): Promise<unknown>;
  /** Returns all remaining events. */
  rest(): Promise<unknown[]>;
  /** Ends the subscription. */
  leave(): Promise<void>;
}

/** The text of a subscription, or the text with the id of its document. */
type StreamRequest = string | { readonly query: string; readonly documentId: string };

/** Subscribes over a new WebSocket. @param headers Those of its upgrade. */
export function overWebSocket(
  url: string,
  request: StreamRequest,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Stream {
  const client = createWsClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { headers });
      }
    },
    connectionParams: params,
    retryAttempts: 0,
  });
  const events = client.iterate(typeof request === 'string' ? { query: request } : request);
  return createStream(events, async () => {
    await events.return?.();
    await client.dispose();
  });
}

/** Subscribes over server-sent events. */
export function overSse(url: string, request: StreamRequest, headers: Record<string, string> = {}): Stream {
  const client = createSseClient({ url, headers, retryAttempts: 0 });
  const events = client.iterate(typeof request === 'string' ? { query: request } : request);
  return createStream(events, async () => {
    await events.return?.();
    client.dispose();
  });
}

/** Both ways to subscribe, by name, as rows of `describe.each`. */
export const SUBSCRIBERS = [
  ['WebSocket', overWebSocket],
  ['SSE', overSse],
] as const;

function createStream(events: AsyncIterableIterator<unknown>, leave: () => Promise<void>): Stream {
  const next = async (): Promise<unknown> => {
    const { value, done } = await events.next();
    if (done === true) return undefined;
    const { data, errors } = value as { data?: unknown; errors?: readonly unknown[] };
    if (errors !== undefined) {
      recordOutput('an error of a stream', JSON.stringify(errors));
      throw errors;
    }
    return data;
  };
  return {
    next,
    async rest() {
      const all: unknown[] = [];
      for (let event = await next(); event !== undefined; event = await next()) all.push(event);
      return all;
    },
    leave,
    [Symbol.asyncDispose]: leave,
  };
}

/** Returns the codes of the errors with which a promise rejects. Empty: it resolves. */
export async function errorCodes(failing: Promise<unknown>): Promise<unknown[]> {
  try {
    await failing;
    return [];
  } catch (errors) {
    const list = Array.isArray(errors) ? errors : [errors];
    return list.map((error: { extensions?: { code?: unknown } }) => error.extensions?.code ?? String(error));
  }
}
