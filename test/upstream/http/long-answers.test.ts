// Tests long answers of the API: they are read as short ones are, and others go first while they are parsed.
import { describe, expect, it, test } from 'vitest';
import { ANONYMOUS } from '../../../src/scheduling/client.ts';
import { Processor, type ThreadClock } from '../../../src/scheduling/processor.ts';
import { list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { type Answer, ok, raw } from '../../helpers/stub-upstream.ts';

const BOOK = { id: 'Integer', title: 'String' } as const;
const RESOURCES = { book: resource({ index: list('book', 'books', BOOK) }) };
const QUERY = '{ books(first: 2) { nodes { title } } }';
/** Rows of one kilobyte, so that 600 of them are a long answer. */
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, title: `title ${'x'.repeat(1000)}` }));

const open = (answer: Answer, processor = new Processor()) =>
  openDescribed(RESOURCES, { 'book#index': () => answer }, { shared: { processor } });

/** A clock whose time passes with each look at it, so that work is always long. */
function createBusyClock(): ThreadClock & { turns: number } {
  let time = 0;
  return {
    turns: 0,
    now() {
      time += 1;
      return time;
    },
    afterEvents(call) {
      this.turns += 1;
      setImmediate(call);
    },
  };
}

describe('a long answer', () => {
  it('has the rows of a short one', async () => {
    const rows = rowsOf(5_000);
    await using api = await open(ok({ books: rows }));
    const { data, errors } = await api.ask(QUERY);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      books: { nodes: rows.slice(0, 2).map(({ title }) => ({ title })) },
    });
  });

  it('lets other work go first while it is parsed', async () => {
    const clock = createBusyClock();
    const processor = new Processor({ clock });
    await using api = await open(ok({ books: rowsOf(5_000) }), processor);
    await api.ask('{ __typename }');
    const before = clock.turns;
    let others = 0;
    const answer = api.ask(QUERY);
    const asked = answer.then(() => false);
    while (await Promise.race([asked, new Promise((resolve) => setImmediate(() => resolve(true)))])) {
      await processor.takeTurn({ network: 'another', key: ANONYMOUS });
      others += 1;
    }
    expect((await answer).errors).toEqual([]);
    // Five megabytes are 310 pieces. The clock makes a pause due after a few of them.
    expect(clock.turns - before).toBeGreaterThan(60);
    expect(others).toBeGreaterThan(30);
  });

  it('keeps the digits of long integers', async () => {
    const text = JSON.stringify({ status: true, response: { books: rowsOf(600) } });
    const exact = text.replace('"title":"title', '"title":9007199254740993,"more":"');
    await using api = await open(raw(exact, 200, 'application/json'));
    const { data } = await api.ask('{ books(first: 1) { nodes { title } } }');
    expect(data).toEqual({ books: { nodes: [{ title: '9007199254740993' }] } });
  });

  test.each([
    ['markup', `<html>${'secret '.repeat(100_000)}</html>`],
    ['text', JSON.stringify({ status: true, response: { books: rowsOf(600) } }).slice(0, -1)],
    ['text', `[${'"secret",'.repeat(100_000)}]`],
    ['an empty response', ' '.repeat(1_000_000)],
  ])('is refused as a short one is: %s', async (kind, body) => {
    await using api = await open(raw(body, 200, 'application/json'));
    const { errors } = await api.ask(QUERY);
    expect(errors).toMatchObject([
      { message: expect.stringContaining(kind), extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });

  it('is paged, however many rows it has', async () => {
    const books = Array.from({ length: 400_000 }, (_, index) => ({ id: 400_000 - index, title: 'x' }));
    await using api = await open(ok({ books }));
    const { data, errors } = await api.ask('{ books(first: 1) { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ books: { nodes: [{ id: 'book/400000' }] } });
  });

  it('is refused if one of its many rows is no object', async () => {
    await using api = await open(ok({ books: [...Array(300_000).fill({}), 1] }));
    const { errors } = await api.ask(QUERY);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
  });
});
