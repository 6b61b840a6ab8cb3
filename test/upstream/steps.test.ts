// Tests how long work is run in slices.
import { expect, it } from 'vitest';
import { runAtOnce, runInSlices, type Steps } from '../../src/upstream/steps.ts';

function* count(steps: number): Steps<string> {
  for (let step = 0; step < steps; step++) yield;
  return 'done';
}

/** Counts how often the process serves other work until the promise settles. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const next = (): void => {
    turns += 1;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  await work.finally(() => clearImmediate(timer));
  return turns;
}

it('runs other work after each slice', async () => {
  expect(await countTurns(runInSlices(count(50), 0))).toBeGreaterThan(40);
  expect(await runInSlices(count(50), 0)).toBe('done');
});

it('needs no pause for less than a slice', async () => {
  expect(await countTurns(runInSlices(count(50), 60_000))).toBe(0);
});

it('runs all steps at once for a caller that cannot wait', () => {
  expect(runAtOnce(count(50))).toBe('done');
});

it('passes the error of a step on', async () => {
  function* failing(): Steps<never> {
    yield;
    throw new RangeError('no more');
  }
  await expect(runInSlices(failing(), 0)).rejects.toThrow(RangeError);
  expect(() => runAtOnce(failing())).toThrow(RangeError);
});
