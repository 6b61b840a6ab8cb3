// Tests that replicas share descriptions, and learn of new ones from each other.
import { describe, expect, it } from 'vitest';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import { action, describeApi, resource } from '../helpers/describe-api.ts';
import { ask, collectLog } from '../helpers/facade.ts';
import { hasRedis, startRedis, type TestRedis } from '../helpers/redis.ts';
import { ok, refuse, startStub } from '../helpers/stub-upstream.ts';

const TOKEN = 'canary-token-of-the-caller';
const QUERY = '{ book(id: 1) { title } }';
const BOOK = { id: 'Integer', title: 'String' };
/** Fields that make the description large enough to be compressed. */
const MORE = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`canary_field_${index}`, 'String']),
);
const describeBooks = (output: Record<string, string>) =>
  describeApi({
    book: resource({ show: action({ path: '/books/{book_id}', namespace: 'book', output }) }),
  });

/** Starts an API that counts the descriptions that it has sent. */
async function startBooks() {
  const stub = await startStub(describeBooks(BOOK), {
    'book#show': () => ok({ book: { id: 1, title: 'One', pages: 100 } }),
  });
  const sent: string[] = [];
  const api = {
    stub,
    /** Who got a description. */
    sent,
    described: describeBooks({ ...BOOK, ...MORE }),
    [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose](),
  };
  stub.onOptions = ({ 'x-library-token': token }, { search }) => {
    if (search.startsWith('?method=')) return token === TOKEN ? ok({}) : refuse('who?', null, 401);
    sent.push(String(token ?? 'anonymous'));
    return ok(token === TOKEN ? api.described : describeBooks(BOOK));
  };
  return api;
}

async function openReplica(url: URL, redis: TestRedis): Promise<Facade> {
  return createFacade({ upstream: url, log: collectLog(), shared: { replicas: await redis.join() } });
}

const askAs = (facade: Facade, query = QUERY, token = TOKEN) =>
  ask(facade, query, { headers: { 'x-library-token': token } });

describe.skipIf(!hasRedis)('replicas that share descriptions', () => {
  it('share those in other languages', async () => {
    await using redis = await startRedis();
    await using books = await startBooks();
    await using one = await openReplica(books.stub.url, redis);
    await using other = await openReplica(books.stub.url, redis);
    const askInCzech = (facade: Facade) =>
      ask(facade, '{ __type(name: "Book") { name } }', {
        headers: { 'x-library-token': TOKEN, 'accept-language': 'cs' },
      });
    const expected = { data: { __type: { name: 'Book' } }, errors: [] };
    expect(await askInCzech(one)).toMatchObject(expected);
    expect(books.sent).toEqual(['anonymous', TOKEN, TOKEN]);
    await expect.poll(async () => redis.send('KEYS', 'test:value:*')).toHaveLength(6);
    expect(await askInCzech(other)).toMatchObject(expected);
    expect(books.sent).toEqual(['anonymous', TOKEN, TOKEN]);
  });

  it('ask the API for none that another one has, and verify each credential themselves', async () => {
    await using redis = await startRedis();
    const lines = await redis.record();
    await using books = await startBooks();
    await using one = await openReplica(books.stub.url, redis);
    expect(await askAs(one)).toMatchObject({ data: { book: { title: 'One' } }, errors: [] });
    expect(books.sent).toEqual(['anonymous', TOKEN]);
    await expect.poll(async () => redis.send('KEYS', 'test:value:*')).toHaveLength(5);
    await using other = await openReplica(books.stub.url, redis);
    expect(await askAs(other)).toMatchObject({ data: { book: { title: 'One' } }, errors: [] });
    expect(books.sent).toEqual(['anonymous', TOKEN]);
    expect((await askAs(other, QUERY, 'canary-unknown-token')).status).toBe(401);
    expect(books.stub.calls.filter(({ scope }) => scope === 'book#show')).toHaveLength(2);
    expect(lines.join('\n')).not.toContain('canary');
    const keys = (await redis.send('KEYS', '*')) as readonly string[];
    const sizes = await Promise.all(keys.map(async (key) => Number(await redis.send('STRLEN', key))));
    expect(Math.max(...sizes)).toBeLessThan(JSON.stringify(books.described).length / 2);
  });

  it('all have a new description after a refresh at one, for which each caller is asked for once', async () => {
    await using redis = await startRedis();
    await using books = await startBooks();
    await using one = await openReplica(books.stub.url, redis);
    await using other = await openReplica(books.stub.url, redis);
    for (const facade of [one, other]) expect((await askAs(facade)).errors).toEqual([]);
    books.sent.length = 0;
    books.described = describeBooks({ ...BOOK, pages: 'Integer' });
    await one.refresh();
    const pages = '{ book(id: 1) { pages } }';
    expect((await askAs(one, pages)).data).toEqual({ book: { pages: 100 } });
    await expect
      .poll(async () => (await askAs(other, pages)).data, { timeout: 5_000 })
      .toEqual({ book: { pages: 100 } });
    expect(books.sent.filter((sent) => sent === TOKEN)).toEqual([TOKEN]);
  });

  it('fetch them by themselves while Redis is away, and tell the others of a refresh when it is back', async () => {
    await using redis = await startRedis();
    await using books = await startBooks();
    await using one = await openReplica(books.stub.url, redis);
    await using other = await openReplica(books.stub.url, redis);
    await redis.stop();
    for (const facade of [one, other]) expect((await askAs(facade)).errors).toEqual([]);
    expect(books.sent.filter((sent) => sent === TOKEN)).toEqual([TOKEN, TOKEN]);
    books.described = describeBooks({ ...BOOK, pages: 'Integer' });
    await one.refresh();
    await redis.start();
    const pages = '{ book(id: 1) { pages } }';
    await expect
      .poll(async () => (await askAs(other, pages)).data, { timeout: 30_000 })
      .toEqual({ book: { pages: 100 } });
  });
});
