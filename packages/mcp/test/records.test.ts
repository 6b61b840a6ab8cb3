// Tests that agents are held to the limits and records of everybody, and are told apart in the audit.
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { shareAgents, startAgents } from './agents.ts';

const CREATE =
  'mutation ($name: String!) { datasetCreate(input: { name: $name }) { actionState { id } userErrors { message } } }';

const lines: { event: string; via: string | null }[] = [];
const write = async (line: string) => {
  lines.push(JSON.parse(line));
  return true;
};
const agents = shareAgents({ sandbox: { step: 300 }, facade: { audit: { write } } });

/** Creates a dataset. Returns the id of its action. */
async function create(name: string, { ask } = agents): Promise<string | undefined> {
  const { data } = await ask<{ datasetCreate: { actionState: { id: string } } }>(CREATE, {
    variables: { name },
  });
  return data?.datasetCreate.actionState.id;
}

it('names the door in the audit, which no header can do', async () => {
  const answer = () => ({ action: 'accept', content: { confirm: true } });
  await agents.connect({ answer }).call('write', { document: CREATE, variables: { name: 'one' } });
  const body = JSON.stringify({ query: CREATE, variables: { name: 'two' } });
  const headers = { 'content-type': 'application/json', 'optiongraph-via': 'mcp', via: 'mcp' };
  const graphql = new URL('/graphql', agents.url);
  await fetch(graphql, { method: 'POST', body, headers: { ...headers, ...agents.headers('admin') } });
  expect(lines.flatMap(({ event, via }) => (event === 'sent' ? [via] : []))).toEqual(['mcp', null]);
});

it('charges the budget of the credential', async () => {
  await using agents = await startAgents({ facade: { limits: { credentialCost: 400 } } });
  const client = agents.connect();
  // So much more than the budget that it is not full again in time.
  const document = '{ datasets(first: 1000) { nodes { id } } }';
  const answers = [await client.call('query', { document }), await client.call('query', { document })];
  expect(answers.map(({ isError }) => isError)).toEqual([false, true]);
  expect(answers[1]?.text).toContain('The budget for your operations is spent');
});

it('refuses hosts that the server does not serve, and pages of other origins', async () => {
  const statusFor = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(agents.url, {
        method: 'POST',
        headers: { ...agents.headers('admin'), ...headers },
      });
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      sent.end('{}');
    });
  const { origin } = agents.url;
  expect([
    await statusFor({ host: 'evil.example' }),
    await statusFor({ origin: 'https://evil.example' }),
    await statusFor({ origin: 'null' }),
  ]).toEqual([421, 403, 403]);
  expect(await statusFor({ origin })).not.toBe(403);
});

it('follows an action by one poller, however many follow it', async () => {
  const pollsOf = async (followers: number): Promise<number> => {
    agents.calls.length = 0;
    const client = agents.connect();
    const id = await create(`followed-by-${followers}`);
    const followed = Array.from({ length: followers }, () =>
      client.call('follow_action', { id, seconds: 30 }),
    );
    for (const { json } of await Promise.all(followed))
      expect(json).toMatchObject({ data: { actionProgress: { finished: true, outcome: 'SUCCEEDED' } } });
    return agents.calls.filter(({ scope }) => scope?.startsWith('action_state#')).length;
  };
  const alone = await pollsOf(1);
  expect(await pollsOf(5)).toBeLessThanOrEqual(alone + 2);
});

it('says that an action goes on when the seconds are over', async () => {
  await using agents = await startAgents({ sandbox: { step: 'manual' } });
  const id = await create('unfinished', agents);
  const { json } = await agents.connect().call('follow_action', { id, seconds: 1 });
  expect(json).toMatchObject({
    data: { actionProgress: { finished: false } },
    next: ['An action goes on. follow_action waits for its end.'],
  });
});
