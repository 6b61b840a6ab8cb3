// Tests what the command-line program prints when it ends at once, and its exit codes.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { runCli } from '../helpers/cli.ts';
import { runInProcess } from '../helpers/cli-in-process.ts';
import { describeApi } from '../helpers/describe-api.ts';
import { listen } from '../helpers/plain-server.ts';
import { raw, refuse, startStub } from '../helpers/stub-upstream.ts';

const SECRET = 's3cr3t-of-mine';
const authorized = { UPSTREAM_AUTHORIZATION: `Bearer ${SECRET}` };

test('--version prints the version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await runCli(['--version']).ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('a failed start ends with an exit code and one sentence', () => {
  test('1: the port is in use', async () => {
    await using taken = await listen(() => {});
    const stderr = expect.stringContaining(`address already in use 127.0.0.1:${taken.port}); check --host`);
    const endings = [['serve', '--sandbox'], ['sandbox']].map((command) =>
      runInProcess([...command, '--port', String(taken.port)]),
    );
    const ended = { code: 1, stdout: '', stderr };
    expect(await Promise.all(endings)).toEqual([ended, ended]);
  });

  test('3: the upstream host does not exist', async () => {
    const args = ['--port', '0', '--upstream', 'http://nowhere.invalid/'];
    expect(await runInProcess(args, authorized)).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'optiongraph: The management API at http://nowhere.invalid/ cannot be reached: its host name does not exist (ENOTFOUND). Check --upstream.\n',
    });
  });

  test.each([200, 501])(
    '3: the upstream is no HaveAPI server, which answers OPTIONS with %i',
    async (status) => {
      await using website = await listen((_request, response) => {
        response.statusCode = status;
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Hello</title>');
      });
      const sentence = `was answered with status ${status} and no envelope: this is not a HaveAPI server.`;
      expect(await runInProcess(['--port', '0', '--upstream', website.url], authorized)).toEqual({
        code: 3,
        stdout: '',
        stderr: `optiongraph: The management API at ${website.url} cannot be used: OPTIONS /?describe=default ${sentence} Check --upstream.\n`,
      });
    },
  );

  test('3: the upstream sends control characters, which do not reach the terminal', async () => {
    await using upstream = await listen((_request, response) => {
      const body = { version: '2.0', status: false, message: '\u001b[31mred\u0007', response: null };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const { code, stderr } = await runInProcess(['describe', '--upstream', upstream.url]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^[^\p{Cc}]*red[^\p{Cc}]*\n$/u);
  });

  test('3: the upstream has no TLS', async () => {
    await using upstream = await listen((_request, response) => void response.end());
    const https = upstream.url.replace('http:', 'https:');
    const { code, stderr } = await runInProcess(['describe', '--upstream', https]);
    expect(code).toBe(3);
    expect(stderr).toContain('Check --upstream, which begins with http:// for an API without TLS.');
  });

  test('2: a token that no header can carry', async () => {
    const env = { OPTIONGRAPH_TOKEN: `${SECRET}\nmore` };
    const { code, stderr } = await runInProcess(['describe', '--upstream', 'http://localhost/'], env);
    expect(code).toBe(2);
    expect(stderr).toContain('OPTIONGRAPH_TOKEN must be one word of printable ASCII characters');
    expect(stderr).not.toContain(SECRET);
  });

  test('2: the upstream lacks the version', async () => {
    const { code, stdout, stderr } = await runInProcess(['--sandbox', '--port', '0', '--api-version', '9.9']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^optiongraph: The management API at http:\S+ cannot be used: The API has no version "9\.9"; it has 7\.0, 5\.0\. Choose one with --api-version \(OPTIONGRAPH_API_VERSION\)\.\n$/,
    );
  });

  test('4: the upstream does not know the credential of the operator', async () => {
    await using sandbox = await listenSandbox();
    const { code, stderr } = await runInProcess(['--port', '0', '--upstream', sandbox.url], authorized);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `optiongraph: The management API at ${new URL(sandbox.url)} does not know the credential that fetches its description. Check UPSTREAM_AUTHORIZATION.\n`,
    });
  });

  test.each([
    ['envelope', refuse('Sign in', null, 401)],
    ['page', raw('<h1>Sign in</h1>', 401)],
  ])(
    '4: the upstream describes itself to nobody without a credential, by 401 and its %s',
    async (_title, answer) => {
      await using upstream = await startStub(describeApi({}), {});
      const { onOptions } = upstream;
      upstream.onOptions = (headers, url) =>
        headers.authorization === undefined ? answer : onOptions(headers, url);
      const address = ['--upstream', upstream.url.href];
      const start = `optiongraph: The management API at ${upstream.url} describes itself to nobody without a credential.`;
      expect(await runInProcess(['serve', '--port', '0', ...address])).toMatchObject({
        code: 4,
        stderr: `${start} Give one as UPSTREAM_AUTHORIZATION.\n`,
      });
      const commands = [['describe'], ['schema', 'print'], ['query', '{ __typename }'], ['doctor']];
      for (const command of commands)
        expect(await runInProcess([...command, ...address])).toEqual({
          code: 4,
          stdout: '',
          stderr: `${start} Give one as OPTIONGRAPH_AUTHORIZATION.\n`,
        });
    },
  );

  test('2: the arguments are invalid, and the message repeats no secret', async () => {
    const endings = await Promise.all([
      runInProcess(['--colour']),
      runInProcess(['serve', `http://me:${SECRET}@localhost/`]),
      runInProcess(['--upstream', `http://me:${SECRET}@localhost/`]),
      runInProcess(['--sandbox'], { UPSTREAM_AUTHORIZATION: `Digest ${SECRET}` }),
      runInProcess(['serve']),
    ]);
    for (const { code, stdout, stderr } of endings) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^optiongraph: .+\nSee optiongraph serve --help\.\n$/);
      expect(stderr).not.toContain(SECRET);
    }
  });

  test('1: the address cannot be listened on', async () => {
    expect(await runInProcess(['sandbox', '--host', '192.0.2.1'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'optiongraph: Cannot listen (listen EADDRNOTAVAIL: address not available 192.0.2.1); check --host (OPTIONGRAPH_HOST), --port (PORT), and the setting metrics.port.\n',
    });
  });
});
