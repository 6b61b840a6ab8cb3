// Tests that clients see what an operation costs and what is left of their budget, and can ask for the cost alone.
import { describe, expect, it } from 'vitest';
import { CostBudget } from '../../../src/server/cost/cost-limit.ts';
import { joinAlone } from '../../../src/sharing/local-replicas.ts';
import { sharePair } from '../../helpers/shared-pair.ts';
import { post, type Result, TRANSPORTS } from '../../helpers/transports.ts';

const QUERY = '{ datasets(first: 5) { nodes { id name } } }';
/** 25 points for the operation, one for each field and row. */
const ESTIMATE = 25 + 2 + 5 * 2;
const LIMIT = 10_000;

const costBudget = new CostBudget(
  { credentialCost: LIMIT, addressCost: 100_000, anonymousCost: 100_000 },
  joinAlone(),
);
const pair = sharePair({ facade: { shared: { costBudget }, limits: { operationCost: 1_000 } } });

interface ShownCost {
  readonly estimate: number;
  readonly remaining: number;
  readonly limit: number;
  readonly resetAt: string;
}

const costOf = ({ extensions }: Result): ShownCost => extensions?.['cost'] as ShownCost;

describe.each(TRANSPORTS)('the cost of an operation over %s', (name, send) => {
  const ask = (query: string, extensions?: Record<string, unknown>): Promise<Result> =>
    send(pair.url, { query, ...(extensions && { extensions }) }, pair.headers('user'));

  it('is in its result, with what is left of the budget', async () => {
    await ask(QUERY);
    const first = costOf(await ask(QUERY));
    const askedAt = Date.now();
    const second = costOf(await ask(QUERY));
    expect(second).toMatchObject({ estimate: ESTIMATE, limit: LIMIT });
    // The bucket fills at 1,000 points a second.
    expect(second.remaining).toBeGreaterThanOrEqual(first.remaining - ESTIMATE);
    expect(second.remaining).toBeLessThanOrEqual(LIMIT - ESTIMATE);
    const reset = Date.parse(second.resetAt) - askedAt;
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(10_000);
  });

  it('is in the refusal of one that costs too much', async () => {
    const result = await ask('{ datasets(first: 900) { nodes { id name } } }');
    expect(result.errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
    const estimate = 25 + 2 + 900 * 2;
    expect(result.errors?.[0]?.extensions['cost']).toEqual({ estimate, limit: 1_000 });
    // The message of a refusal over a WebSocket has errors only.
    if (name !== 'WebSocket') expect(costOf(result)).toMatchObject({ estimate, limit: LIMIT });
  });

  it('can be asked for without the result', async () => {
    const result = await ask(QUERY, { estimateOnly: true });
    expect(result.errors).toBeUndefined();
    expect(result.data).toBeNull();
    expect(costOf(result)).toMatchObject({ estimate: ESTIMATE, limit: LIMIT });
    expect(pair.calls).toEqual([]);
  });
});

describe('the header Estimate-Only', () => {
  const send = (value: string) =>
    post(pair.url, { query: QUERY }, { ...pair.headers('user'), 'estimate-only': value });

  it('asks for the cost alone, with the same numbers as RateLimit', async () => {
    const response = await send('true');
    const cost = costOf((await response.json()) as Result);
    expect(cost.estimate).toBe(ESTIMATE);
    expect(response.headers.get('ratelimit')).toMatch(new RegExp(`^"cost";r=${cost.remaining};t=\\d+$`));
    expect(response.headers.get('ratelimit-policy')).toBe(`"cost";q=${LIMIT};w=4`);
  });

  it('does not send a mutation', async () => {
    const query = 'mutation { datasetCreate(input: { name: "tank/estimated" }) { dataset { id } } }';
    const response = await post(pair.url, { query }, { ...pair.headers('user'), 'estimate-only': 'true' });
    expect(costOf((await response.json()) as Result).estimate).toBeGreaterThan(25);
    expect(pair.calls).toEqual([]);
  });

  it('must be true or false', async () => {
    const response = await send('yes');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('The header Estimate-Only must be true or false.');
  });
});
