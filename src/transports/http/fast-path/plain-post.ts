// Recognizes requests that need nothing of yoga but the execution of one operation.
import type { IncomingMessage } from 'node:http';
import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { isObject } from '../../../upstream/json.ts';

const JSON_BODY = /^application\/json(; ?charset=[Uu][Tt][Ff]-8)?$/;
const LENGTH = /^\d{1,15}$/;

/**
 * The media type of the response to a POST of JSON to the endpoint, with a body of known length within the limit. Null for any other
 * request, and for one whose response cannot be JSON.
 */
export function plainPostType(
  { method, url, headers }: IncomingMessage,
  endpoint: string,
  maxBytes: number,
): string | null {
  if (method !== 'POST' || url !== endpoint) return null;
  const { 'content-type': type = '', 'content-length': length = '', accept = '' } = headers;
  // The headers of a preflight change those of the response.
  if (
    headers['access-control-request-headers'] !== undefined ||
    headers['access-control-request-method'] !== undefined
  )
    return null;
  if (!JSON_BODY.test(type) || !LENGTH.test(length) || Number(length) > maxBytes) return null;
  return jsonTypes.memo(accept).type;
}

/** Decisions by `Accept` header. Each client sends few different ones. */
const jsonTypes = new LRUCache<string, { readonly type: string | null }>({
  max: 100,
  memoMethod: (accept) => ({ type: jsonTypeFor(accept || '*/*') }),
});

/** The type of JSON that yoga chooses for an `Accept` header: the first one that it names. Null when yoga has to choose. */
function jsonTypeFor(accept: string): string | null {
  for (const item of accept.replace(/\s/g, '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = item.split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset='));
    if (charset !== undefined && charset !== 'charset=utf-8') continue;
    if (type === 'application/graphql-response+json') return type;
    if (type === '*/*' || type === 'application/*' || type === 'application/json') return 'application/json';
    if (type.includes('*')) return null;
  }
  return null;
}

const PARAMETERS: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions']);

/** Results of these operations are streams. A text that only mentions one of the words is executed by yoga, too. */
const STREAM = /\bsubscription\b|@\s*(defer|stream)\b/;

/** Reads the parameters of an operation with a single result. Null for any other body, which yoga has to report or to execute. */
export function parsePlainBody(
  body: string,
  resolve: (params: GraphQLParams) => GraphQLParams,
): GraphQLParams | null {
  try {
    const sent: unknown = JSON.parse(body);
    if (!isObject(sent)) return null;
    const params = resolve(sent);
    const { query, variables, extensions } = params;
    const isPlain =
      typeof query === 'string' &&
      !STREAM.test(query) &&
      isOptionalObject(variables) &&
      isOptionalObject(extensions) &&
      Object.keys(params).every((name) => PARAMETERS.has(name));
    return isPlain ? params : null;
  } catch {
    return null;
  }
}

const isOptionalObject = (value: unknown): boolean =>
  value === undefined || value === null || isObject(value);
