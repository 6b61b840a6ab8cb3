// Tests that no fault of the network or the API makes the facade crash, hang, lie or write twice.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cutAt,
  dribbled,
  FAULTS,
  forged,
  type KnownFault,
  overwritten,
  status,
} from '../../helpers/faults.ts';
import {
  type Case,
  type Lane,
  OPERATIONS,
  openLane,
  readSoundResults,
  type SoundResults,
  type Target,
} from './faulty-lane.ts';

/** Facades that run cases at the same time. */
const LANES = 6;
/** Longest time of a call, in milliseconds. */
const TIMEOUT = 200;
const RANDOM_CASES = 50;
const SEED = 20_261_122;

const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => void rejections.push(reason);
let resources = 0;
let sound: SoundResults;
const lanes: Lane[] = [];
beforeAll(async () => {
  resources = countResources();
  process.on('unhandledRejection', onRejection);
  sound = await readSoundResults();
  while (lanes.length < LANES) lanes.push(await openLane(TIMEOUT));
});
const closeLanes = async (): Promise<void> => {
  for (const lane of lanes.splice(0)) await lane[Symbol.asyncDispose]();
};
afterAll(async () => {
  await closeLanes();
  process.off('unhandledRejection', onRejection);
});

type NamedCase = Case & { readonly faultName: string };

/** Runs cases on all facades. Returns what is wrong, with the case. */
async function runAll(cases: readonly NamedCase[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  const waiting = [...cases.entries()];
  const runLane = async (lane: Lane): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [number, { faultName, ...tested }] = next;
      const problem = await lane.run(tested, sound).catch((error: unknown) => String(error));
      if (problem === null) continue;
      const { operation, transport, target } = tested;
      wrong.push(`case ${number}: ${operation} over ${transport}, ${target} ${faultName}: ${problem}`);
    }
    if (lane.facade.watcher.watched > 0) wrong.push(`${lane.facade.watcher.watched} pollers remain`);
    wrong.push(...lane.log.filter((line) => line.includes('inside the facade')));
  };
  await Promise.all(lanes.map(runLane));
  return wrong;
}

/** Counts the timers and sockets that keep the process running. */
const countResources = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name.startsWith('TCP')).length;

const transportsOf = (operation: string): readonly string[] =>
  OPERATIONS[operation]?.isStream ? ['SSE', 'WebSocket'] : ['HTTP', 'SSE', 'WebSocket'];

/** The requests that get a fault, for operations that send a write or begin a poll first. Those of a read take turns. */
const TARGETS: Readonly<Record<string, readonly Target[]>> = {
  write: ['first'],
  'write by GET': ['first'],
  'blocking write': ['first'],
  'write that waits': ['first', 'later'],
  'writes and a read': ['first', 'later'],
  subscription: ['first', 'later'],
};
const READ_TARGETS: readonly Target[] = ['first', 'later', 'all'];

/** One in so many operations meets a fault. All of them meet a fault of each kind, because similar ones stand together. */
const SHARE = 6;

/** Each fault of a plain write, and of a share of the operations. Transports take turns, so that each fault and each operation meets all. */
const MATRIX: readonly NamedCase[] = Object.entries(FAULTS).flatMap(([faultName, fault], row) =>
  Object.keys(OPERATIONS).flatMap((operation, column) => {
    const transports = transportsOf(operation);
    const read = READ_TARGETS[Math.floor((row + column) / 3) % READ_TARGETS.length] ?? 'first';
    // A plain write meets each fault: none may be sent twice.
    return (TARGETS[operation] ?? [read])
      .map((target, index) => {
        const turn = Math.floor(row / SHARE) + Math.floor(column / SHARE) + index;
        const transport = transports[turn % transports.length] ?? 'SSE';
        return { operation, transport, target, fault, faultName };
      })
      .filter((_case, index) => operation === 'write' || (row + column + index) % SHARE === 0);
  }),
);

const REFUSAL = '{"status":false,"message":"no","errors":{"name":["x"]}}';
const JUNK = [null, true, -1, 1.5, 1e300, '', '7', 'x', [], {}, [null], { id: 4 }, '9007199254740993'];

/** Replaces one place of a JSON text. */
const replacePlace = (place: number, junk: unknown) => (text: string) => {
  const tree = { root: JSON.parse(text) as unknown };
  const places: [Record<string, unknown>, string][] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(tree);
  const [holder, key] = places[place % places.length] ?? [{}, ''];
  holder[key] = junk;
  return JSON.stringify(tree.root) ?? '';
};

const named =
  <T extends readonly unknown[]>(name: string, make: (...given: T) => KnownFault) =>
  (...given: T) => ({
    faultName: `${name}(${given.map((value) => JSON.stringify(value)).join(', ')})`,
    fault: make(...given),
  });

const FAULT = fc.oneof(
  fc.constantFrom(...Object.entries(FAULTS)).map(([faultName, fault]) => ({ faultName, fault })),
  fc
    .tuple(fc.integer({ min: 0, max: 400 }), fc.constantFrom('close' as const, 'reset', 'silence'))
    .map((given) => named('cutAt', cutAt)(...given)),
  fc
    .tuple(fc.integer({ min: 5, max: 60 }), fc.constantFrom(0, 1))
    .map((given) => named('dribbled', dribbled)(...given)),
  fc
    .tuple(fc.nat(400), fc.constantFrom('\0', '\r\n', '"', '}', ',', '9', 'é', '\uFFFD', ':', ' '))
    .map((given) => named('overwritten', overwritten)(...given)),
  fc
    .tuple(
      fc.oneof(fc.integer({ min: 100, max: 999 }), fc.constantFrom(401, 403, 404, 409, 423, 429, 500, 503)),
      fc.constantFrom('', '{}', 'oops', '{"status":false,"message":null}', REFUSAL),
    )
    .map((given) => named('status', status)(...given)),
  fc
    .tuple(fc.nat(60), fc.constantFrom(...JUNK))
    .map((given) =>
      named('forged', (place: number, junk: unknown) => forged(replacePlace(place, junk)))(...given),
    ),
);

const RANDOM = fc
  .record({
    operation: fc.constantFrom(...Object.keys(OPERATIONS)),
    target: fc.constantFrom<Target>('first', 'first', 'second', 'later', 'all', 'description'),
    index: fc.nat(2),
    fault: FAULT,
  })
  .map(({ operation, target, index, fault }): NamedCase => {
    const transports = transportsOf(operation);
    const transport = transports[index % transports.length] ?? 'SSE';
    // An action whose state is always forged never finishes, and who follows it waits for long.
    const isForged = fault.fault.isForged === true && target !== 'first';
    if (isForged && OPERATIONS[operation]?.isStream === true)
      return { operation, target: 'first', transport, ...fault };
    if (isForged && operation === 'write that waits')
      return { operation, target: 'second', transport, ...fault };
    return { operation, target, transport, ...fault };
  });

describe('a facade behind a faulty network', { timeout: 240_000 }, () => {
  it('answers each fault in time, truly, and without a second write', async () => {
    expect(await runAll(MATRIX)).toEqual([]);
    expect(MATRIX.length).toBeGreaterThan(150);
  });

  it('does so for random faults', async () => {
    const cases = fc.sample(RANDOM, { numRuns: RANDOM_CASES, seed: SEED });
    expect(await runAll(cases), `seed ${SEED}`).toEqual([]);
  });

  it('reports a network that refuses connections, sends no write, and works again afterwards', async () => {
    const [lane = expect.fail()] = lanes;
    await lane.send({ operation: 'read of an object', transport: 'HTTP' });
    await lane.proxy.listen(false);
    for (const operation of ['read of an object', 'write', 'write that waits', 'subscription']) {
      const results = await lane.send({ operation, transport: 'SSE' });
      const codes = results.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions['code']));
      expect(codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    }
    await lane.proxy.listen(true);
    const results = await lane.send({ operation: 'write', transport: 'WebSocket' });
    expect(results[0]?.data).toEqual(sound.get('write')?.[0]?.data);
  });

  it('leaves no promise without a handler, no socket and no timer', async () => {
    await closeLanes();
    expect(rejections).toEqual([]);
    await expect.poll(countResources).toBeLessThanOrEqual(resources);
  });
});
