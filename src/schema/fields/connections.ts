// Creates the connection types and the arguments of fields that return them.
import type { Action } from '../../upstream/description/description.ts';
import type { Assembly } from '../assemble.ts';
import type { Builder } from '../builder.ts';
import { memo } from '../memo.ts';
import type { ResourceModel } from '../model/model.ts';
import { rowNameOf } from '../names/naming.ts';
import { nameType } from '../names/type-names.ts';
import { type ConnectionPage, DEFAULT_FIRST, type Edge, MAX_FIRST } from '../resolve/page-reader.ts';
import type { Filter } from '../types/inputs.ts';
import type { EntityRef } from '../types/object-fields.ts';

/** The connection types of one schema: one for each row type. */
export class ConnectionTypes {
  readonly #assembly: Assembly;
  readonly #pageInfo: ReturnType<typeof createPageInfo>;
  readonly #typeOf = memo((rowType: EntityRef, resource: ResourceModel, action: Action) => {
    const { builder, types } = this.#assembly;
    const words = rowType === types.typeFor(resource)?.ref ? '' : rowNameOf(action);
    const edge = createEdge(builder, nameType(this.#assembly, resource, words, 'edge'), rowType);
    const name = nameType(this.#assembly, resource, words, 'connection');
    return createConnection(builder, name, rowType, edge, this.#pageInfo);
  });

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#pageInfo = createPageInfo(assembly.builder);
  }

  /** Returns the connection type for the output of a list. */
  typeFor(resource: ResourceModel, action: Action) {
    return this.#typeOf(this.#assembly.types.outputTypeFor(resource, action), resource, action);
  }

  /** Returns the Pothos arguments for paging and, if the list has filters, `filter`. */
  declareArguments({ ref, inputs }: Filter, description: string) {
    return this.#assembly.builder.args((t) => ({
      first: t.int({
        description: `The number of rows in the page, from 0 to ${MAX_FIRST}. Paging is forward only: there is no \`last\`.`,
        defaultValue: DEFAULT_FIRST,
      }),
      after: t.string({
        description: 'Returns the rows that come after the specified cursor. There is no `before`.',
      }),
      ...(ref === null ? {} : { filter: t.field({ type: ref, description, required: inputs.required }) }),
    }));
  }
}

function createPageInfo(builder: Builder) {
  return builder.objectRef<ConnectionPage>('PageInfo').implement({
    description: 'Information about pagination in a connection.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', {
        nullable: false,
        description: 'Whether more rows follow this page. Always exact.',
      }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
        nullable: false,
        description: 'Whether rows precede this page: true if `after` is given.',
      }),
      startCursor: t.exposeString('startCursor', { description: 'The cursor of the first edge.' }),
      endCursor: t.exposeString('endCursor', {
        description: 'The cursor of the last edge. Pass it as `after` to fetch the next page.',
      }),
    }),
  });
}

function createEdge(builder: Builder, name: string, rowType: EntityRef) {
  return builder.objectRef<Edge>(name).implement({
    description: 'An edge in a connection.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        nullable: false,
        description: 'The cursor of this row, for use as `after`.',
      }),
      node: t.expose('node', {
        type: rowType,
        nullable: false,
        description: 'The row at the end of the edge.',
      }),
    }),
  });
}

function createConnection(
  builder: Builder,
  name: string,
  rowType: EntityRef,
  edge: ReturnType<typeof createEdge>,
  pageInfo: ReturnType<typeof createPageInfo>,
) {
  const nullable = { list: false, items: false } as const;
  return builder.objectRef<ConnectionPage>(name).implement({
    description: `A page of a list of ${rowType.name}. The rows come in the order of the API, unless the list offers another one in its arguments.`,
    fields: (t) => ({
      edges: t.expose('edges', { type: [edge], nullable, description: 'A list of edges.' }),
      nodes: t.expose('nodes', { type: [rowType], nullable, description: 'A list of rows.' }),
      pageInfo: t.expose('pageInfo', {
        type: pageInfo,
        nullable: false,
        description: 'Information to aid in pagination.',
      }),
      totalCount: t.expose('totalCount', {
        type: 'Int',
        description:
          'The number of rows in the whole list, regardless of the page. Null with the warning `COUNT_UNAVAILABLE` if the API does not count them, or there are more than 2147483647.',
      }),
    }),
  });
}
