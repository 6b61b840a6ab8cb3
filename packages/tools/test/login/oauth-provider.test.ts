// Tests `optiongraph login` at an OAuth 2.0 provider, with the sandbox's and with a stub.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import type { StartedCommand } from '../../../../test/helpers/cli-in-process.ts';
import { describeApi, list, resource } from '../../../../test/helpers/describe-api.ts';
import { seededClient, signInAt } from '../../../../test/helpers/oauth.ts';
import { makeProfiles, type ProfileFolder, WHO } from '../../../../test/helpers/profiles.ts';
import { findLogin } from '../../../../test/helpers/sign-in.ts';
import { answerTokens, startStubProvider } from '../../../../test/helpers/stub-provider.ts';
import { startStub } from '../../../../test/helpers/stub-upstream.ts';
import { listenSandbox } from '../../../sandbox/src/listen-sandbox.ts';

const sandbox = await listenSandbox();
afterAll(() => sandbox.close());

const ADMIN = { code: 0, stdout: '"admin"\n', stderr: '' };

/** Begins to sign in. @returns The address that the user is to open. */
async function begin(profiles: ProfileFolder) {
  const cli = profiles.begin(...commandFor());
  return { cli, address: await addressIn(cli) };
}

function commandFor() {
  const { id, secret } = seededClient(sandbox);
  const args = ['login', '--upstream', sandbox.url, '--oauth-client-id', id];
  return [args, null, { OAUTH_CLIENT_SECRET: secret }] as const;
}

async function addressIn(cli: StartedCommand): Promise<URL> {
  const [address] = await cli.waitForError(/^http\S+(?=\n)/m);
  return new URL(address);
}

const redirectOf = (address: URL): URL => new URL(address.searchParams.get('redirect_uri') ?? '');

/** Signs in as the browser of the administrator would. @returns The page that is shown at the end. */
async function signIn(address: URL): Promise<Response> {
  return fetch(await signInAt(sandbox, address.href, 'admin'));
}

/** Signs in, and returns what the command prints. */
async function signedIn(profiles: ProfileFolder) {
  const { cli, address } = await begin(profiles);
  await signIn(address);
  return cli.ended;
}

describe('login at a provider', () => {
  test('returns to an address on this machine, and stores a session that logout revokes', async () => {
    using profiles = makeProfiles();
    const { cli, address } = await begin(profiles);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      scope: 'all',
    });
    const page = await signIn(address);
    expect([page.status, page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
      200,
      'no-store',
      'no-referrer',
    ]);
    expect(await page.text()).toContain('You are signed in.');
    const { code, stdout, stderr } = await cli.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('as admin. The session is renewed when needed.');
    const { access, refresh } = profiles.read().tokens;
    for (const secret of [access, refresh, seededClient(sandbox).secret])
      expect(stderr).not.toContain(String(secret));
    expect([profiles.mode(), await profiles.run(WHO)]).toEqual(['600', ADMIN]);
    expect(await profiles.run(['logout'])).toMatchObject({
      code: 0,
      stderr: 'The session is revoked at the OAuth 2.0 provider.\nThe profile "default" is deleted.\n',
    });
    expect(profiles.exists()).toBe(false);
    expect(await findLogin(sandbox, { authorization: `Bearer ${access}` })).toBe(401);
  });

  test('goes on waiting when requests come that are not of this sign-in', async () => {
    using profiles = makeProfiles();
    const cli = profiles.start(...commandFor());
    const address = await addressIn(cli);
    const redirect = redirectOf(address);
    const state = address.searchParams.get('state') ?? '';
    const good = await signInAt(sandbox, address.href, 'admin');
    const forged = [
      fetch(`${redirect}?code=x&state=wrong`),
      fetch(`${redirect}?code=x`),
      fetch(`${redirect.origin}/other?code=x&state=${state}`),
      fetch(good, { method: 'POST' }),
      fetch(redirect.origin),
    ];
    for (const answer of await Promise.all(forged)) expect(answer.status).toBe(400);
    // A page of another site that has the name of its host resolve to this machine.
    const rebound = await rawGet(good, 'evil.example');
    expect(rebound).toMatch(/^HTTP\/1\.1 400 /);
    // A connection that sends nothing must not keep the command from ending.
    const idle = connect(Number(redirect.port), redirect.hostname);
    expect((await fetch(good)).status).toBe(200);
    expect(await cli.ended).toMatchObject({ code: 0 });
    idle.destroy();
  });

  test('refuses a code that was issued for another port', async () => {
    using profiles = makeProfiles();
    const { cli, address } = await begin(profiles);
    const here = redirectOf(address);
    const elsewhere = new URL(here);
    elsewhere.port = String(Number(here.port) === 65_535 ? 65_534 : Number(here.port) + 1);
    address.searchParams.set('redirect_uri', elsewhere.href);
    const stolen = await signInAt(sandbox, address.href, 'user');
    stolen.port = here.port;
    expect((await fetch(stolen)).status).toBe(403);
    expect(await cli.ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The provider did not let you sign in (invalid_grant).\n'),
    });
    expect(profiles.exists()).toBe(false);
  });

  test('ends when the user cancels, or Ctrl-C is pressed', async () => {
    using profiles = makeProfiles();
    const { cli, address } = await begin(profiles);
    const state = address.searchParams.get('state') ?? '';
    await fetch(`${redirectOf(address)}?error=access_denied&state=${encodeURIComponent(state)}`);
    expect(await cli.ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('optiongraph: The provider did not let you sign in.\n'),
    });
    const interrupted = profiles.start(...commandFor());
    await addressIn(interrupted);
    interrupted.signal('SIGINT');
    expect([(await interrupted.ended).code, profiles.exists()]).toEqual([null, false]);
  });

  test('says which setting is wrong', async () => {
    await using stub = await startStub(describeApi({}), {});
    using profiles = makeProfiles();
    const login = ['login', '--oauth-client-id', 'x', '--upstream'];
    const given = [
      [
        [sandbox.url, '--redirect-uri', 'http://example.org/back'],
        2,
        'must be an http address on this machine',
      ],
      [
        [sandbox.url, '--redirect-uri', 'https://127.0.0.1/back'],
        2,
        'must be an http address on this machine',
      ],
      [[sandbox.url, '--redirect-uri', `${sandbox.url}/back`], 2, 'Choose another --redirect-uri.'],
      [[stub.url.href], 4, 'The API describes no OAuth 2.0 provider.'],
    ] as const;
    for (const [args, code, message] of given)
      expect(await profiles.run([...login, ...args])).toEqual({
        code,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
  });

  test('sends no secret for a public client, and tokens only to the provider of the sign-in', async () => {
    await using provider = await startStubProvider();
    await using other = await startStubProvider();
    const shelf = resource({ index: list('shelf', 'shelves', { id: 'Integer' }) });
    const authentication = { oauth2: provider.described };
    await using stub = await startStub({ ...describeApi({ shelf }), authentication }, {});
    using profiles = makeProfiles();
    provider.answer = answerTokens({ refresh_token: 'refresh', expires_in: 1 });
    const args = ['login', '--upstream', stub.url.href, '--oauth-client-id', 'native'];
    const cli = profiles.begin([...args, '--redirect-uri', 'http://localhost/cli/back']);
    const address = await addressIn(cli);
    expect(redirectOf(address).href).toMatch(/^http:\/\/localhost:\d+\/cli\/back$/);
    const state = encodeURIComponent(address.searchParams.get('state') ?? '');
    await fetch(`${redirectOf(address)}?code=c&state=${state}`);
    expect(await cli.ended).toMatchObject({ code: 0 });
    const [request] = provider.requests;
    expect(Object.fromEntries(request ?? [])).toEqual({
      grant_type: 'authorization_code',
      client_id: 'native',
      code: 'c',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: redirectOf(address).href,
    });
    authentication.oauth2 = other.described;
    const { tokens } = profiles.read();
    profiles.change({ tokens: { ...tokens, expiresAt: 0 } });
    const query = ['query', '{ session { authenticated } }'];
    expect(await profiles.run(query)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('true'),
    });
    expect([provider.requests.at(-1)?.get('refresh_token'), other.requests]).toEqual(['refresh', []]);
  });
});

describe('the session of a provider', () => {
  test('is renewed once when it has ended, by several commands at once', async () => {
    using profiles = makeProfiles();
    await signedIn(profiles);
    const { tokens } = profiles.read();
    profiles.change({ tokens: { ...tokens, expiresAt: Date.now() - 1_000 } });
    const endings = await Promise.all([WHO, WHO, WHO].map((args) => profiles.start(args).ended));
    expect(endings).toEqual([ADMIN, ADMIN, ADMIN]);
    const renewed = profiles.read().tokens;
    expect([renewed['access'] === tokens['access'], profiles.mode()]).toEqual([false, '600']);
    // A process that has ended meanwhile holds the lock. The API may also end a token before its time.
    const lock = `${profiles.file()}.lock`;
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(lock, `${pid} ${hostname()}`, { mode: 0o600 });
    profiles.change({ tokens: { ...renewed, access: 'unknown' } });
    expect(await profiles.run(WHO)).toEqual(ADMIN);
    expect(existsSync(lock)).toBe(false);
  });

  test('that cannot be renewed says how to sign in again, by the same client', async () => {
    using profiles = makeProfiles();
    await signedIn(profiles);
    const { tokens } = profiles.read();
    for (const refresh of ['used', null]) {
      profiles.change({ tokens: { ...tokens, access: 'unknown', refresh } });
      expect(await profiles.run(WHO)).toEqual({
        code: 4,
        stdout: '',
        stderr:
          'optiongraph: The session of the profile "default" has ended. Sign in again: optiongraph login\n',
      });
    }
    const cli = profiles.begin(['login']);
    await signIn(await addressIn(cli));
    expect(await cli.ended).toMatchObject({ code: 0 });
    expect(await profiles.run(WHO)).toEqual(ADMIN);
  });
});

/** Sends a request with another `Host`, which fetch cannot. @returns The response. */
async function rawGet({ hostname, port, pathname, search }: URL, host: string): Promise<string> {
  const socket = connect(Number(port), hostname);
  socket.end(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  let received = '';
  for await (const chunk of socket) received += String(chunk);
  return received;
}
