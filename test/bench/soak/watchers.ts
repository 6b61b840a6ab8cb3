// Callers who watch running actions over WebSockets and server-sent events, lose their connection and come again.
import { setTimeout as pause } from 'node:timers/promises';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { fetch } from 'undici';
import WebSocket from 'ws';
import type { Ledger } from './ledger.ts';
import { type AnswerError, type Client, chance, type Load, pick, randomInt } from './load.ts';
import { createSnapshot, type Places } from './writers.ts';

/** Time in which a watched action must end, with all reconnects and faults. The sandbox forgets it after that. Milliseconds. */
const LONGEST_WATCH = 50_000;

const ONE = 'subscription ($id: ID!) { state: actionProgress(id: $id, minInterval: 0.1) { id outcome } }';
const MANY = 'subscription ($id: ID!) { state: actionProgressMany(ids: [$id]) { id outcome } }';

interface Stream {
  readonly events: AsyncIterableIterator<unknown>;
  /** Breaks the connection; the client opens another one by itself. */
  breakConnection(): void;
  close(): void;
}

/** Starts actions and watches each to its end, until the load ends. */
export function runWatcher(load: Load, client: Client, ledger: Ledger, places: Places): Promise<void> {
  return load.repeat(
    client.role,
    () => randomInt(50, 500),
    async () => {
      const id = await createSnapshot(load, client, ledger, places, null);
      if (id !== null) await watch(load, client, id);
    },
  );
}

/** Watches an action to its end. Comes again after it has left, and after errors that are retryable. */
async function watch(load: Load, client: Client, id: string): Promise<void> {
  const { role } = client;
  load.count(role, 'watched');
  const deadline = Date.now() + LONGEST_WATCH;
  let leavings = randomInt(0, 2);
  let last = 'nothing';
  while (Date.now() < deadline && !load.isFacadeGone()) {
    const startedAt = Date.now();
    const stream = chance(0.5) ? overWebSocket(load, client, id) : overSse(load, client, id);
    const expiry = setTimeout(() => stream.close(), deadline - Date.now());
    try {
      let hasLeft = false;
      for await (const event of stream.events) {
        const { data, errors } = event as { data?: { state: { outcome: string } }; errors?: AnswerError[] };
        if (errors !== undefined) throw errors;
        last = data?.state.outcome ?? 'no data';
        if (last !== 'RUNNING') continue;
        if (chance(0.2)) {
          stream.breakConnection();
          load.count(role, 'connections broken');
        } else if (leavings > 0 && chance(0.4)) {
          leavings -= 1;
          hasLeft = true;
          break;
        }
      }
      if (hasLeft) {
        load.count(role, 'left and came again');
      } else {
        if (last === 'SUCCEEDED') load.count(role, 'final states');
        else load.noteUnexplained(role, 'ended without final state', `${id}: ${last}`);
        return;
      }
    } catch (error) {
      load.noteErrors(role, toErrors(error), startedAt);
    } finally {
      clearTimeout(expiry);
      stream.close();
    }
    await pause(randomInt(10, 500));
  }
  load.noteUnexplained(role, 'no final state', `${id}: ${last}`);
}

function overWebSocket(load: Load, client: Client, id: string): Stream {
  const { 'x-forwarded-for': address, ...credential } = load.headersOf(client);
  const webSocketImpl = class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: { 'x-forwarded-for': address } });
    }
  };
  const wsClient = createWsClient({
    url: load.url.replace('http', 'ws'),
    webSocketImpl,
    connectionParams: credential,
    retryAttempts: 10,
    retryWait: () => pause(randomInt(10, 300)),
    shouldRetry: () => true,
  });
  return {
    events: wsClient.iterate({ query: pick([ONE, MANY]), variables: { id } }),
    breakConnection: () => wsClient.terminate(),
    close: () => void wsClient.dispose(),
  };
}

function overSse(load: Load, client: Client, id: string): Stream {
  const streams = new Set<AbortController>();
  const sseClient = createSseClient({
    url: load.url,
    headers: load.headersOf(client),
    retryAttempts: 10,
    retry: () => pause(randomInt(10, 300)),
    fetchFn: (url: string, init: { signal: AbortSignal }) => {
      const lost = new AbortController();
      streams.add(lost);
      return fetch(url, {
        ...init,
        dispatcher: load.agent,
        signal: AbortSignal.any([init.signal, lost.signal]),
      });
    },
  });
  return {
    events: sseClient.iterate({ query: pick([ONE, MANY]), variables: { id } }),
    breakConnection: () => {
      for (const lost of streams) lost.abort(new TypeError('the connection is lost'));
      streams.clear();
    },
    close: () => sseClient.dispose(),
  };
}

/** The errors of an answer; one without a code for a client's failure. */
function toErrors(error: unknown): readonly AnswerError[] {
  if (Array.isArray(error)) return error;
  const { code, reason, message } = error as { code?: number; reason?: string; message?: string };
  return [{ message: code === undefined ? (message ?? String(error)) : `closed with ${code} ${reason}` }];
}
