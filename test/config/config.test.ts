// Tests how the configuration is read from arguments and the environment.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';

const SECRET = 's3cr3t-of-mine';

type Environment = Readonly<Record<string, string>>;

/** The error message for arguments and environment. */
function refusal(args: readonly string[], env: Environment): string {
  try {
    readConfig(args, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return expect.fail('expected a ConfigError');
}

describe('the configuration', () => {
  test('serves the sandbox on port 4000 of this machine by default', () => {
    const config = {
      command: 'serve',
      host: '127.0.0.1',
      port: 4000,
      upstream: null,
      versions: [null],
      descriptionCredential: null,
      schemaMode: 'caller',
      basicFromBrowsers: false,
      overrides: null,
      snippets: null,
      oauth: null,
      cacheDir: null,
    };
    expect(readConfig([], {})).toEqual(config);
    const empty = {
      PORT: '',
      HOST: '',
      UPSTREAM_URL: '',
      API_VERSION: '',
      UPSTREAM_AUTHORIZATION: '',
      OVERRIDES: '',
      SNIPPETS_URL: '',
      SNIPPETS_API_KEY: '',
    };
    expect(readConfig(['serve'], empty)).toEqual(config);
    expect(readConfig(['sandbox'], {})).toEqual({
      command: 'sandbox',
      host: '127.0.0.1',
      port: 0,
      anonymousDescription: 'everything',
      cancelBlocks: false,
      failingIncludes: {},
      liveLog: null,
      redirectUris: [],
      snippetsNeedKey: false,
    });
  });

  test('takes the settings of an OAuth 2.0 client only together', () => {
    const secrets = { OAUTH_CLIENT_SECRET: SECRET, SESSION_SECRET: 'x'.repeat(32) };
    expect(
      readConfig(['--oauth-client-id', 'me', '--public-url', 'https://a.example/'], secrets),
    ).toMatchObject({
      oauth: {
        clientId: 'me',
        clientSecret: SECRET,
        scope: null,
        sessionSecret: 'x'.repeat(32),
        publicUrl: 'https://a.example',
      },
    });
    for (const [args, env] of [
      [['--oauth-client-id', 'me'], {}],
      [[], { OAUTH_CLIENT_SECRET: SECRET }],
      [['--oauth-scope', 'all'], {}],
      [['--oauth-client-id', 'me'], { OAUTH_CLIENT_SECRET: SECRET, SESSION_SECRET: 'short' }],
    ] as const) {
      const message = refusal(args, env);
      expect(message).toMatch(/OAUTH_CLIENT_SECRET|SESSION_SECRET/);
      expect(message).not.toContain(SECRET);
    }
  });

  test('takes the OAuth 2.0 scope of browsers, separated by single spaces', () => {
    const client = { OAUTH_CLIENT_ID: 'me', OAUTH_CLIENT_SECRET: SECRET };
    const scopeOf = (args: readonly string[], env: Environment = {}) =>
      (readConfig(args, { ...client, ...env }) as { oauth: { scope: unknown } }).oauth.scope;
    expect(scopeOf(['--oauth-scope', 'shelf#* book#show'], { OAUTH_SCOPE: 'all' })).toBe('shelf#* book#show');
    expect([scopeOf([], { OAUTH_SCOPE: 'all' }), scopeOf([], { OAUTH_SCOPE: '' })]).toEqual(['all', null]);
    for (const wrong of ['a  b', ' a', 'a"', 'ž'])
      expect(refusal(['--oauth-scope', wrong], client)).toMatch(/^The OAuth scope must be words/);
  });

  test('takes origins whose pages may use the sessions, and refuses values that are no origin', () => {
    const client = { OAUTH_CLIENT_ID: 'me', OAUTH_CLIENT_SECRET: SECRET };
    const originsOf = (config: unknown) => (config as { oauth: { origins: unknown } }).oauth.origins;
    expect(originsOf(readConfig([], client))).toEqual([]);
    expect(originsOf(readConfig(['--origins', 'https://a.example/, http://b.example:81'], client))).toEqual([
      'https://a.example',
      'http://b.example:81',
    ]);
    for (const origin of [
      '*',
      'null',
      'a.example',
      'https://a.example/x',
      'https://u:p@a.example',
      'ftp://a.example',
    ])
      expect(refusal(['--origins', origin], client)).toMatch(/^Each origin must be like https:/);
  });

  test('takes several versions of the API, each once', () => {
    expect(readConfig(['--api-version', '7.0', '--api-version=5.0'], {})).toMatchObject({
      versions: ['7.0', '5.0'],
    });
    expect(readConfig([], { API_VERSION: '7.0, 5.0' })).toMatchObject({ versions: ['7.0', '5.0'] });
    expect(refusal(['--api-version', '7.0', '--api-version', '7.0'], {})).toBe(
      'The API version "7.0" is given twice.',
    );
  });

  test('prefers arguments to the environment', () => {
    const env = { PORT: '1', HOST: 'a', UPSTREAM_URL: 'http://a/', API_VERSION: '1' };
    expect(readConfig([], env)).toMatchObject({
      port: 1,
      host: 'a',
      upstream: { href: 'http://a/' },
      versions: ['1'],
    });
    const snippets = { SNIPPETS_URL: 'http://a/', SNIPPETS_API_KEY: SECRET };
    expect(readConfig([], snippets)).toMatchObject({
      snippets: { url: { href: 'http://a/' }, apiKey: SECRET },
    });
    expect(readConfig(['--snippets-url=https://b/paste'], { SNIPPETS_URL: 'http://a/' })).toMatchObject({
      snippets: { url: { href: 'https://b/paste' }, apiKey: null },
    });
    const args = ['--port=2', '--host=b', '--upstream=https://b/api', '--api-version=2'];
    expect(readConfig(args, env)).toMatchObject({
      port: 2,
      host: 'b',
      upstream: { href: 'https://b/api' },
      versions: ['2'],
    });
  });

  test('takes the proxies that the sandbox trusts', () => {
    const proxies = (TRUSTED_PROXIES: string) => readConfig(['sandbox'], { TRUSTED_PROXIES });
    expect(proxies('10.0.0.0/8, ::1')).toMatchObject({ trustedProxies: ['10.0.0.0/8', '::1'] });
    expect(proxies('none')).toMatchObject({ trustedProxies: [] });
    expect(proxies('')).not.toHaveProperty('trustedProxies');
    for (const wrong of ['localhost', '10.0.0.0/33', '::1/', '10.0.0.1/8/9', '10.0.0.1,'])
      expect(refusal(['sandbox'], { TRUSTED_PROXIES: wrong })).toMatch(
        /^TRUSTED_PROXIES must be addresses or/,
      );
  });

  test('is frozen', () => {
    expect(readConfig([], {})).toSatisfy(Object.isFrozen);
    expect(readConfig(['sandbox'], {})).toSatisfy(Object.isFrozen);
  });

  test.each<[string, readonly string[], Environment, RegExp]>([
    ['an unknown option', ['--colour'], {}, /^Unknown option '--colour'/],
    ['an unknown command', ['start'], {}, /^Unknown command "start"; try serve, sandbox or --help\.$/],
    ['one word too many', ['serve', 'now'], {}, /^Unexpected argument "now"\.$/],
    [
      'an address without its option',
      [`http://me:${SECRET}@x/`],
      {},
      /^Give the address .+ as --upstream URL\.$/,
    ],
    ['an option without its value', ['--port'], {}, /--port <value>' argument missing$/],
    [
      'a port too large',
      ['--port', '65536'],
      {},
      /^The port must be a number from 0 to 65535, not "65536"\.$/,
    ],
    [
      'a port that is a word',
      [],
      { PORT: 'http' },
      /^The port must be a number from 0 to 65535, not "http"\.$/,
    ],
    [
      'a fraction of a port',
      ['--port', '1.5'],
      {},
      /^The port must be a number from 0 to 65535, not "1\.5"\.$/,
    ],
    [
      'an upstream that is no address',
      ['--upstream', 'x'],
      {},
      /^The upstream must be an http or https address/,
    ],
    [
      'an upstream of another protocol',
      [],
      { UPSTREAM_URL: 'ftp://x/' },
      /^The upstream must be an http or https/,
    ],
    [
      'a secret in an address',
      ['--upstream', `http://me:${SECRET}@x/`],
      {},
      /must not contain credentials; use UPSTREAM/,
    ],
    [
      'a secret of another scheme',
      [],
      { UPSTREAM_AUTHORIZATION: `Digest ${SECRET}` },
      /"Basic …" or "Bearer …"\.$/,
    ],
    [
      'an option of the other command',
      ['sandbox', '--api-version', '1'],
      {},
      /is an option of serve, not of sandbox/,
    ],
    [
      'an option of the sandbox for serve',
      ['--cancel-blocks'],
      {},
      /^--cancel-blocks is an option of sandbox, not of serve\.$/,
    ],
    [
      'an anonymous description that is neither',
      ['sandbox', '--anonymous-description', 'narrow'],
      {},
      /^The anonymous description must be "everything" or "usable", not "narrow"\.$/,
    ],
    [
      'a snippet service that is no address',
      ['--snippets-url', 'x'],
      {},
      /^The snippet service must be an http or https address, e\.g\. https:/,
    ],
    [
      'a secret in the address of a snippet service',
      [],
      { SNIPPETS_URL: `http://me:${SECRET}@x/` },
      /must not contain credentials; use SNIPPETS_API_KEY/,
    ],
    [
      'the key of no snippet service',
      [],
      { SNIPPETS_API_KEY: SECRET },
      /^SNIPPETS_API_KEY needs --snippets-url, the address of its service\.$/,
    ],
    [
      'a snippet service of the sandbox’s own',
      ['sandbox', '--snippets-url', 'http://x/'],
      {},
      /^--snippets-url is an option of serve, not of sandbox\.$/,
    ],
    [
      'overrides that are not there',
      ['--overrides', '/none.json'],
      {},
      /^The overrides in \/none\.json cannot be used/,
    ],
  ])('refuses %s', (_name, args, env, message) => {
    expect(refusal(args, env)).toMatch(message);
    expect(refusal(args, env)).not.toContain(SECRET);
  });

  test.each(['Query', 'PageInfo', 'DateTime', 'ActionState', '__Shelf', 'my-shelf', '', 7])(
    'refuses overrides that call a type %j',
    (name) => {
      const folder = mkdtempSync(join(tmpdir(), 'overrides-'));
      const file = join(folder, 'overrides.json');
      try {
        writeFileSync(file, JSON.stringify({ typeNames: { 'shelf.book': name } }));
        expect(refusal(['--overrides', file], {})).toMatch(
          /cannot be used: typeNames\.shelf\.book: expected a GraphQL name that is not reserved$/,
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
