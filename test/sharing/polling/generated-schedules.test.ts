// Tests generated schedules of readers, replicas and faults: no reader sees a state twice or an earlier one, and all see the latest one and the end.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharePolling } from '../../../src/sharing/polling/shared-poller.ts';
import type { ActionStream } from '../../../src/upstream/actions/action-stream.ts';
import { MAX_LONG_POLLS } from '../../../src/upstream/actions/api-poller.ts';
import { Watcher } from '../../../src/upstream/actions/watcher.ts';
import { isMissing } from '../../../src/upstream/errors.ts';
import { createCaller } from '../../../src/upstream/http/caller.ts';
import { installFakeClock } from '../../helpers/fake-clock.ts';
import { SIMULATED_RESOURCE, SimulatedActions } from '../../helpers/simulated-actions.ts';
import { SimulatedDeployment, type SimulatedReplica } from '../../helpers/simulated-replicas.ts';

/** The same schedules in each run; `SEED` and `RUNS` explore others. */
const SEED = Number(process.env['SEED'] ?? 28);
const RUNS = Number(process.env['RUNS'] ?? 80);

const ACTIONS = 12;
/** An id that the API does not know. */
const UNKNOWN = '404';
/** Longer than a lease, a long poll, and the longest pause after a fault. Milliseconds. */
const SETTLED = 60_000;

/** What happens next. Numbers choose a replica, an action or a reader. */
type Step =
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'watch'; readonly at: number; readonly ids: readonly number[] }
  | { readonly do: 'watch unknown'; readonly at: number }
  | { readonly do: 'watch list'; readonly at: number }
  | { readonly do: 'leave'; readonly at: number }
  | { readonly do: 'change' | 'finish'; readonly id: number }
  | { readonly do: 'change all' | 'heal' | 'API down' | 'API up' }
  | { readonly do: 'cut off' | 'reach' | 'stop' | 'go on' | 'kill' | 'lose'; readonly at: number };

const at = fc.nat({ max: 5 });
const id = fc.integer({ min: 1, max: ACTIONS });
const watching: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('advance'),
      ms: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 5_000 })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('watch'),
      at,
      ids: fc.uniqueArray(id, { minLength: 1, maxLength: ACTIONS }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('watch unknown'), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch list'), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave'), at }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('change', 'change', 'finish'), id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('change all', 'API down', 'API up') }) },
);
const faults: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('cut off', 'reach', 'stop', 'go on', 'lose'), at }),
  fc.record({ do: fc.constant('kill'), at }),
  fc.record({ do: fc.constant('heal') }),
);

/** What one reader has seen. */
class Reader {
  readonly ids: readonly string[] | null;
  /** The number of the last change of each action. */
  readonly seen = new Map<string, number>();
  readonly ended = new Set<string>();
  readonly stream: ActionStream;
  isDone = false;
  error: unknown = null;

  /** @param ids What it watches; null for all unfinished actions. */
  constructor(stream: ActionStream, ids: readonly string[] | null) {
    this.stream = stream;
    this.ids = ids;
    void this.#read().catch((error: unknown) => {
      this.error = error;
    });
  }

  async #read(): Promise<void> {
    for await (const state of this.stream) {
      if (state instanceof Error) {
        expect(isMissing(state)).toBe(true);
        continue;
      }
      const [name, current] = [String(state['id']), Number(state['current'])];
      expect(current, `action ${name} goes on`).toBeGreaterThan(this.seen.get(name) ?? 0);
      expect(this.ended.has(name), `action ${name} has ended`).toBe(false);
      this.seen.set(name, current);
      if (state['finished'] === true) this.ended.add(name);
    }
    this.isDone = true;
  }
}

/** A replica with its readers. */
interface Server {
  readonly replica: SimulatedReplica;
  readonly watcher: Watcher;
  readonly readers: Reader[];
}

class Simulation {
  readonly actions = new SimulatedActions();
  readonly servers: Server[] = [];
  readonly #deployment = new SimulatedDeployment();

  constructor(replicas: number) {
    for (let id = 1; id <= ACTIONS; id += 1) this.actions.change(String(id), false);
    for (let count = 0; count < replicas; count += 1) this.servers.push(this.#startServer());
  }

  #startServer(): Server {
    const replica = this.#deployment.join();
    const watcher = new Watcher({ pace: [1_000, 1] }, {}, undefined, sharePolling(replica.replicas, 'API'));
    return { replica, watcher, readers: [] };
  }

  /** The actions of the caller, as one replica watches them. */
  #actionsAt({ replica, watcher }: Server) {
    return watcher.actionsFor(
      'caller',
      createCaller(null),
      this.actions.clientOf(replica.replicas.id),
      SIMULATED_RESOURCE,
    );
  }

  async run(step: Step, advance: (ms: number) => Promise<void>): Promise<void> {
    if (step.do === 'advance') return advance(step.ms);
    if ('id' in step) return this.actions.change(String(step.id), step.do === 'finish');
    if (step.do === 'API down' || step.do === 'API up') this.actions.isDown = step.do === 'API down';
    else if (step.do === 'change all')
      for (const one of this.actions.unfinished) this.actions.change(one, false);
    else if (step.do === 'heal') this.heal();
    else if ('at' in step) this.#runAt(step);
  }

  #runAt(step: Extract<Step, { readonly at: number }>): void {
    const index = step.at % this.servers.length;
    const server = this.servers[index] as Server;
    const { replica, watcher, readers } = server;
    if (step.do === 'watch' || step.do === 'watch unknown') {
      const ids = step.do === 'watch' ? step.ids.map(String) : [UNKNOWN];
      readers.push(new Reader(this.#actionsAt(server).watch(ids, 0), ids));
    } else if (step.do === 'watch list') readers.push(new Reader(this.#actionsAt(server).pending(), null));
    else if (step.do === 'leave') void readers.shift()?.stream.return();
    else if (step.do === 'cut off' || step.do === 'reach') replica.isAlone = step.do === 'cut off';
    else if (step.do === 'stop') replica.stop();
    else if (step.do === 'go on') replica.goOn();
    else if (step.do === 'lose') replica.lost += 2;
    else {
      // Nobody hears of it again. Its readers come to another one.
      replica.isAlone = true;
      watcher.close();
      this.servers[index] = this.#startServer();
    }
  }

  heal(): void {
    this.actions.isDown = false;
    for (const { replica } of this.servers) {
      replica.isAlone = false;
      replica.lost = 0;
      replica.goOn();
    }
  }

  get readers(): readonly Reader[] {
    return this.servers.flatMap(({ readers }) => readers);
  }

  /** Expects that each reader has seen the latest states and the ends. */
  expectLatest(): void {
    for (const { ids, seen, ended, isDone, error } of this.readers) {
      if (error !== null && !isMissing(error)) throw error;
      if (ids?.includes(UNKNOWN)) expect(isMissing(error)).toBe(true);
      const awaited = ids === null ? new Set([...this.actions.unfinished, ...seen.keys()]) : new Set(ids);
      awaited.delete(UNKNOWN);
      for (const name of awaited) {
        const state = this.actions.stateOf(name);
        expect([name, seen.get(name), ended.has(name)]).toEqual([
          name,
          state?.['current'],
          state?.['finished'],
        ]);
      }
      if (ids !== null && error === null) expect(isDone).toBe([...awaited].every((name) => ended.has(name)));
    }
  }

  /** Expects that one replica polls, each action once. */
  expectOnePoller(): void {
    const calls = [...this.actions.openCalls];
    const polls = calls.filter(({ kind }) => kind === 'poll').map(({ id }) => id);
    expect(new Set(calls.map(({ by }) => by)).size).toBeLessThanOrEqual(1);
    expect(new Set(polls).size).toBe(polls.length);
    const watched = this.readers.flatMap(({ ids, ended }) =>
      (ids ?? []).filter((one) => !ended.has(one) && one !== UNKNOWN),
    );
    expect(polls.length).toBe(Math.min(MAX_LONG_POLLS, new Set(watched).size));
  }
}

async function runSchedule(replicas: number, steps: readonly Step[]): Promise<void> {
  using clock = installFakeClock();
  const simulation = new Simulation(replicas);
  for (const step of steps) await simulation.run(step, (ms) => clock.advance(ms));
  simulation.heal();
  await clock.advance(SETTLED);
  simulation.expectLatest();
  simulation.expectOnePoller();
  for (const { stream } of simulation.readers) void stream.return();
  await clock.advance(1_000);
  expect([...simulation.actions.openCalls]).toEqual([]);
  for (const { watcher } of simulation.servers) expect(watcher.watched).toBe(0);
}

describe('in a generated schedule, each reader sees states in their order, the latest one and the end', () => {
  test('at one replica', async () => {
    const schedules = fc.array(watching, { maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(schedules, (steps) => runSchedule(1, steps)),
      { seed: SEED, numRuns: RUNS },
    );
  }, 120_000);

  test('at several replicas, which lose contact, stop, and are killed', async () => {
    const step = fc.oneof({ weight: 3, arbitrary: watching }, { weight: 1, arbitrary: faults });
    const schedules = fc.array(step, { maxLength: 60, size: 'max' });
    const property = fc.asyncProperty(fc.integer({ min: 2, max: 3 }), schedules, runSchedule);
    await fc.assert(property, { seed: SEED, numRuns: 2 * RUNS });
  }, 240_000);
});
