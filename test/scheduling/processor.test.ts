// Tests that the processor is shared by clients: each gets its part, nobody starves, and what waits is bounded.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/scheduling/client.ts';
import { Processor, type WaitingLimits } from '../../src/scheduling/processor.ts';
import { Abort } from '../../src/upstream/abortable.ts';
import { SimulatedThread } from '../helpers/simulated-thread.ts';

/** The same cases in each run; `SEED` explores others. */
const SEED = Number(process.env['SEED'] ?? 20_261_127);

const client = (network: string, key = 'anonymous'): Client => ({ network, key });

/** Time that work has used, by network and by client. */
class Uses {
  readonly #uses = new Map<string, number>();

  add({ network, key }: Client, time: number): void {
    for (const name of [network, `${network} ${key}`]) this.#uses.set(name, this.of(name) + time);
  }

  of(name: string): number {
    return this.#uses.get(name) ?? 0;
  }
}

/** A client that always has a request, each of which takes steps of some milliseconds. */
async function workOn(
  one: Client,
  steps: readonly number[],
  { thread, processor, uses, end }: Simulation,
): Promise<void> {
  while (thread.time < end) {
    const turn = processor.enter(one, 0);
    if (turn !== undefined) await turn;
    for (const step of steps) {
      thread.time += step;
      uses.add(one, step);
      const paused = processor.pause(one);
      if (paused !== undefined) await paused;
    }
    // The next request arrives with the next events.
    await new Promise<void>((resolve) => thread.afterEvents(resolve));
  }
}

interface Simulation {
  readonly thread: SimulatedThread;
  readonly processor: Processor;
  readonly uses: Uses;
  readonly end: number;
}

/** @param limits Default: nobody waits too long, because the time of the test is not that of the thread. */
function simulate(end: number, limits: WaitingLimits = { time: 2 ** 31 - 1 }): Simulation {
  const thread = new SimulatedThread();
  return { thread, processor: new Processor({ limits, clock: thread }), uses: new Uses(), end };
}

/** A turn lasts until the first pause after 5 ms, and a step takes up to 8 ms. */
const LONGEST_TURN = 13;

/** The steps of one request: a long one of many, or a short one. */
const requests = fc.array(fc.double({ min: 0.5, max: 8, noNaN: true }), { minLength: 1, maxLength: 20 });

describe('the processor', () => {
  it('is shared equally by networks that always have work, and by the clients of each', async () => {
    const network = fc.array(requests, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(network, { minLength: 2, maxLength: 5 }), async (networks) => {
        const simulation = simulate(1_000);
        const { thread, uses } = simulation;
        const clients = networks.flatMap((ofNetwork, index) =>
          ofNetwork.map((steps, key) => ({ steps, one: client(`network ${index}`, `client ${key}`) })),
        );
        // With several requests at a time, each client always has one that waits.
        const work = clients.flatMap(({ one, steps }) =>
          Array.from({ length: 10 }, () => workOn(one, steps, simulation)),
        );
        await thread.run(1_000);
        expect(thread.time).toBeGreaterThanOrEqual(1_000);
        const fair = thread.time / networks.length;
        networks.forEach((ofNetwork, index) => {
          const name = `network ${index}`;
          expect(Math.abs(uses.of(name) - fair), name).toBeLessThanOrEqual(fair / 10 + LONGEST_TURN);
          ofNetwork.forEach((_steps, key) => {
            const ofClient = uses.of(name) / ofNetwork.length;
            const used = uses.of(`${name} client ${key}`);
            expect(Math.abs(used - ofClient), `${name} client ${key}`).toBeLessThanOrEqual(
              fair / 10 + LONGEST_TURN,
            );
          });
        });
        await thread.run(Number.POSITIVE_INFINITY);
        await Promise.all(work);
      }),
      { seed: SEED, numRuns: 20 },
    );
  }, 60_000);

  it('lets a client that uses little wait for one turn at most', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(requests, { minLength: 1, maxLength: 10 }),
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 20, maxLength: 40 }),
        async (others, idle) => {
          const simulation = simulate(1_000);
          const { thread, processor } = simulation;
          const work = others.map((steps, index) => workOn(client(`heavy ${index}`), steps, simulation));
          const waits: number[] = [0];
          const askOften = async (): Promise<void> => {
            for (const time of idle) {
              const next = thread.time + time;
              while (thread.time < next && thread.time < 1_000)
                await new Promise<void>((resolve) => thread.afterEvents(resolve));
              const begun = thread.time;
              await processor.enter(client('light'), 0);
              // At the begin, all are new.
              if (begun > LONGEST_TURN * others.length) waits.push(thread.time - begun);
              thread.time += 0.1;
            }
          };
          const asked = askOften();
          await thread.run(Number.POSITIVE_INFINITY);
          await Promise.all([asked, ...work]);
          expect(Math.max(...waits)).toBeLessThanOrEqual(LONGEST_TURN);
        },
      ),
      { seed: SEED, numRuns: 40 },
    );
  });

  it('lets clients that are new, or that come back, wait as long as those who are there', async () => {
    const simulation = simulate(3_000);
    const { thread, processor } = simulation;
    const waits: number[] = [];
    const ask = async (): Promise<void> => {
      while (thread.time < 3_000) {
        const begun = thread.time;
        await processor.enter(client('light'), 0);
        // By then, each of the crowd has had a turn.
        if (begun >= 800) waits.push(thread.time - begun);
        thread.time += 0.5;
        const next = thread.time + 500;
        while (thread.time < next) {
          // A thread with nothing else to do.
          if (processor.waiting === 0) thread.time += 1;
          await new Promise<void>((resolve) => thread.afterEvents(resolve));
        }
      }
    };
    const asked = ask();
    await thread.run(400);
    const crowd = Array.from({ length: 100 }, (_, index) =>
      workOn(client(`network ${index}`), Array(20).fill(1), simulation),
    );
    await thread.run(Number.POSITIVE_INFINITY);
    await Promise.all([asked, ...crowd]);
    expect(waits.length).toBeGreaterThan(2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(LONGEST_TURN);
  });

  it('starts all that waits, in the order of each client', async () => {
    const arrivals = fc.array(
      fc.record({
        network: fc.constantFrom('a', 'b', 'c'),
        key: fc.constantFrom('x', 'y'),
        time: fc.double({ min: 0, max: 30, noNaN: true }),
        leaves: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(arrivals, async (all) => {
        const { thread, processor } = simulate(0);
        const started: number[] = [];
        const left: number[] = [];
        const work = all.map(async ({ network, key, time, leaves }, index) => {
          const leaving = new Abort();
          const turn = processor.enter(client(network, key), 1, leaving);
          if (leaves) leaving.abort(new Error('left'));
          try {
            await turn;
          } catch {
            left.push(index);
            return;
          }
          started.push(index);
          thread.time += time;
        });
        await thread.run(Number.POSITIVE_INFINITY);
        await Promise.all(work);
        expect([...started, ...left].sort((one, other) => one - other)).toEqual(all.map((_, index) => index));
        expect(left.every((index) => all[index]?.leaves)).toBe(true);
        for (const name of ['a x', 'a y', 'b x', 'b y', 'c x', 'c y']) {
          const own = started.filter((index) => `${all[index]?.network} ${all[index]?.key}` === name);
          expect(own).toEqual([...own].sort((one, other) => one - other));
        }
        expect(processor.waiting).toBe(0);
      }),
    );
  });
});

describe('the queue of the processor', () => {
  /** A processor whose turn is over, so that what comes next has to wait. */
  function busy(limits: WaitingLimits): Simulation {
    const simulation = simulate(0, limits);
    void simulation.processor.enter(client('first'), 0);
    simulation.thread.time += 10;
    return simulation;
  }

  const outcomeOf = (enter: () => Promise<void> | undefined): string => {
    try {
      const turn = enter();
      void turn?.catch(() => undefined);
      return turn === undefined ? 'now' : 'later';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('leaves room for other clients and other networks', () => {
    const { processor } = busy({ requests: 16 });
    const outcomes = (one: Client): string[] =>
      Array.from({ length: 20 }, () => outcomeOf(() => processor.enter(one, 0)));
    expect(outcomes(client('a', 'x')).filter((outcome) => outcome === 'later')).toHaveLength(8);
    expect(outcomes(client('a', 'y')).filter((outcome) => outcome === 'later')).toHaveLength(4);
    expect(outcomes(client('b')).filter((outcome) => outcome === 'later').length).toBeGreaterThan(0);
    expect(outcomes(client('a', 'x'))).toEqual(Array(20).fill('WAITING_LIMIT'));
  });

  it('counts no messages and nothing begun as requests, whatever waits of them', () => {
    const { processor } = busy({ requests: 2 });
    for (let count = 0; count < 10; count += 1) {
      void processor.takeTurn(client('a'));
      void processor.pause(client('b'));
    }
    expect(processor.waiting).toBe(20);
    const outcomes = ['c', 'd', 'e'].map((name) => outcomeOf(() => processor.enter(client(name), 0)));
    expect(outcomes).toEqual(['later', 'later', 'SERVER_BUSY']);
  });

  it('refuses what would hold more bytes than all or one may', () => {
    const { processor } = busy({ bytes: 100 });
    expect(outcomeOf(() => processor.enter(client('a'), 101))).toBe('SERVER_BUSY');
    expect(outcomeOf(() => processor.enter(client('a'), 50))).toBe('later');
    expect(outcomeOf(() => processor.enter(client('a'), 20))).toBe('WAITING_LIMIT');
    expect(outcomeOf(() => processor.enter(client('b'), 20))).toBe('later');
  });

  it('has a place again when a client leaves, or has waited for the longest time', async () => {
    const { processor } = busy({ requests: 1, time: 1 });
    const leaving = new Abort();
    const turn = processor.enter(client('a'), 0, leaving);
    expect(outcomeOf(() => processor.enter(client('a'), 0))).toBe('SERVER_BUSY');
    leaving.abort(new Error('left'));
    await expect(turn).rejects.toThrow('left');
    expect(processor.waiting).toBe(0);
    await expect(processor.enter(client('a'), 0)).rejects.toMatchObject({ code: 'SERVER_BUSY' });
    expect(processor.waiting).toBe(0);
  });
});
