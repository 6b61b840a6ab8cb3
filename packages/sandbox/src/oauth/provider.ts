// Routes requests to the endpoints of the OAuth 2.0 provider.
import type { Handler, Request } from '../engine/handler.ts';
import { splitTarget } from '../http/http.ts';
import type { Response } from '../http/response.ts';
import { createAuthorizeEndpoint, type ProviderParts } from './authorize-endpoint.ts';
import {
  createRevokeEndpoint,
  createTokenEndpoint,
  type Endpoint,
  errorResponse,
} from './client-endpoints.ts';
import { OAuthError } from './oauth-error.ts';
import { AUTHORIZE_PATH, REVOKE_PATH, TOKEN_PATH } from './paths.ts';

/** Puts an OAuth 2.0 provider in front of a handler. The handler gets every request that is not for the provider. */
export function withOAuth(parts: ProviderParts, handle: Handler): Handler {
  const routes = new Map([
    [AUTHORIZE_PATH, { endpoint: createAuthorizeEndpoint(parts), methods: ['GET', 'POST'] }],
    [TOKEN_PATH, { endpoint: createTokenEndpoint(parts.clients, parts.grants), methods: ['POST'] }],
    [REVOKE_PATH, { endpoint: createRevokeEndpoint(parts.clients, parts.grants), methods: ['POST'] }],
  ]);

  return async (request) => {
    const route = routes.get(splitTarget(request.target)[0]);
    if (!route) return handle(request);
    return route.methods.includes(request.method)
      ? answer(route.endpoint, request)
      : methodNotAllowed(route.methods);
  };
}

function answer(endpoint: Endpoint, request: Request): Response {
  try {
    return endpoint(request);
  } catch (error) {
    if (error instanceof OAuthError) return errorResponse(error);
    throw error;
  }
}

function methodNotAllowed(methods: readonly string[]): Response {
  const response = errorResponse(new OAuthError('invalid_request', `use ${methods.join(' or ')}`));
  return { ...response, status: 405, headers: { ...response.headers, allow: methods.join(', ') } };
}
