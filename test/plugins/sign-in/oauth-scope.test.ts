// Tests the scope that browsers request from the OAuth 2.0 provider.
import { describe, expect, it } from 'vitest';
import { openBrowser, openBrowserAtStub, tokenMethod } from '../../helpers/browser.ts';

const FIELDS = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';

/** The scope in the redirect to the provider; null for none. */
async function requestedScope(at: { visit(path: string): Promise<Response> }): Promise<string | null> {
  const away = await at.visit('/auth/login');
  return new URL(away.headers.get('location') ?? '').searchParams.get('scope');
}

describe('the scope of a browser’s session', () => {
  it('is the default of the token method, so that the user sees the whole API', async () => {
    await using at = await openBrowser();
    expect(await requestedScope(at)).toBe('all');
    await at.signIn();
    const { data } = await at.ask(FIELDS);
    expect(data).toEqual((await at.pair.ask(FIELDS, { login: 'user' })).data);
    expect(JSON.stringify(data)).toContain('datasetSnapshotCreate');
  });

  it('is the one that the operator configures', async () => {
    await using at = await openBrowser({ scope: 'user#current dataset#index' });
    expect(await requestedScope(at)).toBe('user#current dataset#index');
    await at.signIn();
    expect(await at.ask('{ userCurrent { login } }')).toMatchObject({
      data: { userCurrent: { login: 'user' } },
    });
    expect(await at.ask('{ dnsZones { nodes { id } } }')).toMatchObject({ errors: [{}] });
  });

  it('is the default that the description names', async () => {
    await using at = await openBrowserAtStub(
      tokenMethod({ scope: { type: 'String', default: 'read write' } }),
    );
    expect(await requestedScope(at)).toBe('read write');
    expect(at.log.lines).toEqual([]);
  });

  it.each([
    ['has no default', tokenMethod({ scope: { type: 'String', default: null } })],
    ['has a default that is no text', tokenMethod({ scope: { type: 'Custom', default: 7 } })],
    ['has an empty default', tokenMethod({ scope: { type: 'String', default: '' } })],
    ['is not described', tokenMethod({ user: { type: 'String' } })],
    ['belongs to no token method', {}],
  ])('is left to the provider, with a warning in the log, when the parameter %s', async (_name, methods) => {
    await using at = await openBrowserAtStub(methods);
    expect(await requestedScope(at)).toBeNull();
    expect(at.log.lines).toEqual([expect.stringContaining('`oauth.scope`')]);
  });
});
