// Tests the set of served ids.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServedIds } from '../../../src/loaders/paging/served-ids.ts';

const ids = fc.uniqueArray(fc.integer({ min: -20, max: 60 }), { maxLength: 40 });
const all = Array.from({ length: 82 }, (_, index) => index - 21);
const of = (values: readonly number[]): ServedIds => ServedIds.none.with(values);
const listed = (set: ServedIds): readonly number[] => all.filter((id) => set.has(id));
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);

describe('a set of served ids', () => {
  test('has the ids that were added, in any parts', () => {
    fc.assert(
      fc.property(ids, ids, (some, others) => {
        const set = of(some).with(others);
        expect(listed(set)).toEqual(sorted([...new Set([...some, ...others])]));
        expect(set.highest).toBe(listed(set).at(-1) ?? null);
      }),
    );
  });

  test('is read from its text', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.maxSafeInteger()), (values) => {
        const set = of(values);
        expect(ServedIds.parse(set.toText())).toEqual(set);
      }),
    );
  });

  test.each(['ascending', 'descending'] as const)('knows its furthest ids in an %s list', (direction) => {
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 45 }), (values, count) => {
        const inOrder = direction === 'ascending' ? sorted(values).reverse() : sorted(values);
        expect(of(values).furthest(count, direction)).toBe(inOrder[count - 1] ?? null);
      }),
    );
  });

  test('keeps the ids that were served last exact when it has too many ranges', () => {
    const values = [1, 3, 5, 7, 9, 11];
    expect(listed(of(values).withAtMost(3, 'ascending'))).toEqual([1, 2, 3, 4, 5, 6, 7, 9, 11]);
    expect(listed(of(values).withAtMost(3, 'descending'))).toEqual([1, 3, 5, 6, 7, 8, 9, 10, 11]);
    expect(listed(of(values).withAtMost(6, 'ascending'))).toEqual(values);
  });
});
