import { randomUUID } from 'node:crypto';
import type { YogaInitialContext } from 'graphql-yoga';
import { Operation } from '../loaders/operation.ts';
import type { SchemaContext } from '../schema/builder.ts';
import type { ActionStates } from '../upstream/action-state.ts';
import { type HeaderReader, readCredential } from '../upstream/authentication.ts';
import type { ActionClient, Caller } from '../upstream/client.ts';
import type { AuthenticationMethods } from '../upstream/description.ts';

/** Who asks, whatever the transport. */
export interface Asker {
  readonly header: HeaderReader;
  /** The client's address; undefined when it is not known. */
  readonly address: string | undefined;
  readonly requestId: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal | undefined;
}

/** What a transport tells of a request. Both are absent when a test calls `fetch` directly. */
export interface ServerContext {
  /** From node's HTTP server. */
  readonly req?: { readonly socket: { readonly remoteAddress?: string | undefined } };
  /** From a WebSocket, which has no request for each operation. */
  readonly asker?: Asker;
}

/** What of the upstream all requests share. */
export interface Upstream {
  readonly client: ActionClient;
  readonly states: ActionStates;
  readonly methods: AuthenticationMethods;
}

/**
 * Makes what resolvers get: one operation on behalf of its caller.
 * @throws AmbiguousCredentialsError, UnsupportedCredentialsError
 */
export function createContext(
  initial: YogaInitialContext & ServerContext,
  { client, states, methods }: Upstream,
): SchemaContext {
  const asker = initial.asker ?? askerOf(initial.request, initial.req?.socket.remoteAddress);
  const caller: Caller = { credential: readCredential(asker.header, methods), headers: passedOn(asker) };
  return { operation: new Operation(client, caller, asker.signal), actions: states.of(caller) };
}

function askerOf(request: Request, address: string | undefined): Asker {
  return {
    header: (name) => request.headers.get(name),
    address,
    requestId: requestIdOf(request),
    signal: request.signal,
  };
}

/** Besides the credential only the language, the client's address and the request id go upstream. */
function passedOn({ header, address, requestId }: Asker): Record<string, string> {
  const language = header('accept-language');
  return {
    'x-request-id': requestId,
    ...(language === null ? {} : { 'accept-language': language }),
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
  };
}

const requestIds = new WeakMap<Request, string>();

/** The id of a request: the client's `X-Request-Id` where it is a plain word, else a new one. */
export function requestIdOf(request: Request): string {
  let id = requestIds.get(request);
  if (id === undefined) {
    const given = request.headers.get('x-request-id') ?? '';
    id = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    requestIds.set(request, id);
  }
  return id;
}
