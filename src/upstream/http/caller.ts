// Describes on whose behalf the management API is called, and reads the credential of a request.
import { hash, randomBytes } from 'node:crypto';
import type { AuthenticationMethods } from '../description/description.ts';
import { AmbiguousCredentialsError, UnsupportedCredentialsError } from '../errors.ts';
import { type DescribedClient, NO_CLIENT } from './client-headers.ts';
import { LANGUAGE_HEADER } from './languages.ts';

/** A caller's credential: the header that carries it upstream, unchanged. */
export interface Credential {
  readonly kind: 'basic' | 'bearer' | 'token' | 'oauth2';
  /** Lower case. */
  readonly header: string;
  /** A secret: it never appears in a log or an error. */
  readonly value: string;
  /** Identifies the credential without revealing it. */
  readonly key: string;
}

/** The last credential that was made. A request needs its own to find out whose turn it is and to open its session; the hash takes microseconds. */
let last: Credential | null = null;

/** Makes a credential with its key. */
export function createCredential(kind: Credential['kind'], header: string, value: string): Credential {
  if (last?.kind === kind && last.header === header && last.value === value) return last;
  last = { kind, header, value, key: hashSecret(JSON.stringify([header, value])) };
  return last;
}

/** Names that a header may have: the token of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Headers that HTTP, browsers, proxies or this server give another meaning: clients send them without a credential, and the
 * upstream would get their values, such as all cookies.
 */
const OTHER_HEADERS =
  /^(accept(-.*)?|access-control-.*|cache-control|client-ip|connection|content-.*|cookie2?|date|expect|forwarded|from|host|if-.*|keep-alive|origin|pragma|proxy-.*|range|referer|sec-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade(-.*)?|user-agent|via|x-forwarded-.*|x-real-ip|x-request-id|x-requested-with)$/i;

/** Whether a header that a description names may carry a credential. */
export const isCredentialHeader = (name: string): boolean =>
  HEADER_NAME.test(name) && !OTHER_HEADERS.test(name);

/** Reads one header of a request by its case-insensitive name; null when the header is absent. */
export type HeaderReader = (name: string) => string | null;

/** Reads a header that holds a secret, without the white space around it. Null when it is absent or empty. */
export const readSecret = (header: HeaderReader, name: string): string | null =>
  header(name)
    ?.replace(/^[ \t]+/, '')
    .replace(/(?<![ \t])[ \t]+$/, '') || null;

/**
 * Reads the caller's credential from `Authorization` (Basic or Bearer) or from a header that the description's
 * authentication methods name. Null for an anonymous caller; an empty header counts as absent.
 * @throws AmbiguousCredentialsError when two headers carry a credential or one is sent twice, UnsupportedCredentialsError when the
 *   `Authorization` scheme is neither Basic nor Bearer.
 */
export function readCredential(header: HeaderReader, methods: AuthenticationMethods): Credential | null {
  const candidates: Credential[] = [];
  const authorization = readSecret(header, 'authorization');
  if (authorization !== null) candidates.push(readAuthorization(authorization));
  for (const [kind, name] of [
    ['token', methods.token?.httpHeader],
    ['oauth2', methods.oauth2?.httpHeader],
  ] as const) {
    const headerName = name?.toLowerCase();
    if (!headerName || headerName === 'authorization') continue;
    // Methods may share a header, which then holds one credential.
    if (candidates.some((candidate) => candidate.header === headerName)) continue;
    const value = readSecret(header, headerName);
    if (value === null) continue;
    // HTTP joins a header that is sent twice with a comma, which no token contains.
    if (value.includes(','))
      throw new AmbiguousCredentialsError(`The request carries two ${headerName} headers; send exactly one.`);
    candidates.push(createCredential(kind, headerName, value));
  }
  if (candidates.length > 1) {
    const names = candidates.map((candidate) => candidate.header).join(' and ');
    throw new AmbiguousCredentialsError(`The request carries two credentials (${names}); send exactly one.`);
  }
  return candidates[0] ?? null;
}

/**
 * Reads the value of an `Authorization` header, e.g. the operator's.
 * @throws UnsupportedCredentialsError when it is not a Basic or Bearer credential, AmbiguousCredentialsError when a comma
 *   joins two credentials, as HTTP joins a header that is sent twice.
 */
export function readAuthorization(value: string): Credential {
  if (/^[a-z]+ [^,]+,\s*[a-z]+ /i.test(value))
    throw new AmbiguousCredentialsError('The request carries two Authorization headers; send exactly one.');
  const scheme = /^(basic|bearer) +[^\s,]+$/i.exec(value)?.[1]?.toLowerCase();
  if (scheme !== 'basic' && scheme !== 'bearer') {
    throw new UnsupportedCredentialsError('The Authorization header must be "Basic …" or "Bearer …".');
  }
  return createCredential(scheme, 'authorization', value);
}

const HASH_KEY = randomBytes(32).toString('hex');

/** Hashes a secret so that it can be a key of a map. The hash is keyed for this process, so nobody can guess the secret from it. */
export const hashSecret = (secret: string): string => hash('sha512-256', HASH_KEY + secret, 'base64');

/** The client's headers that are sent upstream as they are, besides the credential. @param languageHeader See `LanguageOptions`. */
export function readForwarded(
  { header, requestId }: { readonly header: HeaderReader; readonly requestId: string },
  languageHeader = LANGUAGE_HEADER,
): Pick<CallerParts, 'headers' | 'language'> {
  const wanted = header('accept-language') ?? '';
  // Node's `fetch` sends `*`: any language.
  const language = wanted === '*' ? '' : wanted;
  const headers = { 'x-request-id': requestId, ...(language === '' ? {} : { [languageHeader]: language }) };
  return { headers, language };
}

/** What may be known of a caller besides the credential. */
interface CallerParts extends DescribedClient {
  /** Other headers that are forwarded: language and request id. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The language that the client asks for; empty for none. Nothing else that is sent changes an answer, but the credential. */
  readonly language: string;
}

/** The caller of a request: everything of the client's request that is sent upstream. */
export interface Caller extends CallerParts {
  /** Null for an anonymous caller. */
  readonly credential: Credential | null;
  /** Identifies the caller without revealing the credential: its key; `anonymous` for none. */
  readonly key: string;
  /** All headers of a request without a body on behalf of the caller. */
  readonly requestHeaders: Readonly<Record<string, string>>;
}

/** Makes a caller. Default: the client is unknown, and no other headers are forwarded. */
export function createCaller(
  credential: Credential | null,
  { address, clientHeaders = NO_CLIENT, headers = {}, language = '' }: Partial<CallerParts> = {},
): Caller {
  // Faster than a literal with two spreads.
  const requestHeaders: Record<string, string> = Object.assign(
    { accept: 'application/json' },
    headers,
    clientHeaders,
  );
  if (credential !== null) requestHeaders[credential.header] = credential.value;
  return {
    credential,
    key: credential?.key ?? 'anonymous',
    address,
    clientHeaders,
    headers,
    requestHeaders,
    language,
  };
}

/** Makes the caller of calls whose results several clients of a caller share, which name none of them. */
export const withoutClient = ({ credential, address, headers, language }: Caller): Caller =>
  createCaller(credential, { address, headers, language });
