import * as oauth from 'oauth4webapi';
import type { Sandbox } from '../../src/sandbox/listen-sandbox.ts';
import { codeOf } from './sign-in.ts';

/** Where the tests' client is listening, or would be. */
export const redirectUri = 'http://127.0.0.1:49152/callback';

/** The stock client speaks plain HTTP only when told so. */
export const overHttp = { [oauth.allowInsecureRequests]: true };

/** The provider, as the stock client wants it. */
export function serverOf({ url }: Sandbox): oauth.AuthorizationServer {
  return {
    issuer: url,
    authorization_endpoint: `${url}/_auth/oauth2/authorize`,
    token_endpoint: `${url}/_auth/oauth2/token`,
    revocation_endpoint: `${url}/_auth/oauth2/revoke`,
  };
}

/** The seeded client's id and secret. */
export function clientOf({ oauthClients: [client] }: Sandbox) {
  if (!client) throw new Error('expected a seeded client');
  return client;
}

/** An authorization request; parameters that are undefined are left out. */
export function authorizeUrl(sandbox: Sandbox, changes: Record<string, string | undefined> = {}): string {
  const all = {
    response_type: 'code',
    client_id: clientOf(sandbox).id,
    redirect_uri: redirectUri,
    scope: 'all',
    state: 'a b&c',
    ...changes,
  };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `${sandbox.url}/_auth/oauth2/authorize?${new URLSearchParams(given)}`;
}

/** A page of the provider, or where it sends the browser. */
export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of the form, if there is one. */
  readonly transaction: string;
  /** Where the browser is sent; null: nowhere. */
  readonly location: URL | null;
}

/** Opens a page as a browser does, but follows nothing. */
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

/** Signs in on the provider's pages, in one step or two; where that leads. Time: milliseconds since 1970. */
export async function signInAt(
  sandbox: Sandbox,
  url: string,
  login: string,
  time = Date.now(),
): Promise<URL> {
  const { transaction } = await visit(url);
  let page = await submit(sandbox, 'authorize', { transaction, user: login, password: 'sandbox' });
  if (page.transaction !== '') {
    const code = codeOf(sandbox, time);
    page = await submit(sandbox, 'authorize', { transaction: page.transaction, code });
  }
  if (!page.location) throw new Error(`expected a redirect, got ${page.status} ${page.text}`);
  return page.location;
}

/** The code of a login as the ordinary user, for the given authorization request. */
export async function authorizationCode(
  sandbox: Sandbox,
  changes: Record<string, string | undefined> = {},
): Promise<string> {
  const location = await signInAt(sandbox, authorizeUrl(sandbox, changes), 'user');
  return location.searchParams.get('code') ?? '';
}

/** What the token endpoint answers to the seeded client, with the HTTP status. */
export async function requestTokens(
  sandbox: Sandbox,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { id, secret } = clientOf(sandbox);
  const { status, text } = await submit(sandbox, 'token', {
    client_id: id,
    client_secret: secret,
    ...fields,
  });
  return { status, ...JSON.parse(text) };
}

/** The tokens of a fresh login as the ordinary user. */
export async function freshTokens(
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
