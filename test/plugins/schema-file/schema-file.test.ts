// Tests the schema that is served as a file.
import { buildSchema, NoSchemaIntrospectionCustomRule } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { printSDL } from '../../../src/schema/print-schema.ts';
import { startServer } from '../../../src/server/server.ts';
import { parseTrustedDocuments } from '../../../src/server/trusted-manifest.ts';
import { startFacade } from '../../helpers/facade.ts';
import { sharePair } from '../../helpers/shared-pair.ts';

const pair = sharePair();

/** Reads the file at an address. */
const readAt =
  (origin: string) =>
  (init: RequestInit = {}) =>
    fetch(`${origin}/graphql/schema.graphql`, init);
const read = (init?: RequestInit) => readAt(new URL(pair.url).origin)(init);

/** Serves a further facade over the same sandbox. */
async function serve(options: Partial<FacadeOptions>) {
  const server = await startServer(await startFacade(pair.sandbox, options), { host: '127.0.0.1', port: 0 });
  return { read: readAt(new URL(server.url).origin), [Symbol.asyncDispose]: () => server.close() };
}

describe('the schema as a file', () => {
  it('is the schema of the caller, with the directives of fields, and calls no action', async () => {
    const response = await read();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/graphql; charset=utf-8');
    const anonymous = await response.text();
    expect(anonymous).toContain('@semanticNonNull');
    expect(() => buildSchema(anonymous)).not.toThrow();
    const texts = ['user', 'admin'] as const;
    const [user, admin] = await Promise.all(
      texts.map(async (login) => (await read({ headers: pair.headers(login) })).text()),
    );
    expect(admin).toContain('datasetMigrate(');
    expect(user).not.toContain('datasetMigrate(');
    expect(anonymous).not.toContain('datasetCreate(');
    const { served: known } = await pair.facade.openSession({
      header: (name) => new Headers(pair.headers('admin')).get(name),
      address: undefined,
      requestId: 'one',
      signal: undefined,
    });
    expect(admin).toBe(printSDL(known.schema));
    expect(pair.calls).toEqual([]);
  });

  it('is sent again only when it has changed for the caller', async () => {
    const first = await read({ headers: pair.headers('user') });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    const again = await read({ headers: { ...pair.headers('user'), 'If-None-Match': `"other", ${etag}` } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    for (const { headers } of [first, again]) {
      expect(headers.get('etag')).toBe(etag);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      const vary = headers.get('vary')?.toLowerCase().split(', ') ?? [];
      const names = [
        'authorization',
        'x-service-auth-token',
        'x-service-oauth2-token',
        'cookie',
        'accept-language',
        'accept-encoding',
        'origin',
      ];
      expect([...vary].sort()).toEqual([...names].sort());
    }
    const other = await read({ headers: { ...pair.headers('admin'), 'If-None-Match': etag } });
    expect(other.status).toBe(200);
    expect(other.headers.get('etag')).not.toBe(etag);
  });

  it('has the same headers for HEAD, and is compressed', async () => {
    const whole = await read({ headers: { 'Accept-Encoding': 'gzip' } });
    expect(whole.headers.get('content-encoding')).toBe('gzip');
    expect(await whole.text()).toContain('type Query');
    const head = await read({ method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['etag', 'content-type', 'content-encoding', 'vary', 'cache-control'])
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    expect((await read({ method: 'POST' })).status).toBe(404);
  });

  it('is read by pages of listed origins only', async () => {
    const pages = { origins: ['https://listed.test'] };
    await using served = await serve({ pages });
    const allowed = async (Origin: string) =>
      (await served.read({ headers: { Origin } })).headers.get('access-control-allow-origin');
    expect(await allowed('https://listed.test')).toBe('https://listed.test');
    expect(await allowed('https://other.test')).toBeNull();
  });
});

describe('the schema as a file is refused', () => {
  const refusalOf = async (response: Response) => {
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
    const { errors } = (await response.json()) as {
      errors: readonly { message: string; extensions: { code: string; requestId: string } }[];
    };
    expect(errors[0]?.extensions.requestId).toBe(response.headers.get('x-request-id'));
    return { status: response.status, message: errors[0]?.message, code: errors[0]?.extensions.code };
  };

  it('to a caller whom the API does not know', async () => {
    const response = await read({ headers: { 'X-Service-Auth-Token': 'unknown' } });
    expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  it('where introspection is not open to the caller', async () => {
    await using off = await serve({ introspection: 'off' });
    const message = 'Introspection is turned off on this server.';
    const response = await off.read({ headers: pair.headers('admin') });
    expect(await refusalOf(response)).toEqual({ status: 403, code: 'FORBIDDEN', message });
    await using signedIn = await serve({ introspection: 'authenticated' });
    expect(await refusalOf(await signedIn.read())).toMatchObject({
      status: 403,
      message: 'Introspection needs a credential on this server; sign in first.',
    });
    expect((await signedIn.read({ headers: pair.headers('user') })).status).toBe(200);
  });

  it('where only trusted documents are executed, or a plugin forbids introspection', async () => {
    const documents = parseTrustedDocuments({ one: '{ __typename }' });
    await using trusted = await serve({ trustedDocuments: { mode: 'enforce', documents } });
    expect(await refusalOf(await trusted.read())).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    await using ruled = await serve({
      plugins: [
        { onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule) },
      ],
    });
    expect(await refusalOf(await ruled.read())).toMatchObject({ status: 400 });
  });

  it('beyond the budget of its client', async () => {
    await using served = await serve({ limits: { credentialCost: 200 } });
    const responses = [await served.read()];
    expect(responses[0]?.headers.get('ratelimit')).toMatch(/^"cost";r=\d+;t=\d+$/);
    while (responses.at(-1)?.status === 200 && responses.length < 50) responses.push(await served.read());
    const last = responses.at(-1) as Response;
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refusalOf(last)).toMatchObject({ status: 429, code: 'COST_LIMIT_EXCEEDED' });
  });
});
