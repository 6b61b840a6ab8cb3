// Explains to operators why the management API cannot be used.
import { OptiongraphError, UpstreamError, UpstreamTimeoutError, UpstreamUnreachableError } from './errors.ts';

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
  const isFromUpstream =
    error instanceof UpstreamError ||
    (error instanceof OptiongraphError &&
      (error.code === 'CREDENTIALS_UNKNOWN' || error.code === 'CREDENTIALS_MISSING'));
  // The error stays the same object, so that its class, code and cause stay too.
  if (isFromUpstream) error.message = explainFailure(error, upstream);
  return error;
}
