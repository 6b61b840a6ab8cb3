// Runs Hive Gateway, a router of Apollo Federation, over a management API and the notes about it.
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { subgraphSDL } from '../../../src/plugins/federation/federation.ts';
import { startServer } from '../../../src/server/server.ts';
import { type Pair, startPair } from '../../helpers/facade.ts';
import { NOTES, type NotesSubgraph, startNotes } from '../../helpers/notes-subgraph.ts';
import { listen } from '../../helpers/plain-server.ts';
import type { ResultError } from '../../helpers/transports.ts';

/** The response of a router, and what it cost. */
export interface RouterResult<Data> {
  readonly data: Data | null;
  readonly errors: readonly ResultError[];
  /** The number of calls of the management API. */
  readonly calls: number;
}

/** A router with its subgraphs. */
export interface Router extends AsyncDisposable {
  /** Address of the router. */
  readonly url: string;
  readonly pair: Pair;
  readonly notes: NotesSubgraph;
  /** Sends an operation to the router. */
  ask<Data = Record<string, unknown>>(
    query: string,
    login: 'admin' | 'user' | null,
  ): Promise<RouterResult<Data>>;
}

/** How subscriptions reach the management API: over server-sent events, or over a WebSocket. */
export type Subscriptions = keyof typeof CREDENTIALS;

/** How a router passes on the credential of each request: in its header, or only in `connectionParams` of WebSockets. */
const CREDENTIALS = {
  sse: (header: string) => ({
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }: { readonly request: Request }) => {
        const value = request.headers.get(header);
        return value === null ? {} : { [header]: value };
      },
    },
  }),
  ws: (header: string) => {
    const options = { connectionParams: { [header]: `{context.headers.${header}}` } };
    const subscriptions = { kind: 'ws', location: '/graphql', options };
    return { transportEntries: { api: { options: { subscriptions } } } };
  },
};

/** Starts a router whose schema is composed from that of the administrator. */
export async function startRouter(
  authors: readonly string[],
  subscriptions: Subscriptions = 'sse',
): Promise<Router> {
  const pair = await startPair({ sandbox: { step: 'manual' }, facade: { federation: true } });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const notes = await startNotes(authors);
  const { supergraphSdl = '' } = composeServices([
    { name: 'api', url: server.url, typeDefs: parse(subgraphSDL(pair.facade.schema.schema)) },
    { name: 'notes', url: notes.url, typeDefs: parse(NOTES) },
  ]);
  const gateway = createGatewayRuntime({
    supergraph: supergraphSdl,
    logging: false,
    ...CREDENTIALS[subscriptions](pair.sandbox.tokenHeader.toLowerCase()),
  });
  const listening = await listen(gateway);
  const url = `${listening.url}graphql`;
  return {
    url,
    pair,
    notes,
    async ask<Data>(query: string, login: 'admin' | 'user' | null) {
      const before = pair.calls.length;
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(login === null ? {} : pair.headers(login)) },
        body: JSON.stringify({ query }),
      });
      const { data = null, errors = [] } = (await response.json()) as Partial<RouterResult<Data>>;
      return { data, errors, calls: pair.calls.length - before };
    },
    async [Symbol.asyncDispose]() {
      await listening.close();
      await gateway[Symbol.asyncDispose]();
      await notes[Symbol.asyncDispose]();
      await server.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}
