// Tests that callers never get data of each other.
import { describe, expect, it } from 'vitest';
import { action, describeApi, type Raw, refersTo, resource } from '../helpers/describe-api.ts';
import { openApi } from '../helpers/described.ts';
import { ACTION_STATE } from '../helpers/running-actions.ts';
import { overSse, overWebSocket } from '../helpers/streams.ts';
import { ok, type StubCall } from '../helpers/stub-upstream.ts';

const BOOK = { id: 'Integer', title: 'String', sequel: refersTo(['book'], 'title') } as const;
/** A different description for each caller, so that no two share a schema. */
const describeTo = (name: string): Raw =>
  describeApi({
    book: resource({
      index: action({
        path: '/books',
        namespace: 'book',
        outputNamespace: 'books',
        layout: 'object_list',
        input: { limit: 'Integer', from_id: 'Integer' },
        output: BOOK,
      }),
      show: action({ path: '/books/{book_id}', namespace: 'book', output: BOOK }),
      rename: action({
        path: '/books/{book_id}/rename',
        method: 'POST',
        namespace: 'book',
        output: BOOK,
        blocking: true,
      }),
    }),
    [`only_${name}`]: resource({
      show: action({ path: `/only/${name}`, namespace: name, output: { word: 'String' } }),
    }),
    action_state: ACTION_STATE,
  });

const tokenOf = ({ headers }: StubCall): string => String(headers['x-library-token']);
/** Answers each call after a random delay, with the caller's name in each value. */
async function openEcho() {
  const later =
    (make: (call: StubCall) => unknown) =>
    (call: StubCall) =>
    (response: Parameters<ReturnType<typeof ok>>[0]) =>
      void setTimeout(() => ok(make(call))(response), Math.random() * 5);
  const book = (call: StubCall, id: number) => ({
    id,
    title: tokenOf(call),
    sequel: { id: id + 1, title: tokenOf(call), _meta: { path_params: [id + 1], resolved: false } },
  });
  const state = (call: StubCall) => ({
    action_state: { id: 5, label: tokenOf(call), finished: true, status: true, current: 1, total: 1 },
  });
  const at = await openApi(describeTo('x'), {
    'book#index': later((call) => ({ books: [1, 2, 3].map((id) => book(call, id)) })),
    'book#show': later((call) => ({ book: book(call, Number(call.path[0])) })),
    'book#rename': later((call) => ({ book: book(call, 1), _meta: { action_state_id: 5 } })),
    'action_state#show': later(state),
    'action_state#poll': later(state),
  });
  at.upstream.onOptions = ({ 'x-library-token': token }) => ok(describeTo(String(token ?? 'x')));
  return at;
}

const NAMES = Array.from({ length: 20 }, (_, index) => `c${index}`);

describe('two callers share no data', () => {
  it('in loaders, coalesced calls, lists and schemas, two hundred operations at once', async () => {
    await using at = await openEcho();
    const query = `{
      a: book(id: 1) { title sequel { title sequel { title } } } b: book(id: 1) { title } node(id: "book/1") { ... on Book { title } }
      books(first: 2) { nodes { title sequel { label title } } } __type(name: "Query") { fields { name } }
    }`;
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const name = NAMES[index % NAMES.length] ?? '';
        return [name, await at.ask(query, { token: name })] as const;
      }),
    );
    for (const [name, { data, errors }] of answers) {
      expect(errors).toEqual([]);
      const words = new Set(JSON.stringify(data).match(/\bc\d+\b/gi));
      expect(words).toEqual(new Set([name]));
      const own = JSON.stringify(data).match(/onlyC\d+/g);
      expect(own).toEqual([`onlyC${name.slice(1)}`]);
    }
  });

  it('in pollers, waits and streams of actions with the same id', async () => {
    await using at = await openEcho();
    const server = await at.listen();
    const results = await Promise.all(
      NAMES.flatMap((name) => {
        const headers = { 'X-Library-Token': name };
        const progress = 'subscription { actionProgress(id: 5) { label } }';
        const streams = [overSse, overWebSocket].map(async (subscribe) => {
          await using stream = subscribe(server.url, progress, headers);
          return [name, await stream.rest()] as const;
        });
        const wait = 'mutation { bookRename(id: 1, wait: 5) { actionState { label } book { title } } }';
        return [...streams, at.ask(wait, { token: name }).then(({ data }) => [name, data] as const)];
      }),
    );
    expect(results).toHaveLength(60);
    for (const [name, words] of results) {
      expect(new Set(JSON.stringify(words).match(/\bc\d+\b/g))).toEqual(new Set([name]));
    }
  });
});
