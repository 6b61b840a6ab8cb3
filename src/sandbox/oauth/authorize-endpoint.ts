import type { IncomingHttpHeaders } from 'node:http';
import type { Accounts } from '../auth/accounts.ts';
import { type Clock, createExpiringMap, randomName } from '../auth/expiring-map.ts';
import { formatScope } from '../auth/scope.ts';
import { createSecondSteps, type OneTimeCodes } from '../auth/second-step.ts';
import type { Request, Response } from '../engine/handler.ts';
import {
  type AuthorizationRequest,
  RefusedRequest,
  type ReturnAddress,
  readAuthorizationRequest,
  UnknownClient,
} from './authorization-request.ts';
import type { Endpoint } from './client-endpoints.ts';
import type { Clients } from './clients.ts';
import { type Form, parseForm } from './form.ts';
import type { Grants } from './grants.ts';
import { errorPage, loginPage } from './login-page.ts';

/** Milliseconds for which a login form can be sent. */
const patience = 600_000;

/** What a provider works with. */
export interface ProviderParts {
  readonly accounts: Accounts;
  readonly codes: OneTimeCodes;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly now: Clock;
}

/**
 * The authorization endpoint (RFC 6749, section 3.1): GET checks the request and shows a login form, POST takes the form
 * of either step and sends the user back to the client. What was asked for stays here meanwhile, under the name of the
 * form's transaction, so a form cannot change it and is worth nothing once it has been used.
 */
export function createAuthorizeEndpoint(parts: ProviderParts): Endpoint {
  const { accounts, codes, clients, grants, now } = parts;
  const passwords = createExpiringMap<AuthorizationRequest>(now);
  const steps = createSecondSteps<AuthorizationRequest>(accounts, codes, now);

  function show(
    request: AuthorizationRequest,
    step: 'password' | 'code',
    transaction: string,
    problem?: string,
  ) {
    const { client, redirectUri, scope } = request;
    const asked = { clientName: client.name, scope: formatScope(scope), redirectUri };
    return loginPage({ ...asked, step, transaction, problem });
  }

  function begin(query: string): Response {
    const request = readAuthorizationRequest(query, clients);
    const transaction = randomName();
    passwords.set(transaction, request, now() + patience);
    return show(request, 'password', transaction);
  }

  function takePassword(request: AuthorizationRequest, transaction: string, form: Form): Response {
    const account = accounts.verify(form.get('user') ?? '', form.get('password') ?? '');
    if (!account) return show(request, 'password', transaction, 'Wrong user or password.');
    passwords.delete(transaction);
    if (account.totpSecret === null) return approve(request, account.id);
    return show(request, 'code', steps.begin(account, request).token);
  }

  function takeCode(request: AuthorizationRequest, transaction: string, form: Form): Response {
    const done = steps.finish(transaction, form.get('code') ?? '');
    if (done) return approve(request, done.userId);
    return steps.purpose(transaction)
      ? show(request, 'code', transaction, 'Wrong code, or one that was used before.')
      : errorPage(403, 'Too many wrong codes. Go back to the application and begin again.');
  }

  function approve(request: AuthorizationRequest, userId: number): Response {
    const { client, redirectUri, redirectUriOmitted, scope, challenge } = request;
    const code = grants.authorize({
      clientId: client.id,
      userId,
      scope,
      redirectUri: redirectUriOmitted ? null : redirectUri,
      challenge,
    });
    return sendBack(request, { code });
  }

  function proceed(form: Form): Response {
    const transaction = form.get('transaction') ?? '';
    const first = passwords.get(transaction);
    const request = first ?? steps.purpose(transaction);
    if (!request) {
      return errorPage(
        400,
        'This form is too old or was sent before. Go back to the application and begin again.',
      );
    }
    if (form.get('cancel') !== undefined) {
      passwords.delete(transaction);
      steps.cancel(transaction);
      return sendBack(request, { error: 'access_denied', error_description: 'the user cancelled the login' });
    }
    return first ? takePassword(request, transaction, form) : takeCode(request, transaction, form);
  }

  return ({ method, target, headers, body }: Request) => {
    if (method === 'POST') {
      return isForeign(headers)
        ? errorPage(403, 'This form came from another site.')
        : proceed(parseForm(body));
    }
    try {
      return begin(target.split('?').slice(1).join('?'));
    } catch (error) {
      if (error instanceof UnknownClient) return errorPage(400, error.message);
      if (!(error instanceof RefusedRequest)) throw error;
      const { code, message } = error.cause;
      return sendBack(error.address, { error: code, error_description: message });
    }
  };
}

/** Sends the user back to the client (RFC 6749, section 4.1.2), with GET whatever brought him here. */
function sendBack({ redirectUri, state }: ReturnAddress, answer: Readonly<Record<string, string>>): Response {
  const parameters = new URLSearchParams({ ...answer, ...(state === undefined ? {} : { state }) });
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
  const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 303, headers, body: '', scope: null };
}

/** Whether a browser says that another site's page sent the form: nobody is to be signed in by somebody else's form. */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  return origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === headers.host);
}
