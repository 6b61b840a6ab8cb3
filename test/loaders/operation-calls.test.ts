// Tests when the nested lists of one operation are begun.

import { describe, expect, it } from 'vitest';
import { holdAnswers } from '../helpers/held-answers.ts';
import { openLibrary } from '../helpers/library.ts';
import { type Handler, ok, refuse } from '../helpers/stub-upstream.ts';

const SHELVES = 40;
const QUERY = `{ shelves(first: ${SHELVES}) { nodes { id books(first: 1) { nodes { title } } } } }`;
const SHELF_ROWS = ok({ shelves: Array.from({ length: SHELVES }, (_, id) => ({ id: id + 1, room: 'A' })) });
const BOOKS = ok({ books: [{ id: 1, title: 'Atlas', pages: 3, author: null }] });

/** Counts the calls that wait for their turn. */
class WaitingCalls {
  most = 0;
  #now = 0;

  readonly observer = {
    queueWait: () => {
      this.#now += 1;
      this.most = Math.max(this.most, this.#now);
      return () => {
        this.#now -= 1;
      };
    },
  };
}

/** Opens a library whose one caller may use ten connections, and which has many shelves. */
const open = (books: Handler, waiting: WaitingCalls) =>
  openLibrary(
    { 'shelf#index': () => SHELF_ROWS, 'shelf.book#index': books },
    { transport: { connections: 10 }, observer: waiting.observer },
  );

describe('a nested list', () => {
  it('is not begun while a call of its operation waits for its turn', async () => {
    const waiting = new WaitingCalls();
    const held = holdAnswers(BOOKS);
    await using library = await open(held.handler, waiting);
    const answer = library.ask(QUERY);
    for (let index = 0; index < SHELVES; index += 1) (await held.take(index)).release();
    const { data, errors } = await answer;
    expect(errors).toEqual([]);
    expect(data).toMatchObject({
      shelves: { nodes: Array.from({ length: SHELVES }, () => ({ books: { nodes: [{ title: 'Atlas' }] } })) },
    });
    expect(waiting.most).toBe(1);
  });

  it('is begun after others have failed', async () => {
    const waiting = new WaitingCalls();
    await using library = await open(() => refuse('no books for you'), waiting);
    const { data, errors } = await library.ask(QUERY);
    expect(errors).toHaveLength(SHELVES);
    expect(data).toMatchObject({
      shelves: { nodes: Array.from({ length: SHELVES }, () => ({ books: null })) },
    });
  });

  it('ends with its operation when it has not begun', async () => {
    const waiting = new WaitingCalls();
    const held = holdAnswers(BOOKS);
    await using library = await open(held.handler, waiting);
    const client = new AbortController();
    const answer = library.facade.yoga.fetch('http://facade/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-library-token': 'reader' },
      body: JSON.stringify({ query: QUERY }),
      signal: client.signal,
    });
    const calls = await Promise.all(Array.from({ length: 10 }, (_, index) => held.take(index)));
    client.abort();
    await Promise.allSettled([answer, ...calls.map(({ abandoned }) => abandoned)]);
    const other = library.ask('{ shelf(id: 1) { books(first: 1) { nodes { title } } } }');
    (await held.take(10)).release();
    expect((await other).errors).toEqual([]);
    expect(library.upstream.calls.filter(({ scope }) => scope === 'shelf.book#index')).toHaveLength(11);
  });
});
