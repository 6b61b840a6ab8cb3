// Tests which environment variables are those of this program, and what happens to those of others.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveSettings } from '../../src/config/serve-settings.ts';
import { settingsOf } from '../../src/config/setting.ts';
import { runCli } from '../helpers/cli.ts';
import { makeFolder, type TestFolder } from '../helpers/folder.ts';
import { type Environment, readServe, refusal } from '../helpers/read-config.ts';

const SECRET = 'canary-s3cr3t-of-mine';

let folder: TestFolder;
beforeAll(() => {
  folder = makeFolder();
});
afterAll(() => folder[Symbol.dispose]());

const write = (name: string, text: string): string => folder.write(name, text);

describe('a setting', () => {
  test('has a variable with our prefix, if it has one', () => {
    const named = settingsOf(serveSettings).filter(({ variables }) => variables.length > 0);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ variables }) => !variables[0]?.startsWith('OPTIONGRAPH_'))).toEqual([]);
  });

  test('takes the variable with the prefix before the one without', async () => {
    const env = {
      ...{ PORT: '1', OPTIONGRAPH_PORT: '2' },
      ...{ UPSTREAM_URL: 'http://a/', OPTIONGRAPH_UPSTREAM_URL: 'http://b/' },
      ...{ SNIPPETS_URL: 'http://a/', SNIPPETS_API_KEY: SECRET },
      OPTIONGRAPH_SNIPPETS_API_KEY_FILE: write('key', 'from the file'),
    };
    expect(await readServe([], env)).toMatchObject({
      port: 2,
      upstream: { url: { href: 'http://b/' } },
      snippets: { apiKey: 'from the file' },
    });
    const { OPTIONGRAPH_PORT: _port, ...rest } = env;
    expect(await readServe([], rest)).toMatchObject({ port: 1 });
  });
});

describe('variables of other programs', () => {
  test('are not taken as ours', async () => {
    const env = {
      ...{ HOST: 'x86_64-conda-linux-gnu', PUBLIC_URL: '/app', API_VERSION: '2024-02-01' },
      ...{ ORIGINS: '*', OVERRIDES: 'x', SCHEMA_MODE: 'x', TRUSTED_PROXIES: '*' },
      ...{ APP_VERSION: '1', HOSTNAME: 'a', SESSION_STORE: 'a' },
    };
    expect(await readServe(['--sandbox'], env)).toEqual(await readServe(['--sandbox']));
  });

  test.each(['', '-metrics', '-upstream', '-limits-cost'])(
    'are not those that Kubernetes sets for a service optiongraph%s',
    async (suffix) => {
      const name = `OPTIONGRAPH${suffix.toUpperCase().replaceAll('-', '_')}`;
      const env = {
        [`${name}_PORT`]: 'tcp://10.0.0.1:4000',
        [`${name}_SERVICE_HOST`]: '10.0.0.1',
        [`${name}_SERVICE_PORT`]: '4000',
        [`${name}_SERVICE_PORT_HTTP`]: '4000',
        [`${name}_PORT_4000_TCP`]: 'tcp://10.0.0.1:4000',
        [`${name}_PORT_4000_TCP_ADDR`]: '10.0.0.1',
      };
      const config = await readServe(['--sandbox'], { ...env, PORT: '5000' });
      expect(config).toMatchObject({ port: 5000, metrics: { port: null } });
    },
  );
});

test.each<readonly [name: string, meant: string]>([
  ['OPTIONGRAPH_LIMITS_BODY_SIEZ', '; did you mean OPTIONGRAPH_LIMITS_BODY_SIZE?'],
  ['OPTIONGRAPH_UPSTREAM', '; did you mean OPTIONGRAPH_UPSTREAM_CA?'],
  ['OPTIONGRAPH_SOMETHING_QUITE_DIFFERENT_FROM_ALL', '.'],
])('%s, which only we could have, is an error', async (name, meant) => {
  for (const word of ['--sandbox', 'sandbox'])
    expect(await refusal([word], { [name]: SECRET })).toBe(`There is no variable ${name}${meant}`);
});

test.each<readonly [env: Environment, message: string]>([
  [
    { OPTIONGRAPH_PUBLIC_URL: '/app' },
    'OPTIONGRAPH_PUBLIC_URL must be an http or https address, such as https://graphql.example.org/, not "/app".',
  ],
  [{ OPTIONGRAPH_BASE_PATH: 'app' }, 'OPTIONGRAPH_BASE_PATH must be a path like /api/graph, not "app".'],
  [
    { OPTIONGRAPH_METRICS_PORT: 'x' },
    'OPTIONGRAPH_METRICS_PORT must be a whole number from 0 to 65535, not "x".',
  ],
])('an error names the variable and its value: %j', async (env, message) => {
  expect(await refusal(['--sandbox'], env)).toBe(message);
});

test.each<readonly [setting: string, variable: string, value: string]>([
  ['a host', 'OPTIONGRAPH_HOST', 'x86_64-conda-linux-gnu'],
  ['a version', 'OPTIONGRAPH_API_VERSION', '2024-02-01'],
])('%s that cannot be used is named with its variable', async (_setting, variable, value) => {
  await using cli = runCli(['serve', '--sandbox', '--port', '0'], { [variable]: value });
  const { code, stderr } = await cli.ended;
  expect(code).not.toBe(0);
  expect(stderr).toContain(variable);
  expect(stderr).toContain(value);
});
