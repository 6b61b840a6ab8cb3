// Tests `optiongraph auth status`, and what commands say to those who have forgotten to sign in.
import { afterAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../../../../test/helpers/cli-in-process.ts';
import { describeApi } from '../../../../test/helpers/describe-api.ts';
import { readJsonLines } from '../../../../test/helpers/json-lines.ts';
import { makeProfiles, type ProfileFolder } from '../../../../test/helpers/profiles.ts';
import { startStub } from '../../../../test/helpers/stub-upstream.ts';
import { listenSandbox, type Sandbox } from '../../../sandbox/src/listen-sandbox.ts';

/** An API that describes to anonymous callers only what they may use. */
const listenClosed = (): Promise<Sandbox> => listenSandbox({ anonymousDescription: 'usable' });
const sandbox = await listenClosed();
afterAll(() => sandbox.close());
const signIn = (profiles: ProfileFolder, sandbox: Sandbox, ...more: readonly string[]) =>
  profiles.run(['login', '--upstream', sandbox.url, '--user', 'admin', ...more], 'sandbox\n');
const STATUS = ['auth', 'status', '--format', 'ndjson'];

describe('auth status', () => {
  test('lists the profiles, and says who commands are', async () => {
    using profiles = makeProfiles();
    await signIn(profiles, sandbox);
    await signIn(profiles, sandbox, '--profile', 'again');
    profiles.write('{', 'broken');
    profiles.chmod(0o600, 'broken');
    const { code, stdout, stderr } = await profiles.run(STATUS);
    const api = `${sandbox.url}/`;
    // The API extends the sessions with each use.
    const ends = null;
    expect(readJsonLines(stdout)).toEqual([
      { profile: 'again', api, method: 'password', ends, used: false },
      { profile: 'broken', api: null, method: null, ends: null, used: false },
      { profile: 'default', api, method: 'password', ends, used: true },
    ]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^warning: .+broken.json .+\nSigned in to ${api} as admin, by the profile "default"\\.\n$`,
        ),
      ),
    ]);
    const other = await profiles.run([...STATUS, '--profile', 'again']);
    expect(readJsonLines(other.stdout).map(({ used }) => used)).toEqual([true, false, false]);
    expect(other.stderr).toContain('by the profile "again"');
  });

  test('says by which variable', async () => {
    const args = [...STATUS, '--upstream', sandbox.url];
    const { token } = sandbox.users[0] ?? {};
    expect(await runInProcess(args, { OPTIONGRAPH_TOKEN: `${token}` })).toEqual({
      code: 0,
      stdout: '',
      stderr: `Signed in to ${sandbox.url}/ as admin, by OPTIONGRAPH_TOKEN.\n`,
    });
    const ended = await runInProcess(args, { OPTIONGRAPH_TOKEN: 'unknown-token' });
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('does not know the credential') });
  });

  test('says how to sign in', async () => {
    expect(await runInProcess([...STATUS, '--upstream', sandbox.url])).toEqual({
      code: 4,
      stdout: '',
      stderr: `You are anonymous; sign in with: optiongraph login --upstream ${sandbox.url}/\n`,
    });
    expect(await runInProcess(STATUS)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/optiongraph login/),
    });
    expect(await runInProcess([...STATUS, '--sandbox'])).toMatchObject({
      code: 0,
      stderr: 'Signed in to the sandbox as user, by --as.\n',
    });
  });
});

describe('who has forgotten to sign in', () => {
  test.each([
    [['query', '{ datasets { nodes { id } } }'], 'Cannot query field "datasets"'],
    [['query', 'query ($id: DatasetFilter) { __typename }'], 'Unknown type "DatasetFilter"'],
    [['explain', '{ datasets { nodes { id } } }'], 'Cannot query field "datasets"'],
    [['describe', 'dataset'], 'The API offers this caller no resource "dataset"'],
  ])('is advised by code 4 of %j', async (args, problem) => {
    const { code, stderr } = await runInProcess([...args, '--upstream', sandbox.url]);
    expect(code).toBe(4);
    expect(stderr).toContain(problem);
    expect(stderr).toContain(
      `You are anonymous; sign in with: optiongraph login --upstream ${sandbox.url}/\n`,
    );
  });

  test('is advised where there are no actions to watch', async () => {
    await using api = await startStub(describeApi({}), {});
    const { code, stderr } = await runInProcess(['watch', '7', '--upstream', api.url.href]);
    expect([code, stderr]).toEqual([
      4,
      `optiongraph: The API offers this caller no running actions to watch. You are anonymous; sign in with: optiongraph login --upstream ${api.url.href}\n`,
    ]);
  });

  test('is advised by doctor', async () => {
    const { stdout } = await runInProcess(['doctor', '--upstream', sandbox.url, '--format', 'ndjson']);
    const { detail } = readJsonLines(stdout).find(({ check }) => check === 'caller');
    expect(detail).toMatch(/^anonymous, so only .+ You are anonymous; sign in with: optiongraph login/);
  });

  test('keeps the session for another API', async () => {
    await using other = await listenClosed();
    using profiles = makeProfiles();
    await signIn(profiles, other);
    const { stderr } = await profiles.run([
      'query',
      '{ datasets { nodes { id } } }',
      '--upstream',
      sandbox.url,
    ]);
    expect(stderr).toContain(`optiongraph login --profile NAME --upstream ${sandbox.url}/\n`);
  });

  test('is not advised where a signed-in caller or another mistake is at fault', async () => {
    const { token } = sandbox.users[0] ?? {};
    const upstream = ['--upstream', sandbox.url];
    const endings = [
      await runInProcess(['query', '{ datsets { id } }', ...upstream], { OPTIONGRAPH_TOKEN: `${token}` }),
      await runInProcess(['query', '{ session }', ...upstream]),
    ];
    for (const { code, stderr } of endings)
      expect([code, stderr]).toEqual([2, expect.not.stringContaining('anonymous')]);
  });

  test('of the sandbox is advised to choose another caller', async () => {
    const { code, stderr } = await runInProcess([
      'query',
      '--sandbox',
      '--as',
      'anonymous',
      '{ datasets { id } }',
    ]);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('choose another caller of the sandbox with --as'),
    ]);
  });
});
