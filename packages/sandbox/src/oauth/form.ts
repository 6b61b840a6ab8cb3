// Reads form-encoded parameters, as queries and bodies of OAuth 2.0 requests hold them.
import { parseScope, type Scope } from '../auth/scope.ts';
import type { Request } from '../engine/handler.ts';
import { OAuthError } from './oauth-error.ts';

/** Parameters in the format application/x-www-form-urlencoded. */
export interface Form {
  /** Returns a parameter. Undefined when it is missing or empty, which mean the same (RFC 6749, section 3.1). */
  get(name: string): string | undefined;
  /** Returns a parameter. @throws OAuthError when it is missing or empty. */
  require(name: string): string;
  /** The name of the first repeated parameter. Parameters must not be repeated (RFC 6749, section 3.1). */
  readonly repeated: string | undefined;
}

/** Parses parameters. */
export function parseForm(text: string): Form {
  const values = new URLSearchParams(text);
  const names = [...values.keys()];
  const get = (name: string): string | undefined => values.get(name) || undefined;
  return {
    get,
    require(name) {
      const value = get(name);
      if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
      return value;
    },
    repeated: names.find((name, index) => names.indexOf(name) !== index),
  };
}

/**
 * Reads the body of a request to the token or revocation endpoint.
 * @throws OAuthError when the body is not a form or repeats a parameter.
 */
export function readForm({ headers, body }: Request): Form {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded');
  }
  const form = parseForm(body);
  if (form.repeated !== undefined) throw new OAuthError('invalid_request', 'a parameter is repeated');
  return form;
}

/** Reads the scope of a request. Undefined when the request has none. @throws OAuthError when it is malformed. */
export function readScope(form: Form): Scope | undefined {
  const text = form.get('scope');
  if (text === undefined) return undefined;
  const scope = parseScope(text);
  if (!scope) throw new OAuthError('invalid_scope', 'the scope is malformed');
  return scope;
}
