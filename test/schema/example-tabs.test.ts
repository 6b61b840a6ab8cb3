import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { exampleTabs } from '../../src/schema/example-tabs.ts';
import { startPair } from '../helpers/facade.ts';

describe('the tabs that the explorer begins with', () => {
  it('are valid in the schema that they were made of, and work as they stand', async () => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    const asked: string[] = [];
    const tabs = await exampleTabs(pair.facade.schema.schema, async (list) => {
      asked.push(list);
      return 'dataset/12';
    });
    expect(asked).toEqual(['datasets']);
    expect(tabs.map(({ query }) => query.split(/[ ({]/, 2).join(' '))).toEqual([
      'query Example',
      'mutation Create',
      'subscription Progress',
      'mutation Cancel',
    ]);
    for (const { query } of tabs) expect(validate(pair.facade.schema.schema, parse(query))).toEqual([]);
    const [list, create] = tabs;
    expect((await pair.ask(list?.query ?? '')).errors).toEqual([]);
    const created = await pair.ask(create?.query ?? '', { variables: JSON.parse(create?.variables ?? '{}') });
    expect(created).toMatchObject({
      errors: [],
      data: { datasetSnapshotCreate: { actionState: { outcome: 'RUNNING' } } },
    });
  });
});
