// Serves the authorization endpoint of the OAuth 2.0 provider: the pages on which the user signs in.
import type { IncomingHttpHeaders } from 'node:http';
import type { Accounts } from '../auth/accounts.ts';
import { type Clock, createExpiringMap, type ExpiringMap, randomToken } from '../auth/expiring-map.ts';
import { formatScope } from '../auth/scope.ts';
import { createSecondSteps, type OneTimeCodes, type SecondSteps } from '../auth/second-step.ts';
import type { Request } from '../engine/handler.ts';
import { splitTarget } from '../http/http.ts';
import type { Response } from '../http/response.ts';
import {
  type AuthorizationRequest,
  InvalidAuthorizationRequest,
  type RedirectTarget,
  readAuthorizationRequest,
  UnknownClient,
} from './authorization-request.ts';
import type { Endpoint } from './client-endpoints.ts';
import type { Clients } from './clients.ts';
import { type Form, parseForm } from './form.ts';
import type { Grants } from './grants.ts';
import { errorPage, loginPage } from './login-page.ts';

/** Milliseconds for which a login form is accepted. */
const FORM_LIFETIME = 600_000;

/** The parts that a provider is assembled from. */
export interface ProviderParts {
  readonly accounts: Accounts;
  readonly codes: OneTimeCodes;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly now: Clock;
}

/**
 * Creates the authorization endpoint (RFC 6749, section 3.1). GET checks the request and shows a login form. POST takes
 * the form of either step and redirects the user to the client. The endpoint keeps the request under the id of the form's
 * transaction, so a form cannot change the request and can be used only once.
 */
export function createAuthorizeEndpoint(parts: ProviderParts): Endpoint {
  const endpoint = new AuthorizeEndpoint(parts);
  return (request) => (request.method === 'POST' ? endpoint.submit(request) : endpoint.open(request));
}

class AuthorizeEndpoint {
  readonly #parts: ProviderParts;
  readonly #pendingPasswords: ExpiringMap<AuthorizationRequest>;
  readonly #secondSteps: SecondSteps<AuthorizationRequest>;

  constructor(parts: ProviderParts) {
    const { accounts, codes, now } = parts;
    this.#parts = parts;
    this.#pendingPasswords = createExpiringMap(now);
    this.#secondSteps = createSecondSteps(accounts, codes, now);
  }

  /** Checks an authorization request and shows the login form. */
  open({ target }: Request): Response {
    const [, query] = splitTarget(target);
    try {
      const request = readAuthorizationRequest(query, this.#parts.clients);
      const transaction = randomToken();
      this.#pendingPasswords.set(transaction, request, this.#parts.now() + FORM_LIFETIME);
      return showForm(request, 'password', transaction);
    } catch (error) {
      if (error instanceof UnknownClient) return errorPage(400, error.message);
      if (!(error instanceof InvalidAuthorizationRequest)) throw error;
      const { code, message } = error.cause;
      return redirectToClient(error.redirectTarget, { error: code, error_description: message });
    }
  }

  /** Takes the form of a login step. */
  submit({ headers, body }: Request): Response {
    if (isCrossSite(headers)) return errorPage(403, 'This form was sent by another site.');
    const form = parseForm(body);
    const transaction = form.get('transaction') ?? '';
    const passwordRequest = this.#pendingPasswords.get(transaction);
    const request = passwordRequest ?? this.#secondSteps.purpose(transaction);
    if (!request) {
      return errorPage(
        400,
        'This form has expired or has been sent before. Return to the application and start again.',
      );
    }
    if (form.get('cancel') !== undefined) return this.#cancel(request, transaction);
    return passwordRequest
      ? this.#takePassword(request, transaction, form)
      : this.#takeCode(request, transaction, form);
  }

  #cancel(request: AuthorizationRequest, transaction: string): Response {
    this.#pendingPasswords.delete(transaction);
    this.#secondSteps.cancel(transaction);
    return redirectToClient(request, {
      error: 'access_denied',
      error_description: 'the user cancelled the login',
    });
  }

  #takePassword(request: AuthorizationRequest, transaction: string, form: Form): Response {
    const account = this.#parts.accounts.verify(form.get('user') ?? '', form.get('password') ?? '');
    if (!account) return showForm(request, 'password', transaction, 'Wrong user or password.');
    this.#pendingPasswords.delete(transaction);
    if (account.totpSecret === null) return this.#approve(request, account.id);
    return showForm(request, 'code', this.#secondSteps.begin(account, request).token);
  }

  #takeCode(request: AuthorizationRequest, transaction: string, form: Form): Response {
    const login = this.#secondSteps.finish(transaction, form.get('code') ?? '');
    if (login) return this.#approve(request, login.userId);
    return this.#secondSteps.purpose(transaction)
      ? showForm(request, 'code', transaction, 'The code is wrong or has been used before.')
      : errorPage(403, 'Too many wrong codes. Return to the application and start again.');
  }

  #approve(request: AuthorizationRequest, userId: number): Response {
    const { client, redirectUri, redirectUriOmitted, scope, challenge } = request;
    const code = this.#parts.grants.authorize({
      clientId: client.id,
      userId,
      scope,
      redirectUri: redirectUriOmitted ? null : redirectUri,
      challenge,
    });
    return redirectToClient(request, { code });
  }
}

function showForm(
  { client, redirectUri, scope }: AuthorizationRequest,
  step: 'password' | 'code',
  transaction: string,
  problem?: string,
): Response {
  const page = { clientName: client.name, scope: formatScope(scope), redirectUri };
  return loginPage({ ...page, step, transaction, problem });
}

/** Redirects the user to the client (RFC 6749, section 4.1.2). The browser uses GET, also after a POST. */
function redirectToClient(
  { redirectUri, state }: RedirectTarget,
  answer: Readonly<Record<string, string>>,
): Response {
  const parameters = new URLSearchParams({ ...answer, ...(state === undefined ? {} : { state }) });
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
  const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 303, headers, body: '', scope: null };
}

/** Whether the form was sent from a page of another site, which must not be able to sign the user in. */
function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  return origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === headers.host);
}
