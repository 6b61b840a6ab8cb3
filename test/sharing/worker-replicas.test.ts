// Tests what workers share through their primary, without their processes; test/e2e/workers has tests with them.
import { createBirpc } from 'birpc';
import { expect, it } from 'vitest';
import { LocalDeployment } from '../../src/sharing/local-replicas.ts';
import type { Replicas } from '../../src/sharing/replicas.ts';
import {
  joinWorkers,
  type SharedByPrimary,
  serveWorker,
  type WorkerReplicas,
} from '../../src/sharing/worker-replicas.ts';

const MINUTE = 60_000;

/** Joins a worker. Calls pass through JSON, as between processes. */
function joinWorker(deployment: LocalDeployment): { readonly replicas: Replicas; die(): Promise<void> } {
  const listeners: ((message: unknown) => void)[] = [];
  const post = (to: number) => (message: unknown) => {
    const text = JSON.stringify(message);
    setImmediate(() => listeners[to]?.(JSON.parse(text)));
  };
  const on = (at: number) => (listener: (message: unknown) => void) => {
    listeners[at] = listener;
  };
  const functions: Pick<WorkerReplicas, 'receive'> = { receive: () => undefined };
  const primary = createBirpc<SharedByPrimary, typeof functions>(functions, { post: post(1), on: on(0) });
  const share = serveWorker(deployment.join(), (channel, message) => void worker.receive(channel, message));
  const worker = createBirpc<typeof functions, SharedByPrimary>(share.calls, { post: post(0), on: on(1) });
  const { replicas, receive } = joinWorkers(crypto.randomUUID(), 'secret of all', primary);
  Object.assign(functions, { receive });
  return { replicas, die: () => share.close() };
}

function openPair() {
  const deployment = new LocalDeployment();
  return [joinWorker(deployment), joinWorker(deployment)] as const;
}

it('a lease is held by one worker, and ends with it', async () => {
  const [one, other] = openPair();
  const claim = await one.replicas.claim('lease', MINUTE);
  expect(claim).toMatchObject({ isHeld: true, isAlone: false });
  expect(claim.endsAt).toBeGreaterThan(performance.now());
  expect(await other.replicas.claim('lease', MINUTE)).toMatchObject({ isHeld: false });
  await one.die();
  const next = await other.replicas.claim('lease', MINUTE);
  expect(next.isHeld).toBe(true);
  expect(next.token).toBeGreaterThan(claim.token);
  await other.replicas.release('lease');
});

it('values are known to all until they are removed', async () => {
  const [one, other] = openPair();
  const value = { body: 'long '.repeat(10_000), none: null };
  expect(await one.replicas.store('name', value, MINUTE)).toBe(true);
  expect(await other.replicas.load('name')).toEqual(value);
  await other.replicas.remove('name');
  expect(await one.replicas.load('name')).toBeUndefined();
});

it('a value is added once, and can be replaced', async () => {
  const [one, other] = openPair();
  expect(await one.replicas.add('name', { of: 'one' }, MINUTE)).toBe(true);
  expect(await other.replicas.add('name', { of: 'other' }, MINUTE)).toBe(false);
  expect(await other.replicas.load('name')).toEqual({ of: 'one' });
  await other.replicas.store('name', { of: 'both' }, MINUTE);
  expect(await one.replicas.add('name', { of: 'one' }, MINUTE)).toBe(false);
  expect(await one.replicas.load('name')).toEqual({ of: 'both' });
});

it('messages reach the same channel of other workers in their order, until one closes it', async () => {
  const [one, other] = openPair();
  const received: unknown[] = [];
  let wake = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    wake = resolve;
  });
  other.replicas.open('another', (message) => received.push(['another', message]));
  const channel = other.replicas.open('news', (message) => {
    received.push(message);
    if (received.length === 3) wake();
  });
  const sender = one.replicas.open('news', () => received.push('its own'));
  // The call that follows shows that the channels are open.
  await other.replicas.load('name');
  for (const n of [1, 2, 3]) void sender.send({ n });
  await arrived;
  expect(received).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  channel.close();
  await other.replicas.load('name');
  void sender.send({ n: 4 });
  await one.replicas.load('name');
  await other.replicas.load('name');
  expect(received).toHaveLength(3);
});

it('a hash of a text is the same for all', () => {
  const [one, other] = openPair();
  expect(one.replicas.digest('text')).toBe(other.replicas.digest('text'));
  expect(one.replicas.digest('text')).not.toContain('text');
  expect(one.replicas).toMatchObject({ hasOthers: true, report: null });
});

it('each limiter is created once, because it listens for ever', () => {
  const [{ replicas }] = openPair();
  const limit = { points: 1, duration: 60 };
  const limiter = replicas.createLimiter('name', limit);
  const before = process.listenerCount('message');
  expect(replicas.createLimiter('name', limit)).toBe(limiter);
  expect(process.listenerCount('message')).toBe(before);
});
