// Tests what the facade refuses without a call, and what it sends upstream.
import { describe, expect, test } from 'vitest';
import { openLibrary } from '../helpers/library.ts';
import { shareApi } from '../helpers/shared-api.ts';

const library = shareApi(() => openLibrary());

const BAD_INPUT = { code: 'BAD_USER_INPUT', retryable: false };

describe('a request that the facade refuses without a call', () => {
  test.each([
    ['too large a page', '{ authors(first: 1001) { nodes { id } } }', '"first" must be from 0 to 1000'],
    ['a negative page', '{ authors(first: -1) { nodes { id } } }', '"first" must be from 0 to 1000'],
    ['no cursor', '{ authors(after: "x") { nodes { id } } }', '"after" is not a cursor of this API'],
    [
      'an id of another type',
      '{ author(id: "shelf/1") { id } }',
      '"shelf/1" is an ID of an object of another type; expected an ID of Author.',
    ],
    ['an id that leads elsewhere', '{ author(id: "..") { id } }', '".." is not an ID: one of'],
    [
      'the same, encoded',
      '{ author(id: "author/%2e%2e") { id } }',
      'is not an ID: one of its parts is empty',
    ],
    ['an empty id', '{ author(id: "") { id } }', '"" is not an ID: one of its parts is empty'],
    ['a raw id for a node', '{ node(id: "1") { id } }', '"1" is not a global ID of this API'],
    ['a review as a node', '{ node(id: "review/1") { id } }', 'This API cannot fetch objects of type Review'],
    ['too many nodes', `{ nodes(ids: [${'"author/1" '.repeat(101)}]) { id } }`, '"ids" contains 101 IDs'],
  ])('gets an error that names the problem: %s', async (_name, query, message) => {
    const { status, errors, data } = await library.ask(query);
    expect([status, errors.length, Object.values(data ?? {})]).toEqual([200, 1, [null]]);
    expect(errors[0]).toMatchObject({ message: expect.stringContaining(message), extensions: BAD_INPUT });
    expect(errors[0]?.['extensions']).toHaveProperty('requestId');
    expect(library.upstream.calls).toEqual([]);
    expect(library.log).toEqual([]);
  });
});
