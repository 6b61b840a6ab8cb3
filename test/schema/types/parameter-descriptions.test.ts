// Tests the descriptions that parameters, enums and payloads get, and what the API says is deprecated.
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { printSDL } from '../../../src/schema/print-schema.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { action, describeApi, list, type Raw, refersTo, resource, show } from '../../helpers/describe-api.ts';

const value = (label: string | null, description: string | null, more: Raw = {}): Raw => ({
  type: 'String',
  label,
  description,
  validators: {},
  ...more,
});
const assemble = (resources: Raw) => assembleSchema(parseDescription(describeApi(resources))).schema;

function fieldOf(parameter: Raw, name = 'max_size') {
  const schema = assemble({
    book: resource({ index: list('book', 'books', { id: 'Integer', [name]: parameter }) }),
  });
  const type = schema.getType('Book');
  return isObjectType(type)
    ? Object.values(type.getFields()).find((field) => !/^(id|databaseId)$/.test(field.name))
    : undefined;
}

describe('the description of a parameter', () => {
  it.each([
    ['the text alone where the label is the name', value('Max size', 'Of the cover'), 'Of the cover'],
    [
      'the text first where the label says more',
      value('Limit', 'Of the cover'),
      'Of the cover\n\nLabel: Limit.',
    ],
    ['the text alone where it contains the label', value('Cover', 'Of the cover'), 'Of the cover'],
    ['the label where there is no text', value('Limit in cm', null), 'Limit in cm'],
    ['the words of a label that is a raw name', value('Max_size_of_cover', ''), 'Max size of cover'],
    ['the words of a label in camel case', value('MaxSize', null), 'Max size'],
    ['the name in words where there is neither', value(null, ' '), 'Max size'],
    ['an acronym as it is', value('VPS', null), 'VPS'],
  ])('is %s', (_title, parameter, expected) => {
    expect(fieldOf(parameter)?.description).toBe(expected);
  });
});

describe('a deprecated part', () => {
  it.each([
    ['a description that begins so', value('a', 'Deprecated: use max'), 'Deprecated: use max'],
    ['a description in brackets', value('a', '[DEPRECATED] gone soon'), '[DEPRECATED] gone soon'],
    ['a reason', value('a', 'text', { deprecated: 'Use max.' }), 'Use max.'],
    ['a flag', value('a', 'text', { deprecated: true }), 'The API describes it as deprecated.'],
  ])('is marked as such by %s', (_name, parameter, reason) => {
    expect(fieldOf(parameter)?.deprecationReason).toBe(reason);
  });

  it('is not what only mentions a deprecated one', () => {
    const field = fieldOf(value('a', 'Replaces a deprecated one', { deprecated: false }));
    expect(field).toBeDefined();
    expect(field?.deprecationReason).toBeUndefined();
  });

  it('may be an action or an input, but no required one', () => {
    const input = {
      old: value('old', 'Deprecated.'),
      needed: value('needed', 'Deprecated.', { required: true }),
    };
    const create = {
      ...action({ method: 'POST', path: '/books', namespace: 'book', input }),
      description: 'Deprecated, use import',
    };
    const sdl = printSDL(assemble({ book: resource({ create }) }));
    expect(sdl).toContain('bookCreate(');
    expect(sdl).toMatch(
      /\): BookCreatePayload @semanticNonNull @deprecated\(reason: "Deprecated, use import"\)/,
    );
    expect(sdl).toContain('old: String @deprecated(reason: "Deprecated.")');
    expect(sdl).toContain('needed: String!\n');
  });
});

it('everything has a description', () => {
  const choices = { include: { values: ['a', 'b'], message: 'no' } };
  const input = { kind: value(null, null, { validators: choices }) };
  const schema = assemble({
    book: resource({
      index: list('book', 'books', { id: 'Integer', title: value(null, null) }, { input }),
      create: action({
        method: 'POST',
        path: '/books',
        namespace: 'book',
        input,
        output: { id: 'Integer', title: value(null, null) },
      }),
      weigh: action({
        method: 'POST',
        path: '/books/weigh',
        namespace: 'book',
        output: { grams: 'Integer' },
      }),
    }),
  });
  const missing = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      { name: type.name, description: type.description },
      ...(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
        ? Object.values(type.getFields())
        : []),
      ...(isObjectType(type) ? Object.values(type.getFields()).flatMap(({ args }) => args) : []),
      ...(isEnumType(type) ? type.getValues() : []),
    ])
    .filter(({ description }) => !description?.trim());
  expect(missing.map(({ name }) => name)).toEqual([]);
});

describe('names', () => {
  const refersToBook = refersTo(['book'], 'title', { validators: {} });
  it('of a list of the own type say that only the API knows the relation', () => {
    const input = { book: refersToBook, original: refersToBook };
    const schema = assemble({
      book: resource({
        index: list('book', 'books', { id: 'Integer' }, { input }),
        show: show('book', 'books', { id: 'Integer' }),
      }),
    });
    const type = schema.getType('Book');
    const fields = isObjectType(type) ? type.getFields() : {};
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(['relatedBooks', 'booksByOriginal']));
    expect(fields).not.toHaveProperty('booksByBook');
  });

  it('of an output that is no object of the resource are `result`', () => {
    const output = { token: 'String' };
    const request = action({ method: 'POST', path: '/tokens', namespace: 'token', output });
    const sdl = printSDL(assemble({ token: resource({ request }) }));
    expect(sdl).toContain('result: TokenRequest\n');
    expect(sdl).not.toContain('token: TokenRequest');
  });
});
