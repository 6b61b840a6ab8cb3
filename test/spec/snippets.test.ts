// Tests the snippet service through GraphQL.
import { beforeEach, describe, expect, it } from 'vitest';
import { shareApi } from '../helpers/shared-api.ts';
import { type SnippetsPair, startSnippetsPair } from '../helpers/snippets.ts';

const CREATE = `mutation ($input: SnippetCreateInput!) {
  it: snippetCreate(input: $input) { url userErrors { message parameter } }
}`;
const NOW = Date.UTC(2026, 10, 21, 12);
const KEY = 'x-snippets-api-key';

interface Created {
  readonly it: {
    readonly url: string | null;
    readonly userErrors: readonly { message: string; parameter: string }[];
  };
}
const pair = shareApi(() => startSnippetsPair({ now: () => NOW }));
beforeEach(() => {
  pair.requests.length = 0;
});

/** Creates a snippet; where it is, what the service received and what it holds. */
async function create(input: Record<string, unknown>, { key = '', at = pair as SnippetsPair } = {}) {
  const headers: Record<string, string> = key === '' ? {} : { [KEY]: key };
  const { data } = await at.ask<Created>(CREATE, { variables: { input }, headers });
  const url = data?.it.url ?? '';
  const kept = url === '' ? null : await (await fetch(`${url}?format=json&api_key=${key}`)).json();
  return {
    url,
    kept,
    request: at.requests.findLast(({ path }) => path === '/api/paste/'),
    errors: data?.it.userErrors,
  };
}

describe('snippets', () => {
  it('[snippet/create] a snippet is created with all its parameters and has a URL', async () => {
    const input = {
      title: 'Tale',
      fileName: 'a.rb',
      language: 'ruby',
      content: 'puts 1',
      accessibility: 'PUBLIC',
      expiration: '2030-01-31T00:00:00Z',
    };
    const { url, kept, request } = await create(input);
    expect(url).toMatch(/^http:\/\/.+\/\w+\/$/);
    expect(request).toMatchObject({
      method: 'POST',
      status: 200,
      parameters: {
        title: 'Tale',
        file_name: 'a.rb',
        language: 'ruby',
        content: 'puts 1',
        accessibility: '0',
      },
    });
    expect(kept).toMatchObject({
      title: 'Tale',
      file_name: 'a.rb',
      expiration: Date.UTC(2030, 0, 31) / 1000,
    });
  });

  it('[snippet/content, snippet/language/default] a snippet needs only content and is plain text by default', async () => {
    const { kept, request } = await create({ content: 'x' });
    expect(request?.parameters).toEqual({ content: 'x', format: 'json' });
    expect(kept).toMatchObject({ content: 'x', language: 'text' });
    expect((await pair.ask(CREATE, { variables: { input: { title: 'x' } } })).errors).toHaveLength(1);
    expect((await create({ content: '' })).errors).toMatchObject([{ parameter: 'content' }]);
  });

  it('[snippet/accessibility/default] a snippet is unlisted by default', async () => {
    expect((await create({ content: 'x' })).kept).toMatchObject({ accessibility: 1 });
  });

  it('[limit/snippet-expiration, snippet/expiration/default] a snippet expires after half an hour by default', async () => {
    expect((await create({ content: 'x' })).kept).toMatchObject({ expiration: NOW / 1000 + 1800 });
  });

  it('[snippet/expiration] a snippet expires at its time', async () => {
    let now = NOW;
    await using at = await startSnippetsPair({ now: () => now });
    const { url } = await create({ content: 'x', expiration: new Date(NOW + 60_000).toISOString() }, { at });
    now += 59_000;
    expect((await fetch(url)).status).toBe(200);
    now += 1_000;
    expect((await fetch(url)).status).toBe(404);
  });

  it.each([
    [0, 'PUBLIC', [200, 200, 200]],
    [1, 'UNLISTED', [200, 200, 200]],
    [2, 'LOGGED_USERS', [403, 200, 200]],
    [3, 'PRIVATE', [403, 403, 200]],
  ] as const)(
    '[snippet/accessibility/%i] a snippet that is %s is served only to its readers',
    async (sent, accessibility, statuses) => {
      const key = pair.apiKeyFor('user');
      const { url, request } = await create({ content: 'x', accessibility }, { key });
      expect(request?.parameters).toMatchObject({ accessibility: String(sent), api_key: key });
      const readers = ['', `?api_key=${pair.apiKeyFor('admin')}`, `?api_key=${key}`].map((query) =>
        fetch(url + query),
      );
      expect((await Promise.all(readers)).map(({ status }) => status)).toEqual(statuses);
    },
  );

  it('[snippet/language/values] a snippet has any language of the list', async () => {
    const { data } = await pair.ask<{ snippetLanguages: { name: string }[] }>(
      '{ snippetLanguages { name } }',
    );
    const names = data?.snippetLanguages.map(({ name }) => name) ?? [];
    expect(names).toHaveLength(84);
    expect(
      await fetch(`${pair.service.url}/api/languages/?format=json`).then((reply) => reply.json()),
    ).toMatchObject({ 'aspx-cs': expect.any(String), yaml: expect.any(String) });
    for (const language of [...names, 'autodetect']) {
      const { errors, kept } = await create({ content: 'x', language });
      expect([language, errors]).toEqual([language, []]);
      if (language !== 'autodetect') expect(kept).toMatchObject({ language });
    }
  });

  it('[snippet/language/others] a snippet has no language beyond the list', async () => {
    expect((await create({ content: 'x', language: 'klingon' })).errors).toMatchObject([
      { parameter: 'language' },
    ]);
  });
});

describe('the snippet service', () => {
  it('[snippet/languages] the snippet service lists its languages', async () => {
    const { data } = await pair.ask<{ snippetLanguages: object[] }>('{ snippetLanguages { name label } }');
    expect(data?.snippetLanguages).toContainEqual({ name: 'text', label: 'Plain text' });
    expect(pair.requests).toMatchObject([{ method: 'GET', path: '/api/languages/', status: 200 }]);
  });

  it('[snippet/detect] the snippet service detects a language by file name or text', async () => {
    const { data } = await pair.ask(
      '{ a: snippetLanguage(fileName: "a.py") b: snippetLanguage(text: "<?php") }',
    );
    expect(data).toEqual({ a: 'python', b: 'php' });
    expect(pair.requests.map(({ method, path, parameters }) => [method, path, parameters])).toEqual([
      ['POST', '/api/detect-language/', { file_name: 'a.py', format: 'json' }],
      ['POST', '/api/detect-language/', { text: '<?php', format: 'json' }],
    ]);
  });

  it('[snippet/detect/nothing] the snippet service needs a file name or a text to detect a language', async () => {
    const { errors } = await pair.ask('{ snippetLanguage }');
    expect([errors[0]?.extensions['code'], pair.requests]).toEqual(['BAD_USER_INPUT', []]);
    expect(
      (
        await fetch(`${pair.service.url}/api/detect-language/`, {
          method: 'POST',
          body: new URLSearchParams(),
        })
      ).status,
    ).toBe(400);
  });

  it('[snippet/format] the snippet service returns plain text unless the request asks for JSON', async () => {
    const type = async (query: string) =>
      (await fetch(`${pair.service.url}/api/languages/${query}`)).headers.get('content-type');
    expect([await type(''), await type('?format=plain'), await type('?format=json')]).toEqual([
      'text/plain; charset=utf-8',
      'text/plain; charset=utf-8',
      'application/json',
    ]);
    await pair.ask('{ snippetLanguages { name } }');
    expect(pair.requests.at(-1)?.parameters).toEqual({ format: 'json' });
  });

  it('[snippet/api_key] the snippet service requires a key when anonymous access is disabled', async () => {
    await using pair = await startSnippetsPair({ allowAnonymous: false });
    const query = '{ snippetLanguage(text: "<?php") }';
    expect((await pair.ask(query)).errors[0]?.extensions['code']).toBe('FORBIDDEN');
    const key = pair.apiKeyFor('user');
    expect((await pair.ask(query, { headers: { [KEY]: key } })).data).toEqual({ snippetLanguage: 'php' });
    expect(pair.requests.map(({ parameters, status }) => [parameters['api_key'], status])).toEqual([
      [undefined, 403],
      [key, 200],
    ]);
  });
});
