// Tests documents that clients name by id, over each transport.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseTrustedDocuments } from '../../../src/server/trusted-manifest.ts';
import { sharePair } from '../../helpers/shared-pair.ts';
import { SUBSCRIBERS } from '../../helpers/streams.ts';
import { post, TRANSPORTS } from '../../helpers/transports.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const LIST = 'query List($first: Int = 1) { datasets(first: $first) { nodes { id } } }';
const CREATE =
  'mutation Create { datasetSnapshotCreate(dataset: 12) { snapshot { id } userErrors { code } } }';
const PENDING = 'subscription Pending { pendingActions { id } }';
const COSTLY = 'query Costly { datasets(first: 1000) { nodes { id } } }';
const FREE = '{ datasets(first: 1) { nodes { name } } }';

const TYPE = 'query Type { __typename }';

const documents = parseTrustedDocuments({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [
    ...[LIST, CREATE, COSTLY].map((body) => ({ id: sha256(body), name: 'any', type: 'query', body })),
    { id: 'type', name: 'Type', type: 'query', body: TYPE },
    { id: 'pending', name: 'Pending', type: 'subscription', body: PENDING },
  ],
});

/** The ways to name a document by its id. */
const NAMED = (id: string) => [{ documentId: id }, { documentId: `sha256:${id}` }, withHash(id)];

const withHash = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

const notRetried = (code: string) => ({ code, retryable: false });
const NOT_FOUND = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: notRetried('PERSISTED_QUERY_NOT_FOUND') }],
};
const HASH_MESSAGE = 'provided sha does not match query';
const MISMATCH = {
  errors: [{ message: HASH_MESSAGE, extensions: notRetried('PERSISTED_QUERY_HASH_MISMATCH') }],
};
const UNTRUSTED = {
  errors: [
    {
      message:
        'This server executes only the documents that its operator has listed; send the id or the exact text of one of them.',
      extensions: { code: 'FORBIDDEN' },
    },
  ],
};

describe.each(['off', 'allow', 'enforce'] as const)('in mode %s', (mode) => {
  const trustedDocuments = mode === 'off' ? null : { mode, documents };
  const facade = { trustedDocuments, limits: { operationCost: 1_000 } };
  const pair = sharePair({ facade, sandbox: { step: 'manual' } });
  const isOn = mode !== 'off';
  const nodes = (count: number) => ({
    data: { datasets: { nodes: Array(count).fill({ id: expect.any(String) }) } },
  });

  describe.each(TRANSPORTS)('over %s', (name, send) => {
    const ask = (request: Parameters<typeof send>[1]) => send(pair.url, request, pair.headers('user'));

    it(
      isOn ? 'the id of a document is enough' : 'an id is refused, so that clients send the text',
      async () => {
        for (const request of NAMED(sha256(LIST))) {
          const result = await ask({ ...request, variables: { first: 2 } });
          expect(result).toMatchObject(isOn ? nodes(2) : NOT_FOUND);
        }
        const write = await ask({ documentId: sha256(CREATE) });
        const written = { data: { datasetSnapshotCreate: { userErrors: expect.any(Array) } } };
        expect(write).toMatchObject(isOn ? written : NOT_FOUND);
      },
    );

    it('an unknown id is refused before any call', async () => {
      for (const request of [...NAMED(sha256(FREE)), ...NAMED('constructor')])
        expect(await ask(request)).toMatchObject(NOT_FOUND);
      expect(pair.calls).toEqual([]);
    });

    it('a text counts before an id', async () => {
      for (const request of [{ documentId: sha256(FREE) }, { documentId: `sha256:${sha256(FREE)}` }])
        expect(await ask({ ...request, query: LIST })).toMatchObject(nodes(1));
    });

    it('a text whose hash is that of another one is refused before any call', async () => {
      const wrong = [sha256(FREE), sha256(LIST).toUpperCase(), `sha256:${sha256(LIST)}`, '', 'constructor'];
      for (const hash of wrong) expect(await ask({ query: LIST, ...withHash(hash) })).toMatchObject(MISMATCH);
      expect(pair.calls).toEqual([]);
    });

    it('a text may come with its hash again and again', async () => {
      const query = `{ __typename } # ${name}`;
      const typename = { data: { __typename: 'Query' } };
      for (const _time of [1, 2])
        expect(await ask({ query, ...withHash(sha256(query)) })).toMatchObject(
          mode === 'enforce' ? UNTRUSTED : typename,
        );
      expect(await ask({ query: `${query}.`, ...withHash(sha256(query)) })).toMatchObject(MISMATCH);
    });

    it(`the id of a document ${isOn ? 'may be' : 'is not'} sent as the hash of its text`, async () => {
      const result = await ask({ query: TYPE, ...withHash('type') });
      expect(result).toMatchObject(isOn ? { data: { __typename: 'Query' } } : MISMATCH);
    });

    it(mode === 'enforce' ? 'no other text is executed' : 'other texts are executed', async () => {
      const result = await ask({ query: FREE });
      expect(result).toMatchObject(mode === 'enforce' ? UNTRUSTED : { data: { datasets: { nodes: [{}] } } });
      expect(pair.calls).toHaveLength(mode === 'enforce' ? 0 : 1);
      for (const query of ['{ __schema { queryType { name } } }', '{ __typename }', `${LIST} `]) {
        const { errors } = await ask({ query });
        expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(
          mode === 'enforce' ? ['FORBIDDEN'] : undefined,
        );
      }
    });

    it('neither a text nor an id is an error', async () => {
      for (const request of [{}, { query: '' }, { extensions: { persistedQuery: 3 } }]) {
        const { errors } = await ask(request);
        expect(errors?.[0]?.extensions['code']).toBe(
          mode === 'enforce' && (name === 'WebSocket' || 'query' in request) ? 'FORBIDDEN' : 'BAD_USER_INPUT',
        );
      }
    });

    it('only a trusted document may cost more than the limit', async () => {
      const { data, errors, extensions } = await ask({ query: COSTLY });
      if (isOn) {
        expect(errors).toBeUndefined();
        expect(data).toHaveProperty('datasets');
        expect(extensions).toMatchObject({ upstream: { calls: expect.any(Number) } });
      } else expect(errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
      const free = await ask({ query: COSTLY.replace('Costly', 'Other') });
      expect(free.errors).toMatchObject([
        { extensions: { code: mode === 'enforce' ? 'FORBIDDEN' : 'COST_LIMIT_EXCEEDED' } },
      ]);
    });
  });

  it.each(SUBSCRIBERS)(
    'a subscription needs a trusted document only if that is enforced, over %s',
    async (_name, open) => {
      // Sends an event.
      await pair.ask(CREATE, { login: 'user' });
      for (const [request, code] of [
        [PENDING, null],
        [`${PENDING} # free`, mode === 'enforce' ? 'FORBIDDEN' : null],
        [{ query: '', documentId: 'pending' }, isOn ? null : 'PERSISTED_QUERY_NOT_FOUND'],
        [{ query: '', documentId: 'unknown' }, 'PERSISTED_QUERY_NOT_FOUND'],
      ] as const) {
        await using stream = open(pair.url, request, pair.headers('user'));
        const event = stream.next();
        if (code === null) expect(await event).toMatchObject({ pendingActions: { id: expect.any(String) } });
        else await expect(event).rejects.toMatchObject([{ extensions: { code } }]);
      }
    },
  );

  it('a hash registers its own text only, and none if trusted documents are enforced', async () => {
    const send = (body: object) => post(pair.url, body, pair.headers('user'));
    const register = async (hash: string, query: string) => {
      const { status } = await send({ query, ...withHash(hash) });
      return [status, await (await send(withHash(hash))).json()];
    };
    expect(await register(sha256('{ other: __typename }'), '{ __typename }')).toMatchObject([400, NOT_FOUND]);
    expect(await register(sha256('{ __typename }'), '{ __typename }')).toMatchObject([
      200,
      mode === 'enforce' ? NOT_FOUND : { data: { __typename: 'Query' } },
    ]);
  });

  it('an id may be in a URL', async () => {
    const hash = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: sha256(LIST) } });
    for (const search of [`documentId=${sha256(LIST)}`, `extensions=${encodeURIComponent(hash)}`]) {
      const response = await fetch(`${pair.url}?${search}&variables={"first":2}`, {
        headers: { accept: 'application/json', ...pair.headers('user') },
      });
      expect(await response.json()).toMatchObject(isOn ? nodes(2) : NOT_FOUND);
    }
    const mutation = await fetch(`${pair.url}?documentId=${sha256(CREATE)}`, {
      headers: pair.headers('user'),
    });
    expect(mutation.status).toBe(isOn ? 405 : 200);
  });

  it(`the page of the explorer is ${mode === 'enforce' ? 'not ' : ''}served`, async () => {
    const { status, headers } = await fetch(pair.url, { headers: { accept: 'text/html' } });
    expect(headers.get('content-type')?.includes('text/html') ?? false).toBe(mode !== 'enforce');
    expect(status === 200).toBe(mode !== 'enforce');
    const examples = await fetch(`${pair.url}/examples`);
    expect(examples.status).toBe(mode === 'enforce' ? 404 : 200);
  });
});

describe('a manifest', () => {
  it('is a map from ids to texts, or one of Apollo’s tools', () => {
    expect([...parseTrustedDocuments({ one: LIST, two: FREE })]).toEqual([
      ['one', LIST],
      ['two', FREE],
    ]);
    expect(documents.get(sha256(LIST))).toBe(LIST);
  });

  it.each([
    [[], 'expected an object with the text of each document by its id'],
    [{ one: 3 }, 'document "one": expected an id and the text of a document'],
    [{ one: '{ a' }, 'document "one": Syntax Error: Expected Name, found <EOF>.'],
    [{ operations: [] }, 'expected the format "apollo-persisted-query-manifest" in version 1'],
    [
      { format: 'apollo-persisted-query-manifest', version: 1, operations: [{ id: 'one' }] },
      'document "one": expected an id and the text of a document',
    ],
    [
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [
          { id: 'one', body: LIST },
          { id: 'one', body: FREE },
        ],
      },
      'document "one": it has two different texts',
    ],
  ])('is refused if it is neither: %j', (raw, message) => {
    expect(() => parseTrustedDocuments(raw)).toThrow(new TypeError(message));
  });
});
