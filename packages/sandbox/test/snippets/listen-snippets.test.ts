// Tests the sandbox's snippet service.

import { describe, expect, it } from 'vitest';
import { listenSnippets, type Snippets, type SnippetsOptions } from '../../src/snippets/listen-snippets.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const SECONDS = NOW / 1000;

/** Sends a command as a form, like the official client of the service. */
async function post(snippets: Snippets, path: string, form: Readonly<Record<string, string>>) {
  const response = await fetch(snippets.url + path, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

const create = (snippets: Snippets, form: Readonly<Record<string, string>>) =>
  post(snippets, '/api/paste/', form);

/** Creates a snippet and returns the stored snippet as JSON. */
async function createAndRead(snippets: Snippets, form: Readonly<Record<string, string>>, key = '') {
  const { text: url } = await create(snippets, key === '' ? form : { ...form, api_key: key });
  const response = await fetch(`${url}?format=json&api_key=${key}`);
  return response.json();
}

const apiKeyFor = ({ users }: Snippets, login: string): string =>
  users.find((user) => user.login === login)?.apiKey ?? '';

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

  it('defaults to plain text, unlisted, for half an hour', async () => {
    await using snippets = await open();
    expect(await createAndRead(snippets, { content: 'x' })).toEqual({
      title: '',
      file_name: '',
      language: 'text',
      content: 'x',
      accessibility: 1,
      expiration: SECONDS + 1800,
    });
    const values = { title: 'A tale', file_name: 'a.py', language: 'ruby', content: 'x', accessibility: '0' };
    expect(await createAndRead(snippets, { ...values, expiration: String(SECONDS + 5) })).toEqual({
      ...values,
      accessibility: 0,
      expiration: SECONDS + 5,
    });
    expect(await createAndRead(snippets, { content: 'x', expiration: '5' })).toMatchObject({
      expiration: SECONDS + 1800,
    });
    expect(
      await createAndRead(snippets, { content: '#!/bin/sh', language: 'autodetect', file_name: 'x' }),
    ).toMatchObject({ language: 'bash' });
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
  it('is open to everybody with its URL, to users, or only to its owner', async () => {
    await using snippets = await open();
    const [admin, user] = [apiKeyFor(snippets, 'admin'), apiKeyFor(snippets, 'user')];
    const statuses: Record<string, readonly number[]> = {};
    for (const accessibility of ['0', '1', '2', '3']) {
      const { text: url } = await create(snippets, { content: 'x', accessibility, api_key: user });
      const readers = ['', `?api_key=${admin}`, `?api_key=${user}`].map((query) => fetch(url + query));
      statuses[accessibility] = (await Promise.all(readers)).map(({ status }) => status);
    }
    expect(statuses).toEqual({
      0: [200, 200, 200],
      1: [200, 200, 200],
      2: [403, 200, 200],
      3: [403, 403, 200],
    });
  });

  it('cannot be limited to users or an owner without an API key', async () => {
    await using snippets = await open();
    const { text } = await create(snippets, { content: 'x', accessibility: '3', format: 'json' });
    expect(JSON.parse(text)).toEqual({
      error: { accessibility: ['accessibility must be 0 or 1 without an API key'] },
    });
  });

  it('ends when the snippet expires', async () => {
    let now = NOW;
    await using snippets = await open({ now: () => now });
    const { text: url } = await create(snippets, { content: 'x', expiration: String(SECONDS + 60) });
    now += 59_999;
    expect((await fetch(url)).status).toBe(200);
    now += 1;
    expect((await fetch(url)).status).toBe(404);
  });
});

describe('languages', () => {
  it('are those of the specification, with their labels', async () => {
    await using snippets = await open();
    const json = await (await fetch(`${snippets.url}/api/languages/?format=json`)).json();
    expect(Object.keys(json)).toHaveLength(84);
    expect(json).toMatchObject({ as: 'ActionScript', text: 'Plain text', yaml: 'YAML' });
    const plain = await (await fetch(`${snippets.url}/api/languages/`)).text();
    expect(plain.split('\n')).toContain('python=Python');
  });

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

  it('cannot be detected from nothing', async () => {
    await using snippets = await open();
    const nothing = { file_name: '', text: '' };
    expect(await post(snippets, '/api/detect-language/', nothing)).toMatchObject({
      status: 400,
      text: 'ERROR:file_name,text',
    });
    const { status, text } = await post(snippets, '/api/detect-language/', { format: 'json' });
    expect({ status, ...JSON.parse(text) }).toEqual({
      status: 400,
      error: {
        file_name: ['specify file_name, text, or both'],
        text: ['specify file_name, text, or both'],
      },
    });
  });
});

describe('an API key', () => {
  it('is required for every command without anonymous access, but not for reading snippets', async () => {
    await using snippets = await open({ allowAnonymous: false });
    const key = apiKeyFor(snippets, 'user');
    const languages = `${snippets.url}/api/languages/`;
    expect((await fetch(languages)).status).toBe(403);
    expect((await fetch(`${languages}?api_key=${key}`)).status).toBe(200);
    expect(await post(snippets, '/api/detect-language/', { text: 'x' })).toMatchObject({ status: 403 });
    expect(await create(snippets, { content: 'x', format: 'json' })).toMatchObject({
      status: 403,
      text: '{"error":"API key is required"}',
    });
    const { text: url } = await create(snippets, { content: 'x', api_key: key });
    expect((await fetch(url)).status).toBe(200);
  });

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
