// Tests the order in which readers find the parts of a schema.

import { isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { list, refersTo, resource, show } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';

const AUTHOR = { id: 'Integer', name: 'String' } as const;
const BOOK = { title: 'String', author: refersTo(['author']), id: 'Integer', binding: 'String' } as const;
const LINK = { input: { author: refersTo(['author']) } };
const RESOURCES = {
  debug: resource({ index: list('debug', 'dumps', AUTHOR) }, { heap: resource({}) }),
  author: resource({ index: list('author', 'authors', AUTHOR), show: show('author', 'authors', AUTHOR) }),
  book: resource({ index: list('book', 'books', BOOK, LINK), show: show('book', 'books', BOOK) }),
  audit: {
    ...resource({ index: list('audit', 'audits', AUTHOR) }),
    description: 'For internal use by the staff',
  },
};

async function namesOf(type: string): Promise<readonly string[]> {
  await using api = await openDescribed(RESOURCES);
  const { data } = await api.ask<{ __type: { fields: { name: string }[] } }>(
    `{ __type(name: "${type}") { fields { name } } }`,
  );
  const assembled = api.facade.schema.schema.getType(type);
  const names = data?.__type.fields.map(({ name }) => name) ?? [];
  expect(isObjectType(assembled) && Object.keys(assembled.getFields())).toEqual(names);
  return names;
}

describe('the fields of a type', () => {
  it('are its identity, its values, its edges to one object and its lists', async () => {
    expect(await namesOf('Book')).toEqual(['id', 'databaseId', 'binding', 'title', 'author']);
    expect(await namesOf('Author')).toEqual(['id', 'databaseId', 'label', 'name', 'books']);
  });

  it('are sorted by name at the roots, with those of internal resources last', async () => {
    const common = ['author', 'authors', 'book', 'books', 'node', 'nodes', 'session'];
    expect(await namesOf('Query')).toEqual([...common, 'audits', 'dumps']);
  });
});
