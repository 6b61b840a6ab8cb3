// Tests what one client may spend, and who may read the schema.
import { describe, expect, it } from 'vitest';
import { CostBudget } from '../../../src/server/cost/cost-limit.ts';
import { joinAlone } from '../../../src/sharing/local-replicas.ts';
import { openLibrary } from '../../helpers/library.ts';
import { shareApi } from '../../helpers/shared-api.ts';
import { post, TRANSPORTS } from '../../helpers/transports.ts';

const QUERY = '{ authors(first: 5) { nodes { id } } }';
const [admin, user] = [{ 'x-library-token': 'one' }, { 'x-library-token': 'two' }];

/** Opens a library whose credentials, addresses and anonymous callers have a budget. */
const open = (credentialCost: number, addressCost: number, anonymousCost = 10_000) => {
  const costBudget = new CostBudget({ credentialCost, addressCost, anonymousCost }, joinAlone());
  return openLibrary({}, { shared: { costBudget } });
};

describe('the budget of a client', () => {
  it.each(TRANSPORTS)(
    'refuses further operations over %s once it is spent, and spares other clients',
    async (_name, send) => {
      await using library = await open(90, 1_000);
      const { url } = await library.listen();
      const ask = async (headers: Record<string, string>) => await send(url, { query: QUERY }, headers);
      expect((await ask(admin)).errors).toBeUndefined();
      expect((await ask(admin)).errors).toBeUndefined();
      const calls = library.upstream.calls.length;
      expect((await ask(admin)).errors).toMatchObject([
        { extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: true, retryAfter: expect.any(Number) } },
      ]);
      expect(library.upstream.calls.length).toBe(calls);
      expect((await ask(user)).errors).toBeUndefined();
    },
  );

  it('ends with that of its address, which others have spent, unless it has used little', async () => {
    await using library = await open(300, 150);
    const { url } = await library.listen();
    const statusFor = async (headers: Record<string, string>, address: string): Promise<number> => {
      const headersOf = { 'x-forwarded-for': address, ...headers };
      const response = await post(url, { query: '{ session { authenticated } }' }, headersOf);
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      else expect(response.headers.get('ratelimit')).toMatch(/^"cost";r=\d+;t=\d+$/);
      return response.status;
    };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429) statuses.push(await statusFor(admin, '192.0.2.1'));
    expect(statuses.length).toBeGreaterThan(3);
    expect(await statusFor({}, '192.0.2.1')).toBe(200);
    const ofUser: number[] = [];
    while (ofUser.at(-1) !== 429) ofUser.push(await statusFor(user, '192.0.2.1'));
    expect(ofUser[0]).toBe(200);
    expect(ofUser.length).toBeLessThan(4);
    expect(await statusFor(user, '192.0.2.2')).toBe(200);
  });

  it('is one budget for the anonymous callers of an address, who leave a part to others', async () => {
    await using library = await open(110, 220);
    const { url } = await library.listen();
    const ask = async (headers: Record<string, string>) => {
      const sent = { 'x-forwarded-for': '192.0.2.1', ...headers };
      return (await post(url, { query: '{ session { authenticated } }' }, sent)).status;
    };
    for (let count = 0; count < 20 && (await ask({})) === 200; count += 1);
    expect(await ask({})).toBe(429);
    expect(await ask(user)).toBe(200);
    expect(await ask(user)).toBe(200);
  });

  it('is one budget for the anonymous callers of all addresses, who leave the rest to others', async () => {
    await using library = await open(10_000, 10_000, 220);
    const { url } = await library.listen();
    const ask = async (address: number, headers: Record<string, string> = {}) => {
      const sent = { 'x-forwarded-for': `192.0.2.${address}`, ...headers };
      return (await post(url, { query: '{ session { authenticated } }' }, sent)).status;
    };
    let address = 1;
    while (address < 100 && (await ask(address)) === 200) address += 1;
    expect(address).toBeGreaterThan(3);
    expect(address).toBeLessThan(100);
    expect(await ask(address, user)).toBe(200);
  });
});

describe.each([
  ['on', true, true],
  ['authenticated', false, true],
  ['off', false, false],
] as const)('introspection that is %s', (introspection, anonymous, authenticated) => {
  const library = shareApi(() => openLibrary({}, { introspection }));

  it.each(TRANSPORTS)(
    `over %s: anonymous callers may use it: ${anonymous}, callers with a credential: ${authenticated}`,
    async (_name, send) => {
      const mayRead = async (query: string, headers: Record<string, string>): Promise<boolean> => {
        const { data, errors = [] } = await send(library.url, { query }, headers);
        if (errors.length > 0) expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
        return data !== null && data !== undefined;
      };
      for (const query of [
        '{ __schema { types { name } } }',
        '{ ...F } fragment F on Query { a: __type(name: "Query") { name } }',
      ]) {
        expect(await mayRead(query, {})).toBe(anonymous);
        expect(await mayRead(query, user)).toBe(authenticated);
      }
      const typo = await send(library.url, { query: '{ authorz { nodes { id } } }' }, user);
      expect(JSON.stringify(typo.errors).includes('Did you mean')).toBe(authenticated);
      expect(await mayRead('{ __typename }', {})).toBe(true);
    },
  );
});
