// Tests that work which becomes due at the same time is spread over turns of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../../src/upstream/actions/turns.ts';

test('tasks run in their order, and the event loop turns between them', async () => {
  const turns = new Turns({ hasOthers: false });
  const done: number[] = [];
  for (let task = 0; task < 100; task += 1) turns.add(() => done.push(task));
  expect(done).toEqual([]);
  const counts: number[] = [];
  while (done.length < 100) {
    await nextTurn();
    counts.push(done.length);
  }
  expect(counts).toEqual([32, 64, 96, 100]);
  expect(done).toEqual(Array.from({ length: 100 }, (_, task) => task));
});

test('a task that is added by a task, or after all others have run, runs too', async () => {
  const turns = new Turns({ hasOthers: false });
  const done: string[] = [];
  turns.add(() => {
    done.push('first');
    turns.add(() => done.push('second'));
  });
  while (done.length < 2) await nextTurn();
  turns.add(() => done.push('third'));
  while (done.length < 3) await nextTurn();
  expect(done).toEqual(['first', 'second', 'third']);
});
