// Tests which writes have a live query executed again, over a described API.
import { describe, expect, it } from 'vitest';
import { liveOverWebSocket, openLiveLibrary } from '../../helpers/live-library.ts';

const live = (selection: string): string => `query @live(interval: 3600) { ${selection} }`;
const AUTHORS = 'authors { nodes { name } }';
const TITLES = 'books { nodes { title } }';
const PAGES = 'book(id: 1) { pages { nodes { text } } }';
const SHELVES = 'shelves { nodes { label } }';
const UPDATE_BOOK = 'bookUpdate(id: 1, input: { title: "Uno" }) { userErrors { code } }';
const UPDATE_AUTHOR = 'authorUpdate(id: 1, input: { name: "Eve" }) { userErrors { code } }';

/** Whether a write has live queries executed again, by their selections. */
const CASES = [
  ['of the same resource', UPDATE_BOOK, TITLES, 'book#index', true],
  ['of a resource above', UPDATE_BOOK, PAGES, 'book.page#index', true],
  [
    'of an association that is selected',
    UPDATE_AUTHOR,
    'books { nodes { author { label } } }',
    'book#index',
    true,
  ],
  ['of an association of the rows of a list', UPDATE_AUTHOR, TITLES, 'book#index', true],
  ['whose input refers to what is read', UPDATE_BOOK, AUTHORS, 'author#index', true],
  ['of another resource', UPDATE_BOOK, SHELVES, 'shelf#index', false],
] as const;

describe('a live query', () => {
  it.each(CASES)(
    'is executed again after a write %s: %#',
    async (_name, write, selection, scope, isExecuted) => {
      await using library = await openLiveLibrary();
      const { url } = await library.listen();
      await using client = liveOverWebSocket(url, { query: live(selection) });
      await client.next();
      const before = library.callsOf(scope);
      // Its execution shows when the write has been handled.
      await using witness = liveOverWebSocket(url, {
        query: live('authors { totalCount }'),
      });
      await witness.next();
      const expected = isExecuted ? library.waitForCalls(scope, 1) : library.waitForCalls('author#index', 1);
      await library.ask(`mutation { ${write} }`);
      await expected;
      expect(library.callsOf(scope) > before).toBe(isExecuted);
    },
  );

  it('is executed again after a write that changes other resources by an override', async () => {
    await using library = await openLiveLibrary({ overrides: { writes: { 'shelf#dust': ['book'] } } });
    const { url } = await library.listen();
    await using books = liveOverWebSocket(url, { query: live(TITLES) });
    await using authors = liveOverWebSocket(url, { query: live(AUTHORS) });
    await Promise.all([books.next(), authors.next()]);
    const executed = library.waitForCalls('book#index', 1);
    await library.ask('mutation { shelfDust { userErrors { code } } }');
    await executed;
    expect(library.callsOf('author#index')).toBe(1);
  });

  it('is executed again at the end of any action of its caller that is unknown', async () => {
    await using library = await openLiveLibrary();
    const { url } = await library.listen();
    await using shelves = liveOverWebSocket(url, { query: live(SHELVES) });
    await shelves.next();
    library.actions.set({ id: 7 });
    await using progress = liveOverWebSocket(url, {
      query: 'subscription { actionProgress(id: 7) { outcome } }',
    });
    await progress.next();
    const executed = library.waitForCalls('shelf#index', 1);
    library.actions.set({ id: 7, finished: true });
    await executed;
  });
});
