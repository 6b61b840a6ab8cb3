// Makes official clients of the Model Context Protocol.
import { Client } from '@modelcontextprotocol/client';

/** A client whose user agrees to everything. */
export function createClient(revision: '2025' | '2026-07-28', canAsk = true): Client {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: canAsk ? { elicitation: { form: {} } } : {},
      ...(revision === '2025' ? {} : { versionNegotiation: { mode: { pin: revision } } }),
    },
  );
  if (canAsk)
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { confirm: true },
    }));
  return client;
}

/** What a tool has answered, parsed where it is JSON. */
export async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content as { text: string }[];
  const text = first?.text ?? '';
  return { text, json: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, never> };
}
