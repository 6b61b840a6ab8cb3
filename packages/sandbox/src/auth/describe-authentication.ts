// Describes the authentication methods of the API.
import { AUTHORIZE_PATH, REVOKE_PATH, TOKEN_PATH } from '../oauth/paths.ts';
import { OAUTH_HEADER, TOKEN_HEADER, TOKEN_PARAMETER } from './authenticate.ts';

/** Describes the authentication methods. `tokenResources` is a description. Without `authUrl` there is no OAuth 2.0. */
export function describeAuthentication(authUrl: string | null, tokenResources: unknown) {
  return {
    basic: {},
    token: {
      http_header: TOKEN_HEADER,
      query_parameter: TOKEN_PARAMETER,
      description: 'A session token, sent in an HTTP header or a query parameter.',
      resources: tokenResources,
    },
    ...(authUrl === null ? {} : { oauth2: describeOAuth(authUrl) }),
  };
}

function describeOAuth(authUrl: string) {
  return {
    description:
      'An OAuth 2.0 access token (RFC 6749: response type code, grant types authorization_code and refresh_token), sent ' +
      'as a bearer token (RFC 6750) or in its own HTTP header. Tokens can be revoked (RFC 7009).',
    http_header: OAUTH_HEADER,
    authorize_url: authUrl + AUTHORIZE_PATH,
    authorize_path: AUTHORIZE_PATH,
    token_url: authUrl + TOKEN_PATH,
    token_path: TOKEN_PATH,
    revoke_url: authUrl + REVOKE_PATH,
    revoke_path: REVOKE_PATH,
  };
}
