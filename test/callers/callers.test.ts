// Tests that each caller gets the schema of their rights, and at what cost.
import { describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../packages/sandbox/src/http/sandbox-server.ts';
import { ask, type Pair, startPair } from '../helpers/facade.ts';

const fieldsOf = (type: string) => `{ __type(name: "${type}") { fields { name } } }`;

async function fields(pair: Pair, type: string, login: 'admin' | 'user' | null): Promise<readonly string[]> {
  const { data } = await pair.ask<{ __type: { fields: { name: string }[] } | null }>(fieldsOf(type), {
    login,
  });
  return data?.__type?.fields.map(({ name }) => name) ?? [];
}

/** Counts `OPTIONS` requests: those for a whole description, and those that probe one action. */
function countOptions(requests: readonly RecordedRequest[]) {
  const options = requests.filter(({ method }) => method === 'OPTIONS');
  const descriptions = options.filter(({ query }) => query.startsWith('describe='));
  return { descriptions: descriptions.length, probes: options.length - descriptions.length };
}

function record(pair: Pair): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  pair.sandbox.onRequest((request) => requests.push(request));
  return requests;
}

/** Signs a user in `count` times. */
async function tokens(pair: Pair, user: string, count: number): Promise<readonly string[]> {
  const request = async (): Promise<string> => {
    const answer = await fetch(`${pair.sandbox.url}/_auth/token/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: { user, password: 'sandbox', lifetime: 'permanent' } }),
    });
    return ((await answer.json()) as { response: { token: { token: string } } }).response.token.token;
  };
  return Promise.all(Array.from({ length: count }, request));
}

/** A requester with a token. */
const requester = (pair: Pair, token: string) => ({
  header: (name: string) => (name.toLowerCase() === pair.sandbox.tokenHeader.toLowerCase() ? token : null),
  address: undefined,
  requestId: 'r',
  signal: undefined,
});

describe('the schema', () => {
  it('has only what the caller may use', async () => {
    await using pair = await startPair();
    const admin = await fields(pair, 'Mutation', 'admin');
    const user = await fields(pair, 'Mutation', 'user');
    expect(admin).toContain('datasetMigrate');
    expect(user).toContain('datasetCreate');
    expect(user).not.toContain('datasetMigrate');
    const anonymous = [...(await fields(pair, 'Query', null)), ...(await fields(pair, 'Mutation', null))];
    expect(anonymous).toEqual(expect.arrayContaining(['components', 'clusterPublicStats', 'tokenRequest']));
    for (const closed of ['datasets', 'cluster', 'datasetCreate', 'tokenRevoke', 'tokenRenew'])
      expect(anonymous).not.toContain(closed);
  });

  it('is one object for callers with equal rights and different credentials', async () => {
    await using pair = await startPair();
    const [one, two] = await tokens(pair, 'user', 2);
    const [first, second] = await Promise.all(
      [one, two].map((token) => pair.facade.openSession(requester(pair, token ?? ''))),
    );
    expect(first?.served.schema).toBe(second?.served.schema);
    expect(first?.served.schema).not.toBe(pair.facade.schema.schema);
  });

  it('costs one description and one probe for each credential, and no later calls', async () => {
    await using pair = await startPair();
    const callers = [...(await tokens(pair, 'user', 8)), ...(await tokens(pair, 'admin', 8))];
    const requests = record(pair);
    const query = '{ userCurrent { login } }';
    const answers = await Promise.all(
      Array.from({ length: 160 }, (_, index) =>
        ask<{ userCurrent: { login: string } }>(pair.facade, query, {
          headers: { [pair.sandbox.tokenHeader]: callers[index % 16] ?? '' },
        }),
      ),
    );
    answers.forEach(({ data }, index) => {
      expect(data).toEqual({ userCurrent: { login: index % 16 < 8 ? 'user' : 'admin' } });
    });
    expect(countOptions(requests)).toEqual({ descriptions: 16, probes: 16 });
    const sessions = await Promise.all(
      callers.map((token) => pair.facade.openSession(requester(pair, token))),
    );
    expect(new Set(sessions.map(({ served }) => served.schema)).size).toBe(2);
    // Operations of one credential that run at the same time share their call.
    const calls = requests.filter(({ method }) => method === 'GET').length;
    expect(calls).toBeGreaterThanOrEqual(16);
    expect(calls).toBeLessThanOrEqual(160);
  });

  it('is the same for all callers in fixed mode, where credentials are verified too', async () => {
    await using pair = await startPair({ facade: { schemaMode: 'fixed' } });
    const requests = record(pair);
    expect(await fields(pair, 'Mutation', 'user')).toContain('datasetMigrate');
    expect(await fields(pair, 'Mutation', null)).toContain('datasetMigrate');
    expect(countOptions(requests)).toEqual({ descriptions: 0, probes: 1 });
    const bad = await ask(pair.facade, '{ __typename }', { headers: { [pair.sandbox.tokenHeader]: 'x' } });
    expect(bad.status).toBe(401);
  });
});
