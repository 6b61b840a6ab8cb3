import { parseScope, type Scope } from '../auth/scope.ts';
import type { Request } from '../engine/handler.ts';
import { OAuthError } from './oauth-error.ts';

/** Parameters in the format application/x-www-form-urlencoded, as queries and bodies hold them. */
export interface Form {
  /** Undefined where it is missing or empty, which is the same (RFC 6749, section 3.1). */
  get(name: string): string | undefined;
  /** Throws OAuthError where it is missing. */
  require(name: string): string;
  /** The first name that stands there twice, which is forbidden. */
  readonly repeated: string | undefined;
}

/** Reads parameters; never throws. */
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

/** Reads the body of a request to the token or revocation endpoint; throws OAuthError. */
export function readForm({ headers, body }: Request): Form {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'the body has to be application/x-www-form-urlencoded');
  }
  const form = parseForm(body);
  if (form.repeated !== undefined) throw new OAuthError('invalid_request', 'a parameter was sent twice');
  return form;
}

/** The scope of a request; undefined where it asks for none. Throws OAuthError for a malformed one. */
export function readScope(form: Form): Scope | undefined {
  const text = form.get('scope');
  if (text === undefined) return undefined;
  const scope = parseScope(text);
  if (!scope) throw new OAuthError('invalid_scope', 'the scope is malformed');
  return scope;
}
