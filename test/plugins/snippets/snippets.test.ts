// Tests the snippet fields of the GraphQL API with the sandbox's snippet service.

import { createClient } from 'graphql-ws';
import { beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { openLibrary } from '../../helpers/library.ts';
import { shareApi } from '../../helpers/shared-api.ts';
import { startSnippetsPair } from '../../helpers/snippets.ts';

const pair = shareApi(() => startSnippetsPair());
beforeEach(() => void pair.requests.splice(0));

const CREATE = `mutation ($input: SnippetCreateInput!) {
  snippetCreate(input: $input) { url userErrors { message code path parameter } }
}`;
interface Created {
  readonly snippetCreate: { readonly url: string | null; readonly userErrors: readonly object[] } | null;
}
const HEADER = 'x-snippets-api-key';

describe('Mutation.snippetCreate', () => {
  it('omits null values, so the service applies its defaults', async () => {
    const input = { content: 'x', title: null, language: null, accessibility: null, expiration: null };
    const { data, extensions } = await pair.ask<Created>(CREATE, { variables: { input } });
    expect(pair.requests.map(({ parameters }) => parameters)).toEqual([{ content: 'x', format: 'json' }]);
    expect(extensions['upstream']).toMatchObject({ calls: 1 });
    const stored = await fetch(`${data?.snippetCreate?.url}?format=json`);
    expect(await stored.json()).toMatchObject({ language: 'text', accessibility: 1 });
  });

  it('can select queries of the API and of the service in its payload', async () => {
    const { data, errors } = await pair.ask(
      'mutation { snippetCreate(input: { content: "x" }) { query { author(id: 1) { name } snippetLanguage(text: "<?php") } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      snippetCreate: { query: { author: { name: 'author 1' }, snippetLanguage: 'php' } },
    });
  });

  it('returns all validation errors at once, without a call to the service', async () => {
    const input = { content: '', expiration: '1500-01-01' };
    const { data, errors } = await pair.ask<Created>(CREATE, { variables: { input } });
    expect(errors).toEqual([]);
    expect(data?.snippetCreate).toEqual({
      url: null,
      userErrors: [
        {
          message: 'must be present and non-empty',
          code: 'REQUIRED',
          path: ['input', 'content'],
          parameter: 'content',
        },
        {
          message: 'must be a date such as 2030-01-31, or a time with a zone',
          code: 'FORMAT',
          path: ['input', 'expiration'],
          parameter: 'expiration',
        },
      ],
    });
    expect(pair.requests).toEqual([]);
  });
});

describe('Query.snippetLanguage', () => {
  it.each(['', '(fileName: "", text: null)'])('requires an argument: %s', async (args) => {
    const { data, errors } = await pair.ask(`{ snippetLanguage${args} }`);
    expect(data).toEqual({ snippetLanguage: null });
    expect(errors[0]).toMatchObject({
      message: 'At least one of "fileName" and "text" is required.',
      extensions: {
        code: 'BAD_USER_INPUT',
        userErrors: [
          { code: 'REQUIRED', path: ['fileName'], parameter: 'file_name' },
          { code: 'REQUIRED', path: ['text'], parameter: 'text' },
        ],
      },
    });
    expect(pair.requests).toEqual([]);
  });
});

describe('an API key', () => {
  it('of the caller is sent to the service only', async () => {
    await using pair = await startSnippetsPair({ allowAnonymous: false });
    const key = pair.apiKeyFor('user');
    const { errors, extensions } = await pair.ask(
      `mutation { snippetCreate(input: { content: "x", language: "go" }) {
         url query { snippetLanguage(text: "x") author(id: 1) { name } }
       } }`,
      {
        headers: {
          [HEADER]: key,
          'x-library-token': 'api-token',
          'accept-language': 'cs',
          'x-request-id': 'mine',
          'x-trace': '1',
        },
      },
    );
    expect(errors).toEqual([]);
    const forwardedHeaders = { 'accept-language': 'cs', 'x-request-id': 'mine' };
    expect(pair.requests).toMatchObject(Array(2).fill({ headers: forwardedHeaders }));
    expect(pair.requests.map(({ path, parameters }) => [path, parameters['api_key']])).toEqual([
      ['/api/paste/', key],
      ['/api/detect-language/', key],
    ]);
    expect(JSON.stringify(pair.upstream.calls)).not.toContain(key);
    expect(JSON.stringify(pair.requests)).not.toContain('api-token');
    expect(extensions['upstream']).toMatchObject({
      calls: 3,
      trace: expect.arrayContaining([
        expect.objectContaining({ action: 'snippet_service#create', path: '/api/paste/', status: 200 }),
        expect.objectContaining({ action: 'snippet_service#detect_language', status: 200 }),
        expect.objectContaining({ action: 'author#show', status: 200 }),
      ]),
    });
    expect(JSON.stringify([extensions, pair.log])).not.toContain(key);
  });

  it('of the operator is used when the caller sends none', async () => {
    await using service = await startSnippetsPair({ allowAnonymous: false });
    const apiKey = service.apiKeyFor('admin');
    await using pair = await startSnippetsPair({ allowAnonymous: false, apiKey });
    expect((await pair.ask('{ snippetLanguage(text: "x") }')).errors).toEqual([]);
    const headers = { [HEADER]: pair.apiKeyFor('user') };
    expect((await pair.ask('{ snippetLanguage(text: "x") }', { headers })).errors).toEqual([]);
    const keys = pair.requests.map(({ parameters }) => parameters['api_key']);
    expect(keys).toEqual([apiKey, pair.apiKeyFor('user')]);
  });

  it('that the service does not know fails with FORBIDDEN instead of falling back to the operator’s key', async () => {
    await using pair = await startSnippetsPair({ apiKey: 'operator-key' });
    const { data, errors } = await pair.ask<Created>(CREATE, {
      variables: { input: { content: 'x' } },
      headers: { [HEADER]: 'unknown-key' },
    });
    expect(data).toEqual({ snippetCreate: null });
    expect(errors).toMatchObject([
      { message: 'API key is not valid', extensions: { code: 'FORBIDDEN', upstream: { status: 403 } } },
    ]);
    expect(pair.requests.map(({ parameters }) => parameters['api_key'])).toEqual(['unknown-key']);
    expect(JSON.stringify([errors, pair.log])).not.toContain('unknown-key');
  });

  it('that is sent twice is refused', async () => {
    await using pair = await startSnippetsPair({ apiKey: 'operator-key' });
    const { errors } = await pair.ask('{ snippetLanguage(text: "x") }', {
      headers: { [HEADER]: 'one-key, another-key' },
    });
    expect(errors[0]?.extensions['code']).toBe('AMBIGUOUS_CREDENTIALS');
    expect(pair.requests).toEqual([]);
  });

  it('can be sent in the connectionParams of a WebSocket', async () => {
    await using pair = await startSnippetsPair({ allowAnonymous: false });
    const { url } = await pair.listen();
    const client = createClient({
      url: url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { 'X-Snippets-Api-Key': pair.apiKeyFor('user') },
    });
    const results = client.iterate({ query: '{ snippetLanguage(text: "<?php") }' });
    expect((await results.next()).value).toMatchObject({ data: { snippetLanguage: 'php' } });
    await client.dispose();
  });
});

describe('without a snippet service', () => {
  it('the schema contains no snippet types or fields', async () => {
    await using library = await openLibrary();
    const { facade } = library;
    const types = Object.keys(facade.schema.schema.getTypeMap());
    expect(types.filter((name) => /snippet/i.test(name))).toEqual([]);
    const fields = Object.keys(facade.schema.schema.getQueryType()?.getFields() ?? {});
    expect(fields.filter((name) => /snippet/i.test(name))).toEqual([]);
    expect(facade.schema.schema.getMutationType()).toBeUndefined();
  });
});
