// Tests that the operations of one credential share the calls of equal reads under way, and nothing else.

import { describe, expect, it } from 'vitest';
import { holdAnswers, holdAnswersOf } from '../helpers/held-answers.ts';
import { openLibrary } from '../helpers/library.ts';
import { ok, refuse, reply } from '../helpers/stub-upstream.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const QUERY = '{ authors { nodes { name } } }';
const author = (name: string) => ({ id: 1, name, born: 1, motto: '' });
const AUTHORS = ok({ authors: [author('Ann')] });
const reader = { 'x-library-token': 'one' };

const namesOf = ({ data }: { readonly data: unknown }) =>
  (data as { authors: { nodes: readonly { name: string }[] } }).authors.nodes.map(({ name }) => name);

/** Resolves when the operations that were begun have had time to make their calls. */
const settle = async (library: Awaited<ReturnType<typeof openLibrary>>): Promise<void> => {
  await library.ask('{ shelves { nodes { id } } }', { headers: { 'x-library-token': 'settle' } });
};

describe('equal reads under way', () => {
  it('of one credential share a call', async () => {
    const authors = holdAnswers(AUTHORS);
    await using library = await openLibrary({ 'author#index': authors.handler });
    const first = library.ask(QUERY);
    const held = await authors.take(0);
    // `*` is any language, as none is.
    const others = [
      library.ask(QUERY),
      library.ask(QUERY, { headers: { ...reader, 'accept-language': '*' } }),
    ];
    await settle(library);
    held.release();
    const answers = await Promise.all([first, ...others]);
    expect(answers.map(namesOf)).toEqual([['Ann'], ['Ann'], ['Ann']]);
    expect(answers.map(({ extensions }) => extensions['upstream'])).toMatchObject([
      { calls: 1, coalesced: 0 },
      { calls: 0, coalesced: 1 },
      { calls: 0, coalesced: 1 },
    ]);
    expect(library.upstream.calls.filter(({ scope }) => scope === 'author#index')).toHaveLength(1);
  });

  it('share nothing across credentials and languages, or with other input', async () => {
    for (const [headers, query] of [
      [{ 'x-library-token': 'other' }, QUERY],
      [{ ...reader, 'accept-language': 'cs' }, QUERY],
      [reader, '{ authors(first: 1) { nodes { name } } }'],
    ] as const) {
      const authors = holdAnswers(AUTHORS);
      await using library = await openLibrary({ 'author#index': authors.handler });
      const answers = [library.ask(QUERY, { headers: reader }), library.ask(query, { headers })];
      const held = [await authors.take(0), await authors.take(1)];
      for (const { release } of held) release();
      for (const answer of answers) expect((await answer).errors).toEqual([]);
    }
  });

  it('share a call across client addresses, which names the client that sent it first', async () => {
    const authors = holdAnswers(AUTHORS);
    await using library = await openLibrary({ 'author#index': authors.handler });
    const open = async (address: string) =>
      library.facade.openSession({
        header: (name) => (name === 'x-library-token' ? 'one' : null),
        address,
        requestId: address,
        signal: undefined,
      });
    const sessions = [await open('192.0.2.1'), await open('192.0.2.2'), await open('192.0.2.1')];
    const calls = sessions.map(({ client, served }) => {
      const action = served.description.resources
        .flatMap(({ actions }) => actions)
        .find(({ scope }) => scope === 'author#index');
      if (action === undefined) throw new TypeError('expected author#index');
      return client.call({ action, path: [], input: {}, meta: {} }, { kind: 'read' });
    });
    (await authors.take(0)).release();
    await Promise.all(calls);
    expect(library.upstream.calls.map(({ headers }) => headers['client-ip'])).toEqual(['192.0.2.1']);
  });

  it('share the failure of the call, and the next read calls again', async () => {
    const authors = holdAnswers(refuse('busy', null, 409));
    await using library = await openLibrary({ 'author#index': authors.handler });
    const answers = [library.ask(QUERY), library.ask(QUERY)];
    const held = await authors.take(0);
    await settle(library);
    held.release();
    for (const answer of answers)
      expect((await answer).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    library.upstream.handlers.set('author#index', () => AUTHORS);
    expect(namesOf(await library.ask(QUERY))).toEqual(['Ann']);
  });

  it('count towards the budget of each operation', async () => {
    const authors = holdAnswers(AUTHORS);
    const limits = { limits: { calls: 1 } };
    await using library = await openLibrary({ 'author#index': authors.handler }, limits);
    const first = library.ask(QUERY);
    const held = await authors.take(0);
    const second = library.ask('{ authors { nodes { name } } shelves { nodes { id } } }');
    await settle(library);
    held.release();
    expect((await first).errors).toEqual([]);
    expect((await second).errors).toMatchObject([
      { path: ['shelves'], extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } },
    ]);
  });
});

describe('a client that leaves', () => {
  const send = (library: Awaited<ReturnType<typeof openLibrary>>, signal: AbortSignal) =>
    Promise.resolve(
      library.facade.yoga.fetch('http://facade.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...reader },
        body: JSON.stringify({ query: QUERY }),
        signal,
      }),
    );

  it('does not end the reads of others that share its call', async () => {
    const authors = holdAnswers(AUTHORS);
    await using library = await openLibrary({ 'author#index': authors.handler });
    const leaving = new AbortController();
    const left = send(library, leaving.signal).catch(() => null);
    const first = await authors.take(0);
    const others = [library.ask(QUERY), library.ask(QUERY)];
    await settle(library);
    leaving.abort();
    await left;
    await first.abandoned;
    (await authors.take(1)).release();
    for (const answer of others) expect(namesOf(await answer)).toEqual(['Ann']);
    expect(library.upstream.calls.filter(({ scope }) => scope === 'author#index')).toHaveLength(2);
  });

  it('leaves the call to the one that made it', async () => {
    const authors = holdAnswers(AUTHORS);
    await using library = await openLibrary({ 'author#index': authors.handler });
    const first = library.ask(QUERY);
    const held = await authors.take(0);
    const leaving = new AbortController();
    const left = send(library, leaving.signal).catch(() => null);
    await settle(library);
    leaving.abort();
    await left;
    expect(held.isAbandoned).toBe(false);
    held.release();
    expect(namesOf(await first)).toEqual(['Ann']);
  });
});

describe('a read after a write of the credential', () => {
  const READ = '{ tool(id: 5) { weight } }';
  const tool = (weight: number) => ok({ tool: { id: 5, name: 'tool 5', weight, owner: null } });

  it('does not join one that began before the write ended', async () => {
    let weight = 7;
    const show = holdAnswersOf(() => tool(weight));
    const update = holdAnswers(ok({}));
    await using shop = await openWorkshop({ 'tool#show': show.handler, 'tool#update': update.handler });
    const before = shop.ask(READ);
    const first = await show.take(0);
    const write = shop.ask('mutation { toolUpdate(id: 5, input: { weight: 6 }) { userErrors { code } } }');
    const held = await update.take(0);
    const during = shop.ask('{ tool(id: 5) { weight name } }');
    const second = await show.take(1);
    weight = 6;
    held.release();
    await write;
    const after = shop.ask(READ);
    const afterwards = shop.ask(READ);
    const third = await show.take(2);
    for (const { release } of [first, second, third]) release();
    expect((await before).data).toEqual({ tool: { weight: 7 } });
    expect((await during).data).toMatchObject({ tool: { weight: 7 } });
    expect((await after).data).toEqual({ tool: { weight: 6 } });
    expect((await afterwards).data).toEqual({ tool: { weight: 6 } });
    expect(shop.upstream.calls.filter(({ scope }) => scope === 'tool#show')).toHaveLength(3);
  });

  it('does not join one that began before the end of the action that the write waits for', async () => {
    let weight = 7;
    const show = holdAnswersOf(() => tool(weight));
    await using shop = await openWorkshop({ 'tool#show': show.handler });
    const write = shop.ask(
      'mutation { toolSharpen(id: 5, wait: 20) { tool { weight } actionState { outcome } } }',
    );
    await shop.actions.waitForOpenPolls(1);
    const before = shop.ask(READ);
    const first = await show.take(0);
    weight = 6;
    shop.actions.set({ id: 500, current: 10, finished: true, status: true });
    const second = await show.take(1);
    for (const { release } of [first, second]) release();
    expect((await write).data).toMatchObject({ toolSharpen: { tool: { weight: 6 } } });
    expect((await before).data).toEqual({ tool: { weight: 7 } });
  });
});

describe('a token that ends', () => {
  it('ends all reads that share a call', async () => {
    const authors = holdAnswers(reply({ status: false, message: 'unknown token' }, 401));
    await using library = await openLibrary({ 'author#index': authors.handler });
    const answers = [library.ask(QUERY), library.ask(QUERY)];
    const held = await authors.take(0);
    await settle(library);
    held.release();
    for (const answer of answers) expect((await answer).status).toBe(401);
  });
});

describe('answers', () => {
  it('are not kept', async () => {
    await using shop = await openWorkshop();
    for (const _time of [1, 2]) await shop.ask('{ tool(id: 5) { weight } }');
    expect(shop.upstream.calls.filter(({ scope }) => scope === 'tool#show')).toHaveLength(2);
  });
});
