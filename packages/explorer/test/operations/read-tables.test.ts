// Tests which lists of a result become tables.
import { expect, it } from 'vitest';
import { readTables } from '../../src/operations/read-tables.ts';

const cells = (data: unknown) =>
  readTables(data).map(({ path, columns, rows }) => [path, columns, rows.map((row) => row.cells)]);

it('makes a table of each list of objects, with the values of objects in a row', () => {
  const data = {
    books: {
      nodes: [
        { id: 'book/1', author: { name: 'Ann', home: { city: 'Brno' } }, tags: ['a', 'b'], pages: 10 },
        { id: 'book/2', author: null, tags: [], pages: null, isLent: false },
      ],
      pageInfo: { hasNextPage: false },
    },
  };
  expect(cells(data)).toEqual([
    [
      'books.nodes',
      ['id', 'author.name', 'author.home.city', 'tags', 'pages', 'author', 'isLent'],
      [
        ['book/1', 'Ann', 'Brno', 'a, b', '10', '', ''],
        ['book/2', '', '', '', '', '', 'false'],
      ],
    ],
  ]);
});

it('counts the lists in a row, and shows them as tables of their own', () => {
  const data = {
    books: { nodes: [{ id: 1, copies: { nodes: [{ id: 7 }], edges: [{ node: { id: 7 } }] } }, null] },
  };
  expect(cells(data)).toEqual([
    ['books.nodes', ['id', 'copies'], [['1', '1 row']]],
    ['books.nodes.0.copies.nodes', ['id'], [['7']]],
  ]);
});

it('finds none where there is no list of objects', () => {
  expect(readTables({ book: { id: 1, tags: ['a'] } })).toEqual([]);
  expect(readTables(null)).toEqual([]);
});
