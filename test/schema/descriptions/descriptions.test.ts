// Tests the descriptions that real and stub descriptions give to types, parameters, enums and payloads.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { builtInOverrides } from '../../../src/facade/built-in-overrides.ts';
import { type AssembledSchema, assembleSchema } from '../../../src/schema/assemble.ts';
import { printSDL } from '../../../src/schema/print-schema.ts';
import type { Resource } from '../../../src/upstream/description/description.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { action, describeApi, list, type Raw, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { problemsOf } from '../../helpers/schema-problems.ts';

const DATA = new URL('../../../../shared/data/', import.meta.url);

/** Reads a real response to OPTIONS. Returns null if the directory ../shared does not exist. */
function read(file: string): unknown {
  const url = new URL(file, DATA);
  if (!existsSync(url)) return null;
  const bytes = readFileSync(url);
  const { response } = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  return response.versions?.default ?? response;
}

/** Assembles the schema of a real response, with the facts about its API. */
function assembleReal(raw: unknown): AssembledSchema {
  const description = parseDescription(raw);
  return assembleSchema(description, builtInOverrides(description));
}

const sdlOf = (schema: GraphQLSchema): string => printSchema(lexicographicSortSchema(schema));

const scopesOf = (resources: readonly Resource[]): string[] =>
  resources.flatMap(({ actions, resources: nested }) => [
    ...actions.map(({ scope }) => scope),
    ...scopesOf(nested),
  ]);

/** Returns the descriptions of all fields. */
function fieldDescriptions(schema: GraphQLSchema): string {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .map((field) => field.description ?? '')
    .join('\n');
}

describe.each([
  ['production-description.json.gz', 57],
  ['reference-description-user.json', 3],
  ['reference-description-anonymous.json', 2],
])('the real description %s', (file, resources) => {
  const raw = read(file);
  if (raw === null) console.warn(`skipped: ../shared/data/${file} does not exist`);

  it.skipIf(raw === null)('assembles to a valid schema that omits nothing', () => {
    const description = parseDescription(raw);
    expect(description.resources).toHaveLength(resources);
    expect(description.findings).toEqual([]);
    const { schema, findings } = assembleReal(raw);
    expect(problemsOf(schema)).toEqual([]);
    // Two enums have the same plain name, and one format looks around, which only the API can check. Nothing is missing.
    const known = ['TYPE_NAME_CLASH', 'CHECK_LEFT_TO_SERVER'];
    expect(findings.filter(({ code }) => !known.includes(code))).toEqual([]);
  });

  it.skipIf(raw === null)('has a field for each action, whose description contains the scope', () => {
    const description = parseDescription(raw);
    const { schema } = assembleReal(raw);
    const text = fieldDescriptions(schema);
    const missing = scopesOf(description.resources).filter(
      (scope) => scope !== 'action_state#poll' && !text.includes(`\`${scope}\``),
    );
    expect(missing).toEqual([]);
  });

  it.skipIf(raw === null)('assembles to the same schema each time', () => {
    const assemble = (): AssembledSchema => assembleReal(raw);
    expect(sdlOf(assemble().schema)).toBe(sdlOf(assemble().schema));
  });
});

describe('the production schema', () => {
  const raw = read('production-description.json.gz');
  const types = raw === null ? {} : assembleReal(raw).schema.getTypeMap();
  const fieldsOf = (name: string): string[] => {
    const type = types[name];
    return isObjectType(type) ? Object.keys(type.getFields()) : [];
  };

  it.skipIf(raw === null)('applies the naming rules for reserved, plural and clashing names', () => {
    expect(Object.keys(types)).toEqual(
      expect.arrayContaining(['NodeResource', 'DatasetPlan', 'DatasetPlanAssignment']),
    );
    expect(fieldsOf('Query')).toEqual(
      expect.arrayContaining([
        'nodeResource',
        'nodeResources',
        'allVpsUserData',
        'systemConfig',
        'userCurrent',
      ]),
    );
    expect(fieldsOf('Query')).not.toContain('actionStatePoll');
  });

  it.skipIf(raw === null)('has a field on ActionState for a resource that shares its IDs', () => {
    expect(fieldsOf('ActionState')).toContain('transactionChain');
  });

  it.skipIf(raw === null)('names reverse edges after the list or after the filter', () => {
    expect(fieldsOf('User')).toEqual(expect.arrayContaining(['dnsRecords', 'filedIncidentReports']));
    expect(fieldsOf('DnsZone')).toContain('records');
    expect(fieldsOf('Pool')).toContain('primaryDatasets');
    expect(fieldsOf('Dataset')).toContain('relatedDatasets');
  });

  it.skipIf(raw === null)('has a type for a resource that is only referred to', () => {
    expect(fieldsOf('Mailbox')).toEqual(expect.arrayContaining(['id', 'databaseId', 'label']));
  });

  it.skipIf(raw === null)(
    'places other reads on objects and at the root, and serves them as plain lists',
    () => {
      expect(fieldsOf('User')).toContain('availableIps');
      const query = types['Query'];
      const field = isObjectType(query) ? query.getFields()['nodePublicStatuses'] : undefined;
      expect(String(field?.type)).toBe('[NodePublicStatus]');
    },
  );
});

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
    ['the words of a label in camel case', value('MaxSizeInCm', null), 'Max size in cm'],
    ['left out where the label is the name', value('MaxSize', null), undefined],
    ['left out where there is neither', value(null, ' '), undefined],
    ['an acronym as it is', value('VPS', null), 'VPS'],
  ])('is %s', (_title, parameter, expected) => {
    expect(fieldOf(parameter)?.description).toBe(expected);
  });
});

describe('a described default', () => {
  const input = { pages: { type: 'Integer', label: 'Pages', default: 0, validators: {} } } as const;
  const output = { id: 'Integer', pages: 'Integer' } as const;
  const write = { namespace: 'book', input, output } as const;
  const own = { path: '/books/{book_id}', ...write } as const;
  const sdl = printSDL(
    assemble({
      book: resource({
        show: show('book', 'books', output),
        create: action({ ...write, path: '/books', method: 'POST' }),
        update: action({ ...own, method: 'PUT' }),
        reprint: action({ ...own, path: '/books/{book_id}/reprint', method: 'POST' }),
        lend: action({ ...own, path: '/books/{book_id}/lend', method: 'POST', input: { days: input.pages } }),
      }),
      settings: resource({ update: action({ ...write, path: '/settings', method: 'PATCH' }) }),
    }),
  );
  const textIn = (type: string): string => new RegExp(`input ${type} \\{[^}]*`).exec(sdl)?.[0] ?? '';

  it.each(['BookUpdateInput', 'BookReprintInput', 'SettingsUpdateInput'])(
    'of a value that a write changes is no promise: %s',
    (type) => {
      expect(textIn(type)).toContain('Described default: `0`.');
      expect(textIn(type)).not.toContain('If omitted');
    },
  );

  it.each(['BookCreateInput', 'BookLendInput'])('of other inputs is what the API uses: %s', (type) => {
    expect(textIn(type)).toContain('If omitted, the API uses `0`.');
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

it('everything has a description but outputs and enum values of which there is only the name', () => {
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
  expect(missing.map(({ name }) => name)).toEqual(['title', 'A', 'B', 'grams']);
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
    expect(sdl).toContain('result: TokenRequestResult\n');
    expect(sdl).not.toContain('token: TokenResult');
  });
});
