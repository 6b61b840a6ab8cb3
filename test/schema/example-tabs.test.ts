// Tests the example tabs of the explorer against the schema.

import { parse, print, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createExampleTabs } from '../../src/schema/example-tabs.ts';
import { list, refersTo, resource, show } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { startPair } from '../helpers/facade.ts';

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

  it('select what a reader looks for first: a name, a state, times, an edge and a list', async () => {
    const values = Object.fromEntries(
      Array.from({ length: 54 }, (_, index) => [`allowed_${index + 10}`, 'Integer']),
    );
    const state = { type: 'String', validators: { include: { values: ['active', 'deleted'] } } };
    const output = {
      ...values,
      id: 'Integer',
      name: 'String',
      object_state: state,
      created_at: 'Datetime',
      expires: 'Datetime',
      archive: refersTo(['archive']),
      owner: refersTo(['user']),
    };
    const device = { id: 'Integer', address: 'String', updated_at: 'Datetime' };
    const named = { id: 'Integer', name: 'String' };
    await using api = await openDescribed({
      machine: resource(
        { index: list('machine', 'machines', output), show: show('machine', 'machines', output) },
        {
          device: resource({
            index: list('device', 'devices', device, { path: '/machines/{machine_id}/devices' }),
          }),
        },
      ),
      archive: resource({ show: show('archive', 'archives', named) }),
      user: resource({ index: list('user', 'users', named), show: show('user', 'users', named) }),
      ticket: resource({
        index: list('ticket', 'tickets', { id: 'Integer', user: refersTo(['user']) }),
      }),
    });
    expect(print(parse(createExampleTabs(api.facade.schema.schema)[0]?.query ?? ''))).toBe(
      print(
        parse(`query Example {
          machines(first: 5) {
            nodes {
              id name objectState createdAt expires
              owner { id label }
              devices(first: 3) { nodes { id updatedAt address } }
            }
            pageInfo { hasNextPage endCursor }
          }
        }`),
      ),
    );
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
