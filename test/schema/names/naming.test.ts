// Tests how names are derived and how name clashes are resolved.

import { printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import type { Overrides } from '../../../src/schema/model/overrides.ts';
import {
  avoidReserved,
  enumValueNameOf,
  fieldNameOf,
  listNameOf,
  readNameOf,
  reserveNames,
  rowNameOf,
  typeNameOf,
} from '../../../src/schema/names/naming.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import {
  action as describeAction,
  describeApi,
  resource as describeResource,
  list,
  type Raw,
  type RawAction,
  type RawParameters,
  refersTo,
} from '../../helpers/describe-api.ts';

const assemble = (resources: Record<string, unknown>, overrides: Overrides = {}) => {
  const { schema, findings } = assembleSchema(parseDescription(describeApi(resources)), overrides);
  return { schema, findings, sdl: printSchema(schema) };
};

const id = { id: 'Integer' } as const;

/** A parameter with these choices. */
const choices = (...values: readonly string[]): Raw => ({
  type: 'String',
  validators: { include: { values, message: '' } },
});

const action = (path: string, more: Partial<RawAction> = {}): Raw =>
  describeAction({ path, namespace: 'thing', ...more });

/** A resource whose `index` and `show` have the same output. */
const resource = (
  name: string,
  plural: string,
  output: RawParameters,
  { prefix = '/v1', filters = {} as RawParameters, actions = {} as Raw, resources = {} as Raw } = {},
): Raw =>
  describeResource(
    {
      index: list(name, plural, output, {
        path: `${prefix}/${plural}`,
        input: { from_id: 'Integer', limit: 'Integer', ...filters },
      }),
      show: action(`${prefix}/${plural}/{${name}_id}`, { namespace: name, output }),
      ...actions,
    },
    resources,
  );

describe('a name', () => {
  it('is the path in PascalCase for types and the parameter in camelCase for fields', () => {
    expect(typeNameOf(['shelf', 'old_book'])).toBe('ShelfOldBook');
    expect(fieldNameOf('created_at')).toBe('createdAt');
    expect(fieldNameOf('loadavg1')).toBe('loadavg1');
  });

  it.each([
    ['1st', '_1st'],
    ['a-b', 'a_2d_b'],
    ['__x', 'x__x'],
    ['constructor', 'constructor_'],
    ['to_string', 'toString_'],
    ['', '_'],
    ['naïve', 'na_ef_ve'],
  ])('that is invalid in GraphQL or JavaScript is escaped: %j becomes %s', (name, escaped) => {
    expect(fieldNameOf(name)).toBe(escaped);
    expect(escaped).toMatch(/^(?!__)[_A-Za-z]\w*$/);
  });

  it('that is reserved gets the suffix Resource', () => {
    expect(typeNameOf(['node'])).toBe('NodeResource');
    expect(typeNameOf(['page_info'])).toBe('PageInfoResource');
    expect(typeNameOf(['session'])).toBe('SessionResource');
    expect(typeNameOf(['node', 'state'])).toBe('NodeState');
    expect(typeNameOf(['action_state'])).toBe('ActionState');
    expect(typeNameOf(['shelf', 'action_state'])).toBe('ShelfActionState');
    expect(avoidReserved('session', reserveNames([]).queries)).toBe('sessionResource');
  });

  it.each(['Connection', 'Edge', 'Input', 'Payload'])('of a resource never ends in %s', (end) => {
    expect(typeNameOf(['transfer', end.toLowerCase()])).toBe(`Transfer${end}Resource`);
    const name = `transfer_${end.toLowerCase()}`;
    const { schema, sdl } = assemble({ [name]: resource(name, `${name}s`, id) });
    expect(sdl).toContain(`type Transfer${end}ResourceConnection {`);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(
      expect.arrayContaining([`transfer${end}`, `transfer${end}s`]),
    );
  });

  it('of a list that equals the singular begins with all', () => {
    expect(listNameOf('news', 'news')).toBe('allNews');
    expect(listNameOf('books', 'book')).toBe('books');
  });

  it.each([
    ['get_instructions', 'object', 'instructions', 'instructions'],
    ['find_by_name', 'object', 'by_name', 'by_name'],
    ['find_free', 'object', 'find_free', 'find_free_result'],
    ['public_stats', 'hash', 'public_stats', 'public_stats'],
    ['list_counts', 'hash_list', 'counts', 'count'],
    ['overview_list', 'object_list', 'overviews', 'overview'],
    ['status_list', 'object_list', 'statuses', 'status'],
    ['history_list', 'object_list', 'histories', 'history'],
    ['free_slots', 'object_list', 'free_slots', 'free_slot'],
    ['public_status', 'object_list', 'public_statuses', 'public_status'],
    ['user_data', 'object_list', 'user_data', 'user_data'],
    ['search', 'hash_list', 'search_results', 'search_result'],
    ['find_free', 'object_list', 'find_free_results', 'find_free_result'],
    ['find_by_name', 'object_list', 'by_name', 'by_name'],
    ['list', 'object_list', 'list', 'list'],
  ] as const)('of the read %s with the layout %s is %s, and that of a row %s', (name, layout, read, row) => {
    const described = parseDescription(
      describeApi({ a: describeResource({ [name]: action('/a', { layout, output: id }) }) }),
    );
    const [one] = described.resources.flatMap(({ actions }) => actions);
    expect(one && [readNameOf(one), rowNameOf(one)]).toEqual([read, row]);
  });

  it('of a list by a value has the plural of its resource', () => {
    const find_by_title = action('/v1/books/by_title', {
      layout: 'object_list',
      output: { title: 'String' },
    });
    const { schema } = assemble({ book: resource('book', 'books', id, { actions: { find_by_title } }) });
    expect(schema.getQueryType()?.getFields()).toHaveProperty('booksByTitle');
  });

  it('of an enum value is upper case with underscores', () => {
    expect(enumValueNameOf('not_less')).toBe('NOT_LESS');
    expect(enumValueNameOf('-bytes')).toBe('_BYTES');
    expect(enumValueNameOf('hmac.md5')).toBe('HMAC_MD5');
    expect(enumValueNameOf('1st')).toBe('_1ST');
    expect(enumValueNameOf('')).toBeNull();
    expect(enumValueNameOf('+-')).toBeNull();
  });
});

describe('the name of an enum', () => {
  const enumsOf = (name: string, filters: RawParameters, output: RawParameters = {}): readonly string[] => {
    const { sdl } = assemble({ [name]: resource(name, `${name}s`, { ...id, ...output }, { filters }) });
    return [...sdl.matchAll(/^enum (\w+)/gm)].flatMap(([, found]) =>
      found?.startsWith('Session') ? [] : (found ?? []),
    );
  };
  const kinds = choices('small', 'large');

  it.each([
    ['cluster_resource', 'resource_type', 'ClusterResourceType'],
    ['software_version', 'version_source', 'SoftwareVersionSource'],
    ['outage', 'outage_type', 'OutageType'],
    ['ticket', 'state_state', 'TicketState'],
    ['ticket_type', 'type', 'TicketTypeValue'],
    ['book', 'bookmark', 'BookBookmark'],
    ['book', '1st', 'Book_1st'],
  ])('of %s.%s repeats neither its resource nor itself: %s', (name, parameter, expected) => {
    expect(enumsOf(name, { [parameter]: kinds })).toEqual([expected]);
  });

  it('ends with Filter where only filters have it, with a value for all rows', () => {
    const state = choices('all', 'open', 'closed');
    expect(enumsOf('visit', { state })).toEqual(['VisitStateFilter']);
    expect(enumsOf('visit', { state }, { state })).toEqual(['VisitState']);
    expect(enumsOf('visit', { state: choices('open', 'closed') })).toEqual(['VisitState']);
  });
});

describe('a clash of names', () => {
  const book = resource('book', 'books', id, {
    resources: { plan: resource('plan', 'plans', id, { prefix: '/v1/books/{book_id}' }) },
  });
  const bookPlan = resource('book_plan', 'book_plans', id);

  it('of types renames the deeper path and suggests an override', () => {
    const { sdl, findings } = assemble({ book, book_plan: bookPlan });
    expect(sdl).toContain('type BookPlan implements Node');
    expect(sdl).toContain('type BookPlanResource implements Node');
    expect(findings.find(({ code }) => code === 'TYPE_NAME_CLASH')).toMatchObject({
      path: 'book.plan',
      reason: expect.stringContaining('"names": { "BookPlanResource": "…" }'),
    });
  });

  it('of a resource and the interface of objects changes only the type and the fields of the root', () => {
    const kind = choices('small', 'large');
    const { schema, sdl } = assemble({
      node: resource('node', 'nodes', id, {
        filters: { kind },
        resources: { state: resource('state', 'states', id, { prefix: '/v1/nodes/{node_id}' }) },
        actions: { free: action('/v1/nodes/free', { output: { count: 'Integer' } }) },
      }),
      place: resource('place', 'places', id),
      visit: resource(
        'visit',
        'visits',
        { ...id, node: refersTo(['node']) },
        { filters: { node: refersTo(['node']) } },
      ),
    });
    const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(fields).toEqual(expect.arrayContaining(['nodeResource', 'nodeResources', 'nodeFree']));
    for (const type of [
      'type NodeState ',
      'type NodeFree ',
      'enum NodeKind ',
      'type NodeResourceConnection ',
    ])
      expect(sdl).toContain(type);
  });

  it('of an output parameter and a nested show omits the show', () => {
    const nested = resource('cover', 'covers', id, { prefix: '/v1/books/{book_id}' });
    const { sdl, findings } = assemble({
      book: resource('book', 'books', { ...id, cover: 'String' }, { resources: { cover: nested } }),
    });
    expect(sdl).toMatch(/type Book implements Node \{[^}]*cover: String/);
    expect(sdl).toContain('covers(');
    expect(findings).toEqual([
      expect.objectContaining({ code: 'NESTED_SHOW_LEFT_OUT', path: 'book.cover#show' }),
    ]);
  });

  it('of an enum and another resource is reported with an override that resolves it', () => {
    const format = choices('raw', 'gz');
    const resources = {
      book: resource('book', 'books', id, { filters: { data_format: format } }),
      book_data_format: resource('book_data_format', 'book_data_formats', id),
    };
    expect(assemble(resources).findings).toEqual([
      {
        code: 'TYPE_NAME_CLASH',
        path: 'book data_format',
        reason:
          'the name BookDataFormat is taken, so that it is BookDataFormatValue; choose another name in the overrides: "names": { "BookDataFormatValue": "…" }',
      },
    ]);
    const settled = assemble(resources, { names: { BookDataFormatValue: 'BookFormat' } });
    expect(settled.findings).toEqual([]);
    expect(settled.sdl).toContain('enum BookFormat');
  });
});

/** Returns resources in another order, with their actions, parameters and nested resources in that order too. */
function reorder(resources: Raw, order: (names: string[]) => string[]): Raw {
  const inOrder = (record: Raw): Raw =>
    Object.fromEntries(order(Object.keys(record)).map((name) => [name, record[name]]));
  const inShape = (shape: Raw | null) =>
    shape && { ...shape, parameters: inOrder(shape['parameters'] as Raw) };
  const inAction = (raw: unknown) => {
    const { input, output, ...rest } = raw as Record<'input' | 'output', Raw | null>;
    return { ...rest, input: inShape(input), output: inShape(output) };
  };
  const inside = Object.entries(resources).map(([name, raw]) => {
    const { actions = {}, resources: nested = {}, ...rest } = raw as Record<'actions' | 'resources', Raw>;
    const changed = Object.entries(actions).map(([action, one]) => [action, inAction(one)] as const);
    const ordered = inOrder(Object.fromEntries(changed));
    return [name, { ...rest, actions: ordered, resources: reorder(nested, order) }] as const;
  });
  return inOrder(Object.fromEntries(inside));
}

describe('the order of the resources, actions and parameters in a description', () => {
  const orders: readonly ((names: string[]) => string[])[] = [
    (names) => names.sort(),
    (names) => names.sort().reverse(),
    (names) => [...names.slice(1), ...names.slice(0, 1)],
  ];

  it('does not change the schema, although names clash', () => {
    const input = { data_format: choices('raw', 'gz'), dataFormat: choices('raw', 'xz') };
    const nested = { plan: resource('plan', 'plans', id, { prefix: '/v1/books/{book_id}' }) };
    const create = (path: string, more: RawParameters = {}) =>
      action(path, { method: 'POST', input: { from: 'Integer' }, output: { ...id, ...more } });
    const kinds = { data_kind: choices('a', 'b'), dataKind: choices('a', 'c') };
    const resources = {
      book: resource('book', 'books', id, {
        filters: { ...input, filter: choices('a', 'b') },
        actions: {
          add: create('/v1/books', kinds),
          lend: action('/v1/books/lend', { method: 'POST', output: { ...kinds, at: 'Datetime' } }),
          data_add: create('/v1/books/data'),
          dataAdd: create('/v1/books/d'),
        },
        resources: nested,
      }),
      book_plan: resource('book_plan', 'book_plans', id),
      book_data: resource('book_data', 'book_datas', id, {
        filters: { format: choices('csv', 'json') },
        actions: { add: create('/v1/book_datas') },
      }),
    };
    const { sdl, findings } = assemble(resources);
    expect(sdl).toContain('input BookDataAddInput');
    expect(sdl).toContain('input BookResourceDataAddInput');
    expect(findings.length).toBeGreaterThan(3);
    for (const order of orders) {
      const reordered = assemble(reorder(resources, order));
      expect(reordered.sdl).toBe(sdl);
      expect(new Set(reordered.findings)).toEqual(new Set(findings));
    }
  });
});

describe('an unusual name in a description', () => {
  it('is never derived from an alias', () => {
    const lent = {
      ...action('/v1/books/lent', { namespace: 'book', output: id }),
      aliases: ['borrowed'],
    };
    const { sdl } = assemble({ book: resource('book', 'books', id, { actions: { lent } }) });
    expect(sdl).toContain('bookLent');
    expect(sdl).not.toContain('borrowed');
  });
});
