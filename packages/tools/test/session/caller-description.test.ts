// Tests that commands use the description which an earlier command has fetched, and when they do not.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../../../test/helpers/cli.ts';
import { runInProcess } from '../../../../test/helpers/cli-in-process.ts';
import { describeApi, list, resource } from '../../../../test/helpers/describe-api.ts';
import { makeFolder } from '../../../../test/helpers/folder.ts';
import { makeProfiles, WHO } from '../../../../test/helpers/profiles.ts';
import { type Answer, ok, refuse, startStub } from '../../../../test/helpers/stub-upstream.ts';
import { listenSandbox } from '../../../sandbox/src/listen-sandbox.ts';

const BOOKS = '{ books { nodes { title } } }';
const TYPENAME = ['query', '{ __typename }'];
const BOOK = { id: 'Integer', title: 'String' } as const;
const CREDENTIALS = {
  nobody: {},
  password: { OPTIONGRAPH_AUTHORIZATION: 'Basic cmVhZGVyOnNlc2FtZQ==' },
  token: { OPTIONGRAPH_TOKEN: 'Kq7v-token-of-a-reader' },
} as const;

const describeBooks = (output: Readonly<Record<string, string>>, header = 'X-Library-Token') => {
  const described = describeApi({ book: resource({ index: list('book', 'books', output) }) });
  const token = { http_header: header, query_parameter: 'token', resources: {} };
  return { ...described, authentication: { basic: {}, token } };
};

/** A library whose requests are counted, and a folder for the descriptions of its callers. */
async function openLibrary() {
  const folder = makeFolder();
  const library = {
    description: describeBooks(BOOK),
    isOpen: false,
    /** Credentials that have ended. */
    ended: new Set<string>(),
    header: 'x-library-token',
    books: (): Answer => ok({ books: [{ id: 1, title: 'One' }] }),
  };
  const counts = { descriptions: 0, anonymous: 0, probes: 0, calls: 0 };
  const stub = await startStub(library.description, {
    'book#index': () => {
      counts.calls += 1;
      return library.books();
    },
  });
  stub.onOptions = (headers, url) => {
    const credential = headers.authorization ?? headers[library.header];
    const isKnown = typeof credential === 'string' && !library.ended.has(credential);
    if (url.searchParams.has('method')) {
      counts.probes += 1;
      return isKnown ? ok({}) : refuse('unknown', null, 401);
    }
    counts.descriptions += 1;
    if (credential === undefined) counts.anonymous += 1;
    return ok(library.description);
  };
  const path = join(folder.path, 'optiongraph', 'descriptions');
  return {
    library,
    path,
    env: { XDG_CACHE_HOME: folder.path },
    files: () => readdirSync(path).map((name) => join(path, name)),
    /** Runs a command, and returns how it ends and the requests that it sends. */
    async run(caller: keyof typeof CREDENTIALS, ...args: readonly string[]) {
      Object.assign(counts, { descriptions: 0, anonymous: 0, probes: 0, calls: 0 });
      const command = args.length === 0 ? ['query', BOOKS] : args;
      const env = { XDG_CACHE_HOME: folder.path, ...CREDENTIALS[caller] };
      const ending = await runInProcess([...command, '--upstream', stub.url.href], env);
      return { ...ending, ...counts };
    },
    start: (env: Readonly<Record<string, string>>) =>
      runCli(['query', '--upstream', stub.url.href, BOOKS], { XDG_CACHE_HOME: folder.path, ...env }),
    async [Symbol.asyncDispose]() {
      await stub[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe('without a kept description, a command', () => {
  test.each([
    ['nobody', { descriptions: 1, anonymous: 1, probes: 0 }],
    // The anonymous description decides names and types, as on a server, and names the header of tokens.
    ['password', { descriptions: 2, anonymous: 1, probes: 1 }],
    ['token', { descriptions: 2, anonymous: 1, probes: 1 }],
  ] as const)('of a caller with the credential %s fetches it and the base once', async (caller, counts) => {
    await using at = await openLibrary();
    expect(await at.run(caller, ...TYPENAME)).toMatchObject({ code: 0, ...counts });
  });

  test('takes the base description from what another caller has kept', async () => {
    await using at = await openLibrary();
    await at.run('nobody', ...TYPENAME);
    expect(await at.run('token')).toMatchObject({ code: 0, descriptions: 1, anonymous: 0 });
  });
});

describe('a kept description', () => {
  test.each([
    ['nobody', { probes: 0, calls: 0 }],
    ['password', { probes: 1, calls: 1 }],
    ['token', { probes: 1, calls: 1 }],
  ] as const)(
    'is used by the next command of a caller with the credential %s, which is verified',
    async (caller, counts) => {
      await using at = await openLibrary();
      const command = caller === 'nobody' ? TYPENAME : [];
      const { stdout } = await at.run(caller, ...command);
      expect(await at.run(caller, ...command)).toMatchObject({ code: 0, stdout, descriptions: 0, ...counts });
    },
  );

  test.each(['password', 'token'] as const)('hides no %s that has ended', async (caller) => {
    await using at = await openLibrary();
    await at.run(caller);
    for (const value of Object.values(CREDENTIALS[caller])) at.library.ended.add(value);
    expect(await at.run(caller)).toMatchObject({ code: 4, stdout: '', calls: 0 });
    at.library.ended.clear();
    expect(await at.run(caller)).toMatchObject({ code: 0, descriptions: 1 });
  });

  test('is not used by another caller', async () => {
    await using at = await openLibrary();
    await at.run('password');
    expect(await at.run('token')).toMatchObject({ code: 0, descriptions: 1 });
    expect(await at.run('password')).toMatchObject({ descriptions: 0 });
  });

  test('is in a file that only its owner can read, and without the credential', async () => {
    await using at = await openLibrary();
    await at.run('password');
    await at.run('token');
    const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect([mode(at.path), ...at.files().map(mode)]).toEqual(['700', '600', '600', '600']);
    const written = at.files().map((file) => file + readFileSync(file, 'utf8'));
    for (const text of written) expect(text).not.toMatch(/Kq7v|cmVhZGVy|reader|sesame/);
  });

  test.each([
    ['damaged', (text: string) => text.replace('title', 'litle')],
    ['cut short', (text: string) => text.slice(0, -10)],
    ['empty', () => ''],
    [
      'an hour old',
      (text: string) => text.replace(/"fetchedAt":\d+/, `"fetchedAt":${Date.now() - 3_600_001}`),
    ],
    ['of the future', (text: string) => text.replace(/"fetchedAt":\d+/, '"fetchedAt":9999999999999')],
  ])('is not used when it is %s', async (_how, change) => {
    await using at = await openLibrary();
    await at.run('password');
    for (const file of at.files()) writeFileSync(file, change(readFileSync(file, 'utf8')));
    expect(await at.run('password')).toMatchObject({ code: 0, descriptions: 2 });
    expect(await at.run('password')).toMatchObject({ code: 0, descriptions: 0 });
  });

  test('is not used when other users may read or change it', async () => {
    await using at = await openLibrary();
    await at.run('password');
    for (const file of at.files()) chmodSync(file, 0o666);
    expect(await at.run('password')).toMatchObject({ code: 0, descriptions: 2 });
  });

  test('is fetched again for a document that does not fit it', async () => {
    await using at = await openLibrary();
    await at.run('password');
    at.library.description = describeBooks({ ...BOOK, year: 'Integer' });
    const query = ['query', '{ books { nodes { year } } }'];
    expect(await at.run('password', ...query)).toMatchObject({ code: 0, descriptions: 2 });
    expect(await at.run('password', ...query)).toMatchObject({ code: 0, descriptions: 0 });
  });

  test.each([
    ['refuses it to this caller', () => refuse('not for you', null, 403)],
    ['has no such path', () => refuse('no such path', null, 404)],
    ['answers it with something else', () => ok({ scrolls: [] })],
  ])('is not used any more after the API %s', async (_what, answer) => {
    await using at = await openLibrary();
    await at.run('password');
    at.library.description = describeBooks({ ...BOOK, year: 'Integer' });
    const fields = ['query', '{ __type(name: "Book") { fields { name } } }'];
    expect((await at.run('password', ...fields)).stdout).not.toContain('year');
    at.library.books = answer;
    expect(await at.run('password')).toMatchObject({ code: 1 });
    expect((await at.run('password', ...fields)).stdout).toContain('year');
  });

  test.each(['schema print', 'describe', 'doctor'])('is not used by %s', async (command) => {
    await using at = await openLibrary();
    await at.run('password');
    expect(await at.run('password', ...command.split(' '))).toMatchObject({ descriptions: 2 });
    expect(await at.run('password')).toMatchObject({ descriptions: 0 });
  });

  test('of an API whose tokens have got another header is fetched again', async () => {
    await using at = await openLibrary();
    await at.run('token');
    at.library.description = describeBooks(BOOK, 'X-Reader');
    at.library.header = 'x-reader';
    expect(await at.run('token')).toMatchObject({ code: 0, descriptions: 2, calls: 1 });
    expect(await at.run('token')).toMatchObject({ code: 0, descriptions: 0 });
  });

  test('is whole after commands that ran at the same time', async () => {
    await using at = await openLibrary();
    const endings = await Promise.all([1, 2, 3].map(() => at.start(CREDENTIALS.password).ended));
    expect(endings.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(at.files()).toHaveLength(2);
    expect(await at.run('password')).toMatchObject({ code: 0, descriptions: 0 });
  });
});

test('A profile has a kept description until it signs out', async () => {
  await using sandbox = await listenSandbox();
  using profiles = makeProfiles();
  using folder = makeFolder();
  let descriptions = 0;
  sandbox.onRequest(({ method, query }) => {
    if (method === 'OPTIONS' && query.startsWith('describe=')) descriptions += 1;
  });
  const env = { XDG_CACHE_HOME: folder.path };
  const run = (...args: readonly string[]) => profiles.run(args, 'sandbox\n', env);
  const files = () => readdirSync(join(folder.path, 'optiongraph', 'descriptions'));
  await run('login', '--upstream', sandbox.url, '--user', 'admin');
  const shared = files();
  descriptions = 0;
  expect(await run(...WHO)).toMatchObject({ code: 0, stdout: '"admin"\n' });
  expect(await run(...WHO)).toMatchObject({ code: 0, stdout: '"admin"\n' });
  expect(descriptions).toBe(1);
  expect(files()).toHaveLength(shared.length + 1);
  expect(await run('logout')).toMatchObject({ code: 0 });
  expect(files()).toEqual(shared);
});

test('At most 32 descriptions are kept, the latest ones', async () => {
  await using at = await openLibrary();
  await at.run('password');
  for (let index = 0; index < 40; index += 1) writeFileSync(join(at.path, `earlier.${index}`), '');
  await at.run('token');
  expect(at.files()).toHaveLength(32);
  // The base description was among the oldest.
  await at.run('token', 'describe');
  expect(await at.run('token')).toMatchObject({ descriptions: 0 });
});
