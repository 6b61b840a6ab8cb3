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

/** Arguments of `serve`, its environment, and the part of the settings that follows. */
type Accepted = readonly [what: string, args: readonly string[], env: Environment, settings: object];

describe('serve takes', () => {
  test.each<Accepted>([
    [
      'flags before variables',
      ['--port=2', '--host=b', '--upstream=https://b/api', '--api-version=2'],
      { PORT: '1', OPTIONGRAPH_HOST: 'a', UPSTREAM_URL: 'http://a/', OPTIONGRAPH_API_VERSION: '1' },
      { port: 2, host: 'b', upstream: { url: { href: 'https://b/api' }, versions: ['2'] } },
    ],
    [
      'variables',
      [],
      { PORT: '1', OPTIONGRAPH_HOST: 'a', UPSTREAM_URL: 'http://a/', OPTIONGRAPH_API_VERSION: '1' },
      { port: 1, host: 'a', upstream: { url: { href: 'http://a/' }, versions: ['1'] } },
    ],
    ['an empty variable as none', ['serve', '--sandbox'], { PORT: '', UPSTREAM_URL: '' }, { port: 4000 }],
    [
      'the variables of proxies as curl does: in lower case first',
      UPSTREAM,
      { http_proxy: 'http://a:1/', HTTP_PROXY: 'http://b:2/', https_proxy: 'http://c:3/', no_proxy: '::1' },
      { proxy: { http: 'http://a:1/', https: 'http://c:3/', except: '::1' } },
    ],
    [
      'limits by variables that follow from their keys',
      ['--sandbox'],
      { OPTIONGRAPH_LIMITS_ADDRESS_COST: '7', OPTIONGRAPH_LIMITS_BODY_SIZE: '4' },
      { limits: { addressCost: 7, bodySize: 4, calls: 200 } },
    ],
    [
      'the client of browsers, with one session secret',
      ['--sandbox', '--public-url', 'https://a.example/'],
      { ...CLIENT, SESSION_SECRET: LONG },
      {
        oauth: { clientId: 'me', clientSecret: SECRET, scope: null, sessionSecret: [LONG] },
        publicUrl: { origin: 'https://a.example' },
      },
    ],
    [
      'several session secrets',
      ['--sandbox'],
      { SESSION_SECRET: ` ${LONG}\n${OTHER},${LONG}\n` },
      { oauth: { sessionSecret: [LONG, OTHER, LONG] } },
    ],
    [
      'the scope of browsers',
      ['--sandbox'],
      { ...CLIENT, OAUTH_SCOPE: 'shelf#* book#show' },
      { oauth: { scope: 'shelf#* book#show' } },
    ],
    [
      'the address of Redis',
      ['--sandbox', '--redis', 'redis://cache:6380/2'],
      { SESSION_SECRET: LONG, OPTIONGRAPH_REDIS_PREFIX: 'blue' },
      { redis: { address: 'redis://cache:6380/2', prefix: 'blue' } },
    ],
    [
      'origins of other pages',
      ['--sandbox', '--origins', 'https://a.example/, http://b.example:81'],
      {},
      { origins: ['https://a.example', 'http://b.example:81'] },
    ],
    [
      'hosts that requests may name',
      ['--sandbox'],
      { OPTIONGRAPH_ALLOWED_HOSTS: 'Graph.example,10.0.0.1, [2001:db8::1]' },
      { allowedHosts: ['Graph.example', '10.0.0.1', '[2001:db8::1]'] },
    ],
    ['any host', ['--sandbox'], { OPTIONGRAPH_ALLOWED_HOSTS: '*' }, { allowedHosts: ['*'] }],
    [
      'several versions by repeating the flag',
      ['--sandbox', '--api-version', '7.0', '--api-version=5.0'],
      {},
      { upstream: { versions: ['7.0', '5.0'] } },
    ],
    [
      'a snippet service',
      ['--sandbox'],
      { SNIPPETS_URL: 'http://a/', SNIPPETS_API_KEY: SECRET },
      { snippets: { url: { href: 'http://a/' }, apiKey: SECRET } },
    ],
    [
      'trusted proxies',
      ['--sandbox'],
      { OPTIONGRAPH_TRUSTED_PROXIES: '10.0.0.0/8, ::1' },
      { trustedProxies: ['10.0.0.0/8', '::1'] },
    ],
    ['no trusted proxies', ['--sandbox'], { OPTIONGRAPH_TRUSTED_PROXIES: 'none' }, { trustedProxies: [] }],
    [
      'headers about clients',
      ['--sandbox'],
      { OPTIONGRAPH_CLIENT_HEADERS: 'client-ip,user-agent' },
      { clientHeaders: ['client-ip', 'user-agent'] },
    ],
    ['yes for true', ['--sandbox'], { OPTIONGRAPH_BASIC_FROM_BROWSERS: 'Yes' }, { basicFromBrowsers: true }],
    ['false', ['--sandbox'], { OPTIONGRAPH_BASIC_FROM_BROWSERS: 'false' }, { basicFromBrowsers: false }],
  ])('%s', async (_what, args, env, settings) => {
    expect(await readServe(args, env)).toMatchObject(settings);
  });
});

test('sandbox takes the habits of its API', async () => {
  const habits = {
    failingIncludes: { 'book#index': ['author', 'shelf'], 'shelf.book#show': ['author'] },
    ...{ clampedLimit: 50, liveLog: 3 },
    redirectUris: ['http://127.0.0.1/a', 'https://a.example/b?c,d'],
  };
  expect(await readSandbox(['--habits', JSON.stringify(habits)])).toEqual({
    ...(await readSandbox([])),
    habits,
  });
});

/** The words of a command line, the message as a whole or in part, and the environment. */
type Refused = readonly [words: string | readonly string[], message: string | RegExp, env?: Environment];

const NO_CLIENT = /needs both OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET\.$/;

const REFUSED: readonly Refused[] = [
  ['', NO_UPSTREAM],
  ['serve', NO_UPSTREAM, { UPSTREAM_URL: '' }],
  [
    '--sandbox --upstream http://a/',
    'Both an upstream (--upstream or UPSTREAM_URL) and --sandbox are given; leave one out.',
  ],
  [
    UPSTREAM,
    'OPTIONGRAPH_LOG_SLOW_OPERATION must be a whole number of at least 1, not 0.',
    { OPTIONGRAPH_LOG_SLOW_OPERATION: '0' },
  ],
  [
    UPSTREAM,
    'upstream.certificate and upstream.key are given together, or neither.',
    { OPTIONGRAPH_UPSTREAM_KEY: '/etc/hosts' },
  ],
  ['--sandbox', NO_CLIENT, { OAUTH_CLIENT_ID: 'me' }],
  ['--sandbox', NO_CLIENT, { OAUTH_CLIENT_SECRET: SECRET }],
  ...['short', `${LONG},short`].map(
    (given): Refused => [
      '--sandbox',
      'SESSION_SECRET must be 32 characters or more.',
      { SESSION_SECRET: given },
    ],
  ),
  ['--sandbox --redis redis://cache', /^--redis needs SESSION_SECRET/],
  ...[`http://me:${SECRET}@cache`, 'redis://one,two', 'redis://cache/name', 'redis://me:a%@cache'].map(
    (given): Refused => [
      '--sandbox',
      /^REDIS_URL must be like redis:/,
      { SESSION_SECRET: LONG, REDIS_URL: given },
    ],
  ),
  ['--sandbox --api-version 7.0 --api-version 7.0', '--api-version must not name anything twice.'],
  ...['a  b', ' a', 'a"', 'ž'].map(
    (given): Refused => ['--sandbox', /^OAUTH_SCOPE must be words/, { ...CLIENT, OAUTH_SCOPE: given }],
  ),
  ...['*', 'https://a.example/x', `https://u:${SECRET}@a.example`].map(
    (given): Refused => [
      ['--sandbox', '--origins', given],
      `--origins must be origins like https://app.example.org, without a path or wildcard${given.includes('@') ? '' : `, not "${given}"`}.`,
    ],
  ),
  ...['https://a.example', '*.a.example', '2001:db8::1', '[::1]:80'].map(
    (given): Refused => [
      '--sandbox',
      `OPTIONGRAPH_ALLOWED_HOSTS must be hosts like graph.example.org or [2001:db8::1], without a scheme or port, or "*", not "${given}".`,
      { OPTIONGRAPH_ALLOWED_HOSTS: given },
    ],
  ),
  ...['localhost', '10.0.0.0/33'].map(
    (given): Refused => [
      '--sandbox',
      `OPTIONGRAPH_TRUSTED_PROXIES must be addresses or networks, not "${given}".`,
      { OPTIONGRAPH_TRUSTED_PROXIES: given },
    ],
  ),
  [
    '--sandbox',
    /^OPTIONGRAPH_CLIENT_HEADERS must be "client-ip" or .+, not "cookie"\.$/,
    { OPTIONGRAPH_CLIENT_HEADERS: 'cookie' },
  ],
  [
    '--sandbox',
    'OPTIONGRAPH_BASIC_FROM_BROWSERS must be true or false, not "perhaps".',
    { OPTIONGRAPH_BASIC_FROM_BROWSERS: 'perhaps' },
  ],
  [
    '--sandbox',
    [
      'PORT must be a whole number from 0 to 65535, not "http".',
      'OPTIONGRAPH_SCHEMA_MODE must be "caller" or "fixed", not "mine".',
      'OPTIONGRAPH_LIMITS_CALLS must be a whole number of at least 1, not 0.',
    ].join('\n'),
    { PORT: 'http', OPTIONGRAPH_SCHEMA_MODE: 'mine', OPTIONGRAPH_LIMITS_CALLS: '0' },
  ],
  ['--prot 1', "unknown option '--prot'\n(Did you mean --port?)"],
  [[`--authorization=Basic '${SECRET}\n${SECRET}`], /^unknown option '--auth/],
  ['start', 'There is no command "start".'],
  ['sandbx', 'There is no command "sandbx"; did you mean sandbox?'],
  ['config chek', "unknown command 'chek'\n(Did you mean check?)"],
  ['config', 'Name a command: config check or config print.'],
  ['serve now', 'Unexpected argument "now".'],
  ['sandbox now', /^too many arguments for 'sandbox'/],
  [`http://me:${SECRET}@x/`, /^Give the address .+ as --upstream URL\.$/],
  ['--port', "option '--port <N>' argument missing"],
  ['--port 65536', /^--port must be a whole number from 0 to 65535, not 65536\./],
  ['', /^PORT must be a whole number from 0 to 65535, not "1\.5"\./, { PORT: '1.5' }],
  ...['', SECRET, 'ftp://x/'].map(
    (given): Refused => [`--upstream=${given}`, /^--upstream must be an http or https address/],
  ),
  [
    `--upstream http://me:${SECRET}@x/`,
    /must not contain credentials; use UPSTREAM_AUTHORIZATION for its description, or OPTIONGRAPH_AUTHORIZATION as a caller\.$/,
  ],
  [
    '--sandbox',
    /^UPSTREAM_AUTHORIZATION must be .+ "Basic …" or "Bearer …"\.$/,
    { UPSTREAM_AUTHORIZATION: `Digest ${SECRET}` },
  ],
  ['sandbox --api-version 1', /^unknown option '--api-version'/],
  ...['{', '{"liveLog":0}', '{"liveLog":"x"}', '{"tidy":true}', '{"redirectUris":["/back"]}'].map(
    (given): Refused => [
      `sandbox --habits=${given}`,
      /^--habits must be a JSON object of anonymousDescription, .+: /,
    ],
  ),
  [
    '--sandbox',
    /must not contain credentials; use SNIPPETS_API_KEY/,
    { SNIPPETS_URL: `http://me:${SECRET}@x/` },
  ],
  [
    '--sandbox',
    'SNIPPETS_API_KEY needs SNIPPETS_URL, the address of its service.',
    { SNIPPETS_API_KEY: SECRET },
  ],
  ['--overrides /none.json', /^--overrides names the file \/none\.json, which cannot be used: ENOENT/],
];

test.each(REFUSED.map(([words, message, env = {}]) => [words, message, env] as const))(
  '%j is refused, without repeating a secret: %s',
  async (words, message, env) => {
    const args = typeof words === 'string' ? words.split(' ').filter((word) => word !== '') : words;
    const found = await refusal(args, env);
    if (typeof message === 'string') expect(found).toBe(message);
    else expect(found).toMatch(message);
    for (const secret of [SECRET, 'short']) expect(found).not.toContain(secret);
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
