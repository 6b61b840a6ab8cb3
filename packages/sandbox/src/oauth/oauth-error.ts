// Defines the error of the OAuth 2.0 provider.

/** The error codes of RFC 6749 (sections 4.1.2.1 and 5.2). */
export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

/** An OAuth 2.0 error. The message is the `error_description`: ASCII without quotes and backslashes. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}
