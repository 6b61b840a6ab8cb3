// Tests the whole way of an agent over a description of production size, with a stub in place of the API.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ok, startStub } from '../../../test/helpers/stub-upstream.ts';
import { AgentClient, serveAgents } from './agents.ts';

const FILE = new URL('../../../../shared/data/production-description.json.gz', import.meta.url);

it.skipIf(!existsSync(FILE))(
  'searches, queries, plans and confirms a write, and follows its action',
  async () => {
    const { response } = JSON.parse(gunzipSync(readFileSync(FILE)).toString());
    await using stub = await startStub(response, {
      'vps#index': () => ok({ vpses: [{ id: 1, hostname: 'web' }], _meta: { total_count: 1 } }),
      'vps#restart': () => ok({ _meta: { action_state_id: 7 } }),
      ...Object.fromEntries(
        ['show', 'poll'].map((action) => [
          `action_state#${action}`,
          () =>
            ok({
              action_state: { id: 7, label: 'Restart', finished: true, status: true, current: 1, total: 1 },
            }),
        ]),
      ),
    });
    const { url, close } = await serveAgents(stub.url);
    try {
      const shown: string[] = [];
      const client = new AgentClient(url, { 'x-haveapi-auth-token': 'token' }, (message) => {
        shown.push(message);
        return { action: 'accept', content: { confirm: true } };
      });
      const found = await client.call('search_schema', { words: 'restart a server' });
      expect(found.text).toMatch(/^Mutation\.vpsRestart\(id: ID!/m);
      const listed = await client.call('query', {
        document: '{ vpses(first: 5) { nodes { id hostname } } }',
      });
      expect(listed.json).toMatchObject({ data: { vpses: { nodes: [{ id: 'vps/1', hostname: 'web' }] } } });
      const document =
        'mutation ($id: ID!) { vpsRestart(id: $id) { actionState { id } userErrors { message code } } }';
      const written = await client.call('write', { document, variables: { id: 'vps/1' } });
      expect(shown).toEqual([
        expect.stringMatching(
          /^Restart VPS\n[\s\S]*vpsRestart\(id: \$id\)[\s\S]*Variables: \{"id":"vps\/1"\}/,
        ),
      ]);
      const { vpsRestart } = written.json['data'] as { vpsRestart: { actionState: { id: string } } };
      expect(stub.calls.filter(({ scope }) => scope === 'vps#restart').map(({ path }) => path)).toEqual([
        ['1'],
      ]);
      const followed = await client.call('follow_action', { id: vpsRestart.actionState.id });
      expect(followed.json).toMatchObject({ data: { actionProgress: { finished: true } } });
    } finally {
      await close();
    }
  },
);
