// Tests that patches make one value of another.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPatch } from '../../../src/operation/live/json-patch.ts';
import { applyPatch } from '../../helpers/apply-patch.ts';

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const rows = fc.array(fc.record({ id: fc.integer({ min: 1, max: 6 }), name: fc.constantFrom('a', 'b') }), {
  maxLength: 8,
});

describe('a patch', () => {
  it('makes any value of any other', () => {
    void fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const [from, to] = [copy(before), copy(after)];
        expect(applyPatch(from, createPatch(from, to))).toEqual(to);
      }),
    );
  });

  it('makes any list of rows of any other', () => {
    void fc.assert(
      fc.property(rows, rows, (before, after) => {
        const value = { list: { nodes: before } };
        const other = { list: { nodes: after } };
        expect(applyPatch(value, createPatch(value, other))).toEqual(other);
      }),
      { numRuns: 1_000 },
    );
  });

  it('has nothing for equal values', () => {
    void fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(createPatch(copy(value), copy(value))).toEqual([]);
      }),
    );
  });

  it('has one operation for a row that is added or removed anywhere', () => {
    const all = [1, 2, 3, 4].map((id) => ({ id, name: `row ${id}` }));
    const some = all.filter(({ id }) => id !== 2);
    expect(createPatch(some, all)).toEqual([{ op: 'add', path: '/1', value: all[1] }]);
    expect(createPatch(all, some)).toEqual([{ op: 'remove', path: '/1' }]);
  });

  it('moves no row that need not move', () => {
    const row = (id: number) => ({ id, name: `row ${id}` });
    const window = (from: number) => [0, 1, 2, 3].map((index) => row(from + index));
    expect(createPatch(window(1), window(2))).toEqual([
      { op: 'remove', path: '/0' },
      { op: 'add', path: '/3', value: row(5) },
    ]);
    expect(
      createPatch({ edges: [{ node: row(1) }] }, { edges: [{ node: { id: 1, name: 'other' } }] }),
    ).toEqual([{ op: 'replace', path: '/edges/0/node/name', value: 'other' }]);
  });

  it('writes names as JSON pointers do', () => {
    expect(createPatch({ 'a/b~c': 1 }, { 'a/b~c': 2 })).toEqual([
      { op: 'replace', path: '/a~1b~0c', value: 2 },
    ]);
  });
});
