// Tests the encoding of query strings.
import { describe, expect, test } from 'vitest';
import { encodeQuery } from '../../../src/upstream/http/request-path.ts';

const decoded = (...groups: Parameters<typeof encodeQuery>[0]) => decodeURIComponent(encodeQuery(groups));

describe('a query string', () => {
  test('names parameters in brackets under their namespace, percent-encoded', () => {
    expect(encodeQuery([['book', { limit: 10, state: 'lent out' }]])).toBe(
      'book%5Blimit%5D=10&book%5Bstate%5D=lent%20out',
    );
  });

  test('puts metadata after the input', () => {
    expect(decoded(['book', { shelf: 3 }], ['_meta', { count: true, includes: 'a,b__c' }])).toBe(
      'book[shelf]=3&_meta[count]=true&_meta[includes]=a,b__c',
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

  test('is empty when nothing is sent', () => {
    expect(encodeQuery([['book', {}]])).toBe('');
    expect(
      encodeQuery([
        ['book', { tags: [] }],
        ['_meta', {}],
      ]),
    ).toBe('');
  });

  test('escapes delimiters in names and values', () => {
    expect(encodeQuery([['book', { 'a]=1&b[': 'x&y=z#+' }]])).toBe(
      'book%5Ba%5D%3D1%26b%5B%5D=x%26y%3Dz%23%2B',
    );
    expect(encodeQuery([['book', { state: '\ud800' }]])).toBe('book%5Bstate%5D=%EF%BF%BD');
  });
});
