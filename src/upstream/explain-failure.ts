// Translates failures of connections, and explains to operators why the management API cannot be used.
import { errors } from 'undici';
import type { UpstreamFailure } from '../observer.ts';
import {
  type ErrorPlace,
  MissingCredentialsError,
  OptiongraphError,
  UnknownCredentialsError,
  UpstreamError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from './errors.ts';

/** Codes of failures that occur before anything is sent. */
const CONNECT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Translates an error of a request. Errors of connections and of malformed HTTP become UpstreamUnreachableError; they may contain
 * addresses and headers, so only their code becomes the cause.
 * @param peer Name of the service in messages.
 */
export function translateError(error: unknown, peer: string, place: ErrorPlace): unknown {
  // A request that undici rejects as invalid is a mistake of the facade, not of the upstream.
  if (
    !(error instanceof Error) ||
    error instanceof errors.InvalidArgumentError ||
    error instanceof OptiongraphError
  )
    return error;
  const isOfUndici = error instanceof errors.UndiciError || error instanceof errors.HTTPParserError;
  const code =
    'code' in error && typeof error.code === 'string' ? error.code : isOfUndici ? error.name : null;
  if (code === null) return error;
  return new UpstreamUnreachableError(`The ${peer} cannot be reached, or broke off its response.`, place, {
    cause: code,
    mayHaveArrived: !(CONNECT_CODES.has(code) || isCertificateCode(code)),
  });
}

/** Describes the error of a request for observers. Other errors than the facade's own come from aborted requests, or closed connections. */
export function failureOf(error: unknown): UpstreamFailure {
  const isOwn = error instanceof OptiongraphError;
  if (!isOwn || error.cause === 'UND_ERR_CLOSED' || error.cause === 'UND_ERR_DESTROYED')
    return { code: 'ABORTED', cause: null };
  return { code: error.code, cause: typeof error.cause === 'string' ? error.cause : null };
}

/** Whether the code of an error means that a certificate is not accepted. */
export const isCertificateCode = (code: string): boolean => /CERT|UNABLE_TO_(GET|VERIFY)/.test(code);

/** What the codes of failed connections mean. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host name does not exist',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  ENOENT: 'the Unix socket does not exist',
  EACCES: 'the process may not use the Unix socket',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not accepted in time',
  ETIMEDOUT: 'the connection was not accepted in time',
  UND_ERR_ABORTED: 'the proxy refused the connection',
  EPROTO: 'it does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there',
};

/**
 * Explains why the management API cannot be used: names its address and the cause. Clients must not get the text, because the address may
 * be internal.
 */
export function explainFailure(error: OptiongraphError, upstream: URL): string {
  // Not `href`, which may contain a credential.
  const address = `The management API at ${upstream.origin}${upstream.pathname}`;
  if (error instanceof UpstreamTimeoutError) return `${address} did not answer in time.`;
  if (error instanceof UpstreamUnreachableError && typeof error.cause === 'string') {
    const { cause } = error;
    const reason = REASONS[cause] ?? (isCertificateCode(cause) ? 'its certificate is not accepted' : null);
    return `${address} cannot be reached${reason === null ? '' : `: ${reason}`} (${cause}).`;
  }
  if (error.code === 'CREDENTIALS_UNKNOWN')
    return `${address} does not know the credential that fetches its description.`;
  if (error.code === 'CREDENTIALS_MISSING')
    return `${address} describes itself to nobody without a credential.`;
  return `${address} cannot be used: ${error.message}`;
}

/** Makes an error's message the explanation for operators. The error must not reach clients. */
export function explainToOperator(error: unknown, upstream: URL): unknown {
  // The error stays the same object, so that its class, code and cause stay too.
  if (
    error instanceof UpstreamError ||
    error instanceof UnknownCredentialsError ||
    error instanceof MissingCredentialsError
  )
    error.message = explainFailure(error, upstream);
  return error;
}
