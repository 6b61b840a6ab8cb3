// Serves the token and revocation endpoints of the OAuth 2.0 provider.
import { formatScope } from '../auth/scope.ts';
import type { Request } from '../engine/handler.ts';
import type { Response } from '../http/response.ts';
import type { Clients } from './clients.ts';
import { type Form, readForm, readScope } from './form.ts';
import type { Grants, Tokens } from './grants.ts';
import { OAuthError } from './oauth-error.ts';

/** Answers one request. @throws OAuthError when the request is refused. */
export type Endpoint = (request: Request) => Response;

/** Creates the token endpoint (RFC 6749, section 3.2), for the grant types authorization_code and refresh_token. */
export function createTokenEndpoint(clients: Clients, grants: Grants): Endpoint {
  function issueTokens(form: Form, clientId: string): Tokens {
    switch (form.require('grant_type')) {
      case 'authorization_code':
        return grants.redeem(form.require('code'), {
          clientId,
          redirectUri: form.get('redirect_uri'),
          verifier: form.get('code_verifier'),
        });
      case 'refresh_token':
        return grants.refresh(form.require('refresh_token'), clientId, readScope(form));
      default:
        throw new OAuthError('unsupported_grant_type', 'use authorization_code or refresh_token');
    }
  }

  return (request) => {
    const form = readForm(request);
    const client = clients.authenticate(request.headers, form);
    const { accessToken, refreshToken, expiresIn, scope } = issueTokens(form, client.id);
    return jsonResponse(200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: refreshToken,
      // An empty scope is omitted because its syntax is not valid (RFC 6749, section 3.3).
      ...(scope.length === 0 ? {} : { scope: formatScope(scope) }),
    });
  };
}

/** Creates the revocation endpoint (RFC 7009), for access and refresh tokens. It ignores `token_type_hint`. */
export function createRevokeEndpoint(clients: Clients, grants: Grants): Endpoint {
  return (request) => {
    const form = readForm(request);
    const client = clients.authenticate(request.headers, form);
    grants.revoke(form.require('token'), client.id);
    return jsonResponse(200, {});
  };
}

/** Creates the response for an error (RFC 6749, section 5.2). */
export function errorResponse({ code, message }: OAuthError): Response {
  const response = jsonResponse(code === 'invalid_client' ? 401 : 400, {
    error: code,
    error_description: message,
  });
  if (code !== 'invalid_client') return response;
  return {
    ...response,
    headers: { ...response.headers, 'www-authenticate': 'Basic realm="OAuth 2.0 client"' },
  };
}

function jsonResponse(status: number, body: unknown): Response {
  const headers = {
    'content-type': 'application/json;charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
  };
  return { status, headers, body: JSON.stringify(body), scope: null };
}
