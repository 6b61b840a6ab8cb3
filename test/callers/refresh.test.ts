// Tests how descriptions are fetched again, and which callers get the new ones.
import { describe, expect, it, vi } from 'vitest';
import { createFacade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { startServer } from '../../src/server/server.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { action, describeApi, type Raw, resource } from '../helpers/describe-api.ts';
import { ask, collectLog } from '../helpers/facade.ts';
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
const as = (token: string) => ({ headers: { 'X-Library-Token': token } });

/** Answers with the description for each token; an unknown token gets the anonymous description, as on real servers. */
function describeTo(stub: StubUpstream, byToken: Readonly<Record<string, Raw>>, anonymous: Raw): void {
  stub.onOptions = ({ 'x-library-token': token }, { search }) => {
    const own = token === undefined ? anonymous : byToken[String(token)];
    if (search.startsWith('?method=')) return own === undefined ? refuse('who?', null, 401) : ok({});
    return ok(own ?? anonymous);
  };
}

async function open(byToken: Readonly<Record<string, Raw>>, more: Partial<FacadeOptions> = {}) {
  const stub = await startStub(shop(BOOK, { safe: secret, notice }), HANDLERS);
  describeTo(stub, byToken, OLD);
  const log = collectLog();
  const facade = await createFacade({ upstream: stub.url, log, ...more });
  const dispose = async (): Promise<void> => {
    await facade.close();
    await stub[Symbol.asyncDispose]();
  };
  return { stub, log, facade, [Symbol.asyncDispose]: dispose };
}

describe('a changed description', () => {
  it('replaces the old one for all its callers, and the log lists the differences', async () => {
    await using at = await open({ ann: OLD, bob: OLD });
    const pages = '{ book(id: 1) { pages } }';
    for (const name of ['ann', 'bob']) expect((await ask(at.facade, pages, as(name))).errors).toHaveLength(1);
    describeTo(at.stub, { ann: NEW, bob: NEW }, NEW);
    await at.facade.refresh();
    for (const name of ['ann', 'bob'])
      expect((await ask(at.facade, pages, as(name))).data).toEqual({ book: { pages: 100 } });
    expect(at.log.lines.join('\n')).toContain(
      'the description changed: 1 added (Book.pages); 0 removed; 0 breaking',
    );
    describeTo(at.stub, { ann: OLD, bob: OLD }, OLD);
    await at.facade.refresh();
    expect(at.log.lines.at(-1)).toContain('1 removed (Book.pages); 1 breaking (Book.pages was removed.)');
  });

  it('is fetched for each caller that comes back, and an unchanged one is not assembled again', async () => {
    await using at = await open({ ann: NEW, bob: NEW, cid: NEW, dan: KEEPER });
    for (const name of ['ann', 'bob', 'cid', 'dan']) await ask(at.facade, '{ __typename }', as(name));
    const { schema } = at.facade;
    at.stub.options = 0;
    await at.facade.refresh();
    expect(at.stub.options).toBe(1);
    for (const name of ['ann', 'dan', 'ann', 'dan']) await ask(at.facade, '{ __typename }', as(name));
    // One for the operator, and one with its probe for each of the two callers.
    expect(at.stub.options).toBe(5);
    expect(at.facade.schema).toBe(schema);
    expect(at.log.lines).toEqual([]);
  });

  it('that exceeds the limits is refused, and the old one stays', async () => {
    await using at = await open({ ann: OLD }, { limits: { describedActions: 20 } });
    const title = '{ book(id: 1) { title } }';
    const notices = Array.from({ length: 20 }, (_, index) => [`notice${index}`, notice] as const);
    describeTo(at.stub, { ann: KEEPER }, shop(BOOK, Object.fromEntries(notices)));
    await at.facade.refresh();
    expect(at.log.lines.at(-1)).toContain('The description has more than 20 actions');
    expect((await ask(at.facade, title, as('ann'))).data).toEqual({ book: { title: 'One' } });
  });

  it('of the operator reaches all callers, who need no call while it is unchanged', async () => {
    await using at = await open({ ann: OLD }, { refresh: { interval: 5 } });
    const pages = '{ book(id: 1) { pages } }';
    expect((await ask(at.facade, pages, as('ann'))).errors).toHaveLength(1);
    const forAnn: unknown[] = [];
    const answer = at.stub.onOptions;
    at.stub.onOptions = (headers, url) => {
      if (headers['x-library-token'] === 'ann') forAnn.push(url.href);
      return answer(headers, url);
    };
    at.stub.options = 0;
    await expect.poll(() => at.stub.options).toBeGreaterThan(2);
    expect((await ask(at.facade, pages, as('ann'))).errors).toHaveLength(1);
    expect(forAnn).toEqual([]);
    const { schema } = at.facade;
    describeTo(at.stub, { ann: NEW }, NEW);
    await expect.poll(() => at.facade.schema).not.toBe(schema);
    expect((await ask(at.facade, pages, as('ann'))).data).toEqual({ book: { pages: 100 } });
  });

  it('is noticed after an hour if no other event shows it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    // At the time zero, lru-cache takes an entry for one without a start.
    vi.advanceTimersByTime(1);
    try {
      await using at = await open({ ann: NEW });
      const fields = '{ __type(name: "Query") { fields { name } } }';
      expect(JSON.stringify(await ask(at.facade, fields, as('ann')))).not.toContain('safe');
      describeTo(at.stub, { ann: KEEPER }, OLD);
      vi.advanceTimersByTime(3_600_001);
      expect(JSON.stringify(await ask(at.facade, fields, as('ann')))).toContain('safe');
    } finally {
      vi.useRealTimers();
    }
  });

  it('is fetched for one caller at a time, who does not wait long, while the others and new callers do not wait', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `u${i}`);
    const byToken = (description: Raw) => Object.fromEntries(names.map((name) => [name, description]));
    await using at = await open(byToken(OLD));
    const pages = '{ book(id: 1) { pages } }';
    for (const name of names) await ask(at.facade, '{ __typename }', as(name));
    describeTo(at.stub, { ...byToken(NEW), dan: NEW }, NEW);
    await at.facade.refresh();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const fetched: string[] = [];
    const answer = at.stub.onOptions;
    at.stub.onOptions = (headers, url) => {
      const token = String(headers['x-library-token']);
      if (token === 'dan' || url.search.startsWith('?method=')) return answer(headers, url);
      fetched.push(token);
      return (response) => held.then(() => answer(headers, url)(response));
    };
    // While the descriptions are held back, the schemas are the old ones, which lack the field.
    for (const name of names)
      expect((await ask(at.facade, pages, as(name))).errors[0]?.message).toContain('Cannot query');
    expect((await ask(at.facade, pages, as('dan'))).data).toEqual({ book: { pages: 100 } });
    expect(fetched).toEqual(['u0']);
    release();
    await expect.poll(() => fetched).toEqual(names);
    await expect
      .poll(async () => (await ask(at.facade, pages, as('u19'))).data)
      .toEqual({ book: { pages: 100 } });
  });

  it('is fetched for all other callers if the fetch for one caller fails, who keeps the old one', async () => {
    await using at = await open({
      ann: OLD,
      sick: KEEPER,
      boss: shop(BOOK, { safe: secret, vault: secret }),
    });
    const pages = '{ book(id: 1) { pages } }';
    for (const name of ['ann', 'boss', 'sick']) await ask(at.facade, '{ __typename }', as(name));
    const fresh = shop({ ...BOOK, pages: 'Integer' }, { safe: secret });
    at.stub.onOptions = ({ 'x-library-token': token }, { search }) => {
      if (token === 'sick') return refuse('suspended', null, search.startsWith('?method=') ? 200 : 403);
      return search.startsWith('?method=') ? ok({}) : ok(token === 'boss' ? fresh : NEW);
    };
    await at.facade.refresh();
    for (let time = 0; time < 2; time += 1) {
      const [error] = (await ask(at.facade, '{ safe { code } }', as('sick'))).errors;
      expect(error?.message).not.toContain('Cannot query');
    }
    expect(at.log.lines.filter((line) => line.includes('stays'))).toHaveLength(1);
    for (const name of ['ann', 'boss'])
      expect((await ask(at.facade, pages, as(name))).data).toEqual({ book: { pages: 100 } });
  });

  it('does not affect running operations and streams', async () => {
    await using at = await open({ ann: NEW });
    await using server = await startServer(at.facade, { host: '127.0.0.1', port: 0 });
    actions.set({ id: 9, current: 1 });
    const query = 'subscription { actionProgress(id: 9, minInterval: 0.1) { current } }';
    await using stream = overSse(server.url, query, as('ann').headers);
    expect(await stream.next()).toEqual({ actionProgress: { current: 1 } });
    describeTo(at.stub, { ann: KEEPER }, OLD);
    await at.facade.refresh();
    actions.set({ id: 9, current: 2, finished: true });
    expect(await stream.rest()).toEqual([{ actionProgress: { current: 2 } }]);
  });

  it('is served if it lacks the action that verified credentials', async () => {
    await using at = await open(
      { ann: NEW },
      { descriptionCredential: readAuthorization('Bearer operator') },
    );
    await ask(at.facade, '{ __typename }', as('ann'));
    const gone = shop(BOOK, { safe: secret });
    Reflect.deleteProperty(gone['resources'] as object, 'book');
    at.stub.onOptions = ({ 'x-library-token': token, authorization }, { pathname, search }) => {
      if (token !== undefined && token !== 'ann' && token !== 'bob') return refuse('who?', null, 401);
      if (search.startsWith('?method='))
        return pathname.startsWith('/books') ? refuse('not found', null, 404) : ok({});
      return ok(authorization === undefined && token === undefined ? OLD : gone);
    };
    // A new caller comes before the facade has noticed the change.
    expect((await ask(at.facade, '{ safe { code } }', as('bob'))).errors[0]?.message).not.toContain('Cannot');
    expect((await ask(at.facade, '{ __typename }', as('eve'))).status).toBe(401);
    await at.facade.refresh();
    expect(Object.keys(at.facade.schema.schema.getQueryType()?.getFields() ?? {})).not.toContain('books');
    expect((await ask(at.facade, '{ books { nodes { id } } }', as('ann'))).errors).toHaveLength(1);
    expect(at.log.lines.filter((line) => line.includes('stays'))).toEqual([]);
  });

  it('that cannot be fetched leaves the previous one in use, which the log reports', async () => {
    await using at = await open({ ann: NEW });
    await ask(at.facade, '{ __typename }', as('ann'));
    at.stub.onOptions = () => refuse('down', null, 500);
    await at.facade.refresh();
    expect(at.log.lines).toEqual([expect.stringContaining('the previous one stays in use')]);
    expect((await ask(at.facade, '{ book(id: 1) { title } }', as('ann'))).errors).toEqual([]);
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
    at.stub.handlers.set('safe#show', () => ok({ safe: { code: 'x' } }));
    describeTo(at.stub, { ann: NEW, bob: NEW, dan: KEEPER }, OLD);
    for (const name of ['ann', 'bob', 'dan']) await ask(at.facade, '{ __typename }', as(name));
    describeTo(at.stub, { ann: NEW, bob: KEEPER, dan: KEEPER }, OLD);
    at.stub.options = 0;
    for (const name of ['ann', 'bob']) expect((await ask(at.facade, safe, as(name))).data).toBeNull();
    await expect
      .poll(async () => (await ask(at.facade, safe, as('bob'))).data)
      .toEqual({ safe: { code: 'x' } });
    for (let time = 0; time < 5; time += 1) expect((await ask(at.facade, safe, as('ann'))).data).toBeNull();
    // One probe and one description for each caller, regardless of the number of queries.
    expect(at.stub.options).toBe(4);
    expect(at.log.lines).toEqual([]);
  });

  it('who loses rights gets the smaller schema after the first refusal', async () => {
    await using at = await open({ ann: KEEPER });
    at.stub.handlers.set('safe#show', () => refuse('not yours', null, 403));
    const fields = async () =>
      JSON.stringify((await ask(at.facade, '{ __type(name: "Query") { fields { name } } }', as('ann'))).data);
    expect(await fields()).toContain('safe');
    describeTo(at.stub, { ann: NEW }, OLD);
    expect((await ask(at.facade, '{ safe { code } }', as('ann'))).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
    await expect.poll(fields).not.toContain('safe');
  });

  it('whose credential has ended gets no description at a refresh, although anonymous callers get one', async () => {
    await using at = await open({ ann: NEW });
    await ask(at.facade, '{ __typename }', as('ann'));
    describeTo(at.stub, {}, KEEPER);
    await at.facade.refresh();
    expect((await ask(at.facade, '{ safe { code } }', as('ann'))).status).toBe(401);
  });

  it('who is anonymous keeps the schema when an action answers 401', async () => {
    await using at = await open({});
    describeTo(at.stub, {}, shop(BOOK, { notice }));
    at.stub.handlers.set('notice#show', () => refuse('sign in', null, 401));
    await at.facade.refresh();
    at.stub.options = 0;
    for (let time = 0; time < 3; time += 1) {
      const { errors } = await ask(at.facade, '{ notice { text } }');
      expect(errors[0]?.extensions['code']).toBe('UNAUTHENTICATED');
    }
    expect(at.stub.options).toBe(1);
  });

  it('whom the upstream does not know gets no schema, although the upstream describes everything to them', async () => {
    await using at = await open({ ann: NEW });
    at.stub.onOptions = ({ 'x-library-token': token }, { search }) =>
      search.startsWith('?method=') && token !== 'ann' ? refuse('who?', null, 401) : ok(KEEPER);
    const unknown = await ask(at.facade, '{ __schema { queryType { name } } }', as('eve'));
    expect([unknown.status, unknown.data]).toEqual([401, null]);
    const anonymous = await ask(at.facade, '{ __type(name: "Query") { fields { name } } }');
    expect(JSON.stringify(anonymous.data)).not.toMatch(/safe|book/);
  });

  it('gets an error while the upstream sends no description, and is served afterwards', async () => {
    await using at = await open({ ann: NEW });
    at.stub.onOptions = () => refuse('oops', null, 500);
    const answer = await ask(at.facade, '{ __typename }', as('ann'));
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    describeTo(at.stub, { ann: NEW }, OLD);
    expect((await ask(at.facade, '{ __typename }', as('ann'))).errors).toEqual([]);
  });
});
