// Registers and authenticates OAuth 2.0 clients.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readBasicCredentials } from '../auth/authenticate.ts';
import type { Form } from './form.ts';
import { OAuthError } from './oauth-error.ts';

/** An application that is registered with the provider. */
export interface OAuthClient {
  readonly id: string;
  readonly secret: string;
  /** Shown to the user who signs in. */
  readonly name: string;
  /**
   * Absolute URIs without a fragment. A request must use exactly one of them, except that a URI on the loopback interface
   * (127.0.0.1, ::1, localhost) accepts every port (RFC 8252, section 7.3).
   */
  readonly redirectUris: readonly string[];
}

/** The client that is registered in every sandbox. */
export const SEEDED_CLIENT: OAuthClient = {
  id: 'sandbox-client',
  secret: 'sandbox-client-secret',
  name: 'Sandbox client',
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback'],
};

/** The registered clients. */
export interface Clients {
  find(id: string): OAuthClient | undefined;
  /**
   * Authenticates the client of a request, by HTTP basic or by the body (RFC 6749, section 2.3.1).
   * @throws OAuthError when the client is unknown, its secret is wrong, or it uses both methods.
   */
  authenticate(headers: IncomingHttpHeaders, form: Form): OAuthClient;
}

/** Creates the registered clients. @throws TypeError when a redirect URI is relative or has a fragment. */
export function createClients(registered: readonly OAuthClient[]): Clients {
  const clients = new Map(registered.map((client) => [client.id, client]));
  for (const { redirectUris } of registered) for (const uri of redirectUris) checkRedirectUri(uri);

  return {
    find: (id) => clients.get(id),
    authenticate(headers, form) {
      const [id, secret] = readClientCredentials(headers.authorization, form);
      const client = clients.get(id ?? '');
      if (!client || secret === undefined || !isSame(client.secret, secret)) {
        throw new OAuthError('invalid_client', 'unknown client or wrong secret');
      }
      return client;
    },
  };
}

/** Whether a redirect URI is registered for the client. */
export function acceptsRedirectUri({ redirectUris }: OAuthClient, uri: string): boolean {
  return redirectUris.some((known) => known === uri || replacePort(known, uri) === uri);
}

type ClientCredentials = readonly [id: string | undefined, secret: string | undefined];

function readClientCredentials(authorization: string | undefined, form: Form): ClientCredentials {
  const bodyCredentials = [form.get('client_id'), form.get('client_secret')] as const;
  if (authorization === undefined) return bodyCredentials;
  const [id, secret] = readBasicCredentials(authorization)?.map(decodeFormText) ?? [];
  if (bodyCredentials[1] !== undefined || (bodyCredentials[0] !== undefined && bodyCredentials[0] !== id)) {
    throw new OAuthError('invalid_request', 'the client uses two authentication methods');
  }
  return [id, secret];
}

/** Decodes form encoding. Undefined when the text is malformed. */
function decodeFormText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function checkRedirectUri(uri: string): void {
  if (!URL.canParse(uri) || uri.includes('#')) {
    throw new TypeError(`expected an absolute redirect URI without a fragment, got ${uri}`);
  }
}

/** Replaces the port of a loopback URI with that of another URI. Undefined when the URI is not on the loopback interface. */
function replacePort(known: string, other: string): string | undefined {
  const url = new URL(known);
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url.protocol !== 'http:' || !isLoopback || !URL.canParse(other)) return undefined;
  url.port = new URL(other).port;
  return url.href;
}
