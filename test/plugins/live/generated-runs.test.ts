// Tests with generated writes, changes by others and faults of the API that the last result of each live query is that of a new query.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { installFastClock } from '../../helpers/fake-clock.ts';
import {
  type LiveClient,
  type LiveLibrary,
  type LiveResult,
  liveOverSse,
  liveOverWebSocket,
  openLiveLibrary,
  openReplicaOf,
  type SendLive,
} from '../../helpers/live-library.ts';
import { LocalDeployment } from '../../helpers/local-deployment.ts';
import { type Answer, hangUp, raw, refuse } from '../../helpers/stub-upstream.ts';

/** Seconds of a clock that runs ahead of the real one. */
const INTERVAL = 0.1;
/** Executions after which nothing more is expected to come. */
const SETTLED = 3;
const seed = Number(process.env['SEED'] ?? Date.now());
const numRuns = Number(process.env['RUNS'] ?? 5);

const QUERIES = [
  'books { nodes { id title author { name } } totalCount }',
  'books(first: 2) { nodes { title } pageInfo { hasNextPage } } authors { nodes { id name } }',
  'book(id: 2) { title author { label } pages { nodes { text } } }',
];

/** What happens between the executions. */
type Step =
  | {
      readonly kind: 'create' | 'update' | 'delete' | 'changeByOthers';
      readonly id: number;
      readonly title: string;
    }
  | { readonly kind: 'author'; readonly id: number; readonly title: string }
  | { readonly kind: 'rebind'; readonly id: number; readonly title: string }
  | { readonly kind: 'fail'; readonly scope: string; readonly fault: number; readonly times: number }
  | { readonly kind: 'wait' };

const id = fc.integer({ min: 1, max: 5 });
const title = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('create', 'update', 'delete', 'changeByOthers'), id, title }),
  fc.record({ kind: fc.constant('author'), id: fc.integer({ min: 1, max: 2 }), title }),
  fc.record({ kind: fc.constant('rebind'), id, title }),
  fc.record({
    kind: fc.constant('fail'),
    scope: fc.constantFrom('book#index', 'author#index', 'author#show', 'book#show', 'book.page#index'),
    fault: fc.integer({ min: 0, max: 3 }),
    times: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({ kind: fc.constant('wait') }),
) as fc.Arbitrary<Step>;

const FAULTS: readonly Answer[] = [
  hangUp,
  raw('bad gateway', 502),
  raw('<html>', 200),
  refuse('no', null, 500),
];

/** Does a step. */
async function take(library: LiveLibrary, given: Step): Promise<void> {
  const write = (mutation: string): Promise<unknown> =>
    library.ask(`mutation { ${mutation} { userErrors { code } } }`);
  switch (given.kind) {
    case 'create':
      return void (await write(`bookCreate(input: { title: "${given.title}", author: 1 })`));
    case 'update':
      return void (await write(`bookUpdate(id: ${given.id}, input: { title: "${given.title}" })`));
    case 'delete':
      return void (await write(`bookDelete(id: ${given.id})`));
    case 'author':
      return void (await write(`authorUpdate(id: ${given.id}, input: { name: "${given.title}" })`));
    case 'changeByOthers':
      return void library.books.set(given.id, { title: given.title, author: 2 });
    case 'rebind': {
      await write(`bookRebind(id: ${given.id})`);
      library.books.set(given.id, { title: `bound ${given.title}`, author: 1 });
      return library.actions.set({ id: 900, finished: true });
    }
    case 'fail': {
      const { scope, times, fault } = given;
      const { handlers } = library.upstream;
      const answer = handlers.get(scope) ?? expect.fail();
      let left = times;
      handlers.set(scope, (call) => {
        const usual = answer(call);
        left -= 1;
        return left >= 0 ? (FAULTS[fault] ?? hangUp) : usual;
      });
      return;
    }
    case 'wait':
      return library.waitForCalls('book#index', 1);
  }
}

/** Follows a live query, and keeps its last result. */
function follow(client: LiveClient, query: string) {
  const followed = {
    query,
    client,
    last: null as { readonly data: unknown; readonly hasFailed: boolean } | null,
    /** Results whose data differs from that of the last one, and those that do not differ in anything. */
    changes: 0,
    repetitions: 0,
    ended: null as unknown,
    wake: () => {},
  };
  let before = '';
  const take = ({ data, errors, extensions }: LiveResult): void => {
    if (data === undefined) followed.ended = errors;
    const last = { data, hasFailed: errors !== undefined };
    const all = JSON.stringify([last, errors, extensions?.['warnings']], (name, value: unknown) =>
      name === 'requestId' ? undefined : value,
    );
    if (all === before) followed.repetitions += 1;
    if (JSON.stringify(last) !== JSON.stringify(followed.last)) followed.changes += 1;
    before = all;
    followed.last = last;
    followed.wake();
  };
  const read = async (): Promise<void> => {
    for (let result = await client.next(); result !== undefined; result = await client.next()) take(result);
  };
  void read().catch((error: unknown) => {
    followed.ended = error;
    followed.wake();
  });
  return followed;
}

/** Waits until the last result of each live query is that of a new query. */
async function expectFresh(library: LiveLibrary, all: readonly ReturnType<typeof follow>[]): Promise<void> {
  for (const followed of all) {
    const { data, errors } = await library.ask(`{ ${followed.query} }`);
    const expected = { data, hasFailed: errors.length > 0 };
    while (JSON.stringify(followed.last) !== JSON.stringify(expected)) {
      expect(followed.ended).toBeNull();
      await new Promise<void>((resolve) => {
        followed.wake = resolve;
      });
    }
  }
}

/** How the queries are sent, and to how many replicas. */
const CASES: readonly (readonly [where: string, send: SendLive, replicas: number])[] = [
  ['over WebSockets', liveOverWebSocket, 1],
  ['over server-sent events', liveOverSse, 1],
  ['at two replicas', liveOverWebSocket, 2],
];

describe('generated writes and faults', () => {
  it.each(CASES)(
    'leave live queries %s with the result of a new query',
    async (_where, send, count) => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await using _clock = installFastClock();
        const deployment = new LocalDeployment();
        const [first, ...others] = Array.from({ length: count }, () => deployment.join());
        await using library = await openLiveLibrary({ shared: { replicas: first ?? expect.fail() } });
        const servers = [await library.listen()];
        for (const replicas of others) servers.push(await openReplicaOf(library, replicas));
        const answers = [...library.upstream.handlers];
        const all = [];
        for (const { url } of servers)
          for (const query of QUERIES) {
            const live = `query @live(interval: ${INTERVAL}) { ${query} }`;
            const followed = follow(send(url, { query: live }), query);
            await new Promise<void>((resolve) => {
              followed.wake = resolve;
            });
            all.push(followed);
          }
        for (const given of steps) await take(library, given);
        for (const [scope, answer] of answers) library.upstream.handlers.set(scope, answer);
        await expectFresh(library, all);
        // An execution that had begun may have failed after that.
        await library.waitForCalls('book#index', SETTLED * all.length);
        await expectFresh(library, all);
        const before = all.map(({ changes }) => changes);
        await library.waitForCalls('book#index', SETTLED * all.length);
        expect(all.map(({ changes }) => changes)).toEqual(before);
        expect(all.map(({ repetitions }) => repetitions)).toEqual(all.map(() => 0));
        for (const { client } of all) await client.leave();
        for (const server of servers) await server.close();
      });
      await fc.assert(property, { seed, numRuns, endOnFailure: true });
    },
    600_000,
  );
});
