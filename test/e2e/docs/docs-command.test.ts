// Tests what `optiongraph docs` writes, and what it never overwrites.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { SearchEntry } from '../../../packages/docs-site/src/search/search-entry.ts';
import { runCli } from '../../helpers/cli.ts';
import { runInProcess } from '../../helpers/cli-in-process.ts';
import { action, describeApi, list, manyResources, resource, show } from '../../helpers/describe-api.ts';
import { findBadLinks, readPages } from '../../helpers/docs-site.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { startStub } from '../../helpers/stub-upstream.ts';

const docs = (out: string, ...more: readonly string[]) =>
  runInProcess(['docs', '--out', out, ...(more.includes('--upstream') ? [] : ['--sandbox']), ...more]);

/** The text of a page, without its elements. */
const textOf = (page: string | undefined): string =>
  (page ?? '').replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

/** The text of the section of an action. */
const sectionOf = (page: string | undefined, name: string): string =>
  textOf(page?.split('<section').find((part) => part.includes(`id="${name}"`)));

describe('the site of the sandbox', async () => {
  const folder = makeFolder();
  afterAll(() => folder[Symbol.dispose]());
  const out = join(folder.path, 'new/site');
  const result = await docs(out, '--as', 'admin', '--server', 'http://graph.test/graphql');
  const pages = readPages(out);
  const files = readdirSync(out);

  test('is complete, and all of its links lead somewhere', () => {
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: `${files.length - 1} files are in ${out}. Open index.html there.\n`,
    });
    expect(files).toEqual(expect.arrayContaining(['index.html', 'site.css', 'site.js', 'search-entries.js']));
    expect(findBadLinks(pages)).toEqual([]);
    expect(readdirSync(join(folder.path, 'new'))).toEqual(['site']);
  });

  test('has entries for the search that all lead somewhere', () => {
    const script = readFileSync(join(out, 'search-entries.js'), 'utf8');
    const [, json = ''] = /JSON\.parse\((".*")\)/.exec(script) ?? [];
    const entries = JSON.parse(JSON.parse(json)) as readonly SearchEntry[];
    const links = entries.map(([, , link]) => ` href="${link}"`).join('');
    expect(entries.length).toBeGreaterThan(400);
    expect(findBadLinks(new Map([...pages, ['the search', links]]))).toEqual([]);
  });

  test('explains the fields and edges of a resource', () => {
    const text = textOf(pages.get('resource-dataset.html'));
    expect(text).toContain('currentHistoryId');
    expect(text).toContain('In the API current_history_id');
    expect(text).toContain('snapshots DatasetSnapshotConnection list');
    expect(text).toMatch(/relatedDatasets .*? Paged by first and after . Filtered by/);
  });

  test('explains a read with its arguments, its example and its errors', () => {
    const text = sectionOf(pages.get('resource-dataset.html'), 'Query.datasets');
    expect(text).toContain('API call GET /v7.0/datasets');
    expect(text).toContain('needed, with the scope dataset#index');
    expect(text).toContain('Also Dataset.relatedDatasets');
    expect(text).toContain('query Datasets { datasets(first: 5) {');
    expect(text).toContain('PAGINATION_UNSUPPORTED');
  });

  test('explains a write with its rules, its payload and its user errors', () => {
    const text = sectionOf(pages.get('resource-dataset.html'), 'Mutation.datasetCreate');
    expect(text).toContain('Runs in the background');
    expect(text).toMatch(/input\. name String ! required/);
    expect(text).toContain('Rules:');
    expect(text).toContain('{ datasetCreate(input: $input , wait: 10) {');
    expect(text).toContain('Fields of DatasetCreatePayload');
    expect(text).toMatch(/User errors .*ACTION_FAILED/);
  });

  test('opens examples in the explorer of the server', () => {
    const [, link = ''] = /href="(http:[^"]+query=[^"]+)"/.exec(pages.get('index.html') ?? '') ?? [];
    const url = new URL(link.replaceAll('&#38;', '&'));
    expect(url.origin + url.pathname).toBe('http://graph.test/graphql');
    expect(url.searchParams.get('query')).toMatch(/^query Example \{/);
  });

  test('is the same in another process', async () => {
    const again = join(folder.path, 'again');
    const args = ['--as', 'admin', '--server', 'http://graph.test/graphql'];
    await runCli(['docs', '--out', again, '--sandbox', ...args]).ended;
    expect(readPages(again)).toEqual(pages);
  });

  test('shows a caller only what the API describes to that caller', async () => {
    const anonymous = join(folder.path, 'anonymous');
    expect(await docs(anonymous, '--as', 'anonymous', '--title', 'Open part')).toMatchObject({ code: 0 });
    const open = readPages(anonymous);
    expect(open.has('resource-component.html')).toBe(true);
    expect(open.has('resource-dataset.html')).toBe(false);
    expect(open.get('index.html')).toContain('<title>Open part</title>');
    expect(textOf(open.get('guide-mutations.html'))).toContain('the example is that of the sandbox');
    expect(findBadLinks(open)).toEqual([]);
  });
});

describe('a folder', () => {
  test('with an earlier site is replaced as a whole, also behind a link', async () => {
    using folder = makeFolder();
    const out = join(folder.path, 'site');
    const link = join(folder.path, 'link');
    mkdirSync(out);
    symlinkSync(out, link);
    expect(await docs(link, '--as', 'admin')).toMatchObject({ code: 0 });
    expect(await docs(link, '--as', 'anonymous')).toMatchObject({ code: 0 });
    expect(readdirSync(out)).not.toContain('resource-dataset.html');
    expect(readdirSync(folder.path).sort()).toEqual(['link', 'site']);
  });

  test('with anything else stays as it is', async () => {
    using folder = makeFolder();
    const out = join(folder.path, 'site');
    mkdirSync(out);
    writeFileSync(join(out, 'index.html'), 'mine');
    expect(await docs(out)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'contains index.html, which this command has not written. Choose another folder',
      ),
    });
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toBe('mine');
    expect(readdirSync(out)).toEqual(['index.html']);
  });

  test('that cannot be used is refused before the API is asked', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const given = [
      [['--out', file], '--out must be a folder; '],
      [['--out', '.'], '--out must be a folder of its own'],
      [['--out', '/'], '--out must be a folder of its own'],
      [['--out', 'x', '--server', 'ftp://x'], '--server must be an http or https address'],
      [[], "required option '--out <FOLDER>'"],
    ] as const;
    for (const [args, message] of given)
      expect(await runInProcess(['docs', '--upstream', 'http://127.0.0.1:1/', ...args])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
  });

  test('that cannot be made is not written, and nothing is left behind', async () => {
    using folder = makeFolder();
    writeFileSync(join(folder.path, 'file'), '');
    for (const out of [join(folder.path, 'file/site'), '/proc/none/site']) {
      const { code, stderr } = await docs(out);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^optiongraph: The site cannot be written to .*: /),
      ]);
    }
    expect(readdirSync(folder.path)).toEqual(['file']);
  });

  test('is not written when the API cannot be reached', async () => {
    using folder = makeFolder();
    const out = join(folder.path, 'site');
    expect(await docs(out, '--upstream', 'http://127.0.0.1:1/')).toMatchObject({ code: 3 });
    expect(existsSync(out)).toBe(false);
  });
});

test('a large API has small pages, and its entries for the search are one file', async () => {
  await using stub = await startStub(describeApi(manyResources(90)), {});
  using folder = makeFolder();
  const { code } = await runInProcess(
    ['docs', '--upstream', stub.url.href, '--out', join(folder.path, 'site')],
    {
      OPTIONGRAPH_TOKEN: 'reader-of-everything',
    },
  );
  const pages = readPages(join(folder.path, 'site'));
  const ofResources = [...pages.keys()].filter((name) => name.startsWith('resource-'));
  expect([code, ofResources.length]).toEqual([0, 90]);
  for (const [name, page] of pages) expect(page.length, name).toBeLessThan(150_000);
  expect(readFileSync(join(folder.path, 'site/search-entries.js')).length).toBeLessThan(500_000);
});

test('the id of an object is a field, and the object is an edge', async () => {
  const author = resource({ show: show('author', 'authors', { id: 'Integer' }) });
  const book = resource({ show: show('book', 'books', { id: 'Integer', author_id: 'Integer' }) });
  await using stub = await startStub(describeApi({ author, book }), {});
  using folder = makeFolder();
  const out = join(folder.path, 'site');
  await runInProcess(['docs', '--upstream', stub.url.href, '--out', out], { OPTIONGRAPH_TOKEN: 'reader' });
  const [fields, edges] = textOf(readPages(out).get('resource-book.html')).split(/ Edges (?=author )/);
  expect(fields).toContain('authorDatabaseId');
  expect(edges).toContain('The object with the ID in author_id');
});

test('texts of an API that would be code in a page stay texts', async () => {
  const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(2)>' onclick='alert(3) \`</code><svg onload=alert(4)>\``;
  const evil = { type: 'String', label: EVIL, description: EVIL, default: EVIL, required: true };
  const described = {
    ...action({
      path: '/evils',
      method: 'POST',
      namespace: 'evil',
      input: { name: evil },
      output: { [EVIL]: evil },
    }),
    description: EVIL,
    deprecated: EVIL,
  };
  const choices = { ...evil, validators: { include: { values: { [EVIL]: EVIL, a: EVIL }, message: EVIL } } };
  const api = describeApi({
    [EVIL]: {
      ...resource({
        index: list('evil', 'evils', { id: 'Integer', name: evil }, { input: { state: choices } }),
        create: described,
      }),
      description: EVIL,
    },
    ['__proto__']: resource({ index: list('proto', 'protos', { id: 'Integer' }) }),
  });
  await using stub = await startStub(api, {});
  using folder = makeFolder();
  const out = join(folder.path, 'site');
  const args = ['docs', '--upstream', stub.url.href, '--out', out, '--title', EVIL];
  expect(await runInProcess(args, { OPTIONGRAPH_TOKEN: 'reader-of-everything' })).toMatchObject({ code: 0 });
  const pages = readPages(out);
  expect(findBadLinks(pages)).toEqual([]);
  for (const [name, page] of pages) {
    expect(page.match(/<script[^>]*>/g), name).toEqual(['<script src="site.js" defer>']);
    expect(page.match(/<[^>]*\son\w+=/g), name).toBeNull();
    expect(page.match(/<(img|svg)\b[^>]*>/g) ?? [], name).toEqual(
      name === 'guide-schema.html' ? [expect.anything()] : [],
    );
    expect(page).toContain("default-src 'none'".replaceAll("'", '&#39;'));
  }
  expect([...pages.values()].join('')).toContain('&#60;script&#62;alert(1)');
});
