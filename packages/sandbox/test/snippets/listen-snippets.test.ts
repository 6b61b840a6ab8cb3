// Tests the sandbox's snippet service.

import { describe, expect, it } from 'vitest';
import { listenSnippets, type Snippets, type SnippetsOptions } from '../../src/snippets/listen-snippets.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

/** Sends a command as a form, like the official client of the service. */
async function post(snippets: Snippets, path: string, form: Readonly<Record<string, string>>) {
  const response = await fetch(snippets.url + path, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

const create = (snippets: Snippets, form: Readonly<Record<string, string>>) =>
  post(snippets, '/api/paste/', form);

/** Starts a service with a fixed clock. */
const open = (options: SnippetsOptions = {}) => listenSnippets({ now: () => NOW, ...options });

describe('creating a snippet', () => {
  it('returns its URL, as text unless the request asks for JSON, and stores the snippet', async () => {
    await using snippets = await open();
    const plain = await create(snippets, { content: 'hello\n  world\n' });
    expect(plain).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
    expect(plain.text).toMatch(new RegExp(`^${snippets.url}/\\w{8}/$`));
    const page = await fetch(plain.text);
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await page.text()).toBe('hello\n  world\n');

    const json = await create(snippets, { content: 'x', format: 'json' });
    expect(json.type).toBe('application/json');
    expect(JSON.parse(json.text)).toEqual({ url: expect.stringMatching(/^http:\/\/.+\/$/) });
  });

  it('accepts a form of either content type or a JSON object', async () => {
    await using snippets = await open();
    const form = new FormData();
    form.set('content', new Blob(['of a file']), 'x.txt');
    form.set('title', 'žluťoučký');
    const bodies: RequestInit[] = [
      { body: form },
      {
        body: JSON.stringify({ content: 'of JSON', accessibility: 0, title: null }),
        headers: { 'content-type': 'application/json' },
      },
    ];
    const snippetsRead = await Promise.all(
      bodies.map(async (init) => {
        const created = await fetch(`${snippets.url}/api/paste/`, { method: 'POST', ...init });
        return (await fetch(`${await created.text()}?format=json`)).json();
      }),
    );
    expect(snippetsRead).toMatchObject([
      { content: 'of a file', title: 'žluťoučký', accessibility: 1 },
      { content: 'of JSON', title: '', accessibility: 0 },
    ]);
  });

  it('fails with all errors of each parameter', async () => {
    await using snippets = await open();
    const invalidForm = { accessibility: '4', expiration: 'tomorrow', language: 'klingon', content: ' \n' };
    const { status, text } = await create(snippets, { ...invalidForm, format: 'json' });
    expect({ status, ...JSON.parse(text) }).toEqual({
      status: 200,
      error: {
        content: ['This field is required.'],
        accessibility: ['accessibility must be 0, 1, 2 or 3'],
        expiration: ['expiration must be a timestamp in seconds'],
        language: ['language does not exist'],
      },
    });
    expect(await create(snippets, invalidForm)).toMatchObject({
      status: 200,
      text: 'ERROR:content,accessibility,expiration,language',
    });
    expect(await create(snippets, { content: 'x', expiration: '9'.repeat(20) })).toMatchObject({
      text: 'ERROR:expiration',
    });
  });
});

describe('access to a snippet', () => {
  it('cannot be limited to users or an owner without an API key', async () => {
    await using snippets = await open();
    const { text } = await create(snippets, { content: 'x', accessibility: '3', format: 'json' });
    expect(JSON.parse(text)).toEqual({
      error: { accessibility: ['accessibility must be 0 or 1 without an API key'] },
    });
  });
});

describe('languages', () => {
  it.each([
    [{ file_name: 'a/b.PY' }, 'python'],
    [{ file_name: 'Makefile' }, 'make'],
    [{ file_name: 'nginx.conf' }, 'nginx'],
    [{ text: '#!/usr/bin/env python3\n' }, 'python'],
    [{ text: '\n<?xml version="1.0"?>' }, 'xml'],
    [{ text: '#!/opt/nothing' }, 'text'],
    [{ file_name: 'a.rb', text: '<?php' }, 'ruby'],
    [{ file_name: 'a.unknown', text: '<?php' }, 'php'],
  ])('are detected: %o is %s', async (form, language) => {
    await using snippets = await open();
    expect((await post(snippets, '/api/detect-language/', form)).text).toBe(language);
    const { text } = await post(snippets, '/api/detect-language/', { ...form, format: 'json' });
    expect(JSON.parse(text)).toEqual({ language });
  });
});

describe('an API key', () => {
  it('that is unknown is rejected, even where anonymous access is allowed', async () => {
    await using snippets = await open();
    expect(await create(snippets, { content: 'x', api_key: 'unknown' })).toMatchObject({
      status: 403,
      text: 'ERROR:API key is not valid',
    });
  });
});

describe('the service rejects', () => {
  it.each([
    ['an unknown path', 'GET', '/api/nothing/', {}, 404],
    ['an unknown snippet', 'GET', '/nosuch/', {}, 404],
    ['an unsupported method', 'GET', '/api/paste/', {}, 405],
    ['an unsupported format', 'GET', '/api/languages/?format=xml', {}, 400],
    ['an unsupported content type', 'POST', '/api/paste/', { 'content-type': 'text/csv' }, 415],
    ['invalid JSON', 'POST', '/api/paste/', { 'content-type': 'application/json' }, 400],
    ['an invalid form', 'POST', '/api/paste/', { 'content-type': 'multipart/form-data' }, 400],
  ])('%s', async (_name, method, path, headers, status) => {
    await using snippets = await open();
    const body = method === 'POST' ? { body: 'content' } : {};
    expect((await fetch(snippets.url + path, { method, headers, ...body })).status).toBe(status);
  });
});
