import { authorizePath, revokePath, tokenPath } from '../oauth/paths.ts';
import { oauthHeader, tokenHeader, tokenParameter } from './authenticate.ts';

/** The methods of authentication. `tokenResources` are described already; without `authUrl` there is no OAuth 2.0. */
export function describeAuthentication(authUrl: string | null, tokenResources: unknown) {
  return {
    basic: {},
    token: {
      http_header: tokenHeader,
      query_parameter: tokenParameter,
      description: 'A token got for credentials, in an HTTP header or a query parameter.',
      resources: tokenResources,
    },
    ...(authUrl === null ? {} : { oauth2: describeOAuth(authUrl) }),
  };
}

function describeOAuth(authUrl: string) {
  return {
    description:
      'An access token of OAuth 2.0 (RFC 6749: response type code, grant types authorization_code and refresh_token), ' +
      'as a bearer token (RFC 6750) or in an HTTP header of its own. Tokens can be revoked (RFC 7009).',
    http_header: oauthHeader,
    authorize_url: authUrl + authorizePath,
    authorize_path: authorizePath,
    token_url: authUrl + tokenPath,
    token_path: tokenPath,
    revoke_url: authUrl + revokePath,
    revoke_path: revokePath,
  };
}
