// Tests how descriptions are fetched again, and which callers get the new ones.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createFacade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { action, describeApi, type Raw, resource } from '../helpers/describe-api.ts';
import { openApi } from '../helpers/described.ts';
import { collectLog } from '../helpers/facade.ts';
import { ACTION_STATE, createRunningActions } from '../helpers/running-actions.ts';
import { overSse } from '../helpers/streams.ts';
import { ok, refuse, type StubUpstream, startStub } from '../helpers/stub-upstream.ts';

const BOOK = { id: 'Integer', title: 'String' };
const shop = (output: Record<string, string>, more: Raw = {}): Raw =>
  describeApi({
    book: resource({
      index: action({
        path: '/books',
        namespace: 'book',
        outputNamespace: 'books',
        layout: 'object_list',
        output,
      }),
      show: action({ path: '/books/{book_id}', namespace: 'book', output }),
    }),
    action_state: ACTION_STATE,
    ...more,
  });
const secret = resource({ show: action({ path: '/safe', namespace: 'safe', output: { code: 'String' } }) });
/** Open to anonymous callers. */
const notice = resource({
  show: { ...action({ path: '/notice', namespace: 'notice', output: { text: 'String' } }), auth: false },
});
const OLD = shop(BOOK);
const NEW = shop({ ...BOOK, pages: 'Integer' });
const KEEPER = shop(BOOK, { safe: secret });

const actions = createRunningActions();
const HANDLERS = {
  ...actions.handlers,
  'book#show': () => ok({ book: { id: 1, title: 'One', pages: 100 } }),
  'book#index': () => ok({ books: [{ id: 1, title: 'One', pages: 100 }] }),
};

/** Answers with the description for each token; an unknown token gets the anonymous description, as on real servers. */
const describedTo =
  (byToken: Readonly<Record<string, Raw>>, anonymous: Raw): StubUpstream['onOptions'] =>
  ({ 'x-library-token': token }, { search }) => {
    const own = token === undefined ? anonymous : byToken[String(token)];
    if (search.startsWith('?method=')) return own === undefined ? refuse('who?', null, 401) : ok({});
    return ok(own ?? anonymous);
  };

const open = (byToken: Readonly<Record<string, Raw>>, more?: Partial<FacadeOptions>) =>
  openApi(shop(BOOK, { safe: secret, notice }), HANDLERS, more, describedTo(byToken, OLD));

describe('a changed description', () => {
  it('replaces the old one for all its callers, and the log lists the differences', async () => {
    await using at = await open({ ann: OLD, bob: OLD });
    const pages = '{ book(id: 1) { pages } }';
    for (const name of ['ann', 'bob']) expect((await at.ask(pages, { token: name })).errors).toHaveLength(1);
    at.upstream.onOptions = describedTo({ ann: NEW, bob: NEW }, NEW);
    await at.facade.refresh();
    for (const name of ['ann', 'bob'])
      expect((await at.ask(pages, { token: name })).data).toEqual({ book: { pages: 100 } });
    expect(at.log.join('\n')).toContain(
      'the description changed: 1 added (Book.pages); 0 removed; 0 breaking',
    );
    at.upstream.onOptions = describedTo({ ann: OLD, bob: OLD }, OLD);
    await at.facade.refresh();
    expect(at.log.at(-1)).toContain('1 removed (Book.pages); 1 breaking (Book.pages was removed.)');
  });

  it('is not replaced by an older one whose fetch ends later', async () => {
    await using at = await open({ ann: OLD });
    const { upstream, facade } = at;
    const describeOld = describedTo({ ann: OLD }, OLD);
    const late: (() => void)[] = [];
    upstream.onOptions = (headers, url) => (response) =>
      void late.push(() => describeOld(headers, url)(response));
    const first = facade.refresh();
    await vi.waitFor(() => expect(late.length).toBeGreaterThan(0));
    upstream.onOptions = describedTo({ ann: NEW }, NEW);
    const second = facade.refresh();
    // Long enough for the second fetch to end, if it did not wait for the first.
    await Promise.race([second, pause(200)]);
    for (const answer of late) answer();
    await Promise.all([first, second]);
    const changes = at.log.filter((line) => line.includes('the description changed'));
    expect(changes).toEqual([expect.stringContaining('1 added (Book.pages); 0 removed')]);
  });

  it('is fetched for each caller that comes back, and an unchanged one is not assembled again', async () => {
    await using at = await open({ ann: NEW, bob: NEW, cid: NEW, dan: KEEPER });
    for (const name of ['ann', 'bob', 'cid', 'dan']) await at.ask('{ __typename }', { token: name });
    const { schema } = at.facade;
    at.upstream.options = 0;
    await at.facade.refresh();
    expect(at.upstream.options).toBe(1);
    for (const name of ['ann', 'dan', 'ann', 'dan']) await at.ask('{ __typename }', { token: name });
    // One for the operator, and one with its probe for each of the two callers.
    expect(at.upstream.options).toBe(5);
    expect(at.facade.schema).toBe(schema);
    expect(at.log).toEqual([]);
  });

  it('that exceeds the limits is refused, and the old one stays', async () => {
    await using at = await open({ ann: OLD }, { limits: { describedActions: 20 } });
    const title = '{ book(id: 1) { title } }';
    const notices = Array.from({ length: 20 }, (_, index) => [`notice${index}`, notice] as const);
    at.upstream.onOptions = describedTo({ ann: KEEPER }, shop(BOOK, Object.fromEntries(notices)));
    await at.facade.refresh();
    expect(at.log.at(-1)).toContain('The description has more than 20 actions');
    expect((await at.ask(title, { token: 'ann' })).data).toEqual({ book: { title: 'One' } });
  });

  it('of the operator reaches all callers, who need no call while it is unchanged', async () => {
    await using at = await open({ ann: OLD }, { refresh: { interval: 5 } });
    const pages = '{ book(id: 1) { pages } }';
    expect((await at.ask(pages, { token: 'ann' })).errors).toHaveLength(1);
    const forAnn: unknown[] = [];
    const answer = at.upstream.onOptions;
    at.upstream.onOptions = (headers, url) => {
      if (headers['x-library-token'] === 'ann') forAnn.push(url.href);
      return answer(headers, url);
    };
    at.upstream.options = 0;
    await expect.poll(() => at.upstream.options).toBeGreaterThan(2);
    expect((await at.ask(pages, { token: 'ann' })).errors).toHaveLength(1);
    expect(forAnn).toEqual([]);
    const { schema } = at.facade;
    at.upstream.onOptions = describedTo({ ann: NEW }, NEW);
    await expect.poll(() => at.facade.schema).not.toBe(schema);
    expect((await at.ask(pages, { token: 'ann' })).data).toEqual({ book: { pages: 100 } });
  });

  it('is noticed after an hour if no other event shows it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    // At the time zero, lru-cache takes an entry for one without a start.
    vi.advanceTimersByTime(1);
    try {
      await using at = await open({ ann: NEW });
      const fields = '{ __type(name: "Query") { fields { name } } }';
      expect(JSON.stringify(await at.ask(fields, { token: 'ann' }))).not.toContain('safe');
      at.upstream.onOptions = describedTo({ ann: KEEPER }, OLD);
      vi.advanceTimersByTime(3_600_001);
      expect(JSON.stringify(await at.ask(fields, { token: 'ann' }))).toContain('safe');
    } finally {
      vi.useRealTimers();
    }
  });

  it('is fetched for one caller at a time, who does not wait long, while the others and new callers do not wait', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `u${i}`);
    const byToken = (description: Raw) => Object.fromEntries(names.map((name) => [name, description]));
    await using at = await open(byToken(OLD));
    const pages = '{ book(id: 1) { pages } }';
    for (const name of names) await at.ask('{ __typename }', { token: name });
    at.upstream.onOptions = describedTo({ ...byToken(NEW), dan: NEW }, NEW);
    await at.facade.refresh();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const fetched: string[] = [];
    const answer = at.upstream.onOptions;
    at.upstream.onOptions = (headers, url) => {
      const token = String(headers['x-library-token']);
      if (token === 'dan' || url.search.startsWith('?method=')) return answer(headers, url);
      fetched.push(token);
      return (response) => held.then(() => answer(headers, url)(response));
    };
    // While the descriptions are held back, the schemas are the old ones, which lack the field.
    for (const name of names)
      expect((await at.ask(pages, { token: name })).errors[0]?.message).toContain('Cannot query');
    expect((await at.ask(pages, { token: 'dan' })).data).toEqual({ book: { pages: 100 } });
    expect(fetched).toEqual(['u0']);
    release();
    await expect.poll(() => fetched).toEqual(names);
    await expect
      .poll(async () => (await at.ask(pages, { token: 'u19' })).data)
      .toEqual({ book: { pages: 100 } });
  });

  it('is fetched for all other callers if the fetch for one caller fails, who keeps the old one', async () => {
    await using at = await open({
      ann: OLD,
      sick: KEEPER,
      boss: shop(BOOK, { safe: secret, vault: secret }),
    });
    const pages = '{ book(id: 1) { pages } }';
    for (const name of ['ann', 'boss', 'sick']) await at.ask('{ __typename }', { token: name });
    const fresh = shop({ ...BOOK, pages: 'Integer' }, { safe: secret });
    at.upstream.onOptions = ({ 'x-library-token': token }, { search }) => {
      if (token === 'sick') return refuse('suspended', null, search.startsWith('?method=') ? 200 : 403);
      return search.startsWith('?method=') ? ok({}) : ok(token === 'boss' ? fresh : NEW);
    };
    await at.facade.refresh();
    for (let time = 0; time < 2; time += 1) {
      const [error] = (await at.ask('{ safe { code } }', { token: 'sick' })).errors;
      expect(error?.message).not.toContain('Cannot query');
    }
    expect(at.log.filter((line) => line.includes('stays'))).toHaveLength(1);
    for (const name of ['ann', 'boss'])
      expect((await at.ask(pages, { token: name })).data).toEqual({ book: { pages: 100 } });
  });

  it('does not affect running operations and streams', async () => {
    await using at = await open({ ann: NEW });
    const server = await at.listen();
    actions.set({ id: 9, current: 1 });
    const query = 'subscription { actionProgress(id: 9, minInterval: 0.1) { current } }';
    await using stream = overSse(server.url, query, { 'x-library-token': 'ann' });
    expect(await stream.next()).toEqual({ actionProgress: { current: 1 } });
    at.upstream.onOptions = describedTo({ ann: KEEPER }, OLD);
    await at.facade.refresh();
    actions.set({ id: 9, current: 2, finished: true });
    expect(await stream.rest()).toEqual([{ actionProgress: { current: 2 } }]);
  });

  it('is served if it lacks the action that verified credentials', async () => {
    await using at = await open(
      { ann: NEW },
      { descriptionCredential: readAuthorization('Bearer operator') },
    );
    await at.ask('{ __typename }', { token: 'ann' });
    const gone = shop(BOOK, { safe: secret });
    Reflect.deleteProperty(gone['resources'] as object, 'book');
    at.upstream.onOptions = ({ 'x-library-token': token, authorization }, { pathname, search }) => {
      if (token !== undefined && token !== 'ann' && token !== 'bob') return refuse('who?', null, 401);
      if (search.startsWith('?method='))
        return pathname.startsWith('/books') ? refuse('not found', null, 404) : ok({});
      return ok(authorization === undefined && token === undefined ? OLD : gone);
    };
    // A new caller comes before the facade has noticed the change.
    expect((await at.ask('{ safe { code } }', { token: 'bob' })).errors[0]?.message).not.toContain('Cannot');
    expect((await at.ask('{ __typename }', { token: 'eve' })).status).toBe(401);
    await at.facade.refresh();
    expect(Object.keys(at.facade.schema.schema.getQueryType()?.getFields() ?? {})).not.toContain('books');
    expect((await at.ask('{ books { nodes { id } } }', { token: 'ann' })).errors).toHaveLength(1);
    expect(at.log.filter((line) => line.includes('stays'))).toEqual([]);
  });

  it('that cannot be fetched leaves the previous one in use, which the log reports', async () => {
    await using at = await open({ ann: NEW });
    await at.ask('{ __typename }', { token: 'ann' });
    at.upstream.onOptions = () => refuse('down', null, 500);
    await at.facade.refresh();
    expect(at.log).toEqual([expect.stringContaining('the previous one stays in use')]);
    expect((await at.ask('{ book(id: 1) { title } }', { token: 'ann' })).errors).toEqual([]);
  });
});

it('the description is not fetched again after a start that has failed', async () => {
  await using stub = await startStub(OLD, HANDLERS);
  const log = collectLog();
  const start = createFacade({
    upstream: stub.url,
    log,
    refresh: { interval: 1 },
    trustedProxies: ['nowhere'],
  });
  await expect(start).rejects.toThrow('nowhere');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(log.lines).toEqual([]);
});

describe('a caller', () => {
  it('who gains rights gets the larger schema after using a field that they lacked, and no other caller does', async () => {
    await using at = await open({ ann: NEW, bob: NEW });
    const safe = '{ safe { code } }';
    at.upstream.handlers.set('safe#show', () => ok({ safe: { code: 'x' } }));
    at.upstream.onOptions = describedTo({ ann: NEW, bob: NEW, dan: KEEPER }, OLD);
    for (const name of ['ann', 'bob', 'dan']) await at.ask('{ __typename }', { token: name });
    at.upstream.onOptions = describedTo({ ann: NEW, bob: KEEPER, dan: KEEPER }, OLD);
    at.upstream.options = 0;
    for (const name of ['ann', 'bob']) expect((await at.ask(safe, { token: name })).data).toBeNull();
    await expect
      .poll(async () => (await at.ask(safe, { token: 'bob' })).data)
      .toEqual({ safe: { code: 'x' } });
    for (let time = 0; time < 5; time += 1) expect((await at.ask(safe, { token: 'ann' })).data).toBeNull();
    // One probe and one description for each caller, regardless of the number of queries.
    expect(at.upstream.options).toBe(4);
    expect(at.log).toEqual([]);
  });

  it('who loses rights gets the smaller schema after the first refusal', async () => {
    await using at = await open({ ann: KEEPER });
    at.upstream.handlers.set('safe#show', () => refuse('not yours', null, 403));
    const fields = async () =>
      JSON.stringify((await at.ask('{ __type(name: "Query") { fields { name } } }', { token: 'ann' })).data);
    expect(await fields()).toContain('safe');
    at.upstream.onOptions = describedTo({ ann: NEW }, OLD);
    expect((await at.ask('{ safe { code } }', { token: 'ann' })).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
    await expect.poll(fields).not.toContain('safe');
  });

  it('whose credential has ended gets no description at a refresh, although anonymous callers get one', async () => {
    await using at = await open({ ann: NEW });
    await at.ask('{ __typename }', { token: 'ann' });
    at.upstream.onOptions = describedTo({}, KEEPER);
    await at.facade.refresh();
    expect((await at.ask('{ safe { code } }', { token: 'ann' })).status).toBe(401);
  });

  it('who is anonymous keeps the schema when an action answers 401', async () => {
    await using at = await open({});
    at.upstream.onOptions = describedTo({}, shop(BOOK, { notice }));
    at.upstream.handlers.set('notice#show', () => refuse('sign in', null, 401));
    await at.facade.refresh();
    at.upstream.options = 0;
    for (let time = 0; time < 3; time += 1) {
      const { errors } = await at.ask('{ notice { text } }', { token: null });
      expect(errors[0]?.extensions['code']).toBe('UNAUTHENTICATED');
    }
    expect(at.upstream.options).toBe(1);
  });

  it('whom the upstream does not know gets no schema, although the upstream describes everything to them', async () => {
    await using at = await open({ ann: NEW });
    at.upstream.onOptions = ({ 'x-library-token': token }, { search }) =>
      search.startsWith('?method=') && token !== 'ann' ? refuse('who?', null, 401) : ok(KEEPER);
    const unknown = await at.ask('{ __schema { queryType { name } } }', { token: 'eve' });
    expect([unknown.status, unknown.data]).toEqual([401, null]);
    const anonymous = await at.ask('{ __type(name: "Query") { fields { name } } }', { token: null });
    expect(JSON.stringify(anonymous.data)).not.toMatch(/safe|book/);
  });

  it('gets an error while the upstream sends no description, and is served afterwards', async () => {
    await using at = await open({ ann: NEW });
    at.upstream.onOptions = () => refuse('oops', null, 500);
    const answer = await at.ask('{ __typename }', { token: 'ann' });
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    at.upstream.onOptions = describedTo({ ann: NEW }, OLD);
    expect((await at.ask('{ __typename }', { token: 'ann' })).errors).toEqual([]);
  });
});
