// Tests that clients who use little of the processor are next, whatever the others do.
import { expect, it } from 'vitest';
import type { Client } from '../../src/scheduling/client.ts';
import { Processor } from '../../src/scheduling/processor.ts';
import { SimulatedThread } from '../helpers/simulated-thread.ts';

/** Longest turn of the heavy clients: two and a half milliseconds, and a step. */
const TURN = 2.75;
const STEP = 0.25;
const END = 1_000;

const user = (network: string, key = 'user'): Client => ({ network, key });

class Simulation {
  readonly thread = new SimulatedThread();
  readonly processor = new Processor({ limits: { time: 2 ** 31 - 1 }, clock: this.thread });
  readonly used = new Map<string, number>();
  readonly #work: Promise<void>[] = [];
  readonly #end: number;

  constructor(end = END) {
    this.#end = end;
  }

  get isOver(): boolean {
    return this.thread.time >= this.#end;
  }

  /** Uses time for a client. */
  spend({ network }: Client, time: number): void {
    this.thread.time += time;
    this.used.set(network, (this.used.get(network) ?? 0) + time);
  }

  /** Waits until the next events are handled. A thread without work goes on by a tenth of a millisecond. */
  async nextEvents(): Promise<void> {
    if (this.processor.waiting === 0) this.thread.time += 0.1;
    await new Promise<void>((resolve) => this.thread.afterEvents(resolve));
  }

  /** Lets a client always have requests, each of some steps. */
  addHeavy(client: Client, steps: number, requests = 5): void {
    const work = async (): Promise<void> => {
      while (!this.isOver) {
        await this.processor.enter(client, 0);
        for (let step = 0; step < steps; step += 1) {
          this.spend(client, STEP);
          await this.processor.pause(client);
        }
        await this.nextEvents();
      }
    };
    for (let count = 0; count < requests; count += 1) this.#work.push(work());
  }

  /** Lets a client ask at intervals. @param cost Time of its nth request. @returns Its waits, which are complete after `run`. */
  addLight(client: Client, interval: number, cost: (n: number) => number = () => 0.3): readonly number[] {
    const waits: number[] = [];
    const work = async (): Promise<void> => {
      for (let n = 0; !this.isOver; n += 1) {
        const begun = this.thread.time;
        await this.processor.enter(client, 0);
        waits.push(this.thread.time - begun);
        this.spend(client, cost(n));
        while (this.thread.time < begun + interval) await this.nextEvents();
      }
    };
    this.#work.push(work());
    return waits;
  }

  async run(): Promise<void> {
    await this.thread.run(Number.POSITIVE_INFINITY);
    await Promise.all(this.#work);
  }
}

/** The waits once the client is known. */
const longestOf = (waits: readonly number[]): number => Math.max(...waits.slice(2));

function beside(networks: number): Simulation {
  const simulation = new Simulation();
  for (let n = 1; n <= networks; n += 1) simulation.addHeavy(user(`network ${n}`), 100);
  return simulation;
}

it('lets a light client wait for one turn, also in the network of a heavy one', async () => {
  const simulation = beside(10);
  const own = simulation.addLight(user('own network'), 50);
  const shared = [1, 2].map((n) => simulation.addLight(user('network 1', `light ${n}`), 50));
  await simulation.run();
  for (const waits of [own, ...shared]) {
    expect(waits.length).toBeGreaterThan(10);
    expect(longestOf(waits)).toBeLessThanOrEqual(2 * TURN);
  }
});

it('lets a light client wait for one turn beside a hundred networks', async () => {
  const simulation = new Simulation(4_000);
  for (let n = 1; n <= 100; n += 1) simulation.addHeavy(user(`network ${n}`), 100, 3);
  const own = [1, 2].map((n) => simulation.addLight(user(`own network ${n}`), 500, () => 0.5));
  const shared = [1, 2].map((n) => simulation.addLight(user('network 1', `light ${n}`), 500, () => 0.5));
  await simulation.run();
  for (const waits of [...own, ...shared]) {
    expect(waits.length).toBeGreaterThan(5);
    expect(longestOf(waits)).toBeLessThanOrEqual(2 * TURN);
  }
}, 30_000);

it('takes no client for a light one that always has a short turn to wait for', async () => {
  const simulation = new Simulation(20_000);
  for (let n = 1; n <= 100; n += 1) simulation.addHeavy(user(`network ${n}`), 6, 1);
  const own = simulation.addLight(user('own network'), 500, () => 0.6);
  const shared = [1, 2].map((n) => simulation.addLight(user('network 1', `light ${n}`), 500, () => 0.6));
  await simulation.run();
  for (const waits of [own, ...shared]) {
    expect(waits.length).toBeGreaterThan(20);
    expect(longestOf(waits)).toBeLessThanOrEqual(2 * TURN);
  }
}, 30_000);

it('takes no client for a light one that begins much in short turns', async () => {
  const simulation = beside(10);
  const sender = user('network 1', 'sender of messages');
  const message = async (): Promise<void> => {
    while (!simulation.isOver) {
      await simulation.processor.takeTurn(sender);
      simulation.spend(sender, 0.2);
      await simulation.nextEvents();
    }
  };
  const messages = Array.from({ length: 30 }, message);
  const waits = simulation.addLight(user('network 1', 'light'), 50);
  await simulation.run();
  await Promise.all(messages);
  expect(waits.length).toBeGreaterThan(10);
  expect(longestOf(waits)).toBeLessThanOrEqual(2 * TURN);
});

it('does not let a network gain by sending as one new client after another', async () => {
  const simulation = beside(4);
  const work = async (first: number): Promise<void> => {
    for (let n = first; !simulation.isOver; n += 5) {
      const client = user('many', `user ${n}`);
      await simulation.processor.enter(client, 0);
      for (let step = 0; step < 8; step += 1) {
        simulation.spend(client, STEP);
        await simulation.processor.pause(client);
      }
      await simulation.nextEvents();
    }
  };
  const many = [0, 1, 2, 3, 4].map(work);
  await simulation.run();
  await Promise.all(many);
  const fair = simulation.thread.time / 5;
  // What a network may be ahead, and a turn.
  expect(simulation.used.get('many')).toBeLessThanOrEqual(1.1 * fair + 25 + 5);
});

it('charges a garbage collection to nobody in whose turn it happens', async () => {
  const simulation = beside(10);
  const waits = simulation.addLight(user('own network'), 50, (n) => (n % 8 === 5 ? 40 : 0.3));
  await simulation.run();
  expect(waits.length).toBeGreaterThan(10);
  expect(longestOf(waits)).toBeLessThanOrEqual(2 * TURN);
});

it('charges a client that is always slow for all it uses', async () => {
  const simulation = new Simulation();
  simulation.addHeavy(user('heavy'), 100);
  const slow = async (): Promise<void> => {
    const client = user('slow');
    while (!simulation.isOver) {
      await simulation.processor.enter(client, 0);
      simulation.spend(client, 12);
    }
  };
  const work = [slow(), slow()];
  await simulation.run();
  await Promise.all(work);
  expect(simulation.used.get('slow')).toBeLessThanOrEqual(0.55 * simulation.thread.time + 24);
});

it('lets turns cost something that end at once', async () => {
  const simulation = beside(2);
  const client = user('idle requests');
  let turns = 0;
  const work = Array.from({ length: 50 }, async () => {
    while (!simulation.isOver) {
      await simulation.processor.takeTurn(client);
      turns += 1;
      await simulation.nextEvents();
    }
  });
  await simulation.run();
  await Promise.all(work);
  // A third of the time, at a tenth of a millisecond each.
  expect(turns).toBeLessThanOrEqual((1.2 * END) / 2 / 0.1);
});

it('does not take what a client has used alone for the length of its next turn', async () => {
  const simulation = new Simulation();
  const client = user('light');
  for (let n = 0; n < 1_000; n += 1) {
    await simulation.processor.enter(client, 0);
    simulation.spend(client, 0.3);
    await simulation.thread.turn();
  }
  for (let n = 1; n <= 10; n += 1) simulation.addHeavy(user(`network ${n}`), 100);
  simulation.thread.time = 0;
  const waits = simulation.addLight(client, 50);
  await simulation.run();
  expect(longestOf(waits)).toBeLessThanOrEqual(2 * TURN);
});
