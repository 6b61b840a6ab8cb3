// Tests that a cursor which a client has edited spoils only the walk of this client.
import { describe, expect, test } from 'vitest';
import { MAX_EMULATED_ROWS } from '../../../src/loaders/paging/list.ts';
import type { ListMemory } from '../../../src/loaders/paging/list-memory.ts';
import { ServedIds } from '../../../src/loaders/paging/served-ids.ts';
import {
  ask,
  createMemory,
  createRows,
  editCursor,
  range,
  readAllPages,
  type SimulatedList,
  simulateList,
} from '../../helpers/simulated-list.ts';

describe('an edited cursor', () => {
  const EDITS: readonly [field: string, edit: Parameters<typeof editCursor>[1]][] = [
    ['direction', { direction: 'descending' }],
    ['no direction', { direction: null }],
    ['trust', { trust: 'ids', from: 0 }],
    ['place', { from: 10 ** 6 }],
    ['set of served ids', { ids: ServedIds.none.with(range(1, 29)) }],
    ['head', { head: 0 }],
    ['total', { total: 1, isProven: true }],
    ['number of served rows', { served: 1 }],
  ];
  /** Requests a page after an edited cursor, near the start of the list or near its end. */
  const forge = async (
    list: SimulatedList,
    edit: Parameters<typeof editCursor>[1],
    place: number,
    memory: ListMemory,
  ) => {
    const { rows } = await ask(list, { first: place, caller: 'forger', memory });
    const after = editCursor(rows.at(-1)?.cursor ?? '', edit);
    await ask(list, { first: 4, after, caller: 'forger', memory }).catch(() => {});
  };

  describe.each([true, false])('in a list that offers count: %s', (count) => {
    test.each(EDITS)('with another %s does not affect other callers', async (_field, edit) => {
      for (const place of [2, 29]) {
        for (const ids of [range(1, 30), range(1, 30).reverse()]) {
          const memory = createMemory();
          const fromId = ids[0] === 1 ? 'above' : 'below';
          const list = simulateList({ rows: createRows(ids), fromId, count });
          await forge(list, edit, place, memory);
          list.calls.length = 0;
          expect((await readAllPages(list, { first: 5, memory, caller: 'another' })).emulated).toBe(false);
          const another = list.calls.splice(0);
          await readAllPages(list, { first: 5, caller: 'another' });
          expect(another.length).toBeLessThanOrEqual(list.calls.length);
        }
      }
    });
  });

  test('does not stop the walks of other callers over a list that is too long to be read whole', async () => {
    const memory = createMemory();
    const ids = range(1, MAX_EMULATED_ROWS + 5);
    const list = simulateList({ rows: createRows(ids), fromId: 'above', count: true });
    for (const [, edit] of EDITS) await forge(list, edit, 2, memory);
    const { rows } = await readAllPages(list, { first: 1000, memory, caller: 'another' });
    expect(rows).toHaveLength(ids.length);
  });
});
