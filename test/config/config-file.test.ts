// Tests the configuration file, secrets in files, and the commands that examine settings.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { serveSettings } from '../../src/config/serve-settings.ts';
import { settingsOf } from '../../src/config/setting.ts';
import { runInProcess } from '../helpers/cli-in-process.ts';
import { makeFolder, type TestFolder } from '../helpers/folder.ts';
import { readServe, refusal, runRecorded } from '../helpers/read-config.ts';

const SECRET = 'canary-s3cr3t-of-mine';

let folder: TestFolder;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder[Symbol.dispose]());

const write = (name: string, text: string): string => folder.write(name, text);

describe('the configuration file', () => {
  const yaml =
    'port: 5000\nupstream:\n  url: http://a/\n  version: "7.0"\nlimits: { calls: 9, bodySize: 8 }\n';

  test.each([
    ['YAML', yaml],
    ['JSON with tabs and a schema', JSON.stringify({ $schema: 'x.json', ...parse(yaml) }, null, '\t')],
  ])('is %s, below variables and flags', async (_name, text) => {
    const file = write('settings', text);
    const config = {
      port: 5000,
      upstream: { url: { href: 'http://a/' }, version: '7.0' },
      limits: { calls: 9, bodySize: 8, queryTime: 30_000 },
    };
    expect(await readServe(['--config', file])).toMatchObject(config);
    const env = { OPTIONGRAPH_CONFIG: file, OPTIONGRAPH_LIMITS_CALLS: '7', PORT: '2' };
    const above = { ...config, port: 1, limits: { calls: 7, bodySize: 8 } };
    expect(await readServe(['--port=1'], env)).toMatchObject(above);
  });

  test('may be empty', async () => {
    expect(await readServe(['--sandbox', '--config', write('a.yaml', '# nothing yet\n')])).toMatchObject({
      port: 4000,
    });
  });

  test.each([
    ['limits: { call: 3 }', 'There is no setting limits.call in FILE; did you mean limits.calls?'],
    ['limit: {}', 'There is no setting limit in FILE; did you mean limits?'],
    ['colour: red', 'There is no setting colour in FILE.'],
    ['upstream: http://a/', 'upstream in FILE must be a group of settings.'],
    ['limits:', 'limits in FILE must be a group of settings.'],
    ['port: "5000"', 'port in FILE must be a whole number from 0 to 65535, not "5000".'],
    ['trustedProxies: [::1, here]', 'trustedProxies in FILE must be addresses or networks, not "here".'],
    ['- 1', 'FILE must hold settings, such as "port: 4000".'],
    [
      `oauth: { clientSecret: [${SECRET}] }`,
      'oauth.clientSecret in FILE must be a text, or the name of a file as { file: … }.',
    ],
    [`port: 1\n\thost: ${SECRET}`, 'FILE, line 2, column 1: this is neither YAML nor JSON (TAB_AS_INDENT).'],
    [`a: *${SECRET}`, 'FILE has an alias without an anchor. Quote values that begin with "*".'],
  ])('is refused: %s', async (text, message) => {
    const file = write('a.yaml', text);
    expect(await refusal(['--sandbox', '--config', file])).toBe(message.replace('FILE', file));
  });

  test('is refused where it is not', async () => {
    expect(await refusal(['--config', '/none.yaml'])).toMatch(
      /^The configuration file cannot be read: ENOENT.+none/,
    );
  });
});

describe('a secret', () => {
  test('is read from a file that a variable or the configuration file names', async () => {
    const file = write('secret', `${SECRET}\n`);
    const env = { SNIPPETS_URL: 'http://a/', SNIPPETS_API_KEY_FILE: file };
    expect(await readServe(['--sandbox'], env)).toMatchObject({ snippets: { apiKey: SECRET } });
    const config = write('a.yaml', `snippets: { url: http://a/, apiKey: { file: ${file} } }`);
    expect(await readServe(['--sandbox', '--config', config])).toMatchObject({
      snippets: { apiKey: SECRET },
    });
    write('secret', `Bearer ${SECRET}\n`);
    expect(await readServe(['--sandbox'], { UPSTREAM_AUTHORIZATION_FILE: file })).toMatchObject({
      upstream: { authorization: { kind: 'bearer' } },
    });
  });

  test('is refused when its file is missing or empty, or when it is given twice', async () => {
    expect(await refusal(['--sandbox'], { SESSION_SECRET_FILE: '/none' })).toMatch(
      /^SESSION_SECRET_FILE names the file \/none, which cannot be used: ENOENT/,
    );
    const snippets = { SNIPPETS_URL: 'http://a/', SNIPPETS_API_KEY_FILE: write('empty', '\n') };
    expect(await refusal(['--sandbox'], snippets)).toBe('SNIPPETS_API_KEY_FILE must not be empty.');
    const both = { ...snippets, SNIPPETS_API_KEY: SECRET };
    expect(await refusal(['--sandbox'], both)).toBe(
      'SNIPPETS_API_KEY and SNIPPETS_API_KEY_FILE are both given; leave one out.',
    );
  });
});

describe('optiongraph config', () => {
  test('check says that settings are valid, and refuses what serve refuses', async () => {
    const { output } = await runRecorded(['config', 'check', '--sandbox']);
    expect(output).toBe('The settings are valid.');
    expect(await refusal(['config', 'check'])).toMatch(/^serve needs a management API/);
  });

  test('print shows each setting with its source, as a file that can be read again', async () => {
    const file = write('a.yaml', 'limits: { calls: 9 }\n');
    const args = ['config', 'print', '--sandbox', '--api-version', '7.0', '--config', file];
    const { output } = await runRecorded(args, { PORT: '5000', SNIPPETS_URL: 'http://a/' });
    for (const line of [
      '# TCP port; 0 is any free one',
      'port: 5000 # PORT',
      '#host: "127.0.0.1"',
      'sandbox: true # --sandbox',
      '  url: "http://a/" # SNIPPETS_URL',
      '  version: "7.0" # --api-version',
      `  calls: 9 # limits.calls in ${file}`,
    ])
      expect(output.split('\n')).toContain(line);
    expect(await readServe(['--config', write('b.yaml', output)])).toEqual(
      await readServe(args.slice(2), { PORT: '5000', SNIPPETS_URL: 'http://a/' }),
    );
  });

  test('print shows what is incomplete, and says on standard error what is missing', async () => {
    const { code, stdout, stderr } = await runInProcess(['config', 'print', '--port', '7']);
    expect([code, stdout.includes('\nport: 7 # --port\n')]).toEqual([0, true]);
    expect(stderr).toMatch(/^optiongraph: serve needs a management API: /);
  });

  test('print shows all settings, whose comments are the defaults', async () => {
    const { stdout } = await runInProcess(['config', 'print', '--upstream', 'https://api.example.org/']);
    // Without the marks before settings and groups.
    const all = stdout.replaceAll(/^( *)#(?=\S)/gm, '$1');
    expect(await readServe(['--config', write('b.yaml', all)])).toEqual(
      await readServe(['--upstream', 'https://api.example.org/']),
    );
    for (const { key } of settingsOf(serveSettings)) expect(parse(all)).toHaveProperty(key);
  });

  test('print redacts secrets, and names the files that hold them', async () => {
    const named = write('secret', `Basic ${SECRET}`);
    const secrets = `snippets: { url: http://a/, apiKey: ${SECRET} }\noauth: { clientId: me }\n`;
    const file = write('a.yaml', secrets);
    const session = SECRET.repeat(2);
    const env = { UPSTREAM_AUTHORIZATION_FILE: named, OAUTH_CLIENT_SECRET: SECRET, SESSION_SECRET: session };
    const { output } = await runRecorded(['config', 'print', '--sandbox', '--config', file], env);
    expect(output).not.toContain(SECRET);
    for (const line of [
      `  authorization: {"file":"${named}"} # UPSTREAM_AUTHORIZATION_FILE`,
      '  clientSecret: (redacted) # OAUTH_CLIENT_SECRET',
      '  sessionSecret: (redacted) # SESSION_SECRET',
      `  apiKey: (redacted) # snippets.apiKey in ${file}`,
    ])
      expect(output.split('\n')).toContain(line);
  });
});
