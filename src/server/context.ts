import { randomUUID } from 'node:crypto';
import type { YogaInitialContext } from 'graphql-yoga';
import { Operation } from '../loaders/operation.ts';
import { type HeaderReader, readCredential } from '../upstream/authentication.ts';
import type { ActionClient, Caller } from '../upstream/client.ts';
import type { AuthenticationMethods } from '../upstream/description.ts';

/** What the HTTP server knows of a request besides its head; absent when a test calls `fetch` directly. */
export interface ServerContext {
  readonly req?: { readonly socket: { readonly remoteAddress?: string | undefined } };
}

/** What one operation runs with. */
export interface OperationContext extends YogaInitialContext {
  readonly operation: Operation;
}

/**
 * Makes what resolvers get: one operation on behalf of the request's caller.
 * @throws AmbiguousCredentialsError, UnsupportedCredentialsError
 */
export function createContext(
  { request, req }: YogaInitialContext & ServerContext,
  client: ActionClient,
  methods: AuthenticationMethods,
): { readonly operation: Operation } {
  const header: HeaderReader = (name) => request.headers.get(name);
  const caller: Caller = {
    credential: readCredential(header, methods),
    headers: passedOn(header, requestIdOf(request), req?.socket.remoteAddress),
  };
  return { operation: new Operation(client, caller, request.signal) };
}

/** Besides the credential only the language, the client's address and the request id go upstream. */
function passedOn(
  header: HeaderReader,
  requestId: string,
  address: string | undefined,
): Record<string, string> {
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
