// Tests what replicas within one process share.
import { expect, it } from 'vitest';
import { LocalDeployment } from '../helpers/local-deployment.ts';

const MINUTE = 60_000;

it('a record is added by one replica, read by all, and forgotten when its time is over', async () => {
  const deployment = new LocalDeployment();
  const [one, other] = [deployment.join(), deployment.join()];
  expect(await one.add('kept', { of: 'one' }, MINUTE)).toBe(true);
  expect(await other.add('kept', { of: 'other' }, MINUTE)).toBe(false);
  expect(await other.load('kept')).toEqual({ of: 'one' });
  expect(await one.add('short', {}, 1)).toBe(true);
  await expect.poll(() => other.load('short')).toBeUndefined();
  expect(await other.add('short', {}, MINUTE)).toBe(true);
  await other.remove('short');
  expect(await one.load('short')).toBeUndefined();
});
