// Reads the key by which a client may send a mutation again.
import { InvalidInputError } from '../../loaders/errors.ts';
import type { OperationParams, OperationRequest } from '../../server/operation-request.ts';

/** A string of structured fields (RFC 8941, section 3.3.3), as draft-ietf-httpapi-idempotency-key-header wants it. */
const STRING = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** What most clients send: the key as it is. Without spaces, because HTTP joins two headers by a comma and a space. */
const WORD = /^[\x21\x23-\x7e][\x21-\x7e]*$/;
/** A key: 1 to 255 printable characters of ASCII. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Reads the key of a mutation from the header of its HTTP request, or from `extensions.idempotencyKey`. It has one of them.
 * @throws InvalidInputError when it has an invalid key, or two.
 */
export function readIdempotencyKey(
  { ownHeader }: Pick<OperationRequest, 'ownHeader'>,
  { extensions }: Pick<OperationParams, 'extensions'>,
): string {
  const inBody = extensions?.['idempotencyKey'] ?? null;
  const inHeader = ownHeader?.('idempotency-key') ?? null;
  const keys = new Set<string>();
  if (inBody !== null) keys.add(check(inBody, 'extensions.idempotencyKey'));
  if (inHeader !== null) keys.add(check(readHeader(inHeader), 'The header Idempotency-Key'));
  const [key = '', ...others] = keys;
  if (others.length > 0)
    throw new InvalidInputError(
      'The header Idempotency-Key and extensions.idempotencyKey differ; send one of them.',
    );
  return key;
}

function readHeader(value: string): string | null {
  const text = value.trim();
  const quoted = STRING.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
  return WORD.test(text) ? text : null;
}

function check(key: unknown, name: string): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new InvalidInputError(
    `${name} must be one key of 1 to 255 printable ASCII characters, such as "8e03978e-40d5-43dd-bc93-6894a57f9324".`,
  );
}
