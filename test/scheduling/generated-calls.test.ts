// Tests the shares of connections in generated orders of arrivals, ends and departures, against a plain model.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CallScheduler, type SchedulerOptions } from '../../src/scheduling/call-scheduler.ts';
import type { Client } from '../../src/scheduling/client.ts';
import { Abort } from '../../src/upstream/abortable.ts';

const SEED = Number(process.env['SEED'] ?? 29);
const RUNS = Number(process.env['RUNS'] ?? 200);

/** What happens next. An index chooses one of the calls that are in progress or waiting. */
type Step =
  | { readonly kind: 'arrive'; readonly network: number; readonly token: number; readonly count: number }
  | { readonly kind: 'end' | 'rest' | 'leave'; readonly index: number };

type Limits = Required<Pick<SchedulerOptions, 'calls' | 'networkShare' | 'maxWaiting'>>;

/** A call of the simulation. */
interface Call {
  readonly client: Client;
  readonly leaving: Abort;
  /** Whether the model refuses it, because too many calls wait. */
  mustBeRefused: boolean;
  /** The code of the error with which it was refused. */
  refusal: unknown;
  state: 'waiting' | 'active' | 'ended' | 'left' | 'refused';
  /** Lets the call end, or rest and then take another turn. */
  go: (what: 'end' | 'rest') => void;
}

/** Calls of a scheduler, and the rules that they must follow, written down a second time. */
class Simulation {
  readonly calls: Call[] = [];
  readonly #limits: Limits;
  readonly #scheduler: CallScheduler;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#scheduler = new CallScheduler({ ...limits, maxWait: 1_000_000 });
  }

  callsIn(state: Call['state'], { network, key }: { network?: string; key?: string } = {}): Call[] {
    return this.calls.filter(
      (call) =>
        call.state === state &&
        (network === undefined || call.client.network === network) &&
        (key === undefined || call.client.key === key),
    );
  }

  arrive(client: Client): void {
    const mustWait = this.mustWait(client);
    const mustBeRefused = mustWait && !this.mayWait(client);
    const call: Call = {
      client,
      leaving: new Abort(),
      mustBeRefused,
      refusal: null,
      state: mustBeRefused ? 'refused' : 'waiting',
      go: () => undefined,
    };
    this.calls.push(call);
    const run = this.#scheduler.run({ client, signal: call.leaving }, async (betweenTurns) => {
      for (;;) {
        call.state = 'active';
        const what = await new Promise<'end' | 'rest'>((resolve) => {
          call.go = resolve;
        });
        if (what === 'end') return;
        await betweenTurns(async () => {
          call.state = 'ended';
          // The call whose turn it is now begins first.
          for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
          call.mustBeRefused = this.mustWait(client) && !this.mayWait(client);
          call.state = call.mustBeRefused ? 'refused' : 'waiting';
        });
      }
    });
    run.then(
      () => {
        call.state = 'ended';
      },
      (error: unknown) => {
        if (error === LEFT) call.state = 'left';
        else call.refusal = (error as { code?: unknown }).code;
      },
    );
    // The call begins before anything else happens, or waits, or is refused.
    expect(call.state).toBe(mustBeRefused ? 'refused' : mustWait ? 'waiting' : 'active');
  }

  mustWait(client: Client): boolean {
    return this.callsIn('waiting', client).length > 0 || !this.mayBegin(client);
  }

  /** Whether one more call of a client may wait. */
  mayWait(client: Client): boolean {
    const { maxWaiting, networkShare } = this.#limits;
    const free = maxWaiting - this.callsIn('waiting').length;
    const { network } = client;
    return (
      this.callsIn('waiting', client).length < free &&
      this.callsIn('waiting', { network }).length < networkShare * free
    );
  }

  /** Whether a client may begin a call: the rule of the shares, in words that count calls one by one. */
  mayBegin(client: Client): boolean {
    const { network } = client;
    const { calls, networkShare } = this.#limits;
    const own = this.callsIn('active', client).length;
    const ofNetwork = this.callsIn('active', { network }).length;
    const free = calls - this.callsIn('active').length;
    const reserve = Math.floor(calls / 32);
    let room = 0;
    while (ofNetwork + room < networkShare * (free - room - reserve)) room += 1;
    if (ofNetwork === 0 && free > 0) room = Math.max(1, room);
    return own === 0 ? room > 0 : own < 2 * (room - Math.floor((ofNetwork + room) / 7));
  }

  /** Checks what holds after each step. */
  check(before: ReadonlyMap<Call, Call['state']>): void {
    const { calls, maxWaiting } = this.#limits;
    expect(this.callsIn('active').length).toBeLessThanOrEqual(calls);
    expect(this.callsIn('waiting').length).toBeLessThanOrEqual(maxWaiting);
    for (const { mustBeRefused, refusal } of this.calls)
      expect(refusal).toBe(mustBeRefused ? 'UPSTREAM_BUSY' : null);
    // No call waits that may begin.
    for (const { client } of this.callsIn('waiting')) expect(this.mayBegin(client)).toBe(false);
    const begun = this.calls.filter((call) => before.get(call) === 'waiting' && call.state === 'active');
    const passed = this.callsIn('waiting').filter((call) => before.get(call) === 'waiting');
    const activeOf = (of: { network?: string; key?: string }): number => this.callsIn('active', of).length;
    for (const { client } of begun)
      for (const { client: other } of passed) {
        // Of one network, the client with fewest calls in progress is next.
        if (other.network === client.network)
          expect(activeOf(other)).toBeGreaterThanOrEqual(activeOf(client) - 1);
        // A network without a call in progress waits only for others that had none either.
        if (activeOf({ network: other.network }) === 0) expect(activeOf({ network: client.network })).toBe(1);
      }
  }
}

const LEFT = new Error('The client has left.');

/** Lets all promises settle. */
const settle = (): Promise<void> => new Promise(setImmediate);

const limits: fc.Arbitrary<Limits> = fc.record({
  calls: fc.constantFrom(1, 2, 3, 5, 8, 16, 64),
  networkShare: fc.constantFrom(1, 2, 7),
  maxWaiting: fc.constantFrom(2, 10, 30),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('arrive' as const),
      network: fc.nat(3),
      token: fc.nat(5),
      count: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), index: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rest', 'leave'), index: fc.nat(99) }) },
);

async function run(simulation: Simulation, next: Step): Promise<void> {
  const before = new Map(simulation.calls.map((call) => [call, call.state]));
  if (next.kind === 'arrive') {
    const client = { network: `${next.network}`, key: `${next.token}` };
    for (let count = 0; count < next.count; count += 1) simulation.arrive(client);
  } else {
    const candidates = simulation.callsIn(next.kind === 'leave' ? 'waiting' : 'active');
    const call = candidates[next.index % Math.max(1, candidates.length)];
    if (next.kind === 'leave') call?.leaving.abort(LEFT);
    else call?.go(next.kind);
  }
  await settle();
  simulation.check(before);
}

it('gives each network and each of its clients their share, starves nobody, and forgets who has left', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (given, steps) => {
      const simulation = new Simulation(given);
      for (const next of steps) await run(simulation, next);
      // Every call that was taken on ends.
      while (simulation.callsIn('active').length > 0) await run(simulation, { kind: 'end', index: 0 });
      expect(simulation.callsIn('waiting')).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
