// Lists the paths of the OAuth 2.0 endpoints (specification: OAuth 2.0).

export const AUTHORIZE_PATH = '/_auth/oauth2/authorize';
export const TOKEN_PATH = '/_auth/oauth2/token';
export const REVOKE_PATH = '/_auth/oauth2/revoke';
