import type { Handler, Request, Response } from '../engine/handler.ts';
import { createAuthorizeEndpoint, type ProviderParts } from './authorize-endpoint.ts';
import { createRevokeEndpoint, createTokenEndpoint, type Endpoint, errorAnswer } from './client-endpoints.ts';
import { OAuthError } from './oauth-error.ts';
import { authorizePath, revokePath, tokenPath } from './paths.ts';

/** An OAuth 2.0 authorization provider in front of a handler, which gets every request that is not for the provider. */
export function withOAuth(parts: ProviderParts, handle: Handler): Handler {
  const routes = new Map([
    [authorizePath, { endpoint: createAuthorizeEndpoint(parts), methods: ['GET', 'POST'] }],
    [tokenPath, { endpoint: createTokenEndpoint(parts.clients, parts.grants), methods: ['POST'] }],
    [revokePath, { endpoint: createRevokeEndpoint(parts.clients, parts.grants), methods: ['POST'] }],
  ]);

  return async (request) => {
    const route = routes.get(request.target.split('?', 1)[0] ?? '');
    if (!route) return handle(request);
    return route.methods.includes(request.method)
      ? answer(route.endpoint, request)
      : notAllowed(route.methods);
  };
}

function answer(endpoint: Endpoint, request: Request): Response {
  try {
    return endpoint(request);
  } catch (error) {
    if (error instanceof OAuthError) return errorAnswer(error);
    throw error;
  }
}

function notAllowed(methods: readonly string[]): Response {
  const refused = errorAnswer(new OAuthError('invalid_request', `use ${methods.join(' or ')}`));
  return { ...refused, status: 405, headers: { ...refused.headers, allow: methods.join(', ') } };
}
