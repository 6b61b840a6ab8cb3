// Sends generated operations by fetch.
import type { TypedDocumentString } from './__generated__/graphql.ts';

const ENDPOINT = process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql';
const CREDENTIAL = { authorization: `Basic ${btoa('user:sandbox')}` };

interface Result<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** Returns the data of an operation. Throws if any part of it failed. */
export async function execute<Data, Variables>(
  query: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...CREDENTIAL },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors = [] } = (await response.json()) as Result<Data>;
  if (errors.length > 0 || !data) throw new Error(errors.map(({ message }) => message).join('\n'));
  return data;
}
