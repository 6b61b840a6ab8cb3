// Tests `optiongraph login` by user name and password, and `logout`, over the sandbox.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { describeApi } from '../../../../test/helpers/describe-api.ts';
import { makeFolder } from '../../../../test/helpers/folder.ts';
import { listen } from '../../../../test/helpers/plain-server.ts';
import { makeProfiles, WHO } from '../../../../test/helpers/profiles.ts';
import { createOneTimeCode, findLogin, signIn } from '../../../../test/helpers/sign-in.ts';
import { refuse, startStub } from '../../../../test/helpers/stub-upstream.ts';
import { runOnTerminal } from '../../../../test/helpers/terminal.ts';
import { listenSandbox } from '../../../sandbox/src/listen-sandbox.ts';

const sandbox = await listenSandbox();
afterAll(() => sandbox.close());

describe('login', () => {
  test.each(['7.0', '5.0'])(
    'stores a session of version %s, which commands use and logout revokes',
    async (number) => {
      const version = ['--api-version', number];
      using profiles = makeProfiles();
      const login = ['login', '--upstream', sandbox.url, '--user', 'admin', ...version];
      const { code, stdout, stderr } = await profiles.run(login, 'sandbox\n');
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      expect(stderr).toMatch(
        /^Signed in to \S+ as admin\. The API extends the session with each use, or states no end\.\nThe session is in .+\n$/,
      );
      const { token } = profiles.read();
      expect(stderr).not.toContain(token);
      expect(profiles.mode()).toBe('600');
      expect(await profiles.run([...WHO, ...version])).toEqual({
        code: 0,
        stdout: '"admin"\n',
        stderr: '',
      });
      expect(await profiles.run(['logout'])).toEqual({
        code: 0,
        stdout: '',
        stderr: 'The session is revoked.\nThe profile "default" is deleted.\n',
      });
      expect(profiles.exists()).toBe(false);
      expect(await findLogin(sandbox, { [sandbox.tokenHeader]: String(token) })).toBe(401);
    },
  );

  test('asks for what further steps need, one line for each answer', async () => {
    using profiles = makeProfiles();
    const code = createOneTimeCode(sandbox, Date.now());
    const login = ['login', '--upstream', sandbox.url, '--profile', 'two'];
    expect(await profiles.run(login, `totp\nsandbox\n${code}\n`)).toMatchObject({ code: 0 });
    expect(await profiles.run([...WHO, '--profile', 'two'])).toMatchObject({ stdout: '"totp"\n' });
    const { stdout } = await profiles.run(WHO, null, { OPTIONGRAPH_PROFILE: 'two' });
    expect([stdout, profiles.exists()]).toEqual(['"totp"\n', false]);
  });

  test('stores nothing when it fails, and says why', async () => {
    await using stub = await startStub(describeApi({}), {});
    await using gone = await listen(() => {});
    await gone.close();
    using profiles = makeProfiles();
    const login = ['login', '--user', 'user', '--upstream'];
    const given = [
      [sandbox.url, 'wrong\n', 4, 'The API did not let you sign in: Invalid authentication credentials'],
      [sandbox.url, '', 2, 'There is no answer to "Password". Without a terminal, give one line'],
      [stub.url.href, 'sandbox\n', 4, 'The API describes no way to get a token by a user name'],
      [gone.url, 'sandbox\n', 3, 'cannot be reached'],
      ['', 'sandbox\n', 2, 'must be an http or https address'],
    ] as const;
    for (const [url, input, code, message] of given) {
      const ending = await profiles.run([...login, url], input);
      expect(ending).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
    }
    expect(profiles.exists()).toBe(false);
  });

  test('asks for no password when the session could not be stored', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    using profiles = makeProfiles();
    const login = ['login', '--upstream', sandbox.url, '--user', 'user'];
    for (const place of [file, '/proc/none'])
      expect(await profiles.run(login, null, { XDG_CONFIG_HOME: place })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^optiongraph: Profiles cannot be stored in .+ as XDG_CONFIG_HOME\.\n$/,
        ),
      });
  });
});

test.skipIf(process.platform === 'win32')('login stores nothing where others may change it', async () => {
  using profiles = makeProfiles();
  const folder = dirname(profiles.file());
  const login = ['login', '--upstream', sandbox.url, '--user', 'admin'];
  for (const open of [folder, dirname(folder)]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(open, 0o777);
    // No password is asked, so that no session is open that nobody can end.
    expect(await profiles.run(login, null)).toEqual({
      code: 1,
      stdout: '',
      stderr: `optiongraph: Profiles cannot be stored there. Other users may change the folder ${open}. Allow only yourself: chmod 700 ${open}\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
    rmSync(dirname(folder), { recursive: true });
  }
  expect(await profiles.run(login, 'sandbox\n')).toMatchObject({ code: 0 });
});

describe('login on a terminal', () => {
  /** Answers the questions of a terminal, and returns what it has received. */
  async function type(url: string, env: Readonly<Record<string, string>>, keys: readonly [RegExp, string][]) {
    await using terminal = runOnTerminal(['login', '--upstream', url], env, { after: 'stty -a' });
    for (const [question, answer] of keys) {
      await terminal.shows(question);
      terminal.type(answer);
    }
    return await terminal.ended;
  }

  test('shows the user name, but no password', async () => {
    using profiles = makeProfiles();
    const shown = await type(sandbox.url, profiles.env, [
      [/User: /, 'admin\r'],
      [/Password: /, 'sandbox\r'],
    ]);
    expect(shown).toMatch(/admin.*Password: \r?\nSigned in to .+\[0\]/s);
    expect(shown).not.toMatch(/Password:.*sandbox/s);
    expect(profiles.exists()).toBe(true);
  });

  test('ends with Ctrl-C, stores nothing and leaves a terminal that shows what is typed', async () => {
    using profiles = makeProfiles();
    const shown = await type(sandbox.url, profiles.env, [
      [/User: /, 'admin\r'],
      [/Password: /, 'sand\u0003'],
    ]);
    expect(shown).toMatch(/Password: .*\[130\].* icanon /s);
    expect(shown).toMatch(/\[130\].* echo /s);
    expect(profiles.exists()).toBe(false);
  });
});

describe('a profile', () => {
  test('is used only for its API, and only without another credential', async () => {
    await using other = await listenSandbox();
    using profiles = makeProfiles();
    await profiles.run(['login', '--upstream', sandbox.url, '--user', 'admin'], 'sandbox\n');
    const token = await signIn(sandbox, {});
    const asToken = await profiles.run([...WHO, '--upstream', sandbox.url], null, {
      OPTIONGRAPH_TOKEN: token,
    });
    expect(asToken).toMatchObject({ code: 0, stdout: '"user"\n' });
    const elsewhere = ['query', '{ session { authenticated } }', '--select', 'session.authenticated'];
    expect(await profiles.run([...elsewhere, '--upstream', other.url])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('false'),
      stderr: `The profile "default" is for ${sandbox.url}/, not for ${other.url}/, so this command is anonymous.\n`,
    });
    const given = [
      [['--upstream', other.url, '--profile', 'default'], {}, 2, 'leave out one of the two'],
      [['--profile', 'default'], { OPTIONGRAPH_TOKEN: token }, 2, 'leave one out'],
      [['--profile', '../default'], {}, 2, 'must be up to 64 letters'],
      [['--profile', 'none'], {}, 4, 'There is no profile "none". Sign in: optiongraph login --profile none'],
      [['--sandbox', '--profile', 'default'], {}, 2, 'The sandbox has callers of its own'],
    ] as const;
    for (const [args, env, code, message] of given)
      expect(await profiles.run([...elsewhere, ...args], null, env)).toEqual({
        code,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
  });

  test('is refused when others may read it, or it is none, and replaced by the next login', async () => {
    using profiles = makeProfiles();
    const login = ['login', '--upstream', sandbox.url, '--user', 'admin'];
    await profiles.run(login, 'sandbox\n');
    const whole = profiles.read();
    const broken = [
      [() => profiles.chmod(0o640), /Other users may read or change the file (\S+)\. .+: chmod 600 \1\n$/],
      [() => profiles.write('{'), /is no valid profile\. Sign in again: optiongraph login\n$/],
      [() => profiles.change({ ...whole, token: 'two\nlines' }), /is no valid profile/],
      [() => profiles.change({ ...whole, upstream: 'file:///etc' }), /is no valid profile/],
    ] as const;
    for (const [spoil, message] of broken) {
      profiles.write(JSON.stringify(whole));
      profiles.chmod(0o600);
      spoil();
      expect(await profiles.run(WHO)).toEqual({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(message),
      });
    }
    expect(await profiles.run(login, 'sandbox\n')).toMatchObject({ code: 0 });
    expect([profiles.mode(), (await profiles.run(WHO)).stdout]).toEqual(['600', '"admin"\n']);
  });

  test.skipIf(process.getuid?.() !== 0)('is refused when it, or its folder, is another user’s', async () => {
    using profiles = makeProfiles();
    await profiles.run(['login', '--upstream', sandbox.url, '--user', 'admin'], 'sandbox\n');
    const file = profiles.file();
    for (const path of [file, dirname(file)]) {
      chownSync(path, 12_345, 0);
      expect(await profiles.run(WHO)).toEqual({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`The (file|folder) ${path} belongs to another user`)),
      });
      chownSync(path, 0, 0);
    }
    expect(await profiles.run(WHO)).toMatchObject({ code: 0 });
  });

  test('is refused when it is a pipe', async () => {
    using profiles = makeProfiles();
    mkdirSync(dirname(profiles.file()), { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', ['-m', '600', profiles.file()]);
    expect(await profiles.run(WHO)).toMatchObject({ code: 4, stderr: expect.stringContaining('is no file') });
  });

  test('whose session has ended says how to sign in again', async () => {
    using profiles = makeProfiles();
    await profiles.run(['login', '--upstream', sandbox.url, '--user', 'user', '--profile', 'a'], 'sandbox\n');
    profiles.change({ token: 'ended' }, 'a');
    expect(await profiles.run([...WHO, '--profile', 'a'])).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'optiongraph: The session of the profile "a" has ended. Sign in again: optiongraph login --profile a\n',
    });
    // The profile knows the API.
    const again = ['login', '--profile', 'a', '--user', 'user'];
    expect(await profiles.run(again, 'sandbox\n')).toMatchObject({ code: 0 });
    profiles.change({ token: 'ended' }, 'a');
    expect(await profiles.run(['logout', '--profile', 'a'])).toMatchObject({
      code: 0,
      stderr: 'The session had ended already.\nThe profile "a" is deleted.\n',
    });
  });

  test('is extended after half of its life, where the API extends tokens', async () => {
    using profiles = makeProfiles();
    await profiles.run(['login', '--upstream', sandbox.url, '--user', 'user'], 'sandbox\n');
    const validFrom = Date.now() - 3_000_000;
    const validTo = Date.now() + 600_000;
    for (const [lifetime, isExtended] of [
      ['renewable_manual', true],
      ['fixed', false],
    ] as const) {
      const token = await signIn(sandbox, { lifetime, interval: 3_600 });
      profiles.change({ token, validFrom, validTo });
      expect(await profiles.run(WHO)).toEqual({ code: 0, stdout: '"user"\n', stderr: '' });
      expect(Number(profiles.read()['validTo']) > validTo).toBe(isExtended);
    }
  });

  test('is kept when the API cannot be reached to revoke it', async () => {
    const stopped = await listenSandbox();
    using profiles = makeProfiles();
    await profiles.run(['login', '--upstream', stopped.url, '--user', 'user'], 'sandbox\n');
    await stopped.close();
    const { code, stderr } = await profiles.run(['logout']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /^The session is not revoked, so its profile is kept\. .+\n.+ cannot be reached.+\n$/,
      ),
    ]);
    expect(profiles.exists()).toBe(true);
    expect(await profiles.run(['logout', '--profile', 'none'])).toMatchObject({ code: 4 });
  });
});

test('logout keeps a session that cannot be revoked, because the API describes itself to nobody', async () => {
  await using closed = await startStub(describeApi({}), {});
  closed.onOptions = () => refuse('Sign in', null, 401);
  using profiles = makeProfiles();
  const login = ['login', '--upstream', sandbox.url, '--user', 'admin'];
  expect(await profiles.run(login, 'sandbox\n')).toMatchObject({ code: 0 });
  profiles.change({ upstream: closed.url.href });
  expect(await profiles.run(['logout'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('The session is not revoked, so its profile is kept.'),
  });
  expect(profiles.exists()).toBe(true);
});
