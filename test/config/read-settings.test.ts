// Tests how settings are read from flags and variables, and what is refused.
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';
import { type Environment, readSandbox, readServe, refusal } from '../helpers/read-config.ts';

const SECRET = 's3cr3t-of-mine';
const LONG = 'x'.repeat(32);
const OTHER = 'y'.repeat(32);
const CLIENT = { OAUTH_CLIENT_ID: 'me', OAUTH_CLIENT_SECRET: SECRET };
const UPSTREAM = ['--upstream', 'http://a/'];
const NO_UPSTREAM =
  'serve needs a management API: give its address with --upstream URL or UPSTREAM_URL, or serve made-up data with --sandbox.';

/** Environment of `serve`, and the part of the settings that follows. */
type Accepted = readonly [what: string, env: Environment, settings: object];

describe('serve takes', () => {
  const OWN = { PORT: '1', OPTIONGRAPH_HOST: 'a', UPSTREAM_URL: 'http://a/', OPTIONGRAPH_API_VERSION: '1' };

  test('variables, and flags before them', async () => {
    const settings = { port: 1, host: 'a', upstream: { url: { href: 'http://a/' }, version: '1' } };
    expect(await readServe([], OWN)).toMatchObject(settings);
    const flags = ['--port=2', '--host=b', '--upstream=https://b/api', '--api-version=2'];
    expect(await readServe(flags, OWN)).toMatchObject({
      ...{ port: 2, host: 'b' },
      upstream: { url: { href: 'https://b/api' }, version: '2' },
    });
  });

  test('the variables of proxies as curl does: in lower case first', async () => {
    const env = { http_proxy: 'http://a:1/', HTTP_PROXY: 'http://b:2/', https_proxy: 'http://c:3/' };
    expect(await readServe(UPSTREAM, { ...env, no_proxy: '::1' })).toMatchObject({
      proxy: { http: 'http://a:1/', https: 'http://c:3/', except: '::1' },
    });
  });

  test.each<Accepted>([
    [
      'lists, groups and secrets',
      {
        ...{ OPTIONGRAPH_LIMITS_ADDRESS_COST: '7', OPTIONGRAPH_LIMITS_BODY_SIZE: '4' },
        ...{ ...CLIENT, OAUTH_SCOPE: 'shelf#* book#show', SESSION_SECRET: ` ${LONG}\n${OTHER},${LONG}\n` },
        ...{ REDIS_URL: 'redis://cache:6380/2', OPTIONGRAPH_REDIS_PREFIX: 'blue' },
        OPTIONGRAPH_ORIGINS: 'https://a.example/, http://b.example:81',
        OPTIONGRAPH_ALLOWED_HOSTS: 'Graph.example,10.0.0.1, [2001:db8::1]',
        ...{ SNIPPETS_URL: 'http://a/', SNIPPETS_API_KEY: SECRET },
        OPTIONGRAPH_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
        OPTIONGRAPH_CLIENT_HEADERS: 'client-ip,user-agent',
        OPTIONGRAPH_BASIC_FROM_BROWSERS: 'Yes',
        OPTIONGRAPH_PUBLIC_URL: 'https://a.example/',
      },
      {
        limits: { addressCost: 7, bodySize: 4, calls: 200 },
        oauth: {
          ...{ clientId: 'me', clientSecret: SECRET, scope: 'shelf#* book#show' },
          sessionSecret: [LONG, OTHER, LONG],
        },
        redis: { address: 'redis://cache:6380/2', prefix: 'blue' },
        origins: ['https://a.example', 'http://b.example:81'],
        allowedHosts: ['Graph.example', '10.0.0.1', '[2001:db8::1]'],
        snippets: { url: { href: 'http://a/' }, apiKey: SECRET },
        trustedProxies: ['10.0.0.0/8', '::1'],
        clientHeaders: ['client-ip', 'user-agent'],
        basicFromBrowsers: true,
        publicUrl: { origin: 'https://a.example' },
      },
    ],
    [
      'words for any, none and false, and an empty variable as none',
      {
        ...{ PORT: '', UPSTREAM_URL: '', OPTIONGRAPH_ALLOWED_HOSTS: '*' },
        ...{ OPTIONGRAPH_TRUSTED_PROXIES: 'none', OPTIONGRAPH_BASIC_FROM_BROWSERS: 'false' },
      },
      { port: 4000, allowedHosts: ['*'], trustedProxies: [], basicFromBrowsers: false },
    ],
  ])('%s', async (_what, env, settings) => {
    expect(await readServe(['--sandbox'], env)).toMatchObject(settings);
  });
});

test('sandbox takes the habits of its API', async () => {
  const habits = {
    failingIncludes: { 'book#index': ['author', 'shelf'], 'shelf.book#show': ['author'] },
    ...{ clampedLimit: 50, liveLog: 3 },
    redirectUris: ['http://127.0.0.1/a', 'https://a.example/b?c,d'],
  };
  const defaults = await readSandbox([]);
  expect(await readSandbox(['--habits', JSON.stringify(habits)])).toEqual({ ...defaults, habits });
});

/** What variables refuse: the message, in which VALUE is the value, and values. */
const INVALID: Readonly<Record<string, readonly [message: string, ...values: readonly string[]]>> = {
  PORT: ['must be a whole number from 0 to 65535, not VALUE.', '"http"', '"1.5"', '65536'],
  OPTIONGRAPH_SCHEMA_MODE: ['must be "caller" or "fixed", not VALUE.', '"mine"'],
  OPTIONGRAPH_LIMITS_CALLS: ['must be a whole number of at least 1, not VALUE.', '0'],
  OPTIONGRAPH_LOG_SLOW_OPERATION: ['must be a whole number of at least 1, not VALUE.', '0'],
  SESSION_SECRET: ['must be 32 characters or more.', '"short"', `"${LONG},short"`],
  REDIS_URL: [
    'must be like redis://host:6379/0',
    ...[`"http://me:${SECRET}@cache"`, '"redis://one,two"', '"redis://cache/name"', '"redis://me:a%@cache"'],
  ],
  OAUTH_SCOPE: ['must be words', '"a  b"', '" a"', '"a\\""', '"ž"'],
  OPTIONGRAPH_ORIGINS: [
    'must be origins like https://app.example.org, without a path or wildcard',
    ...['"*"', '"https://a.example/x"', `"https://u:${SECRET}@a.example"`],
  ],
  OPTIONGRAPH_ALLOWED_HOSTS: [
    'must be hosts like graph.example.org or [2001:db8::1], without a scheme or port, or "*", not VALUE.',
    ...['"https://a.example"', '"*.a.example"', '"2001:db8::1"', '"[::1]:80"'],
  ],
  OPTIONGRAPH_TRUSTED_PROXIES: ['must be addresses or networks, not VALUE.', '"localhost"', '"10.0.0.0/33"'],
  OPTIONGRAPH_CLIENT_HEADERS: ['must be "client-ip" or ', '"cookie"'],
  OPTIONGRAPH_BASIC_FROM_BROWSERS: ['must be true or false, not VALUE.', '"perhaps"'],
  UPSTREAM_AUTHORIZATION: ['must be ', `"Digest ${SECRET}"`],
  UPSTREAM_URL: ['must be an http or https address, such as', ...[`"${SECRET}"`, '"ftp://x/"']],
  SNIPPETS_URL: ['must not contain credentials; use SNIPPETS_API_KEY', `"http://me:${SECRET}@x/"`],
};

test.each([1, 2, 3, 4])('all invalid variables are refused at once, without a secret (%i)', async (round) => {
  const rows = Object.entries(INVALID).flatMap(([name, [message, ...values]]) => {
    const value = values[round - 1];
    return value === undefined
      ? []
      : [{ name, value, message: `${name} ${message.replace('VALUE', value)}` }];
  });
  const env = Object.fromEntries(rows.map(({ name, value }) => [name, String(JSON.parse(value))]));
  const lines = (await refusal([], env)).split('\n');
  expect(lines).toHaveLength(rows.length);
  for (const { message } of rows) expect(lines).toContainEqual(expect.stringContaining(message));
  for (const secret of [SECRET, 'short']) expect(lines.join()).not.toContain(secret);
});

/** The words of a command line, the message as a whole or in part, and the environment. */
type Refused = readonly [words: string, message: string | RegExp, env?: Environment];

const NO_CLIENT = /needs both OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET\.$/;

const REFUSED: readonly Refused[] = [
  ['', NO_UPSTREAM],
  ['serve', NO_UPSTREAM, { UPSTREAM_URL: '' }],
  ['--sandbox --upstream http://a/', /^Both an upstream .+ and --sandbox are given; leave one out\.$/],
  ['--sandbox', /^upstream.certificate .+ are given together/, { OPTIONGRAPH_UPSTREAM_KEY: '/etc/hosts' }],
  ['--sandbox', NO_CLIENT, { OAUTH_CLIENT_ID: 'me' }],
  ['--sandbox', NO_CLIENT, { OAUTH_CLIENT_SECRET: SECRET }],
  ['--sandbox', /^SNIPPETS_API_KEY needs SNIPPETS_URL/, { SNIPPETS_API_KEY: SECRET }],
  ['--sandbox --redis redis://cache', /^--redis needs SESSION_SECRET/],
  ['--sandbox --origins https://a.example,https://a.example', '--origins must not name anything twice.'],
  ['--prot 1', "unknown option '--prot'\n(Did you mean --port?)"],
  [`--authorization=Basic'${SECRET}\n${SECRET}`, /^unknown option '--auth/],
  ['config chek', "unknown command 'chek'\n(Did you mean check?)"],
  ['serve now', 'Unexpected argument "now".'],
  ['sandbox now', /^too many arguments for 'sandbox'/],
  ['--port', "option '--port <N>' argument missing"],
  ['--port 65536', /^--port must be a whole number from 0 to 65535, not 65536\./],
  ['--upstream=', /^--upstream must be an http or https address/],
  [`--upstream http://me:${SECRET}@x/`, /must not contain credentials; use UPSTREAM_AUTHORIZATION .+\.$/],
  ['sandbox --api-version 1', /^unknown option '--api-version'/],
  ...['{', '{"liveLog":0}', '{"liveLog":"x"}', '{"tidy":true}', '{"redirectUris":["/back"]}'].map(
    (given): Refused => [`sandbox --habits=${given}`, /^--habits must be a JSON object of .+: /],
  ),
  ['--overrides /none.json', /^--overrides names the file \/none\.json, which cannot be used: ENOENT/],
];

test.each(REFUSED.map(([words, message, env = {}]) => [words, message, env] as const))(
  '%j is refused, without repeating a secret: %s',
  async (words, message, env) => {
    const found = await refusal(words.split(' ').filter(Boolean), env);
    if (typeof message === 'string') expect(found).toBe(message);
    else expect(found).toMatch(message);
    expect(found).not.toContain(SECRET);
  },
);

test('A subgraph that executes trusted documents only is refused', async () => {
  using folder = makeFolder();
  const file = folder.write('documents.json', { d1: '{ __typename }' });
  const env = { OPTIONGRAPH_FEDERATION: 'on', OPTIONGRAPH_TRUSTED_DOCUMENTS_DOCUMENTS: file };
  expect(await refusal(['--sandbox'], env)).toBe(
    'Routers write documents of their own, so federation needs trustedDocuments.mode: allow.',
  );
  expect(
    await readServe(['--sandbox'], { ...env, OPTIONGRAPH_TRUSTED_DOCUMENTS_MODE: 'allow' }),
  ).toMatchObject({ federation: true });
});

test.each(['__Shelf', 'my-shelf', 'true', '', 7])(
  'Overrides that call a type %j are refused',
  async (name) => {
    using folder = makeFolder();
    const file = folder.write('overrides.json', { names: { ShelfBook: name } });
    expect(await refusal(['--sandbox', '--overrides', file])).toMatch(
      /cannot be used: names\.ShelfBook: expected a GraphQL name, not .+\.$/,
    );
  },
);
