// Tests the example tabs of the explorer against the schema.

import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createExampleTabs } from '../../../src/schema/examples/example-tabs.ts';
import { resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { startPair } from '../../helpers/facade.ts';

describe('the example tabs of the explorer', () => {
  it('are valid in their schema, and their queries run unchanged', async () => {
    await using pair = await startPair();
    const tabs = createExampleTabs(pair.facade.schema.schema);
    expect(tabs.map(({ query }) => query.split(/[ ({]/, 2).join(' '))).toEqual([
      'query Example',
      'mutation Create',
      'subscription Progress',
      'mutation Cancel',
    ]);
    for (const { query } of tabs) expect(validate(pair.facade.schema.schema, parse(query))).toEqual([]);
    expect((await pair.ask(tabs[0]?.query ?? '')).errors).toEqual([]);
  });

  it('advise to sign in where there is no list, and follow nothing where nothing can be started', async () => {
    await using api = await openDescribed({
      book: resource({ show: show('book', 'books', { id: 'Integer' }) }),
    });
    const tabs = createExampleTabs(api.facade.schema.schema);
    expect(tabs).toHaveLength(1);
    expect(tabs[0]?.query).toContain('# Sign in');
    expect((await api.ask(tabs[0]?.query ?? '')).errors).toEqual([]);
  });

  it('write nothing until an ID is filled in', async () => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    const tabs = createExampleTabs(pair.facade.schema.schema);
    const writes = tabs.filter(({ query }) => query.startsWith('mutation'));
    expect(writes).toHaveLength(2);
    for (const { query, variables } of writes) {
      const answer = await pair.ask(query, { variables: JSON.parse(variables ?? '{}') });
      expect(answer).toMatchObject({ data: null, calls: 0 });
      expect(answer.errors[0]).toMatchObject({
        message: expect.stringMatching(/^Variable "\$\w+" of non-null type "ID!" must not be null\.$/),
        extensions: { code: 'BAD_USER_INPUT' },
      });
    }
    expect(await pair.ask(writes[0]?.query ?? '', { variables: { dataset: 'dataset/12' } })).toMatchObject({
      errors: [],
      data: { datasetSnapshotCreate: { actionState: { outcome: 'RUNNING' } } },
    });
  });
});
