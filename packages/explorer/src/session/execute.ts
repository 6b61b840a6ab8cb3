// Sends the page's own operations.
import { endpoint } from '../config.ts';
import { OperationError } from '../sign-in/operation-error.ts';

/** Longest wait for the session and the examples before the page is shown. Milliseconds. */
export const START_TIMEOUT = 5_000;

/** Executes an operation. @throws OperationError when the response has errors, TypeError when there is no response. */
export async function execute<Data>(
  query: string,
  variables: object,
  headers: Headers,
  signal: AbortSignal | null = null,
): Promise<Data> {
  headers.set('content-type', 'application/json');
  const body = JSON.stringify({ query, variables });
  const response = await fetch(endpoint, { method: 'POST', headers, body, signal });
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
  const [first] = errors ?? [];
  if (first !== undefined) throw new OperationError(first.message, response.status);
  return data;
}
