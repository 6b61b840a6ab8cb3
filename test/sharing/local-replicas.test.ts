// Tests what replicas within one process share.
import { expect, it } from 'vitest';
import { LocalDeployment } from '../../src/sharing/local-replicas.ts';

const MINUTE = 60_000;

it('other values do not displace one that was added, and its time ends it', async () => {
  const deployment = new LocalDeployment();
  const [one, other] = [deployment.join(), deployment.join()];
  expect(await one.add('kept', { of: 'one' }, MINUTE)).toBe(true);
  expect(await one.add('short', {}, 1)).toBe(true);
  const text = 'x'.repeat(10_000_000);
  for (let index = 0; index < 15; index += 1) await other.store(`value ${index}`, { text }, MINUTE);
  expect(await other.load('value 0')).toBeUndefined();
  expect(await other.load('kept')).toEqual({ of: 'one' });
  await expect.poll(() => other.load('short')).toBeUndefined();
  expect(await other.add('short', {}, MINUTE)).toBe(true);
});
