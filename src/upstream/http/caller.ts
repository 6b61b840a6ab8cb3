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
  /** All headers of a request without a body on behalf of the caller. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Identifies what may change an answer besides the credential: the address, and the forwarded headers but those for tracing. */
  readonly answerKey: string;
}

/** Forwarded headers that follow a request and do not change its answer. */
const TRACING_HEADERS: ReadonlySet<string> = new Set(['x-request-id', 'traceparent', 'tracestate']);

/** Makes a caller. Default: no forwarded headers. */
export function createCaller(
  credential: Credential | null,
  address?: string,
  headers: Readonly<Record<string, string>> = {},
): Caller {
  const requestHeaders: Record<string, string> = { accept: 'application/json', ...headers };
  if (address !== undefined) requestHeaders['x-forwarded-for'] = address;
  if (credential !== null) requestHeaders[credential.header] = credential.value;
  const varying = Object.entries(headers).filter(([name]) => !TRACING_HEADERS.has(name));
  return {
    credential,
    key: credential?.key ?? 'anonymous',
    address,
    headers,
    requestHeaders,
    answerKey: JSON.stringify([address, varying]),
  };
}
