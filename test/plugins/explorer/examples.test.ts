// Tests the route of the examples that the explorer offers.
import { describe, expect, it } from 'vitest';
import type { ExampleTab } from '../../../src/schema/example-tabs.ts';
import { openServer } from '../../../src/server/server.ts';
import { startFacade } from '../../helpers/facade.ts';
import { sharePair } from '../../helpers/shared-pair.ts';

const pair = sharePair();

const namesOf = (tabs: readonly ExampleTab[]) => tabs.map(({ query }) => /^\w+ (\w+)/.exec(query)?.[1]);

describe('the examples for the explorer', () => {
  it('are made from the caller’s schema without calls of actions', async () => {
    await using server = await openServer({ host: '127.0.0.1', port: 0 });
    server.serve(await startFacade(pair.sandbox));
    const examples = async (path: string, headers = {}): Promise<readonly ExampleTab[]> => {
      const response = await fetch(server.origin + path, { headers });
      expect(response.headers.get('cache-control')).toBe('no-store');
      return (await response.json()) as ExampleTab[];
    };
    expect(namesOf(await examples('/graphql/examples'))).toEqual(['Example', 'Progress', 'Cancel']);
    const own = await examples('/graphql/examples', pair.headers('user'));
    expect(namesOf(own)).toEqual(['Example', 'Create', 'Progress', 'Cancel']);
    expect(pair.calls).toEqual([]);
  });

  it('begin with a list that has rows, also for anonymous callers', async () => {
    const response = await fetch(`${pair.url}/examples`);
    const [first] = (await response.json()) as ExampleTab[];
    const { data, errors } = await pair.ask<Record<string, { nodes: object[] }>>(first?.query ?? '', {
      login: null,
    });
    expect(errors).toEqual([]);
    expect(Object.values(data ?? {})[0]?.nodes).toHaveLength(5);
  });

  it('are refused to a caller whom the upstream does not know', async () => {
    const response = await fetch(`${pair.url}/examples`, { headers: { 'X-Service-Auth-Token': 'unknown' } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});
