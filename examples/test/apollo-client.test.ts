// Tests Apollo Client with answers in parts, and with its link for persisted queries.
import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parseTrustedDocuments } from '../../src/server/trusted-manifest.ts';
import { startPair } from '../../test/helpers/facade.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const TRUSTED = gql`query Trusted { datasets(first: 1) { nodes { id __typename } __typename } }`;
const FREE = gql`query Free { datasets(first: 1) { nodes { id name __typename } __typename } }`;
const documents = parseTrustedDocuments({ [sha256(print(TRUSTED))]: print(TRUSTED) });

/** What a request contains. */
type Sent = 'hash' | 'text' | 'both';

/** Sends both documents twice, and returns their errors and what each request contained. */
async function run(mode: 'off' | 'allow' | 'enforce', useGETForHashedQueries: boolean) {
  await using pair = await startPair({
    facade: { trustedDocuments: mode === 'off' ? null : { mode, documents } },
  });
  const server = await pair.listen();
  const sent: Sent[] = [];
  const record: typeof fetch = (input, init) => {
    const parameters = new URL(String(input)).searchParams;
    const text = parameters.has('query') || String(init?.body).includes('"query":');
    const hash = parameters.has('extensions') || String(init?.body).includes('"sha256Hash":');
    sent.push(text && hash ? 'both' : hash ? 'hash' : 'text');
    return fetch(input, init);
  };
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([
      new PersistedQueryLink({ sha256, useGETForHashedQueries }),
      new HttpLink({ uri: server.url, headers: pair.headers('user'), fetch: record }),
    ]),
  });
  const ask = async (query: typeof TRUSTED): Promise<string | null> => {
    const { error } = await client.query({ query, fetchPolicy: 'no-cache', errorPolicy: 'all' });
    return error?.message ?? null;
  };
  const errors = [await ask(TRUSTED), await ask(FREE), await ask(TRUSTED), await ask(FREE)];
  client.stop();
  return { errors, sent };
}

it('shows the parts of an answer as they arrive', async () => {
  await using pair = await startPair();
  const server = await pair.listen();
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: new HttpLink({ uri: server.url, headers: pair.headers('user') }),
    incrementalHandler: new Defer20220824Handler(),
  });
  const query = gql`{ datasets(first: 1) { nodes { id ... @defer { name snapshots { nodes { id } } } } } }`;
  const states = await new Promise<readonly string[]>((resolve, reject) => {
    const seen: string[] = [];
    client.watchQuery({ query }).subscribe({
      next: ({ dataState }) => {
        seen.push(dataState);
        if (dataState === 'complete') resolve(seen);
      },
      error: reject,
    });
  });
  expect(states).toContain('streaming');
  client.stop();
});

describe.each([false, true])('Apollo’s persisted queries, with GET %s,', (useGET) => {
  it('register each document once if the server trusts none', async () => {
    const { errors, sent } = await run('off', useGET);
    expect(errors).toEqual([null, null, null, null]);
    expect(sent).toEqual(['hash', 'both', 'hash', 'both', 'hash', 'hash']);
  });

  it('name trusted documents by their hash, and register others', async () => {
    const { errors, sent } = await run('allow', useGET);
    expect(errors).toEqual([null, null, null, null]);
    expect(sent).toEqual(['hash', 'hash', 'both', 'hash', 'hash']);
  });

  it('cannot send other documents if trusted documents are enforced', async () => {
    const { errors, sent } = await run('enforce', useGET);
    const refused = expect.stringContaining('only the documents that its operator has listed');
    expect(errors).toEqual([null, refused, null, refused]);
    expect(sent).toEqual(['hash', 'hash', 'both', 'hash', 'hash', 'both']);
  });
});
