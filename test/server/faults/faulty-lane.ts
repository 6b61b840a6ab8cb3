// One facade behind a faulty proxy, the operations that are sent to it, and what must hold of each answer.
import { isDeepStrictEqual } from 'node:util';
import { createFacade, type Facade } from '../../../src/facade/facade.ts';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { startServer } from '../../../src/server/server.ts';
import { UpstreamTimeoutError } from '../../../src/upstream/errors.ts';
import { collectLog } from '../../helpers/facade.ts';
import type { KnownFault } from '../../helpers/faults.ts';
import { type Plan, startFaultyProxy } from '../../helpers/faulty-proxy.ts';
import { ok, startStub } from '../../helpers/stub-upstream.ts';
import {
  type Result,
  type ResultError,
  type SendAll,
  STREAMS,
  TRANSPORTS,
} from '../../helpers/transports.ts';
import { createWorkshopAnswers, WORKSHOP } from '../../helpers/workshop.ts';

/** An operation of the matrix. */
export interface FaultyOperation {
  readonly query: string;
  /** Root fields that write, by the scope of their action. */
  readonly writes?: Readonly<Record<string, string>>;
  readonly isStream?: boolean;
}

const TOOL = '{ id databaseId name weight owner { id label name } }';

/** The operations, by name. */
export const OPERATIONS: Readonly<Record<string, FaultyOperation>> = {
  'read of an object': { query: `{ tool(id: 4) ${TOOL} }` },
  'read of a list': { query: '{ orders(first: 2) { nodes { id goods } pageInfo { hasNextPage } } }' },
  'read by several calls': {
    query: `{ a: tool(id: 1) ${TOOL} orders { nodes { goods } } b: tool(id: 2) ${TOOL} job(id: 7) { label } }`,
  },
  'read of nodes': {
    query: '{ nodes(ids: ["tool/1", "job/2", "tool/3"]) { id ... on Tool { name } ... on Job { label } } }',
  },
  write: {
    query: `mutation { toolStamp(id: 4) { tool ${TOOL} userErrors { code } } }`,
    writes: { toolStamp: 'tool#stamp' },
  },
  'write by GET': {
    query: `mutation { toolTouch(id: 4) { tool ${TOOL} userErrors { code } } }`,
    writes: { toolTouch: 'tool#touch' },
  },
  'blocking write': {
    query: `mutation { toolCreate(input: { name: "saw" }) { tool ${TOOL} actionState { id outcome } userErrors { code } } }`,
    writes: { toolCreate: 'tool#create' },
  },
  'write that waits': {
    // Longer than a busy machine takes, because the outcome is RUNNING when the time is over.
    query: `mutation { toolSharpen(id: 4, wait: 10) { tool ${TOOL} actionState { id outcome current } userErrors { code } } }`,
    writes: { toolSharpen: 'tool#sharpen' },
  },
  'writes and a read': {
    query: `mutation {
      toolPartCreate(tool: 4, input: { name: "grip" }) { part { id name } userErrors { code } }
      toolUpdate(id: 4, input: { weight: 7 }) { tool ${TOOL} userErrors { code } query { tool(id: 1) ${TOOL} } }
      toolDelete(id: 5) { deletedId userErrors { code } }
    }`,
    writes: { toolPartCreate: 'tool.part#create', toolUpdate: 'tool#update', toolDelete: 'tool#delete' },
  },
  subscription: {
    query:
      'subscription { actionProgress(id: "action_state/500") { id label current total finished outcome } }',
    isStream: true,
  },
};

/** Which requests of an operation get the fault. `description`: those that open the session of a new caller, too. */
export type Target = 'first' | 'second' | 'later' | 'all' | 'description';

/** One case. */
export interface Case {
  readonly operation: string;
  readonly transport: string;
  readonly target: Target;
  readonly fault: KnownFault;
}

/** Codes of the faults. The API itself may also refuse a call, which gives the other ones. */
const CODES: ReadonlySet<unknown> = new Set([
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_INVALID_RESPONSE',
  'UPSTREAM_RESPONSE_TOO_LARGE',
  'OUTCOME_UNKNOWN',
  'PAGINATION_UNSUPPORTED',
]);
const REFUSALS: ReadonlySet<unknown> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'UPSTREAM_ERROR',
]);

/** Time after which an operation hangs: far more than the timeouts of all its calls, because the machine may be busy. Milliseconds. */
const LONGEST = 30_000;
const TRANSPORT = { maxResponseBytes: 50_000, retry: { delay: 5 } };
const WATCH = { interval: 20, retryDeadline: 120, retryDelay: [10, 40] } as const;

const stateOf = (finished: boolean) => ({
  id: 500,
  label: 'Sharpen',
  finished,
  status: true,
  current: finished ? 10 : 5,
  total: 10,
  can_cancel: false,
});

/** The results of each operation without a fault. */
export type SoundResults = ReadonlyMap<string, readonly Result[]>;

/** Opens a facade. On a busy machine, its short time may be over before it has read the description, so that it begins again. */
async function openFacade(options: FacadeOptions): Promise<Facade> {
  for (let left = 5; ; left -= 1)
    try {
      return await createFacade(options);
    } catch (error) {
      if (left === 0 || !(error instanceof UpstreamTimeoutError)) throw error;
    }
}

/**
 * Opens a facade with a proxy and an API of its own.
 * @param timeout Longest time of a call, in milliseconds.
 */
export async function openLane(timeout: number) {
  const api = await startStub(WORKSHOP, {
    ...createWorkshopAnswers(),
    'tool#sharpen': () => ok({ _meta: { action_state_id: 500 } }),
    'order#index': () => ok({ orders: [1, 2, 3].map((id) => ({ id, goods: `nails ${id}` })) }),
    'action_state#show': () => ok({ action_state: stateOf(true) }),
    // The action has finished once the caller knows how far it was.
    'action_state#poll': ({ query }) =>
      ok({ action_state: stateOf(query.get('action_state[current]') === '5') }),
  });
  const proxy = await startFaultyProxy(api.url);
  const log = collectLog();
  const transport = { ...TRANSPORT, timeout };
  const facade = await openFacade({ upstream: proxy.url, log, transport, watch: WATCH });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  let newcomers = 0;

  const send = async (
    { operation, transport }: Pick<Case, 'operation' | 'transport'>,
    caller = 'regular',
  ): Promise<readonly Result[]> => {
    const { query = '', isStream = false } = OPERATIONS[operation] ?? {};
    const sendAll = isStream ? find(STREAMS, transport) : once(find(TRANSPORTS, transport));
    const sent = sendAll(server.url, { query }, { 'x-library-token': `secret of ${caller}` });
    return await inTime(sent, `${operation} over ${transport}`);
  };

  return {
    facade,
    proxy,
    log: log.lines,
    send,
    /** Runs a case. Returns what is wrong with its answer; null for nothing. */
    async run(tested: Case, sound: SoundResults): Promise<string | null> {
      const { operation, target, fault } = tested;
      const expected = sound.get(operation) ?? [];
      api.calls.length = 0;
      proxy.follow(planOf(target, fault));
      const caller = target === 'description' ? `newcomer ${newcomers++}` : 'regular';
      const results = await send(tested, caller);
      const { injected, sent } = proxy;
      const calls = api.calls.map(({ scope }) => scope);
      proxy.follow(() => null);
      // One good answer keeps the circuit breaker from opening, which would hide the next faults.
      if (hasFailed(results)) await send({ operation: 'read of an object', transport: 'HTTP' });
      const problem =
        findWrongError(results, fault) ??
        findWrongWrite(OPERATIONS[operation]?.writes ?? {}, results[0], calls, fault) ??
        (fault.isForged ? findInvention(results, expected, sent) : findLie(results, expected)) ??
        (injected === 0 && target === 'first' && !hasFailed(results) ? 'the fault met no request' : null);
      return problem === null
        ? null
        : `${problem}: ${JSON.stringify(results)} after ${JSON.stringify(calls)}`;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await facade.close();
      await proxy.untilIdle();
      await proxy[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

const hasFailed = (results: readonly Result[]): boolean =>
  results.some(({ errors = [] }) => errors.length > 0);

/** Sends each operation without a fault. */
export async function readSoundResults(): Promise<SoundResults> {
  await using lane = await openLane(LONGEST);
  const results = new Map<string, readonly Result[]>();
  for (const operation of Object.keys(OPERATIONS))
    results.set(operation, await lane.send({ operation, transport: 'SSE' }));
  return results;
}

/** A facade with a proxy and an API of its own. */
export type Lane = Awaited<ReturnType<typeof openLane>>;

const once =
  (send: (typeof TRANSPORTS)[number][1]): SendAll =>
  async (...request) => [await send(...request)];

function find<T>(transports: readonly (readonly [string, T])[], name: string): T {
  const [, send] = transports.find(([candidate]) => candidate === name) ?? [];
  if (send === undefined) throw new Error(`expected a transport ${name}`);
  return send;
}

async function inTime<T>(running: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} hangs`)), LONGEST);
  });
  return await Promise.race([running, late]).finally(() => clearTimeout(timer));
}

function planOf(target: Target, { answer }: KnownFault): Plan {
  let count = 0;
  return (method) => {
    if (target === 'description') return answer;
    if (method === 'OPTIONS') return null;
    count += 1;
    if (target === 'first') return count === 1 ? answer : null;
    if (target === 'second') return count === 2 ? answer : null;
    return target === 'later' && count === 1 ? null : answer;
  };
}

/** Finds an error without a code of the contract. */
function findWrongError(results: readonly Result[], { isForged = false }: KnownFault): string | null {
  if (results.length === 0) return 'no result';
  for (const { data, errors = [] } of results) {
    if ((data ?? null) === null && errors.length === 0) return 'neither data nor errors';
    for (const { message, extensions } of errors) {
      const { code, retryable, requestId } = extensions;
      if (!CODES.has(code) && !(isForged && REFUSALS.has(code))) return `code ${String(code)}`;
      if (typeof retryable !== 'boolean' || typeof requestId !== 'string') return 'an incomplete error';
      if (message === '' || message.includes('<html')) return 'a message of a proxy';
    }
  }
  return null;
}

/** Finds a write that was sent twice, or whose answer is untrue. */
function findWrongWrite(
  writes: Readonly<Record<string, string>>,
  result: Result | undefined,
  calls: readonly string[],
  { isForged = false }: KnownFault,
): string | null {
  for (const [field, scope] of Object.entries(writes)) {
    const count = calls.filter((call) => call === scope).length;
    if (count > 1) return `${scope} sent ${count} times`;
    const payload = result?.data?.[field] as { readonly userErrors: readonly unknown[] } | null | undefined;
    if (payload && payload.userErrors.length === 0 && count !== 1) return `${scope} succeeded without a call`;
    const error = result?.errors?.find(({ path }) => path?.length === 1 && path[0] === field);
    const code = error?.extensions['code'];
    // A forged answer may say that a write was refused.
    if (!payload && count === 1 && !isForged && code !== 'OUTCOME_UNKNOWN')
      return `${scope} was carried out, and reported as ${String(code)}`;
  }
  return null;
}

/** Finds data that differs from the API's where no error explains it. */
function findLie(results: readonly Result[], expected: readonly Result[]): string | null {
  // The events of a subscription may be fewer, because a slow poller sees only the later states.
  const events = expected.map(({ data }) => data);
  if (results.length > 1 || expected.length > 1) {
    const wrong = results.find(
      ({ data, errors }) => errors === undefined && !events.some((event) => isDeepStrictEqual(event, data)),
    );
    const last = results.at(-1);
    if (wrong !== undefined) return 'an event that never was';
    return last?.errors === undefined && !isDeepStrictEqual(last?.data, events.at(-1)) ? 'no end' : null;
  }
  const [{ data = null, errors = [] } = {}] = results;
  if (data === null) return null;
  return findDifference(data, events[0], [], errors);
}

type Path = readonly (string | number)[];
type Errors = readonly ResultError[];

function findDifference(actual: unknown, expected: unknown, path: Path, errors: Errors): string | null {
  if (isDeepStrictEqual(actual, expected)) return null;
  if (actual === null && errors.some((error) => explains(error.path ?? [], path))) return null;
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null)
    return `untrue at ${path.join('.')}`;
  const keys = Object.keys(expected);
  if (keys.length !== Object.keys(actual).length) return `another shape at ${path.join('.')}`;
  for (const key of keys) {
    const [a, b] = [actual, expected].map((value) => (value as Record<string, unknown>)[key]);
    const problem = findDifference(a, b, [...path, key], errors);
    if (problem !== null) return problem;
  }
  return null;
}

/** Whether an error at a path explains a null at another: it is there, above, below, or in the same object. */
function explains(error: Path, path: Path): boolean {
  const object = error.length > 1 ? error.slice(0, -1) : error;
  return [object, path].some((shorter, index) =>
    shorter.every((key, at) => String(key) === String((index === 0 ? path : error)[at])),
  );
}

/** Values that the facade derives from an answer. */
const DERIVED: readonly (readonly [from: RegExp, value: string])[] = [
  [/"status":false/, 'INVALID CONFLICT RESOURCE_LOCKED REFUSED FAILED'],
  [/"finished":false/, 'RUNNING'],
];

type All = readonly Result[];

/** Finds a value that neither the API nor the forger sent. */
function findInvention(results: All, expected: All, sent: readonly string[]): string | null {
  const texts = sent.join('\n');
  const derived = DERIVED.filter(([from]) => from.test(texts)).map(([, value]) => value);
  const known = JSON.stringify([expected, derived]);
  for (const value of leavesOf(results.map(({ data }) => data))) {
    const text = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
    if (!known.includes(text) && !texts.includes(text.split('/').at(-1) ?? '')) return `an invented ${text}`;
  }
  return null;
}

function leavesOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object') return value === undefined ? [] : [value];
  return value === null ? [] : Object.values(value).flatMap(leavesOf);
}
