import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { basicCredentials } from '../auth/authenticate.ts';
import type { Form } from './form.ts';
import { OAuthError } from './oauth-error.ts';

/** An application that was registered with the provider, which issued its id and secret. */
export interface OAuthClient {
  readonly id: string;
  readonly secret: string;
  /** Shown to the user who signs in. */
  readonly name: string;
  /**
   * Absolute, without a fragment, compared character by character; but one on the loopback interface (127.0.0.1, ::1,
   * localhost) is good for every port (RFC 8252, section 7.3).
   */
  readonly redirectUris: readonly string[];
}

/** The client that every sandbox knows. */
export const seededClient: OAuthClient = {
  id: 'sandbox-client',
  secret: 'sandbox-client-secret',
  name: 'Sandbox client',
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback'],
};

/** The registered clients. */
export interface Clients {
  find(id: string): OAuthClient | undefined;
  /** The client of a request, by HTTP basic or by the body (RFC 6749, section 2.3.1). Throws OAuthError. */
  authenticate(headers: IncomingHttpHeaders, form: Form): OAuthClient;
}

/** Throws TypeError for a redirect URI that none can be. */
export function createClients(registered: readonly OAuthClient[]): Clients {
  const clients = new Map(registered.map((client) => [client.id, client]));
  for (const { redirectUris } of registered) for (const uri of redirectUris) checkRedirectUri(uri);

  return {
    find: (id) => clients.get(id),
    authenticate(headers, form) {
      const [id, secret] = clientCredentials(headers.authorization, form);
      const client = clients.get(id ?? '');
      if (!client || secret === undefined || !isSame(client.secret, secret)) {
        throw new OAuthError('invalid_client', 'unknown client or wrong secret');
      }
      return client;
    },
  };
}

/** Whether a client may be redirected to a URI. */
export function accepts({ redirectUris }: OAuthClient, uri: string): boolean {
  return redirectUris.some((known) => known === uri || withPortOf(known, uri) === uri);
}

type Given = readonly [id: string | undefined, secret: string | undefined];

function clientCredentials(authorization: string | undefined, form: Form): Given {
  const inBody = [form.get('client_id'), form.get('client_secret')] as const;
  if (authorization === undefined) return inBody;
  const [id, secret] = basicCredentials(authorization)?.map(formDecoded) ?? [];
  if (inBody[1] !== undefined || (inBody[0] !== undefined && inBody[0] !== id)) {
    throw new OAuthError('invalid_request', 'the client authenticated itself twice');
  }
  return [id, secret];
}

/** Undefined where it is malformed. */
function formDecoded(text: string): string | undefined {
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

/** A URI on the loopback interface with the port of another one; undefined for one elsewhere. */
function withPortOf(known: string, other: string): string | undefined {
  const url = new URL(known);
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url.protocol !== 'http:' || !isLoopback || !URL.canParse(other)) return undefined;
  url.port = new URL(other).port;
  return url.href;
}
