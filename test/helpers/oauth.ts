// Runs the requests of an OAuth 2.0 client of the sandbox.
import type { Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createOneTimeCode } from './sign-in.ts';

/** The redirect URI of the tests. Nothing listens there. */
export const redirectUri = 'http://127.0.0.1:49152/callback';

/** The seeded client's id and secret. */
export function seededClient({ oauthClients: [client] }: Sandbox) {
  if (!client) throw new Error('expected a seeded client');
  return client;
}

/** The URL of an authorization request. Undefined parameters are omitted. */
export function authorizeUrl(sandbox: Sandbox, changes: Record<string, string | undefined> = {}): string {
  const all = {
    response_type: 'code',
    client_id: seededClient(sandbox).id,
    redirect_uri: redirectUri,
    scope: 'all',
    state: 'a b&c',
    ...changes,
  };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `${sandbox.url}/_auth/oauth2/authorize?${new URLSearchParams(given)}`;
}

/** A response of the provider. */
export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The transaction of the form. Empty: the page has no form. */
  readonly transaction: string;
  /** The target of a redirect. Null: the response is no redirect. */
  readonly location: URL | null;
}

/** Requests a page. Follows no redirects. */
export async function visit(url: string, init: RequestInit = {}): Promise<Visit> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const text = await response.text();
  const location = response.headers.get('location');
  return {
    status: response.status,
    headers: response.headers,
    text,
    transaction: /name="transaction" value="(\w+)"/.exec(text)?.[1] ?? '',
    location: location === null ? null : new URL(location),
  };
}

/** Sends a form to an endpoint of the provider. */
export function submit(
  { url }: Sandbox,
  endpoint: 'authorize' | 'token' | 'revoke',
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Visit> {
  return visit(`${url}/_auth/oauth2/${endpoint}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  });
}

/** Signs in on the provider's pages, and returns the target of the redirect. `time` is in milliseconds since 1970. */
export async function signInAt(
  sandbox: Sandbox,
  url: string,
  login: string,
  time = Date.now(),
): Promise<URL> {
  const { transaction } = await visit(url);
  let page = await submit(sandbox, 'authorize', { transaction, user: login, password: 'sandbox' });
  if (page.transaction !== '') {
    const code = createOneTimeCode(sandbox, time);
    page = await submit(sandbox, 'authorize', { transaction: page.transaction, code });
  }
  if (!page.location) throw new Error(`expected a redirect, got ${page.status} ${page.text}`);
  return page.location;
}

/** Signs the ordinary user in, and returns the authorization code. */
export async function authorizationCode(
  sandbox: Sandbox,
  changes: Record<string, string | undefined> = {},
): Promise<string> {
  const location = await signInAt(sandbox, authorizeUrl(sandbox, changes), 'user');
  return location.searchParams.get('code') ?? '';
}

/** Requests tokens for the seeded client, and returns the response with its HTTP status. */
export async function requestTokens(
  sandbox: Sandbox,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { id, secret } = seededClient(sandbox);
  const { status, text } = await submit(sandbox, 'token', {
    client_id: id,
    client_secret: secret,
    ...fields,
  });
  return { status, ...JSON.parse(text) };
}

/** Signs the ordinary user in, and redeems the code for tokens. */
export async function signInForTokens(
  sandbox: Sandbox,
  changes: Record<string, string | undefined> = {},
): Promise<{ readonly access: string; readonly refresh: string; readonly code: string }> {
  const code = await authorizationCode(sandbox, changes);
  const tokens = await requestTokens(sandbox, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
  });
  return { access: String(tokens['access_token']), refresh: String(tokens['refresh_token']), code };
}
