// Tests which authorization requests the OAuth 2.0 provider accepts.
import { afterAll, describe, expect, test } from 'vitest';
import { authorizeUrl, redirectUri, visit } from '../../../../test/helpers/oauth.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const client = (...redirectUris: string[]) => ({
  id: 'client-0',
  secret: 'secret',
  name: 'Client',
  redirectUris,
});
const sandbox = await listenSandbox();
afterAll(() => sandbox.close());
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const query = (location: URL | null) => Object.fromEntries(location?.searchParams ?? []);

describe('an authorization request', () => {
  test.each([
    [{ client_id: 'nobody' }],
    [{ client_id: undefined }],
    [{ redirect_uri: undefined }],
    [{ redirect_uri: 'https://evil.example/callback' }],
    [{ redirect_uri: 'http://127.0.0.1:49152/other' }],
    [{ redirect_uri: 'http://user@127.0.0.1/callback' }],
    [{ redirect_uri: 'http://127.0.0.1:49152/\r\ncallback' }],
  ])('%j is not answered with a redirect', async (changes) => {
    const { status, location, transaction } = await visit(authorizeUrl(sandbox, changes));
    expect([status, location, transaction]).toEqual([400, null, '']);
  });

  test.each([
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'dataset' }, 'invalid_scope'],
    [{ code_challenge: challenge }, 'invalid_request'],
    [{ code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: 'S256' }, 'invalid_request'],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
  ])('%j redirects to the client with the error %s', async (changes, error) => {
    const { status, location } = await visit(authorizeUrl(sandbox, changes));
    expect([status, location?.href.startsWith(`${redirectUri}?`)]).toEqual([303, true]);
    expect(query(location)).toEqual({ error, error_description: expect.any(String), state: 'a b&c' });
  });

  test('may lead to the redirect URIs that the sandbox was given', async () => {
    await using given = await listenSandbox({ redirectUris: ['http://127.0.0.1/auth/callback'] });
    for (const [redirect_uri, status] of [
      ['http://127.0.0.1:4000/auth/callback', 200],
      ['http://127.0.0.1:4000/callback', 200],
      ['http://127.0.0.1:4000/other', 400],
    ] as const)
      expect((await visit(authorizeUrl(given, { redirect_uri }))).status).toBe(status);
  });

  test('may use any port of a loopback redirect URI, and no other variation', async () => {
    const oauthClients = [client('https://app.example/back', 'app.example:/back')];
    await using sandbox = await listenSandbox({ oauthClients });
    const status = async (client_id: string | undefined, redirect_uri: string) =>
      (await visit(authorizeUrl(sandbox, { ...(client_id ? { client_id } : {}), redirect_uri }))).status;
    expect(await status(undefined, 'http://[::1]:8080/callback')).toBe(200);
    expect(await status(undefined, 'http://localhost/callback')).toBe(200);
    expect(await status('client-0', 'app.example:/back')).toBe(200);
    expect(await status('client-0', 'https://app.example:8443/back')).toBe(400);
    expect(await status('client-0', 'https://app.example/back/')).toBe(400);
  });

  test('needs clients with valid redirect URIs', async () => {
    for (const uri of ['/back', 'https://app.example/#back']) {
      await expect(listenSandbox({ oauthClients: [client(uri)] })).rejects.toThrow(
        `expected an absolute redirect URI without a fragment, got ${uri}`,
      );
    }
  });
});
