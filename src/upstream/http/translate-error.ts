// Translates errors of undici to errors of the facade.
import { errors } from 'undici';
import { isCertificateCode } from '../errors/explain-failure.ts';
import { type ErrorPlace, OptiongraphError } from '../errors/optiongraph-error.ts';
import { UpstreamUnreachableError } from '../errors/upstream-errors.ts';

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
  if (error instanceof errors.InvalidArgumentError || error instanceof OptiongraphError) return error;
  const code = codeOf(error);
  if (code === null) return error;
  return new UpstreamUnreachableError(`The ${peer} cannot be reached, or broke off its response.`, place, {
    cause: code,
    mayHaveArrived: !(CONNECT_CODES.has(code) || isCertificateCode(code)),
  });
}

/** The code of an error of the connection, or of a response that is not HTTP; null for other errors. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof errors.UndiciError || error instanceof errors.HTTPParserError ? error.name : null;
}
