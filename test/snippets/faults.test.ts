import { describe, expect, it } from 'vitest';
import { openSnippetsFacade, startSnippetsStub } from '../helpers/snippets.ts';
import { type Answer, half, hangUp, raw, reply, silence } from '../helpers/stub-upstream.ts';

const HTML = '<html><body>LEAK</body></html>';
const KEY = 'LEAK-of-a-key';
const headers = { 'x-snippets-api-key': KEY };
const CREATE =
  'mutation { snippetCreate(input: { content: "LEAK" }) { url userErrors { code message path parameter } } }';
const DETECT = '{ snippetLanguage(text: "LEAK") author(id: 1) { name } }';
const LANGUAGES = '{ snippetLanguages { name label } author(id: 1) { name } }';

/** A facade over a service that answers everything in one way. */
async function openBroken(answer: Answer) {
  const paths = ['/api/paste/', '/api/languages/', '/api/detect-language/'];
  const stub = await startSnippetsStub(Object.fromEntries(paths.map((path) => [path, answer])));
  const transport = { timeout: 200, maxResponseBytes: 10_000 };
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
  ['half a body', half('{"url": "http'), 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  ['nothing', hangUp, 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  ['nothing in time', silence, 'UPSTREAM_TIMEOUT', 'OUTCOME_UNKNOWN'],
  ['too much', raw('x'.repeat(20_000)), 'UPSTREAM_RESPONSE_TOO_LARGE', 'OUTCOME_UNKNOWN'],
  ['HTML and 401', raw(HTML, 401), 'FORBIDDEN', 'FORBIDDEN'],
  ['HTML and 403', raw(HTML, 403), 'FORBIDDEN', 'FORBIDDEN'],
  ['a word and 404', reply({ error: 'gone' }, 404), 'NOT_FOUND', 'NOT_FOUND'],
  ['a word and 500', reply({ error: 'broken' }, 500), 'UPSTREAM_ERROR', 'UPSTREAM_ERROR'],
];

describe.each(FAULTS)('a service that answers %s', (_name, answer, read, write) => {
  it('fails the fields that ask it and no others, and nothing secret is told', async () => {
    await using pair = await openBroken(answer);
    for (const query of [DETECT, LANGUAGES]) {
      const answered = await pair.ask(query, { headers });
      expect(answered.data).toMatchObject({ author: { name: 'author 1' } });
      expect(answered.errors.map(({ extensions }) => extensions['code'])).toEqual([read]);
      expect(JSON.stringify([answered, pair.log])).not.toContain('LEAK');
    }
  });

  it('is asked to write once', async () => {
    await using pair = await openBroken(answer);
    const answered = await pair.ask(CREATE, { headers });
    // An unavailable service fails a request that asks for nothing else as a whole.
    expect(answered.data).toEqual(write === 'UPSTREAM_UNAVAILABLE' ? null : { snippetCreate: null });
    expect(answered.errors).toMatchObject([
      { extensions: { code: write, upstream: { action: 'snippet_service#create' } } },
    ]);
    expect(JSON.stringify([answered, pair.log])).not.toContain('LEAK');
    expect(pair.stub.requests).toHaveLength(1);
  });
});

describe('a service that is not there', () => {
  it('has done nothing, and the rest of the API goes on', async () => {
    const stub = await startSnippetsStub({});
    await stub[Symbol.asyncDispose]();
    await using pair = await openSnippetsFacade({ url: stub.url });
    const { errors } = await pair.ask(CREATE);
    expect(errors).toMatchObject([
      {
        message: 'The snippet service cannot be reached, or broke off its answer.',
        extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true },
      },
    ]);
    const { data } = await pair.ask(DETECT);
    expect(data).toEqual({ snippetLanguage: null, author: { name: 'author 1' } });
  });
});

describe('a refusal', () => {
  const created = (userErrors: readonly object[]) => ({ snippetCreate: { url: null, userErrors } });

  it.each([
    [
      'by parameter, with any status',
      reply({ error: { file_name: ['too long', 'odd'], __all__: ['no'] } }, 400),
      [
        { code: 'INVALID', message: 'too long', path: ['input', 'fileName'], parameter: 'file_name' },
        { code: 'INVALID', message: 'odd', path: ['input', 'fileName'], parameter: 'file_name' },
        { code: 'INVALID', message: 'no', path: null, parameter: null },
      ],
    ],
    [
      'in a word',
      reply({ error: 'not today' }),
      [{ code: 'REFUSED', message: 'not today', path: null, parameter: null }],
    ],
    [
      'of a conflict',
      reply({ error: 'there already' }, 409),
      [{ code: 'CONFLICT', message: 'there already', path: null, parameter: null }],
    ],
  ])('%s is data of a write', async (_name, answer, userErrors) => {
    await using pair = await openBroken(answer);
    const { data, errors } = await pair.ask(CREATE);
    expect({ data, errors }).toEqual({ data: created(userErrors), errors: [] });
  });

  it('of a read’s input is the client’s fault', async () => {
    await using pair = await openBroken(reply({ error: { file_name: ['too long'] } }, 400));
    expect((await pair.ask(DETECT)).errors).toMatchObject([
      {
        message: 'too long',
        extensions: { code: 'BAD_USER_INPUT', userErrors: [{ path: ['fileName'], message: 'too long' }] },
      },
    ]);
  });
});

describe('an answer that is a success', () => {
  it('is believed though it calls itself HTML, as the public implementation’s do', async () => {
    const url = 'https://paste.example.org/abc/';
    await using stub = await startSnippetsStub({ '/sub/api/paste/': raw(JSON.stringify({ url })) });
    await using pair = await openSnippetsFacade({ url: new URL('sub/', stub.url) });
    expect((await pair.ask(CREATE)).data).toEqual({ snippetCreate: { url, userErrors: [] } });
  });

  it('holds an address that a browser may be sent to', async () => {
    await using pair = await openBroken(reply({ url: 'javascript:alert(1)' }));
    const { errors } = await pair.ask(CREATE);
    expect(errors[0]?.extensions['code']).toBe('OUTCOME_UNKNOWN');
  });

  it('may list languages by name alone', async () => {
    await using pair = await openBroken(reply(['text', 'go']));
    expect((await pair.ask('{ snippetLanguages { name label } }')).data).toEqual({
      snippetLanguages: [
        { name: 'text', label: null },
        { name: 'go', label: null },
      ],
    });
  });
});

describe('the language of a snippet', () => {
  const inLanguage = (language: string) =>
    `mutation { snippetCreate(input: { content: "x", language: "${language}" }) { url userErrors { code } } }`;
  const url = 'https://paste.example.org/abc/';

  it('is one of the service’s own', async () => {
    await using stub = await startSnippetsStub({
      '/api/languages/': reply({ klingon: 'Klingon' }),
      '/api/paste/': reply({ url }),
    });
    await using pair = await openSnippetsFacade({ url: stub.url });
    expect((await pair.ask(inLanguage('klingon'))).data).toEqual({ snippetCreate: { url, userErrors: [] } });
    expect((await pair.ask(inLanguage('ruby'))).data).toEqual({
      snippetCreate: { url: null, userErrors: [{ code: 'NOT_INCLUDED' }] },
    });
    expect(stub.requests.map(({ path }) => path)).toEqual(['/api/languages/', '/api/paste/']);
  });

  it('is one of the document’s while the service tells none, and it is asked again', async () => {
    await using stub = await startSnippetsStub({ '/api/paste/': reply({ url }) });
    await using pair = await openSnippetsFacade({ url: stub.url });
    expect((await pair.ask(inLanguage('ruby'))).data).toEqual({ snippetCreate: { url, userErrors: [] } });
    expect((await pair.ask(inLanguage('klingon'))).data).toEqual({
      snippetCreate: { url: null, userErrors: [{ code: 'NOT_INCLUDED' }] },
    });
    expect(stub.requests.map(({ path }) => path)).toEqual([
      '/api/languages/',
      '/api/paste/',
      '/api/languages/',
    ]);
  });
});
