// Tests the answers of the door, and whom it refuses.
import { expect, it } from 'vitest';
import { shareAgents } from './agents.ts';

const agents = shareAgents({ answerTokens: 300 });

it('cuts a list at whole rows, and goes on after the last row shown', async () => {
  for (let index = 0; index < 30; index += 1)
    await agents.ask(
      `mutation { datasetCreate(input: { name: "row-number-${index}-${'x'.repeat(20)}" }) { userErrors { message } } }`,
    );
  const client = agents.connect();
  const document = 'query ($after: String) { datasets(first: 40, after: $after) { nodes { id name } } }';
  const read = async (after: string | null) =>
    (await client.call('query', { document, variables: { after } })).json;
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const { data, cut } = (await read(after)) as unknown as {
      data: { datasets: { nodes: { id: string }[] } };
      cut?: [{ shown: number; missing: number; after: string }];
    };
    const { nodes } = data.datasets;
    seen.push(...nodes.map(({ id }) => id));
    if (cut === undefined) break;
    expect(cut[0].shown + cut[0].missing).toBeLessThanOrEqual(40);
    expect(cut[0].shown).toBe(nodes.length);
    after = cut[0].after;
  }
  const counted = await agents.ask<{ datasets: { totalCount: number } }>(
    '{ datasets(first: 0) { totalCount } }',
  );
  const totalCount = counted.data?.datasets.totalCount;
  expect([new Set(seen).size, seen.length]).toEqual([totalCount, totalCount]);
});

it('refuses requests without a credential, and names the authorization server of the API', async () => {
  const { url } = agents;
  const response = await fetch(url, { method: 'POST', body: '{}' });
  const [, metadata = ''] =
    /resource_metadata="(.*)"/.exec(response.headers.get('www-authenticate') ?? '') ?? [];
  expect([response.status, new URL(metadata).pathname]).toEqual([
    401,
    '/.well-known/oauth-protected-resource/mcp',
  ]);
  const found = await (await fetch(metadata)).json();
  expect(found).toMatchObject({
    resource: url.href,
    authorization_servers: [expect.stringMatching(/^http/)],
  });
  const unknown = await fetch(url, {
    method: 'POST',
    body: '{}',
    headers: { authorization: 'Bearer nobody' },
  });
  expect(unknown.status).toBe(401);
});
