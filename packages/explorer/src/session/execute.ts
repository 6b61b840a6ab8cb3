// Sends operations to the server.
import { endpoint } from '../config.ts';
import { OperationError } from '../sign-in/operation-error.ts';

/** Longest wait for the session and the examples before the page is shown. Milliseconds. */
export const START_TIMEOUT = 5_000;

/** Posts an operation. Rejects with a TypeError when there is no response. */
export function post(params: object, headers: Headers, signal: AbortSignal | null = null): Promise<Response> {
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json, application/json;q=0.9');
  return fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(params), signal });
}

/** Executes an operation of the page itself. @throws OperationError when the response has errors, TypeError when there is none. */
export async function execute<Data>(
  query: string,
  variables: object,
  headers: Headers,
  signal: AbortSignal | null = null,
): Promise<Data> {
  const response = await post({ query, variables }, headers, signal);
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
  const [first] = errors ?? [];
  if (first !== undefined) throw new OperationError(first.message, response.status);
  return data;
}
