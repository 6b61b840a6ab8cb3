// Tests how settings are read from flags and the environment.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/operation/limits.ts';
import { makeFolder } from '../helpers/folder.ts';
import { type Environment, readSandbox, readServe, refusal } from '../helpers/read-config.ts';

const SECRET = 's3cr3t-of-mine';
const NO_UPSTREAM =
  'serve needs a management API: give its address with --upstream URL or UPSTREAM_URL, or serve made-up data with --sandbox.';

const { connections, connectionsOfAddress, requestsOfAddress, shutdownTimeout } = DEFAULT_LIMITS.transport;
const { keepAliveTimeout, requestsOfConnection } = DEFAULT_LIMITS.transport;

describe('the settings', () => {
  test('serve the sandbox on port 4000 of this machine when only the sandbox is asked for', async () => {
    const config = {
      host: '127.0.0.1',
      port: 4000,
      socket: null,
      workers: 1,
      basePath: null,
      tls: { certificate: null, key: null },
      compression: 'on',
      readyNeedsUpstream: false,
      proxy: { https: null, http: null, except: null },
      sandbox: true,
      trustedProxies: ['127.0.0.0/8', '::1'],
      upstream: {
        url: null,
        versions: [],
        authorization: null,
        transport: {
          connections: 64,
          timeout: 30_000,
          ca: null,
          certificate: null,
          key: null,
          socket: null,
        },
      },
      schemaMode: 'caller',
      savings: { earlyReads: 'on', idWindows: 'on', sharedReads: 'on', keptAnswers: [] },
      front: 'fast',
      introspection: 'on',
      federation: false,
      executor: 'planned',
      readOnly: false,
      expose: null,
      hide: [],
      anonymousHints: false,
      trustedDocuments: { documents: null, mode: 'enforce' },
      basicFromBrowsers: false,
      overrides: null,
      snippets: { url: null, apiKey: null },
      oauth: {
        clientId: null,
        clientSecret: null,
        scope: null,
        sessionSecret: null,
      },
      redis: { address: null, ca: null, prefix: 'optiongraph' },
      publicUrl: null,
      origins: [],
      limits: {
        ...DEFAULT_LIMITS,
        transport: {
          connections,
          connectionsOfAddress,
          requestsOfAddress,
          keepAliveTimeout,
          requestsOfConnection,
          drainTime: 0,
          shutdownTimeout,
        },
      },
      cacheDir: null,
      log: { level: 'info', format: 'auto', slowOperation: 5_000 },
      metrics: { port: null, host: '127.0.0.1' },
    };
    expect(await readServe(['--sandbox'])).toEqual(config);
    const empty = {
      PORT: '',
      HOST: '',
      UPSTREAM_URL: '',
      UPSTREAM_URI: '',
      API_VERSION: '',
      UPSTREAM_AUTHORIZATION: '',
      UPSTREAM_AUTHORIZATION_FILE: '',
      OVERRIDES: '',
      TRUSTED_PROXIES: '',
      SNIPPETS_URL: '',
      SNIPPETS_API_KEY: '',
      OPTIONGRAPH_CONFIG: '',
    };
    expect(await readServe(['serve', '--sandbox'], empty)).toEqual(config);
  });

  test('are those of a sandbox on any free port for the command sandbox', async () => {
    expect(await readSandbox([])).toEqual({
      host: '127.0.0.1',
      port: 0,
      trustedProxies: ['127.0.0.0/8', '::1'],
      anonymousDescription: 'everything',
      cancelBlocks: false,
      failingIncludes: {},
      unsentOutputs: {},
      brokenRows: {},
      clampedLimit: null,
      wideCount: false,
      logs: null,
      unstableTies: false,
      shuffledTimes: false,
      changingRows: false,
      habitSeed: 1,
      liveLog: null,
      redirectUris: [],
      snippetsNeedKey: false,
    });
  });

  test('serve no made-up data unless asked to, and nothing beside it', async () => {
    expect(await refusal([])).toBe(NO_UPSTREAM);
    expect(await refusal(['serve'], { UPSTREAM_URL: '' })).toBe(NO_UPSTREAM);
    expect(await refusal(['--sandbox'], { UPSTREAM_URL: 'http://a/' })).toBe(
      'Both an upstream (--upstream or UPSTREAM_URL) and --sandbox are given; leave one out.',
    );
  });

  test('take a number of workers, but not with the sandbox', async () => {
    const workersOf = async (env: Environment) => (await readServe(['--upstream', 'http://a/'], env)).workers;
    expect([await workersOf({}), await workersOf({ WORKERS: '4' })]).toEqual([1, 4]);
    expect(await refusal(['--upstream', 'http://a/'], { WORKERS: '0' })).toBe(
      'WORKERS must be a whole number from 1 to 128, not 0.',
    );
    expect(await refusal(['--sandbox', '--workers', '2'])).toMatch(
      /^The data of the sandbox is in one process/,
    );
  });

  test('take those of an OAuth 2.0 client only together', async () => {
    const secrets = { OAUTH_CLIENT_SECRET: SECRET, SESSION_SECRET: 'x'.repeat(32) };
    const args = ['--sandbox', '--oauth-client-id', 'me', '--public-url', 'https://a.example/'];
    expect(await readServe(args, secrets)).toMatchObject({
      oauth: {
        clientId: 'me',
        clientSecret: SECRET,
        scope: null,
        sessionSecret: ['x'.repeat(32)],
      },
      publicUrl: { origin: 'https://a.example' },
    });
    for (const [args, env] of [
      [['--oauth-client-id', 'me'], {}],
      [[], { OAUTH_CLIENT_SECRET: SECRET }],
      [['--oauth-scope', 'all'], {}],
      [['--oauth-client-id', 'me'], { OAUTH_CLIENT_SECRET: SECRET, SESSION_SECRET: 'short' }],
    ] as const) {
      const message = await refusal(['--sandbox', ...args], env);
      expect(message).toMatch(/OAUTH_CLIENT_SECRET|SESSION_SECRET/);
      expect(message).not.toContain(SECRET);
      expect(message).not.toContain('short');
    }
  });

  test('take several session secrets, of which the first encrypts', async () => {
    const [one, other] = ['x'.repeat(32), 'y'.repeat(32)];
    const secretsOf = async (text: string) =>
      (await readServe(['--sandbox'], { SESSION_SECRET: text })).oauth.sessionSecret;
    expect(await secretsOf(`${one},${other}`)).toEqual([one, other]);
    expect(await secretsOf(` ${one}\n${other}\n`)).toEqual([one, other]);
    expect(await refusal(['--sandbox'], { SESSION_SECRET: `${one},short` })).toBe(
      'SESSION_SECRET must be 32 characters or more.',
    );
  });

  test('take the address of Redis only with a session secret, and never show its password', async () => {
    const env = { SESSION_SECRET: 'x'.repeat(32) };
    const redisOf = async (...args: readonly string[]) =>
      (await readServe(['--sandbox', ...args], env)).redis;
    expect(await redisOf('--redis', 'redis://cache:6380/2', '--redis-prefix', 'blue')).toMatchObject({
      address: { kind: 'server', hosts: [{ host: 'cache', port: 6380 }], database: 2 },
      prefix: 'blue',
    });
    expect(await refusal(['--sandbox', '--redis', 'redis://cache'])).toMatch(/^--redis needs SESSION_SECRET/);
    const message = await refusal(['--sandbox'], { ...env, REDIS_URL: `http://me:${SECRET}@cache` });
    expect(message).toMatch(/^REDIS_URL must be like redis:/);
    expect(message).not.toContain(SECRET);
  });

  test('take which calls to save, and how long answers are kept', async () => {
    const savingsOf = async (...args: readonly string[]) => (await readServe(['--sandbox', ...args])).savings;
    expect(await savingsOf('--early-reads', 'off', '--kept-answers', 'shelf.book=30,author=5')).toEqual({
      earlyReads: 'off',
      idWindows: 'on',
      sharedReads: 'on',
      keptAnswers: [
        ['shelf.book', 30_000],
        ['author', 5_000],
      ],
    });
    for (const wrong of ['book', 'book=0', 'book=1.5', 'book=x', '=5', 'book=1 author=2'])
      expect(await refusal(['--sandbox', '--kept-answers', wrong])).toBe(
        '--kept-answers must be resources with a number of seconds, such as book=30 or shelf.book=5.',
      );
    expect(await refusal(['--sandbox', '--kept-answers', 'book=1,book=2'])).toBe(
      '--kept-answers must not name anything twice.',
    );
    expect(await refusal(['--sandbox', '--id-windows', 'no'])).toBe(
      '--id-windows must be "on" or "off", not "no".',
    );
  });

  test('take the OAuth 2.0 scope of browsers, separated by single spaces', async () => {
    const client = { OAUTH_CLIENT_ID: 'me', OAUTH_CLIENT_SECRET: SECRET };
    const scopeOf = async (args: readonly string[], env: Environment = {}) =>
      (await readServe(['--sandbox', ...args], { ...client, ...env })).oauth.scope;
    expect(await scopeOf(['--oauth-scope', 'shelf#* book#show'], { OAUTH_SCOPE: 'all' })).toBe(
      'shelf#* book#show',
    );
    expect([await scopeOf([], { OAUTH_SCOPE: 'all' }), await scopeOf([], { OAUTH_SCOPE: '' })]).toEqual([
      'all',
      null,
    ]);
    for (const wrong of ['a  b', ' a', 'a"', 'ž'])
      expect(await refusal(['--sandbox', '--oauth-scope', wrong], client)).toMatch(
        /^--oauth-scope must be words/,
      );
  });

  test('take origins whose pages may use the sessions, and refuse values that are no origin', async () => {
    const originsOf = async (...args: readonly string[]) => (await readServe(['--sandbox', ...args])).origins;
    expect(await originsOf()).toEqual([]);
    expect(await originsOf('--origins', 'https://a.example/, http://b.example:81')).toEqual([
      'https://a.example',
      'http://b.example:81',
    ]);
    for (const origin of [
      '*',
      'null',
      'a.example',
      'https://a.example/x',
      `https://u:${SECRET}@a.example`,
      'ftp://a.example',
    ])
      expect(await refusal(['--sandbox', '--origins', origin])).toBe(
        '--origins must be origins like https://app.example.org, without a path or wildcard.',
      );
  });

  test('take several versions of the API, each once', async () => {
    const versionsOf = async (args: readonly string[], env: Environment = {}) =>
      (await readServe(['--sandbox', ...args], env)).upstream.versions;
    expect(await versionsOf(['--api-version', '7.0', '--api-version=5.0'])).toEqual(['7.0', '5.0']);
    expect(await versionsOf([], { API_VERSION: '7.0, 5.0' })).toEqual(['7.0', '5.0']);
    expect(await refusal(['--sandbox', '--api-version', '7.0', '--api-version', '7.0'])).toBe(
      '--api-version must not name anything twice.',
    );
  });

  test('prefer flags to the environment', async () => {
    const env = { PORT: '1', HOST: 'a', UPSTREAM_URL: 'http://a/', API_VERSION: '1' };
    expect(await readServe([], env)).toMatchObject({
      port: 1,
      host: 'a',
      upstream: { url: { href: 'http://a/' }, versions: ['1'] },
    });
    const snippets = { SNIPPETS_URL: 'http://a/', SNIPPETS_API_KEY: SECRET };
    expect(await readServe(['--sandbox'], snippets)).toMatchObject({
      snippets: { url: { href: 'http://a/' }, apiKey: SECRET },
    });
    const args = ['--port=2', '--host=b', '--upstream=https://b/api', '--api-version=2'];
    expect(await readServe(args, env)).toMatchObject({
      port: 2,
      host: 'b',
      upstream: { url: { href: 'https://b/api' }, versions: ['2'] },
    });
  });

  test('take limits by flags and variables', async () => {
    const args = [
      '--sandbox',
      '--limits-document-depth',
      '12',
      '--limits-cost-address-per-minute=7',
      '--introspection',
      'off',
    ];
    const env = { OPTIONGRAPH_LIMITS_DOCUMENT_DEPTH: '3', OPTIONGRAPH_LIMITS_DOCUMENT_ROOT_FIELDS: '4' };
    expect(await readServe(args, env)).toMatchObject({
      introspection: 'off',
      limits: {
        document: { ...DEFAULT_LIMITS.document, depth: 12, rootFields: 4 },
        cost: { ...DEFAULT_LIMITS.cost, addressPerMinute: 7 },
      },
    });
  });

  test('take the proxies that are trusted', async () => {
    const proxies = async (TRUSTED_PROXIES: string) =>
      (await readSandbox([], { TRUSTED_PROXIES })).trustedProxies;
    expect(await proxies('10.0.0.0/8, ::1')).toEqual(['10.0.0.0/8', '::1']);
    expect(await proxies('none')).toEqual([]);
    for (const wrong of ['localhost', '10.0.0.0/33', '::1/', '10.0.0.1/8/9'])
      expect(await refusal(['sandbox'], { TRUSTED_PROXIES: wrong })).toBe(
        `TRUSTED_PROXIES must be addresses or networks, not "${wrong}".`,
      );
    expect(await refusal(['sandbox'], { TRUSTED_PROXIES: '10.0.0.1,' })).toMatch(/^TRUSTED_PROXIES must be/);
  });

  test('take on and off from variables', async () => {
    const read = async (BASIC_FROM_BROWSERS: string) =>
      (await readServe(['--sandbox'], { BASIC_FROM_BROWSERS })).basicFromBrowsers;
    expect([await read('1'), await read('Yes'), await read('false'), await read('')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await refusal(['--sandbox'], { BASIC_FROM_BROWSERS: 'perhaps' })).toBe(
      'BASIC_FROM_BROWSERS must be true or false, not "perhaps".',
    );
  });

  test('are frozen, with their groups', async () => {
    const { limits, upstream, ...config } = await readServe(['--sandbox']);
    for (const part of [limits, limits.document, upstream, config.trustedProxies])
      expect(part).toSatisfy(Object.isFrozen);
    expect(await readServe(['--sandbox'])).toSatisfy(Object.isFrozen);
    expect(await readSandbox([])).toSatisfy(Object.isFrozen);
  });

  test('are refused together, each with its place', async () => {
    expect(
      await refusal(['--sandbox', '--limits-document-depth', '0'], { PORT: 'http', SCHEMA_MODE: 'mine' }),
    ).toBe(
      [
        'PORT must be a whole number from 0 to 65535, not "http".',
        'SCHEMA_MODE must be "caller" or "fixed", not "mine".',
        '--limits-document-depth must be a whole number of at least 1, not 0.',
      ].join('\n'),
    );
  });

  test.each<[string, readonly string[], Environment, RegExp]>([
    ['an unknown option', ['--prot', '1'], {}, /^unknown option '--prot'\n\(Did you mean --port\?\)$/],
    ['a secret as an option', [`--authorization=Basic '${SECRET}\n${SECRET}`], {}, /^unknown option '--auth/],
    ['an unknown command', ['start'], {}, /^There is no command "start"\.$/],
    ['a mistyped command', ['sandbx'], {}, /^There is no command "sandbx"; did you mean sandbox\?$/],
    [
      'a mistyped command of config',
      ['config', 'chek'],
      {},
      /^unknown command 'chek'\n\(Did you mean check\?\)$/,
    ],
    ['config alone', ['config'], {}, /^Name a command: config check or config print\.$/],
    ['one word too many', ['serve', 'now'], {}, /^Unexpected argument "now"\.$/],
    ['one word too many for the sandbox', ['sandbox', 'now'], {}, /^too many arguments for 'sandbox'/],
    [
      'an address without its option',
      [`http://me:${SECRET}@x/`],
      {},
      /^Give the address .+ as --upstream URL\.$/,
    ],
    [
      'an address as a command',
      ['config', `http://me:${SECRET}@x/`],
      {},
      /Give the address of the management API as --upstream URL\.$/,
    ],
    ['an option without its value', ['--port'], {}, /^option '--port <N>' argument missing$/],
    ['an empty value', ['--upstream='], {}, /^--upstream must be an http or https address/],
    [
      'a port too large',
      ['--port', '65536'],
      {},
      /^--port must be a whole number from 0 to 65535, not 65536\.$/,
    ],
    [
      'a fraction of a port',
      [],
      { PORT: '1.5' },
      /^PORT must be a whole number from 0 to 65535, not "1\.5"\.$/,
    ],
    [
      'an upstream that is no address',
      ['--upstream', SECRET],
      {},
      /^--upstream must be an http or https address/,
    ],
    [
      'an upstream of another protocol',
      [],
      { UPSTREAM_URL: 'ftp://x/' },
      /^UPSTREAM_URL must be an http or https/,
    ],
    [
      'a secret in an address',
      ['--upstream', `http://me:${SECRET}@x/`],
      {},
      /must not contain credentials; use UPSTREAM_AUTHORIZATION for its description, or OPTIONGRAPH_AUTHORIZATION as a caller\.$/,
    ],
    [
      'a secret of another scheme',
      ['--sandbox'],
      { UPSTREAM_AUTHORIZATION: `Digest ${SECRET}` },
      /^UPSTREAM_AUTHORIZATION must be .+ "Basic …" or "Bearer …"\.$/,
    ],
    [
      'an option of the other command',
      ['sandbox', '--api-version', '1'],
      {},
      /^unknown option '--api-version'/,
    ],
    ['an option of the sandbox for serve', ['--cancel-blocks'], {}, /^unknown option '--cancel-blocks'/],
    ['a file for the sandbox', ['sandbox', '--config', 'a.yaml'], {}, /^unknown option '--config'/],
    [
      'an anonymous description that is neither',
      ['sandbox', '--anonymous-description', 'narrow'],
      {},
      /^--anonymous-description must be "everything" or "usable", not "narrow"\.$/,
    ],
    [
      'a snippet service that is no address',
      ['--snippets-url', 'x'],
      {},
      /^--snippets-url must be an http or https/,
    ],
    [
      'a secret in the address of a snippet service',
      ['--sandbox'],
      { SNIPPETS_URL: `http://me:${SECRET}@x/` },
      /must not contain credentials; use SNIPPETS_API_KEY/,
    ],
    [
      'the key of no snippet service',
      ['--sandbox'],
      { SNIPPETS_API_KEY: SECRET },
      /^SNIPPETS_API_KEY needs --snippets-url, the address of its service\.$/,
    ],
    [
      'overrides that are not there',
      ['--overrides', '/none.json'],
      {},
      /^--overrides names the file \/none\.json, which cannot be used: ENOENT/,
    ],
  ])('refuse %s', async (_name, args, env, message) => {
    expect(await refusal(args, env)).toMatch(message);
    expect(await refusal(args, env)).not.toContain(SECRET);
  });

  test('refuse a subgraph that executes trusted documents only', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'documents.json');
    writeFileSync(file, JSON.stringify({ d1: '{ __typename }' }));
    const args = ['--sandbox', '--federation', '--trusted-documents', file];
    expect(await refusal(args)).toBe(
      'Routers write documents of their own, so --federation needs --trusted-documents-mode allow.',
    );
    const config = await readServe([...args, '--trusted-documents-mode', 'allow']);
    expect(config.federation).toBe(true);
  });

  test.each(['Query', 'PageInfo', 'DateTime', 'ActionState', '__Shelf', 'my-shelf', '', 7])(
    'refuse overrides that call a type %j',
    async (name) => {
      const folder = mkdtempSync(join(tmpdir(), 'overrides-'));
      const file = join(folder, 'overrides.json');
      try {
        writeFileSync(file, JSON.stringify({ typeNames: { 'shelf.book': name } }));
        expect(await refusal(['--sandbox', '--overrides', file])).toMatch(
          /cannot be used: typeNames\.shelf\.book: expected a GraphQL name that is not reserved\.$/,
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
