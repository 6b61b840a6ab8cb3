// Tests how the facade handles faulty responses of the snippet service.

import { describe, expect, it } from 'vitest';
import { openSnippetsFacade, startSnippetsStub } from '../../helpers/snippets.ts';
import { type Answer, hangUp, raw, reply, silence, truncate } from '../../helpers/stub-upstream.ts';

const HTML = '<html><body>LEAK</body></html>';
const KEY = 'LEAK-api-key';
const headers = { 'x-snippets-api-key': KEY };
const CREATE =
  'mutation { snippetCreate(input: { content: "LEAK" }) { url userErrors { code message path parameter } } }';
const DETECT = '{ snippetLanguage(text: "LEAK") author(id: 1) { name } }';
const LANGUAGES = '{ snippetLanguages { name label } author(id: 1) { name } }';

/** Opens a facade for a service that answers every request with the same response. */
async function openWithAnswer(answer: Answer) {
  const paths = ['/api/paste/', '/api/languages/', '/api/detect-language/'];
  const stub = await startSnippetsStub(Object.fromEntries(paths.map((path) => [path, answer])));
  const transport = { timeout: 1_000, maxResponseBytes: 10_000 };
  const pair = await openSnippetsFacade({ url: stub.url, transport });
  return {
    ...pair,
    stub,
    async [Symbol.asyncDispose]() {
      await pair[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
    },
  };
}

type Case = readonly [name: string, answer: Answer, read: string, write: string];

const FAULTS: readonly Case[] = [
  ['HTML', raw(HTML), 'UPSTREAM_INVALID_RESPONSE', 'OUTCOME_UNKNOWN'],
  ['HTML and 500', raw(HTML, 500), 'UPSTREAM_INVALID_RESPONSE', 'OUTCOME_UNKNOWN'],
  ['HTML of a proxy and 502', raw(HTML, 502), 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  ['HTML of a proxy and 503', raw(HTML, 503), 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
  ['an empty body', raw(''), 'UPSTREAM_INVALID_RESPONSE', 'OUTCOME_UNKNOWN'],
  ['an empty object', reply({}), 'UPSTREAM_INVALID_RESPONSE', 'OUTCOME_UNKNOWN'],
  ['values of other types', reply({ url: 1, language: 2 }), 'UPSTREAM_INVALID_RESPONSE', 'OUTCOME_UNKNOWN'],
  ['a number', reply(5), 'UPSTREAM_INVALID_RESPONSE', 'OUTCOME_UNKNOWN'],
  ['an incomplete body', truncate('{"url": "http'), 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  ['a closed connection', hangUp, 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  ['no response in time', silence, 'UPSTREAM_TIMEOUT', 'OUTCOME_UNKNOWN'],
  ['a body that is too large', raw('x'.repeat(20_000)), 'UPSTREAM_RESPONSE_TOO_LARGE', 'OUTCOME_UNKNOWN'],
  ['HTML and 401', raw(HTML, 401), 'FORBIDDEN', 'FORBIDDEN'],
  ['HTML and 403', raw(HTML, 403), 'FORBIDDEN', 'FORBIDDEN'],
  ['an error message and 404', reply({ error: 'gone' }, 404), 'NOT_FOUND', 'NOT_FOUND'],
  ['an error message and 500', reply({ error: 'broken' }, 500), 'UPSTREAM_ERROR', 'UPSTREAM_ERROR'],
];

it.each(FAULTS)(
  'a service that responds with %s fails only the fields that use it, gets a write once, and leaks nothing',
  async (_name, answer, read, write) => {
    await using pair = await openWithAnswer(answer);
    for (const query of [DETECT, LANGUAGES]) {
      const result = await pair.ask(query, { headers });
      expect(result.data).toMatchObject({ author: { name: 'author 1' } });
      expect(result.errors.map(({ extensions }) => extensions['code'])).toEqual([read]);
      expect(JSON.stringify([result, pair.log])).not.toContain('LEAK');
    }
    pair.stub.requests.length = 0;
    const result = await pair.ask(CREATE, { headers });
    // A request fails as a whole when all its fields need an unavailable service.
    expect(result.data).toEqual(write === 'UPSTREAM_UNAVAILABLE' ? null : { snippetCreate: null });
    expect(result.errors).toMatchObject([
      { extensions: { code: write, upstream: { action: 'snippet_service#create' } } },
    ]);
    expect(JSON.stringify([result, pair.log])).not.toContain('LEAK');
    expect(pair.stub.requests).toHaveLength(1);
  },
);

describe('a service that cannot be reached', () => {
  it('has not received a write, which may be sent again, and hinders no other field', async () => {
    const stub = await startSnippetsStub({});
    await stub[Symbol.asyncDispose]();
    await using pair = await openSnippetsFacade({ url: stub.url });
    const { errors } = await pair.ask(CREATE);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }]);
    const { data } = await pair.ask(DETECT);
    expect(data).toEqual({ snippetLanguage: null, author: { name: 'author 1' } });
  });
});

describe('an error response', () => {
  const created = (userErrors: readonly object[]) => ({ snippetCreate: { url: null, userErrors } });

  it.each([
    [
      'with errors for each parameter and an error status',
      reply({ error: { file_name: ['too long', 'odd'], __all__: ['no'] } }, 400),
      [
        { code: 'INVALID', message: 'too long', path: ['input', 'fileName'], parameter: 'file_name' },
        { code: 'INVALID', message: 'odd', path: ['input', 'fileName'], parameter: 'file_name' },
        { code: 'INVALID', message: 'no', path: null, parameter: null },
      ],
    ],
    [
      'with an error message',
      reply({ error: 'not today' }),
      [{ code: 'REFUSED', message: 'not today', path: null, parameter: null }],
    ],
    [
      'with the status of a conflict',
      reply({ error: 'there already' }, 409),
      [{ code: 'CONFLICT', message: 'there already', path: null, parameter: null }],
    ],
  ])('%s becomes user errors of a mutation', async (_name, answer, userErrors) => {
    await using pair = await openWithAnswer(answer);
    const { data, errors } = await pair.ask(CREATE);
    expect({ data, errors }).toEqual({ data: created(userErrors), errors: [] });
  });

  it('to a query fails with BAD_USER_INPUT', async () => {
    await using pair = await openWithAnswer(reply({ error: { file_name: ['too long'] } }, 400));
    expect((await pair.ask(DETECT)).errors).toMatchObject([
      { message: 'too long', extensions: { code: 'BAD_USER_INPUT', userErrors: [{ path: ['fileName'] }] } },
    ]);
  });
});

describe('a successful response', () => {
  it('is read as JSON even with the content type of HTML, which the public implementation sends', async () => {
    const url = 'https://paste.example.org/abc/';
    await using stub = await startSnippetsStub({ '/sub/api/paste/': raw(JSON.stringify({ url })) });
    await using pair = await openSnippetsFacade({ url: new URL('sub/', stub.url) });
    expect((await pair.ask(CREATE)).data).toEqual({ snippetCreate: { url, userErrors: [] } });
  });

  it('must contain an HTTP URL', async () => {
    await using pair = await openWithAnswer(reply({ url: 'javascript:alert(1)' }));
    const { errors } = await pair.ask(CREATE);
    expect(errors[0]?.extensions['code']).toBe('OUTCOME_UNKNOWN');
  });

  it('may list languages without labels', async () => {
    await using pair = await openWithAnswer(reply(['text', 'go']));
    expect((await pair.ask('{ snippetLanguages { name label } }')).data).toEqual({
      snippetLanguages: [
        { name: 'text', label: null },
        { name: 'go', label: null },
      ],
    });
  });
});
