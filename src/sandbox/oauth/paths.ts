/** Paths of the endpoints (spec: OAuth 2.0). */
export const authorizePath = '/_auth/oauth2/authorize';
export const tokenPath = '/_auth/oauth2/token';
export const revokePath = '/_auth/oauth2/revoke';
