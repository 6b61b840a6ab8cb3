// Reads the authorization requests of OAuth 2.0 clients.
import { EMPTY_SCOPE, type Scope } from '../auth/scope.ts';
import { acceptsRedirectUri, type Clients, type OAuthClient } from './clients.ts';
import { type Form, parseForm, readScope } from './form.ts';
import { OAuthError } from './oauth-error.ts';
import { readChallenge } from './pkce.ts';

/** The client and address to which the user is redirected after the login. */
export interface RedirectTarget {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  /** The client's value, which the redirect returns. */
  readonly state: string | undefined;
}

/** A client's request for access to the account of a user (RFC 6749, section 4.1.1). */
export interface AuthorizationRequest extends RedirectTarget {
  readonly scope: Scope;
  /** Whether the request has no `redirect_uri`, which is allowed when the client has registered only one. */
  readonly redirectUriOmitted: boolean;
  /** The code challenge of PKCE. Null: there is none. */
  readonly challenge: string | null;
}

/** The error for a request without a known client or redirect URI. It must not be answered with a redirect. */
export class UnknownClient extends Error {
  override readonly name = 'UnknownClient';
}

/** The error for an invalid request of a known client. A redirect reports it to the client. */
export class InvalidAuthorizationRequest extends Error {
  override readonly name = 'InvalidAuthorizationRequest';
  readonly redirectTarget: RedirectTarget;
  override readonly cause: OAuthError;

  constructor(address: RedirectTarget, cause: OAuthError) {
    super(cause.message, { cause });
    this.redirectTarget = address;
    this.cause = cause;
  }
}

/**
 * Reads the query of an authorization request.
 * @throws UnknownClient when the client or its redirect URI is not known.
 * @throws RefusedRequest when the request is invalid for another reason.
 */
export function readAuthorizationRequest(query: string, clients: Clients): AuthorizationRequest {
  const form = parseForm(query);
  const address = readReturnAddress(form, clients);
  try {
    if (form.repeated !== undefined) throw new OAuthError('invalid_request', 'a parameter is repeated');
    if (form.require('response_type') !== 'code') {
      throw new OAuthError('unsupported_response_type', 'response_type must be code');
    }
    return {
      ...address,
      // The default scope of the provider (RFC 6749, section 3.3) is that of production servers.
      scope: readScope(form) ?? EMPTY_SCOPE,
      redirectUriOmitted: form.get('redirect_uri') === undefined,
      challenge: readChallenge(form),
    };
  } catch (error) {
    if (error instanceof OAuthError) throw new InvalidAuthorizationRequest(address, error);
    throw error;
  }
}

function readReturnAddress(form: Form, clients: Clients): RedirectTarget {
  if (form.repeated === 'client_id' || form.repeated === 'redirect_uri') {
    throw new UnknownClient(`The parameter ${form.repeated} is repeated.`);
  }
  const client = clients.find(form.get('client_id') ?? '');
  if (!client) throw new UnknownClient('The application that sent you here is not known.');
  const onlyUri = client.redirectUris.length === 1 ? client.redirectUris[0] : undefined;
  const redirectUri = form.get('redirect_uri') ?? onlyUri;
  if (redirectUri === undefined || (redirectUri !== onlyUri && !acceptsRedirectUri(client, redirectUri))) {
    throw new UnknownClient('The application that sent you here is not registered with that address.');
  }
  return { client, redirectUri, state: form.get('state') };
}
