// Checks the parameters of an operation.
import { GraphQLError } from 'graphql';
import { isObject } from '../upstream/json.ts';
import type { OperationParams, OperationRequest } from './operation-request.ts';

const NAMES: ReadonlySet<string> = new Set([
  'query',
  'documentId',
  'variables',
  'operationName',
  'extensions',
  'onError',
]);

/** Checks what a client has sent as the parameters of an operation. @throws GraphQLError with the status 400, which says what is wrong. */
export function readParams(sent: unknown): OperationParams {
  if (!isObject(sent)) throw refuse(`The parameters of an operation must be an object, not ${kindOf(sent)}.`);
  const unknown = Object.keys(sent).find((name) => !NAMES.has(name) && sent[name] != null);
  if (unknown !== undefined) throw refuse(`Unexpected parameter "${unknown}" in the request body.`);
  const { query, operationName, onError } = sent;
  if (query == null) throw refuse('Must provide query string.');
  if (typeof query !== 'string')
    throw refuse(`The parameter "query" must be a string, not ${kindOf(query)}.`);
  for (const name of ['variables', 'extensions'])
    if (sent[name] != null && !isObject(sent[name]))
      throw refuse(`The parameter "${name}" must be an object, not ${kindOf(sent[name])}.`);
  if (operationName != null && typeof operationName !== 'string')
    throw refuse(`The parameter "operationName" must be a string, not ${kindOf(operationName)}.`);
  if (onError != null && onError !== 'NULL' && onError !== 'PROPAGATE')
    throw refuse('The parameter "onError" must be NULL or PROPAGATE.');
  return sent as unknown as OperationParams;
}

/**
 * Whether a client wants the estimated cost of an operation instead of its result: by `extensions.estimateOnly`, or the header
 * `Estimate-Only: true` of a request over HTTP.
 * @throws GraphQLError with the status 400 for other values.
 */
export function wantsEstimate(
  { ownHeader }: Pick<OperationRequest, 'ownHeader'>,
  { extensions }: Pick<OperationParams, 'extensions'>,
): boolean {
  const inBody = extensions?.['estimateOnly'] ?? false;
  if (typeof inBody !== 'boolean') throw refuse('The extension "estimateOnly" must be true or false.');
  const inHeader = ownHeader?.('estimate-only')?.trim().toLowerCase() ?? 'false';
  if (inHeader !== 'true' && inHeader !== 'false')
    throw refuse('The header Estimate-Only must be true or false.');
  return inBody || inHeader === 'true';
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Makes the error of a request that is no operation. */
export const refuse = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { http: { status: 400 } } });
