// Reads what an HTTP request sends as the parameters of an operation.
import { createHttpError } from './requester.ts';

/** Browsers send a body of any other type to a foreign server only after a preflight, or never. */
const JSON_TYPES: readonly string[] = ['application/json', 'application/graphql+json'];
const TEXT_TYPE = 'application/graphql';

/**
 * Reads the parameters of a request: those of a GET from its address, those of a POST from its body.
 * @param limit Bytes of a body.
 * @throws GraphQLError with a status: 400, 413 for a larger body, and 415 for a body that is neither JSON nor GraphQL, which foreign
 *   pages could send without a preflight.
 */
export async function readParameters(request: Request, limit: number): Promise<unknown> {
  const { method, headers } = request;
  if (method === 'GET') return readAddress(new URL(request.url, 'http://localhost').searchParams);
  const [type = ''] = (headers.get('content-type') ?? '').split(/[;,]/, 1);
  const mediaType = type.trim().toLowerCase();
  if (!JSON_TYPES.includes(mediaType) && mediaType !== TEXT_TYPE)
    throw createHttpError(415, 'Send the operation as JSON, with "Content-Type: application/json".');
  const text = await readBody(request, limit);
  return mediaType === TEXT_TYPE ? { query: text } : parseJson(text, 'The body');
}

/** Parses JSON. @param what The subject of the error's message. @throws GraphQLError with the status 400. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw createHttpError(400, `${what} must be JSON.`);
  }
}

function readAddress(parameters: URLSearchParams): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const name of ['query', 'operationName', 'documentId']) {
    const value = parameters.get(name);
    if (value) read[name] = value;
  }
  for (const name of ['variables', 'extensions']) {
    const value = parameters.get(name);
    if (value) read[name] = parseJson(value, `The parameter "${name}"`);
  }
  return read;
}

/** Refuses a larger body before it is read, as far as its length is stated: node ensures that the body has that length. */
async function readBody(request: Request, limit: number): Promise<string> {
  const length = request.headers.get('content-length');
  if (length !== null && !/^\d+$/.test(length))
    throw createHttpError(400, 'Content-Length header is invalid.');
  if (Number(length) > limit) throw createTooLargeError();
  if (length !== null) return await request.text();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw createTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

const createTooLargeError = (): ReturnType<typeof createHttpError> =>
  createHttpError(413, 'Request body too large');
