// Tests the paths and the query strings of calls.
import { describe, expect, test } from 'vitest';
import {
  encodeQuery,
  fillPath,
  isPathValue,
  type PathTemplate,
  parsePathTemplate,
} from '../../../src/upstream/http/request-path.ts';

function template(text: string): PathTemplate {
  const parsed = parsePathTemplate(text);
  if (parsed === null) throw new Error(`${text} was refused`);
  return parsed;
}

describe('a described path', () => {
  test('has placeholders in braces or after a colon, in path order', () => {
    expect(template('/v1/books/{book_id}').placeholders).toEqual(['book_id']);
    expect(template('/v1/shelves/:shelf_id/books/:book_id').placeholders).toEqual(['shelf_id', 'book_id']);
    expect(template('/shelves/{shelf_id}/books/:id/lend').placeholders).toEqual(['shelf_id', 'id']);
    expect(template('/configs/{category}/{name}').placeholders).toEqual(['category', 'name']);
    expect(template('/cluster').placeholders).toEqual([]);
  });

  test('keeps a colon inside a segment as text', () => {
    expect(template('/books/a:b/{id}').placeholders).toEqual(['id']);
    expect(fillPath(template('/books/a:b/{id}'), ['3'])).toBe('/books/a:b/3');
  });

  test.each([
    ...['http://evil.example/', 'https://evil.example/{id}', '//evil.example/', '/\\evil.example/'],
    ...['books/{id}', '', '/books?x=1', '/books#x', '/books /x', '/books\n', '/../books', '/books/./x'],
  ])('is refused when it is not a path of the API: %j', (text) => {
    expect(parsePathTemplate(text)).toBeNull();
  });
});

describe('a filled path', () => {
  test('contains each value as one percent-encoded segment', () => {
    const path = template('/shelves/{shelf_id}/books/{book_id}/lend');
    expect(fillPath(path, ['1', '2'])).toBe('/shelves/1/books/2/lend');
    expect(fillPath(path, ['a/b?c#d', 'é %{x}'])).toBe(
      '/shelves/a%2Fb%3Fc%23d/books/%C3%A9%20%25%7Bx%7D/lend',
    );
  });

  test('accepts no dot segment as a value', () => {
    for (const value of ['', '.', '..', '\ud800']) expect(isPathValue(value)).toBe(false);
    for (const value of ['1', '...', '.a', 'a b', '😀']) expect(isPathValue(value)).toBe(true);
  });
});

const decoded = (...groups: Parameters<typeof encodeQuery>[0]) => decodeURIComponent(encodeQuery(groups));

describe('a query string', () => {
  test('names parameters in brackets under their namespace, percent-encoded', () => {
    expect(encodeQuery([['book', { limit: 10, state: 'lent out' }]])).toBe(
      'book%5Blimit%5D=10&book%5Bstate%5D=lent%20out',
    );
  });

  test('adds no prefix to parameters without a namespace', () => {
    expect(decoded([null, { limit: 1, tags: ['a', 'b'] }])).toBe('limit=1&tags[]=a&tags[]=b');
  });

  test('writes null as the empty string and omits undefined values', () => {
    expect(decoded(['book', { shelf: null, state: undefined, lent: false, pages: 0 }])).toBe(
      'book[shelf]=&book[lent]=false&book[pages]=0',
    );
  });

  test('writes structures in nested brackets', () => {
    expect(decoded(['book', { range: { from: 1, to: [2, 3] } }])).toBe(
      'book[range][from]=1&book[range][to][]=2&book[range][to][]=3',
    );
  });

  test('escapes delimiters in names and values', () => {
    expect(encodeQuery([['book', { 'a]=1&b[': 'x&y=z#+' }]])).toBe(
      'book%5Ba%5D%3D1%26b%5B%5D=x%26y%3Dz%23%2B',
    );
    expect(encodeQuery([['book', { state: '\ud800' }]])).toBe('book%5Bstate%5D=%EF%BF%BD');
  });
});
