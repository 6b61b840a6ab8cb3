// Tests the whole way of an agent, search, query, write, confirm and follow, over both doors.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { startAgents } from '../../../packages/mcp/test/agents.ts';
import { call, createClient } from './clients.ts';

const CREATE =
  'mutation { datasetCreate(input: { name: "followed" }) { actionState { id } userErrors { message } } }';

async function goTheWay(client: ReturnType<typeof createClient>): Promise<void> {
  expect((await call(client, 'search_schema', { words: 'create a dataset' })).text).toContain(
    'Mutation.datasetCreate',
  );
  const list = await call(client, 'query', { document: '{ datasets(first: 2) { nodes { name } } }' });
  expect(list.json).toMatchObject({ data: { datasets: { nodes: [{}, {}] } } });
  expect(list.text).not.toContain('cursors_');
  const written = await call(client, 'write', { document: CREATE });
  const { datasetCreate } = written.json['data'] as unknown as {
    datasetCreate: { actionState: { id: string } };
  };
  const progress: number[] = [];
  const { content } = await client.callTool(
    { name: 'follow_action', arguments: { id: datasetCreate.actionState.id, seconds: 30 } },
    { onprogress: ({ progress: done }) => progress.push(done) },
  );
  const [{ text }] = content as unknown as [{ text: string }];
  expect(JSON.parse(text)).toMatchObject({
    data: { actionProgress: { finished: true, outcome: 'SUCCEEDED' } },
  });
  expect(progress.length).toBeGreaterThan(0);
}

it('goes over HTTP', async () => {
  await using agents = await startAgents();
  const client = createClient('2026-07-28');
  const requestInit = { headers: agents.headers('admin') };
  await client.connect(new StreamableHTTPClientTransport(agents.url, { requestInit }));
  try {
    await goTheWay(client);
  } finally {
    await client.close();
  }
});

it('goes over standard input and output, with the revision of 2025', async () => {
  const client = createClient('2025');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['dist/cli/main.js', 'mcp', '--sandbox', '--as', 'admin'],
    stderr: 'inherit',
  });
  await client.connect(transport);
  try {
    await goTheWay(client);
  } finally {
    await client.close();
  }
});
