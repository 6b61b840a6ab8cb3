// Tests how replicas agree on the generation of descriptions.
import { expect, it, vi } from 'vitest';
import { Generation } from '../../../src/callers/descriptions/generation.ts';
import type { Replicas } from '../../../src/sharing/replicas.ts';
import { installFakeClock } from '../../helpers/fake-clock.ts';

it('the later one stays, also where a replica stores an earlier one after it', async () => {
  using clock = installFakeClock();
  let stored: unknown;
  const replicas = {
    hasOthers: true,
    load: async () => stored,
    store: async (_name: string, value: object) => {
      stored = value;
      return true;
    },
  } as unknown as Replicas;
  using one = new Generation(replicas, 'api');
  await one.join();
  using other = new Generation(replicas, 'api');
  await other.join();
  expect(other.id).toBe(one.id);
  const earlier = stored;
  const onBegin = vi.fn();
  one.watch(() => undefined);
  other.watch(onBegin);
  one.begin();
  // Redis was away, and the other replica has stored again what it knew.
  stored = earlier;
  await clock.advance(5_000);
  expect(onBegin).toHaveBeenCalledOnce();
  expect(other.id).toBe(one.id);
  expect(stored).toMatchObject({ id: one.id });
});
