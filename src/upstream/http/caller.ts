// Describes the caller on whose behalf the management API is called.
import type { Credential } from './authentication.ts';

/** The caller of a request: everything of the client's request that is sent upstream. */
export interface Caller {
  /** Null for an anonymous caller. */
  readonly credential: Credential | null;
  /** Identifies the caller without revealing the credential: its key; `anonymous` for none. */
  readonly key: string;
  /** The client's address, which is forwarded; undefined when it is unknown. */
  readonly address: string | undefined;
  /** Other headers that are forwarded: language and request id. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a caller. Default: no forwarded headers. */
export function createCaller(
  credential: Credential | null,
  address?: string,
  headers: Readonly<Record<string, string>> = {},
): Caller {
  return { credential, key: credential?.key ?? 'anonymous', address, headers };
}

/** The headers of a request on behalf of a caller. */
export function createRequestHeaders(
  { credential, address, headers }: Caller,
  hasBody = false,
): Record<string, string> {
  return {
    ...headers,
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
    accept: 'application/json',
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(credential === null ? {} : { [credential.header]: credential.value }),
  };
}

/** Forwarded headers that follow a request and do not change its answer. */
const TRACING_HEADERS: ReadonlySet<string> = new Set(['x-request-id', 'traceparent', 'tracestate']);

/** What else than the credential may change an answer: the address, the language, and headers that are forwarded later on. */
export function answerKeyOf({ address, headers }: Caller): readonly unknown[] {
  return [address, Object.entries(headers).filter(([name]) => !TRACING_HEADERS.has(name))];
}
